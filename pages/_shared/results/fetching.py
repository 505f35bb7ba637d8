"""Start and removal of a download (a model or word vectors); it runs in a job that a reload of the page finds."""

import secrets

from pages._shared.app import address
from pages._shared.results import work


def begin(slot: str, parameter: str, function: str, wanted: str, local: str) -> None:
    """Start a download in a job, and write the job's id and the local name into the page's address.

    Args:
        slot: Name of the place on the page that displays the job.
        parameter: Name of the parameter in the page's address.
        function: The function that downloads, "embedviz.module:function".
        wanted: Argument of the function: what is downloaded.
        local: Name of the download on this computer.

    Raises:
        JobError: No job could be started.
    """
    work.release(slot)
    task = work.run(slot, function, wanted, key=f"{local}|{secrets.token_hex(4)}", wait=0.0, long=True)
    address.put(**{parameter: f"{work.started(task).id}.{local}"})


def close(slot: str, parameter: str) -> None:
    """Remove an ended download from the page: its job from `slot`, and `parameter` from the page's address."""
    work.again(slot)
    address.put(**{parameter: None})
