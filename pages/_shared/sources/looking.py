"""Tokens that only show a run: who has the token of a run may stop and delete it, so no link for others holds that.

The folder of the second token is a link to that of the run. The token follows from the first by a secret of the server;
nobody can find the first from it.
"""

from contextlib import suppress

from pages._shared.app import address
from pages._shared.sources import uploads
from pages._shared.sources.steps import JOB
from pages._shared.sources.tokens import RUN_SETTINGS


def only(token: str) -> bool:
    """Return whether a token only lets its holder look at a run."""
    return uploads.folder_of(token).is_symlink()


def look_token(token: str) -> str:
    """Return the token with which others look at a run."""
    look = uploads.token_of("look", token)
    with suppress(FileExistsError):
        uploads.folder_of(look).symlink_to(token)
    return look


def for_others() -> dict[str, list[str]]:
    """Return the address without its job, each run by the token that only looks."""
    return {name: [*map(_to_look, address.get_list(name))] for name in address.names() if name != JOB}


def _to_look(value: str) -> str:
    """Return a value of the address, with the token that only looks in place of that of a run."""
    if not uploads.named(value):
        return value
    token = uploads.token_in(value)
    controls = (uploads.folder_of(token) / RUN_SETTINGS).is_file() and not only(token)
    return value.replace(token, look_token(token), 1) if controls else value
