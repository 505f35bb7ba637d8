"""What readers of zip archives share: what goes wrong inside one becomes a sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

from embedviz.files.archives import FAULTS
from embedviz.files.errors import FormatError, damaged
from embedviz.files.zips import ZipLimit, ZipRefusal, refusal_of


@contextmanager
def sentences() -> Iterator[None]:
    """Yield what goes wrong inside an archive, as a sentence.

    Raises:
        FormatError: It is damaged, cut off, or packed in a way that is not read.
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
