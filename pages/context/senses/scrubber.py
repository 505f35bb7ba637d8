"""Points that move from layer to layer: a slider, a strip of small pictures, and the picture of one layer.

All parts show one movie. The browser receives it once and moves it. Python receives the layer when the slider is
released, and the number of a clicked point.
"""

from contextlib import nullcontext

from streamlit.delta_generator import DeltaGenerator

from pages._shared.app import address
from pages._shared.app.component import component
from pages._shared.app.events import sent
from pages.context.senses.movie import Movie, content

_mount = component(__file__)


def chosen(movie: Movie, default: int) -> tuple[int, int | None]:
    """Return the layer and the number of the chosen point, both from the address.

    Without a valid layer in the address, the layer is `default`; without a valid point, the number is None.
    """
    layer, row = _whole(address.get("layer")), _whole(address.get("row"))
    return (
        layer if layer in movie.numbers else default,
        row if row is not None and row < len(movie.texts) else None,
    )


def scrubber(movie: Movie, layer: int, *, key: str, line: DeltaGenerator | None = None, lecture: bool = False) -> None:
    """Draw Play, the slider and a small picture of each layer; the chosen layer goes into the address.

    Args:
        layer: The number of the layer in the picture.
        key: Key of the movie; `picture` takes the same key. A chart in the container `KEY-scores` follows the layer.
        line: The container of Play and the slider; by default above the small pictures.
        lecture: Whether the lecture view shows the movie: Play is slower, and arrow keys step without a focus.
    """

    def moved() -> None:
        number = sent(f"{key}-strip", "layer")
        if number in movie.numbers:
            address.put(layer=str(number))

    with line or nullcontext():
        _mount(key=f"{key}-line", data={"key": key, "part": "line", "lecture": lecture})
    data = {"key": key, "part": "strip", "movie": content(movie), "layer": movie.numbers.index(layer)}
    _mount(key=f"{key}-strip", data=data, on_layer_change=moved)


def picture(movie: Movie, row: int | None, *, key: str, height: int = 440, summary: str = "") -> None:
    """Draw the map of the chosen layer; a click writes the number of the point into the page's address.

    The slider that chooses the layer is drawn by `scrubber()` with the same key.

    Args:
        row: Number of the chosen point, whose text stays on the picture; None for no point.
        key: The key of the slider. An export row finds the picture as `drawing:KEY`.
        height: In CSS pixels; less on a phone.
        summary: A description of the picture for screen readers.
    """

    def clicked() -> None:
        number = sent(f"{key}-picture", "row")
        if isinstance(number, int) and number < len(movie.texts):
            address.put(row=str(number) if number >= 0 else None)

    data = {"key": key, "part": "picture", "row": -1 if row is None else row, "height": height, "summary": summary}
    _mount(key=f"{key}-picture", data=data, on_row_change=clicked)


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else None
