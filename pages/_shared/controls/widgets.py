"""Controls to choose a method from a table of the library, and its options; so pages need not know any method."""

import functools
from collections.abc import Mapping, Sequence, Sized
from typing import Any, Protocol, TypeVar

import streamlit as st

from embedviz.core.options import Method, Option, Parameter, Words, check, choose
from embedviz.core.pasted import words_of
from pages._shared.app import address, lists
from pages._shared.controls.option_control import LONGEST_SHOWN as LONGEST_SHOWN
from pages._shared.controls.option_control import control as control
from pages._shared.controls.option_control import explained as explained
from pages._shared.controls.option_control import named as named
from pages._shared.controls.option_control import number as number
from pages._shared.controls.option_control import segments as segments


class Named(Protocol):
    """A row of a table of methods: its name in the address, and its title for people."""

    @property
    def name(self) -> str:
        """Return the name of the method in the page's address."""
        ...

    @property
    def title(self) -> str:
        """Return the title for people."""
        ...


Row = TypeVar("Row", bound=Named)


def method(
    label: str,
    name: str,
    methods: Mapping[str, Row],
    default: str,
    *,
    segmented: bool = False,
    also: Mapping[str, str] | None = None,
) -> Row:
    """Return the method that the page's address names, a row of `methods`.

    If there are several methods, draw a control to choose one.

    Args:
        name: The parameter of the page's address.
        default: The method if the address names none.
        also: Other parameters of the page's address, and the values that they get when the method changes.

    Raises:
        OptionError: The address names a method that does not exist.
    """
    current = choose(methods, address.get(name, default), label.lower())
    if len(methods) > 1:
        title_of = functools.partial(_title, methods, "" if segmented else f"{label}: ")
        bound = address.bind(name, current.name, also=also)
        tied: dict[str, Any] = {"format_func": title_of, "label_visibility": "collapsed", **bound}
        if segmented:
            st.segmented_control(label, list(methods), required=True, **tied)
        else:
            st.selectbox(label, list(methods), **tied)
    return current


def _title(methods: Mapping[str, Row], before: str, name: str) -> str:
    return f"{before}{methods[name].title}"


def options(
    chosen: Method,
    space: Sized,
    prefix: str = "",
    *,
    word: str = "",
    without: Sequence[str] = (),
    usual: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Draw a control for each option of a method, and return the values of the options from the address.

    Args:
        space: The space, or the rows of it that are shown; limits and choices depend on it.
        prefix: Precedes each option's name in the address.
        word: The word in use: the default of an option that takes one word.
        without: Options whose control is elsewhere; their values are left out.
        usual: Defaults by option, in place of the method's own.

    Raises:
        OptionError: The address holds a value that the method does not allow.
    """
    values = option_values(chosen, space, prefix, without=without, usual=usual)
    for option in chosen.options:
        if option.name in values:
            control(option, space, prefix + option.name, values[option.name])
            if isinstance(option, Words) and option.single:
                values[option.name] = values[option.name] or word
    return values


def option_values(
    chosen: Method,
    space: Sized,
    prefix: str = "",
    *,
    without: Sequence[str] = (),
    usual: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the value of each option of a method from the address, without controls; arguments as in `options`.

    Raises:
        OptionError: The address holds a value that the method does not allow.
    """
    offered = [option for option in chosen.options if option.name not in without]
    in_address = {option.name: _in_address(option, prefix + option.name) for option in offered}
    given = {**(usual or {}), **{name: text for name, text in in_address.items() if text}}
    values = check(chosen, {name: given[name] for name in in_address if name in given}, space)
    return {option.name: values[option.name] for option in offered}


def pasted_words(chosen: Method, space: Sized) -> tuple[str, ...]:
    """Draw a box for a method's only option, a list of pasted words; return the words, or () for an empty list.

    Raises:
        OptionError: There are too many words, or the program no longer has the list.
    """
    return tuple(words_of(lists.unmarked(options(chosen, space)[chosen.options[0].name])))


def _in_address(option: Option, name: str) -> str:
    """Return an option's value in the page's address; for a long word list, the `marked()` text that stands for it."""
    token = address.get(lists.NAME) if isinstance(option, Words) and option.pasted else ""
    return lists.marked(token) if token else address.get(name)


def spoken(chosen: Method, values: Mapping[str, Any]) -> str:
    """Return the names and values of options as text, for the line under a figure."""
    given = [option for option in chosen.options if option.name in values]
    return ", ".join(
        f"{(option.label or option.name).lower()} {_value_text(option, values[option.name])}" for option in given
    )


def _value_text(option: Option, value: Any) -> str:
    if isinstance(option, Parameter):
        return option.zero if option.zero and value == 0 else f"{value:,g}"
    return str(value)
