"""The address of the app for other computers."""

import ipaddress

import pytest

from pages._shared.app.network import loopback, own_ip


@pytest.mark.parametrize(
    ("host", "own"),
    [("localhost", True), ("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("10.0.0.5", False), ("a.b", False)],
)
def test_a_loopback_means_this_computer_only(host, own):
    assert loopback(host) == own


def test_the_own_address_is_one_that_others_can_use():
    found = own_ip()
    assert not found or not ipaddress.ip_address(found).is_loopback
