"""The button that copies the link of the view; it says where the link will not last, or opens on this computer only."""

from pathlib import Path

from pages._shared.app import address, network
from pages._shared.app.component import component
from pages._shared.sources import uploads

mount = component(str(Path(__file__).with_name("export.py")))
"""One script draws all buttons of an export row."""


def link(key: str) -> None:
    """Draw the button; the key is unique on the page."""
    mount(key=f"link-{key}", data={"action": "link", **network.for_others(), **_lasting()}, width="content")


def _lasting() -> dict[str, str]:
    """Return the warning for a link that ends with the visit, because the view uses an upload."""
    resting = {name for name in address.names() if any(map(uploads.named, address.get_list(name)))}
    if not resting:
        return {}
    cure = " Save the spaces to keep it." if resting <= {"space", "also"} else ""
    return {"warning": f"Copied; the link works while this page is open.{cure}"}
