"""The view of a page, held in the page's address. It is read before any widget exists, and written once per change.

`restoring` brings a view back after a page switch. `go` switches to a page with a given address.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NoReturn, TypeVar

import streamlit as st

from pages._shared.app import newest, widget_keys
from pages._shared.app.restoring import LEFT, PAGE, RESTORED, STANDS, StandIn, all_values, values_of
from pages._shared.app.restoring import NO_PAGE as NO_PAGE
from pages._shared.app.restoring import SHARED as SHARED
from pages._shared.app.restoring import begin as begin
from pages._shared.app.restoring import remember as remember
from pages._shared.app.restoring import settle as settle
from pages._shared.app.restoring import stored as stored

LONGEST_WORD = 400
"""Most characters that are read from a word in the address."""
MOST_LISTED = 100
_Usual = TypeVar("_Usual", int, None)
_CARRIED = ("texts", "model", "corpus")


def place() -> tuple[str, dict[str, list[str]]]:
    """Return the name of the page and the values of its address."""
    return st.session_state.get(PAGE, ""), all_values()


def names() -> list[str]:
    """Return the names of all values in the address."""
    return [*all_values()]


def go(page: Any, query: Mapping[str, str | Sequence[str]], *, carry: bool = True) -> NoReturn:
    """Open a page with the values `query` in its address, and end the current run of the script.

    The browser's Back button returns to the page that is left here, as it is now.

    Args:
        page: The page, or its file as `st.switch_page` takes it.
        query: The values of the new address.
        carry: Whether the corpus, the texts and the model in use are carried over to the new address.
    """
    here, view = place()
    carried = {name: listed for name, listed in view.items() if carry and name in _CARRIED}
    wanted = carried | {name: [each] if isinstance(each, str) else list(each) for name, each in query.items()}
    wanted = {name: listed for name, listed in wanted.items() if any(listed)}
    if getattr(page, "url_path", None) != here:
        stands = StandIn(wanted, view)
        st.session_state.setdefault(LEFT, {})[here] = st.session_state[STANDS] = stands
    else:
        newest.note(wanted)
    st.switch_page(page, query_params=wanted)


def page_name(file: str) -> str:
    """Return a page's name in an address: the stem of its file, or its folder if the file is `page.py`."""
    path = PurePosixPath(file)
    return path.parent.name if path.name == "page.py" else path.stem


def get(name: str, default: str = "") -> str:
    """Return the last value of a name in the address; `default` if the name is missing."""
    values = values_of(name)
    return values[-1] if values else default


def whole(name: str, low: int, high: int, usual: _Usual) -> int | _Usual:
    """Return the value of a name in the address as a whole number; `usual` if it is not one from `low` to `high`."""
    text = get(name)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high else usual


def get_list(name: str) -> list[str]:
    """Return the values of a name in the address without repetitions, at most `MOST_LISTED`."""
    return list(dict.fromkeys(values_of(name)))[:MOST_LISTED]


def put(**values: str | Sequence[str] | None) -> None:
    """Write these values into the address in one step; None or an empty list removes a name."""
    current = all_values()
    st.session_state.pop(RESTORED, None)
    before = newest.in_run()
    for name, value in values.items():
        if value is None or (not isinstance(value, str) and not value):
            current.pop(name, None)
        else:
            current[name] = [value] if isinstance(value, str) else list(value)
    if not current:
        st.session_state.pop(STANDS, None)  # the empty address no longer stands for another view
    if current != before:
        newest.write(current)
    remember(st.session_state.get(PAGE, ""), current)


def bind(
    name: str,
    value: Any,
    to_text: Callable[[Any], str | Sequence[str]] = str,
    also: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return keyword arguments that tie a widget to the address: the widget shows `value` and writes each change there.

    Use as `st.selectbox(label, options, **bind("color", current))`.

    Args:
        to_text: Converts a value for the address: to one text, or to a list of texts for a widget of several values.
        also: Other parameters of the address, with the values to write at each change of the widget.
    """

    def write(chosen: Any) -> None:
        put(**{**(also or {}), name: None if chosen is None else to_text(chosen)})

    return bind_to(name, value, write)


def bind_to(name: str, value: Any, write: Callable[[Any], object]) -> dict[str, Any]:
    """Return keyword arguments for a widget that shows `value`, and calls `write` with each value that is chosen."""
    return widget_keys.tie(_widget(name), value, write)


def in_widget(name: str) -> Any:
    """Return the present value of the widget tied to a name in the address; an empty text if there is none."""
    return st.session_state.get(widget_keys.current(_widget(name)), "")


def _widget(name: str) -> str:
    return f"{st.session_state.get(PAGE, '')}:{name}"
