"""The address of the app for other computers: shown where a link is copied, and on the class sheet."""

from __future__ import annotations

import ipaddress
import socket
from typing import NamedTuple
from urllib.parse import urlsplit

import streamlit as st

_DOCUMENTATION = "192.0.2.1"  # belongs to nobody (RFC 5737): choosing a route to it sends nothing


class NetworkAddress(NamedTuple):
    """The address under which others may open the app.

    Attributes:
        url: Without a path.
        open: Whether the server listens to the network; else only this computer can open it.
    """

    url: str
    open: bool


def own_ip() -> str:
    """Return the address of this computer in its network; empty without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((_DOCUMENTATION, 9))
        except OSError:
            return ""
        found = str(probe.getsockname()[0])
    return "" if ipaddress.ip_address(found).is_loopback else found


def loopback(host: str) -> bool:
    """Return whether a host name means this computer only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def network_address() -> NetworkAddress | None:
    """Return the address for others: that of this visit unless it is a loopback, else the computer's own; or None."""
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
    """Return what the button *Copy link* says and copies where the link of this visit opens on this computer only."""
    found = network_address()
    return {} if found is None else {"network": found.url, "open": found.open}
