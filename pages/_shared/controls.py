"""Controls built from the library's tables: pages know no method by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from embedviz.options import Choice, Method, Parameter, Words, choose
from embedviz.space import VectorSpace
from pages._shared import address
from pages._shared.escape import escape


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
            format_func=lambda key: methods[key].title,
            label_visibility="collapsed",
            **required,
            **address.bind(name, current.name),
        )
    return current


def options(chosen: Method, space: VectorSpace, prefix: str = "", *, word: str = "") -> dict[str, Any]:
    """The value of each option of a row as the address has it, with a control to turn each.

    Args:
        chosen: The row.
        space: What limits and choices depend on.
        prefix: Stands before each option's name in the address.
        word: The word in use: what an option that asks for one word takes until it is told another.

    Raises:
        OptionError: The address holds a value that the row does not allow.
    """
    values = {option.name: _option(option, space, prefix + option.name) for option in chosen.options}
    for option in chosen.options:
        if isinstance(option, Words) and option.single:
            values[option.name] = values[option.name] or word
    return values


def number(option: Parameter, space: VectorSpace) -> float:
    """The value of one number as the address has it, with a control whose label only a screen reader says.

    Raises:
        OptionError: The address holds a value that is not allowed.
    """
    return float(_option(option, space, option.name, label_visibility="collapsed"))


def _value(option: Parameter | Choice | Words, space: VectorSpace, name: str) -> Any:
    text = address.get(name)
    if isinstance(option, Parameter):
        value: Any = text if text else min(option.default, option.upper(len(space)))
        return option.check(value, len(space))
    if isinstance(option, Choice):
        return option.check(text or option.default, space)
    return option.check(text or option.default)


def _option(option: Parameter | Choice | Words, space: VectorSpace, name: str, **look: Any) -> Any:
    value = _value(option, space, name)
    label = option.label or option.name
    if isinstance(option, Parameter):
        whole = isinstance(option.default, int)
        kind = int if whole else float
        low, high = kind(option.low), kind(option.upper(len(space)))
        if low < high:
            st.number_input(label, low, high, help=option.help, **look, **address.bind(name, value))
        return value
    if isinstance(option, Choice):
        listed = list(option.listed(space))
        st.selectbox(label, listed, format_func=escape, help=option.help, **address.bind(name, value))
        return value
    if option.single:
        st.text_input(label, help=option.help, **address.bind(name, value))
    else:
        st.text_area(label, help=option.help, max_chars=20_000, **address.bind(name, value))
    return value


def spoken(chosen: Method, values: Mapping[str, Any]) -> str:
    """The options and their values in words, as the line under a figure gives them."""
    return ", ".join(f"{(option.label or option.name).lower()} {values[option.name]}" for option in chosen.options)
