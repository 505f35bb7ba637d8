"""The address under which other computers open the app: shown where a link is copied, and on the page for teachers."""

import ipaddress
from typing import NamedTuple
from urllib.parse import urlsplit

import streamlit as st

from embedviz.core.network import own_ip


class NetworkAddress(NamedTuple):
    """The address under which others may open the app.

    Attributes:
        url: The address without a path.
        open: Whether the server listens to the network; if not, only this computer can open the app.
    """

    url: str
    open: bool


def loopback(host: str) -> bool:
    """Return whether a host name means this computer only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def network_address() -> NetworkAddress | None:
    """Return the address under which other computers can open the app; None if it is unknown.

    It is the address in the visitor's browser. If that is a loopback address or unknown, it is this computer's address
    in the network.
    """
    seen = urlsplit(st.context.url or "")
    if seen.hostname and not loopback(seen.hostname):
        return NetworkAddress(f"{seen.scheme}://{seen.netloc}", True)
    ip = own_ip()
    if not ip:
        return None
    listens = st.get_option("server.address")
    port = seen.port or st.get_option("server.port")
    return NetworkAddress(f"{seen.scheme or 'http'}://{ip}:{port}", not listens or not loopback(str(listens)))


def for_others() -> dict[str, object]:
    """Return the network address in the form that the button *Copy link* reads; empty if there is no such address."""
    found = network_address()
    return {} if found is None else {"network": found.url, "open": found.open}
