"""The control of one option, by its kind: a number, a choice, a text, a list of words."""

import html
import math
from collections.abc import Mapping, Sized
from typing import Any

import streamlit as st

from embedviz.core import limits
from embedviz.core.options import Choice, Option, Parameter, TextOption, Words
from embedviz.core.pasted import words_of
from embedviz.core.space import VectorSpace
from pages._shared.app import address, frame, lists
from pages._shared.app.escape import plain

LONGEST_SHOWN = 20_000
"""A pasted list with more characters is not shown in its box again."""


def number(option: Parameter, space: Sized, *, visible: bool = False) -> float:
    """Draw the control of a number; return its value from the address, or else its default.

    Args:
        visible: Whether the name of the option stands before the control.

    Raises:
        OptionError: The address holds a value that is not allowed.
    """
    value = option.check(address.get(option.name) or option.usual(len(space)), len(space))
    if visible:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"numbered-{option.name}"):
            named(option)
            control(option, space, option.name, value, label_visibility="collapsed")
    else:
        control(option, space, option.name, value, label_visibility="collapsed")
    return value


def named(option: Option) -> None:
    """Draw the name of an option whose control has no visible label; its help opens on hover or tap."""
    tip, label = html.escape(option.help, quote=True), html.escape(option.label or option.name)
    explained = f'tabindex="0" data-tip="{tip}" aria-description="{tip}"'
    st.html(f'<span class="ev-muted ev-term ev-under" {explained}>{label}</span>', width="content")


def _pasted(label: str, option: Words, name: str, value: str) -> None:
    """Draw a box to paste a list into.

    A list of more than `LONGEST_SHOWN` characters is not sent to the browser. Then the box is empty, and a caption has
    the number of words in use.
    """
    text = lists.unmarked(value)
    short = len(text) <= LONGEST_SHOWN

    def write(typed: str) -> None:
        address.put(**lists.reference(name, words_of(typed)))

    tied = address.bind_to(name, text if short else "", frame.safely(write))
    st.text_area(label, max_chars=limits.PASTED_TABLE, help=option.help, **tied)
    if not short:
        st.caption(f"A list of {len(words_of(text)):,} words is in use. Paste another list to replace it.")


def segments(option: Parameter, space: Sized, titles: Mapping[int, str]) -> int:
    """Draw a segmented control for whole numbers; return the number in the page's address, else the default.

    Args:
        titles: Each number and the text of its segment.

    Raises:
        OptionError: The page's address holds a value that is not allowed.
    """
    value = int(option.check(address.get(option.name) or option.default, len(space)))
    st.segmented_control(
        option.label or option.name,
        list(titles),
        format_func=lambda number: titles[number],
        label_visibility="collapsed",
        required=True,
        **address.bind(option.name, value),
    )
    return value


def explained(option: Option) -> str:
    """Return what an option does, in a sentence, and its formula if it has one."""
    return f"{option.help}{_formula(option)}"


def _formula(option: Option) -> str:
    formula = getattr(option, "formula", "")
    formulas = [formula] if isinstance(formula, str) else formula
    return "".join(f"\n\n${each}$" for each in formulas if each)


def control(option: Option, space: Sized, name: str, value: Any, **look: Any) -> None:
    """Draw the control of an option, tied to `name` in the address; draw nothing if only one number is possible."""
    label = option.label or option.name
    tied = {"help": explained(option), **look, **address.bind(name, value)}
    if isinstance(option, Parameter):
        kind = int if isinstance(option.default, int) else float
        low, high = kind(option.low), kind(option.upper(len(space)))
        tied["help"] = (
            f"{option.help} From {low:,} to {high:,}{f'; 0: {option.zero}' if option.zero else ''}.{_formula(option)}"
        )
        if low < high:
            st.number_input(f"{label} (0: {option.zero})" if option.zero else label, low, high, **_fine(option), **tied)
    elif isinstance(option, Choice):
        titled = space.column_title if isinstance(space, VectorSpace) and option.name == "column" else str
        st.selectbox(label, list(option.listed(space)), format_func=lambda one: plain(titled(one)), **tied)
    elif isinstance(option, TextOption):
        st.text_input(label, max_chars=option.longest, **tied)
    elif option.single:
        st.text_input(label, **tied)
    elif option.pasted:
        _pasted(label, option, name, value)
    else:
        st.text_area(label, max_chars=20_000, **tied)


def _fine(option: Parameter) -> dict[str, Any]:
    """Return format and step of a number box if the default is below 0.1; else {}, which shows two decimals."""
    if not 0 < abs(option.default) < 0.1:
        return {}
    return {"format": "%g", "step": 10.0 ** (math.floor(math.log10(abs(option.default))) - 1)}
