"""What readers of zip archives share: what goes wrong inside one becomes a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from embedviz.files.archives import FAULTS
from embedviz.files.errors import FormatError


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
    except FAULTS as error:
        said = str(error).split("\n")[0][:120] or type(error).__name__
        text = f"The archive is damaged or cut off ({said.rstrip('.')}). Copy or download it again."
        raise FormatError(text, {"reason": "damaged", "usable": 0}) from None
