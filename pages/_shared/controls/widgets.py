"""Controls built from the library's tables: pages know no method by name."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence, Sized
from typing import Any

import streamlit as st

from embedviz.core.options import Choice, Method, Option, Parameter, Text, Words, check, choose
from embedviz.core.pasted import words_of
from pages._shared.app import address, frame, lists
from pages._shared.app.escape import plain

LONGEST_PASTED = 8_000_000
LONGEST_SHOWN = 20_000
"""Characters of a list."""


def method(label: str, name: str, methods: Mapping[str, Method], default: str, *, segmented: bool = False) -> Method:
    """The row of a table that the address names; a control to choose another, where there is another.

    Raises:
        OptionError: The address names a row that is not there.
    """
    current = choose(methods, address.get(name, default), label.lower())
    if len(methods) > 1:
        widget = st.segmented_control if segmented else st.selectbox
        required = {"required": True} if segmented else {}
        widget(
            label,
            list(methods),
            format_func=lambda key: methods[key].title if segmented else f"{label}: {methods[key].title}",
            label_visibility="collapsed",
            **required,
            **address.bind(name, current.name),
        )
    return current


def options(
    chosen: Method,
    space: Sized,
    prefix: str = "",
    *,
    word: str = "",
    without: Sequence[str] = (),
    usual: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The value of each option of a row as the address has it, with a control to turn each.

    Args:
        chosen: The row.
        space: What limits and choices depend on: the space, or the rows of it that are shown.
        prefix: Stands before each option's name in the address.
        word: The word in use: what an option that asks for one word takes until it is told another.
        without: Options that have their control elsewhere; their values are left out.
        usual: Values that stand where the address says nothing, in place of the row's own defaults.

    Raises:
        OptionError: The address holds a value that the row does not allow.
    """
    values = asked(chosen, space, prefix, without=without, usual=usual)
    for option in chosen.options:
        if option.name in values:
            control(option, space, prefix + option.name, values[option.name])
            if isinstance(option, Words) and option.single:
                values[option.name] = values[option.name] or word
    return values


def asked(
    chosen: Method,
    space: Sized,
    prefix: str = "",
    *,
    without: Sequence[str] = (),
    usual: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The value of each option of a row as the address has it, without controls; the arguments are those of `options`.

    Raises:
        OptionError: The address holds a value that the row does not allow.
    """
    offered = [option for option in chosen.options if option.name not in without]
    said = {option.name: _asked(option, prefix + option.name) for option in offered}
    given = {**(usual or {}), **{name: text for name, text in said.items() if text}}
    values = check(chosen, {name: given[name] for name in said if name in given}, space)
    return {option.name: values[option.name] for option in offered}


def number(option: Parameter, space: Sized, *, visible: bool = False) -> float:
    """The value of one number as the address has it, with a control whose label stands before it where it is visible.

    Raises:
        OptionError: The address holds a value that is not allowed.
    """
    value = option.check(address.get(option.name) or option.usual(len(space)), len(space))
    if visible:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.html(f'<span class="ev-muted">{html.escape(option.label or option.name)}</span>', width="content")
            control(option, space, option.name, value, label_visibility="collapsed")
    else:
        control(option, space, option.name, value, label_visibility="collapsed")
    return value


def pasted_words(chosen: Method, space: Sized) -> tuple[str, ...]:
    """The words of a row's only option, a pasted list, with the box to paste another; none where none are listed.

    Raises:
        OptionError: There are too many, or the list is no longer kept.
    """
    return tuple(words_of(lists.unmarked(options(chosen, space)[chosen.options[0].name])))


def _asked(option: Option, name: str) -> str:
    """What the address says of an option; a long list stands there by its token alone."""
    token = address.get(lists.NAME) if isinstance(option, Words) and option.pasted else ""
    return lists.marked(token) if token else address.get(name)


def _pasted(label: str, option: Words, name: str, value: str) -> None:
    """A box to paste a list into; a list too long to be sent at every run is not shown again in it."""
    text = lists.unmarked(value)
    short = len(text) <= LONGEST_SHOWN
    tied = address.bind(name, text if short else "")

    def write() -> None:
        address.put(**lists.reference(name, words_of(st.session_state[tied["key"]])))

    st.text_area(label, max_chars=LONGEST_PASTED, **(tied | {"help": option.help, "on_change": frame.safely(write)}))
    if not short:
        st.caption(f"A list of {len(words_of(text)):,} words is in use. Another one that is pasted takes its place.")


def segments(option: Parameter, space: Sized, titles: Mapping[int, str]) -> int:
    """One of a few whole numbers as the address has it, with a segment for each.

    Raises:
        OptionError: The address holds a value that is not allowed.
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
    """What an option does, in a sentence, and its formula where it has one."""
    return f"{option.help}{_formula(option)}"


def _formula(option: Option) -> str:
    formula = getattr(option, "formula", "")
    return f"\n\n${formula}$" if formula else ""


def control(option: Option, space: Sized, name: str, value: Any, **look: Any) -> None:
    """The control that turns an option and writes it into the address under this name; none where nothing can vary."""
    label = option.label or option.name
    tied = {"help": explained(option), **look, **address.bind(name, value)}
    if isinstance(option, Parameter):
        kind = int if isinstance(option.default, int) else float
        low, high = kind(option.low), kind(option.upper(len(space)))
        tied["help"] = (
            f"{option.help} From {low:,} to {high:,}{f'; 0: {option.zero}' if option.zero else ''}.{_formula(option)}"
        )
        if low < high:
            st.number_input(label, low, high, **_fine(option), **tied)
    elif isinstance(option, Choice):
        st.selectbox(label, list(option.listed(space)), format_func=plain, **tied)
    elif isinstance(option, Text):
        st.text_input(label, max_chars=option.longest, **tied)
    elif option.single:
        st.text_input(label, **tied)
    elif option.pasted:
        _pasted(label, option, name, value)
    else:
        st.text_area(label, max_chars=20_000, **tied)


def _fine(option: Parameter) -> dict[str, Any]:
    """How a small number is shown and stepped: two decimals, as others have, would show it as nothing."""
    if not 0 < abs(option.default) < 0.1:
        return {}
    return {"format": "%g", "step": 10.0 ** (math.floor(math.log10(abs(option.default))) - 1)}


def spoken(chosen: Method, values: Mapping[str, Any]) -> str:
    """The options and their values in words, as the line under a figure gives them."""
    told = [option for option in chosen.options if option.name in values]
    return ", ".join(f"{(option.label or option.name).lower()} {_said(option, values[option.name])}" for option in told)


def _said(option: Option, value: Any) -> str:
    if isinstance(option, Parameter):
        return option.zero if option.zero and value == 0 else f"{value:,g}"
    return str(value)
