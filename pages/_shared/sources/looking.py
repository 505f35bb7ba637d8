"""Read-only tokens of runs, for links. The token of a run itself lets its holder stop and delete the run.

The folder of a read-only token is a symbolic link to the folder of the run. The token is computed from the run's token
with a secret of the server, so nobody can compute the run's token from it.
"""

from contextlib import suppress

from pages._shared.app import address
from pages._shared.sources import uploads
from pages._shared.sources.steps import JOB
from pages._shared.sources.tokens import RUN_SETTINGS


def only(token: str) -> bool:
    """Return whether a token is read-only: its holder can only look at a run."""
    return uploads.folder_of(token).is_symlink()


def look_token(token: str) -> str:
    """Return the read-only token of a run, and make its folder if it is missing."""
    look = uploads.token_of("look", token)
    with suppress(FileExistsError):
        uploads.folder_of(look).symlink_to(token)
    return look


def for_others() -> dict[str, list[str]]:
    """Return the values of the page address for a link to other people, without `job`.

    The tokens of training runs are replaced by read-only tokens.
    """
    return {name: [*map(_to_look, address.get_list(name))] for name in address.names() if name != JOB}


def _to_look(value: str) -> str:
    """Return a value from the page's address. If it contains the token of a run, replace it by the read-only token."""
    if not uploads.named(value):
        return value
    token = uploads.token_in(value)
    controls = (uploads.folder_of(token) / RUN_SETTINGS).is_file() and not only(token)
    return value.replace(token, look_token(token), 1) if controls else value
