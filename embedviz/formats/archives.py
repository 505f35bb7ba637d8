"""Errors of zip archives as a `FormatError`, for all readers of archives."""

from collections.abc import Iterator
from contextlib import contextmanager

from embedviz.files.archives import FAULTS
from embedviz.files.errors import FormatError, damaged
from embedviz.files.zips import ZipLimit, ZipRefusal, refusal_of


@contextmanager
def sentences() -> Iterator[None]:
    """Turn errors of reading an archive in a `with` block into a `FormatError` with a sentence for the user.

    Raises:
        FormatError: The archive is damaged, cut off, too large, or compressed in an unsupported way.
    """
    try:
        yield
    except FormatError:
        raise
    except ZipRefusal as error:
        reason = "bomb" if isinstance(error, ZipLimit) else "packed"
        raise FormatError(refusal_of(error), {"reason": reason, "usable": 0}) from None
    except FAULTS as error:
        raise damaged("archive", error) from None
