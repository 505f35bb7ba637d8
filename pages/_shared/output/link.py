"""The button that copies the link of the view. It warns if the link does not last, or opens on this computer only."""

from pathlib import Path
from urllib.parse import urlencode

from pages._shared.app import address, network
from pages._shared.app.component import component
from pages._shared.sources import looking, uploads
from pages._shared.sources.steps import RUN

mount = component(str(Path(__file__).with_name("export.py")))
"""Mounts a button of an export row; one script draws all these buttons."""


def link(key: str) -> None:
    """Draw the button; the key is unique on the page."""
    data = {"action": "link", **network.for_others(), **_lasting(), **_only_looking()}
    mount(key=f"link-{key}", data=data, width="content")


def _only_looking() -> dict[str, str]:
    """Return *query*, the query string of the link to copy; an empty mapping if it equals that of the page.

    The tokens of training runs in it are read-only: other people can look at a run, but not stop or delete it.
    """
    others = looking.for_others()
    changed = any(others.get(name) != address.get_list(name) for name in address.names())
    return {"query": urlencode(others, doseq=True)} if changed else {}


def _lasting() -> dict[str, str]:
    """Return a warning under the key *warning* if the link names an upload; otherwise return {}.

    Such a link works only while the page is open.
    """
    resting = {name for name in address.names() if any(map(uploads.named, address.get_list(name)))}
    if not resting:
        return {}
    cure = ""
    if RUN in resting:
        cure = " It only shows the run and cannot stop or delete it."
    elif resting <= {"space", "also"}:
        cure = f" To get a link that lasts, save the {'spaces' if 'also' in resting else 'space'}."
    return {"warning": f"Copied. The link works while this page is open.{cure}"}
