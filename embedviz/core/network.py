"""The address of this computer in its network."""

import ipaddress
import socket

_DOCUMENTATION = "192.0.2.1"  # reserved for documentation (RFC 5737); connecting by UDP sends nothing


def own_ip() -> str:
    """Return the IP address of this computer in its network; an empty text without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((_DOCUMENTATION, 9))
        except OSError:
            return ""
        found = str(probe.getsockname()[0])
    return "" if ipaddress.ip_address(found).is_loopback else found
