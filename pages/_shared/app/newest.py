"""The newest address of a session. A run that arrives with an older address continues from the newest.

A browser sends each change with the address that it has at that moment. What a callback writes into the address reaches
the browser only with the answer. A change that is made before the answer still comes with the older address. Therefore
a session stores the addresses of its page, from the one in the browser's last message to the newest. The browser marks
Back and Forward: their address is then the newest.
"""

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

Address = dict[str, list[str]]
_WRITTEN = "address:written"
_MOST = 50


class NewerAddresses(NamedTuple):
    """The successive addresses of a page: the one in the browser's last message first, the newest last."""

    page: str
    """Streamlit's hash of the page."""
    message: Callable[[], object]
    """A weak reference to the context of the browser's last message; a run by `st.rerun` has the same context."""
    query: str
    """The query string of the run, at the time when this object was made."""
    addresses: tuple[Address, ...]


def in_run() -> Address:
    """Return the parameters of the page's address in this script run: name → values."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def begin(*, opened: bool) -> None:
    """Store the address of this run as the newest if its page was just opened; otherwise call `catch_up`.

    Args:
        opened: Whether the previous run was of another page.
    """
    run = get_script_run_ctx(suppress_warning=True)
    written: NewerAddresses | None = st.session_state.get(_WRITTEN)
    if run is not None and (opened or written is None or written.page != run.page_script_hash):
        st.session_state[_WRITTEN] = NewerAddresses(
            run.page_script_hash, weakref.ref(run), run.query_string, (in_run(),)
        )
    else:
        catch_up()


def catch_up() -> None:
    """Replace the page's address by the newest of this session if the browser has sent an older one.

    The browser sends an older address if a visitor changes a control before it has received the newest.
    """
    run = get_script_run_ctx(suppress_warning=True)
    written: NewerAddresses | None = st.session_state.get(_WRITTEN)
    if run is None or written is None or run.page_script_hash != written.page:
        return
    known = written.message() is run
    if known and written.query == run.query_string:
        return
    now, addresses = in_run(), written.addresses
    if now not in addresses or (run.is_history_navigation and not known):
        addresses = (now,)
    elif not known:
        addresses = addresses[addresses.index(now) :]
    st.session_state[_WRITTEN] = NewerAddresses(written.page, weakref.ref(run), run.query_string, addresses)
    if now != addresses[-1]:
        st.query_params.from_dict(addresses[-1])


def note(values: Mapping[str, Sequence[str]]) -> None:
    """Store an address as the newest of the session, before `write()` gives it to the browser."""
    written: NewerAddresses | None = st.session_state.get(_WRITTEN)
    newest = {name: list(listed) for name, listed in values.items()}
    if written is not None and newest != written.addresses[-1]:
        st.session_state[_WRITTEN] = written._replace(addresses=(*written.addresses, newest)[-_MOST:])


def write(values: Mapping[str, Sequence[str]]) -> None:
    """Store `values` as the session's newest address; the browser receives it with the output of this run."""
    note(values)
    st.query_params.from_dict(values)
