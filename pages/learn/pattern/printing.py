"""A button that opens the dialog of the browser to print the page."""

from pages._shared.app.component import component

_mount = component(__file__)


def button() -> None:
    """Draw the button that prints the page."""
    _mount(key="print", data={})
