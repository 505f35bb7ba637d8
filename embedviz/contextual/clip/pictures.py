"""Open picture files of unknown origin: the header is checked before a pixel is decoded. Also draw example pictures."""

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from embedviz.core.options import OptionError
from embedviz.core.phrases import printable
from embedviz.core.plain_files import read_plain

MOST_BYTES, MOST_PIXELS, MOST_RATIO = 20_000_000, 40_000_000, 20
"""Maximum bytes of a file, pixels of a picture, and ratio of its longer side to its shorter side."""
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
"""Picture formats that may be opened, as Pillow names them."""
THUMBNAIL = 96  # pixels of the longer side
DRAWN = ("a red circle", "a blue square", "a green triangle")
"""Names of the example pictures."""
_SIDE = 224
_DEEP = ("I;16", "I;16B", "I;16L", "I;16N")  # 16 bits for each pixel


class PictureError(OptionError):
    """A file is no picture, or a picture is too large; the message says why, in sentences."""


def open_picture(source: str | Path, name: str = "") -> Any:
    """Return a picture as a Pillow image in RGB, upright; transparent parts become white.

    Pixels are decoded only after the header is checked. An animation gives its first frame.

    Args:
        source: A name of `DRAWN`, or the path of a file.
        name: Name of the picture in error messages; by default the name of the file.

    Raises:
        PictureError: The file is missing, is no picture of `FORMATS`, is damaged, too large or too narrow.
    """
    if str(source) in DRAWN:
        return drawn_picture(str(source))
    called = printable(name or Path(source).name, 60)
    try:
        content = read_plain(source, MOST_BYTES)
    except OSError as error:
        raise PictureError(f"{called} cannot be read: {error.strerror}.") from None
    if not content:
        raise PictureError(f"{called} is empty. Choose another picture.")
    return _decoded(content, called)


def _decoded(content: bytes, called: str) -> Any:
    """Decode the bytes of a picture file to an image in RGB.

    Args:
        called: Name of the picture in error messages.

    Raises:
        PictureError: As in `open_picture`.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    too_large = (
        f"{called} has more than {MOST_PIXELS // 1_000_000} million pixels. Make it smaller, or choose another picture."
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        try:
            with Image.open(io.BytesIO(content), formats=FORMATS) as image:
                _check_size(image.size, called, too_large)
                image.load()
                return _in_rgb(ImageOps.exif_transpose(image))
        except PictureError:
            raise
        except (Image.DecompressionBombError, Image.DecompressionBombWarning):
            raise PictureError(too_large) from None
        except UnidentifiedImageError:
            raise PictureError(f"{called} is no picture. Choose a file of {', '.join(FORMATS[:-1])} or BMP.") from None
        except MemoryError:
            raise
        except Exception:  # a damaged file may raise any error in a decoder
            raise PictureError(f"{called} is damaged: it cannot be decoded. Choose another picture.") from None


def _check_size(size: tuple[int, int], called: str, too_large: str) -> None:
    """Check that a picture of this width and height may be decoded.

    Args:
        called: Name of the picture in error messages.
        too_large: Message of the error for a picture with too many pixels.

    Raises:
        PictureError: The picture has too many pixels, or is too narrow.
    """
    short, long = sorted(size)
    if short < 1 or short * long > MOST_PIXELS:
        raise PictureError(too_large)
    if long > MOST_RATIO * short:
        raise PictureError(
            f"{called} has {size[0]:,} × {size[1]:,} pixels. Cut it: one side may be at most {MOST_RATIO} times "
            "the other."
        )


def _in_rgb(image: Any) -> Any:
    """Convert an image to RGB with 8 bits per channel; transparent parts become white."""
    from PIL import Image

    if image.mode in _DEEP:
        return Image.fromarray((np.asarray(image).astype(np.uint16) >> 8).astype(np.uint8)).convert("RGB")
    if image.has_transparency_data:
        full = image.convert("RGBA")
        white = Image.new("RGBA", full.size, "white")
        return Image.alpha_composite(white, full).convert("RGB")
    return image.convert("RGB")


def drawn_picture(name: str) -> Any:
    """Return an example picture as a Pillow image, 224 × 224.

    Raises:
        PictureError: There is no example with this name.
    """
    from PIL import Image, ImageDraw

    if name not in DRAWN:
        raise PictureError(f"There is no example picture “{printable(name, 40)}”. There are: {', '.join(DRAWN)}.")
    image = Image.new("RGB", (_SIDE, _SIDE), "white")
    draw = ImageDraw.Draw(image)
    _, color, shape = name.split()
    low, high = _SIDE // 6, _SIDE - _SIDE // 6
    if shape == "circle":
        draw.ellipse((low, low, high, high), fill=color)
    elif shape == "square":
        draw.rectangle((low, low, high, high), fill=color)
    else:
        draw.polygon(((_SIDE // 2, low), (high, high), (low, high)), fill=color)
    return image


def thumbnail(image: Any) -> bytes:
    """Return a copy of a picture with at most `THUMBNAIL` pixels on each side, as the bytes of a PNG."""
    small = image.copy()
    small.thumbnail((THUMBNAIL, THUMBNAIL))
    target = io.BytesIO()
    small.save(target, "PNG")
    return target.getvalue()
