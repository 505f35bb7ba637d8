"""The colors of every figure and page, light and dark, in one place.

`.streamlit/config.toml` repeats some of these values for Streamlit's own widgets; a test keeps the two equal.
Contrast was checked: label colors reach at least 5.5:1 on the page, point colors 3:1, in both themes, and any two
categories stay apart under protanopia, deuteranopia and tritanopia. In a dense map, points without
a color of their own (`rest`) are a faint grey on purpose: they are context.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Theme:
    """The colors of one theme, each as `#RRGGBB`, and the opacity of the grey points of a map (`rest_opacity`)."""

    name: str
    bg: str
    second: str
    sidebar: str
    sidebar_second: str
    ink: str
    muted: str
    link: str
    primary: str
    border: str
    grid: str
    table_border: str
    table_header: str
    rest: str
    rest_opacity: float
    rest_sparse: str
    """Grey points of a sparse map: a contrast of about 3:1 is visible from the last row of a lecture hall."""
    categorical: tuple[str, ...]
    """Colors of points and bars, in the order in which categories take them."""
    categorical_labels: tuple[str, ...]
    """Colors of text that names a category, in the same order; with more contrast than points, where text needs it."""
    sequential: tuple[str, ...]
    """Ten colors, from low to high values."""
    diverging: tuple[str, ...]
    """Ten colors; the middle of the scale lies between the fifth and the sixth."""
    diverging_second: tuple[str, ...]
    """Ten colors from gold to violet, for pages on which blue and rust are categories."""
    red: str
    orange: str
    yellow: str
    green: str
    blue: str
    violet: str
    gray: str

    def category(self, place: int) -> str:
        """Return the color of points and bars of category number `place`; after the last color comes the first."""
        return self.categorical[place % len(self.categorical)]

    def category_label(self, place: int) -> str:
        """Return the color of text that names category number `place`; after the last color the first comes again."""
        return self.categorical_labels[place % len(self.categorical_labels)]

    def as_dict(self) -> dict[str, Any]:
        """Return the theme as plain values, for JSON."""
        return asdict(self)


THEMES: Mapping[str, Theme] = MappingProxyType(
    {
        "light": Theme(
            name="light",
            bg="#FCFCFA",
            second="#F2F2EE",
            sidebar="#F4F4F0",
            sidebar_second="#E9E9E4",
            ink="#1E2429",
            muted="#5B636B",
            link="#2F4BB2",
            primary="#1E2429",
            border="#D9DAD4",
            grid="#E7E8E3",
            table_border="#E4E5E0",
            table_header="#F6F6F3",
            rest="#BFC3C3",
            rest_opacity=0.8,
            rest_sparse="#8B9297",
            categorical=("#2F4BB2", "#A85030", "#15836D", "#EB5A8E", "#A89000", "#4799CB", "#502965", "#4F2614"),
            categorical_labels=("#2F4BB2", "#9A4526", "#0F6E5B", "#B8306A", "#756400", "#1F6C9C", "#502965", "#4F2614"),
            sequential=(
                *("#EEF1F6", "#D8DEEE", "#BFCAE5", "#A4B4DB", "#889DD0"),
                *("#6C85C5", "#516DB9", "#3B57AC", "#2A4293", "#1B2D6E"),
            ),
            diverging=(
                *("#7A3318", "#A85030", "#CC7B58", "#E4AC91", "#F3DCD0"),
                *("#DCE3F2", "#AEBDE3", "#7B92D2", "#4A66BE", "#2A4293"),
            ),
            diverging_second=(
                *("#5C4E00", "#8A7400", "#B7A23A", "#D8CB86", "#EFE9CF"),
                *("#EADFEF", "#CDB4D8", "#A67FB8", "#7A4A92", "#502965"),
            ),
            red="#B3342B",
            orange="#A85030",
            yellow="#8A7400",
            green="#15806A",
            blue="#2F4BB2",
            violet="#502965",
            gray="#5B636B",
        ),
        "dark": Theme(
            name="dark",
            bg="#14171A",
            second="#1E2327",
            sidebar="#101316",
            sidebar_second="#1E2327",
            ink="#E9E7E2",
            muted="#A3ABB3",
            link="#9DB2FF",
            primary="#6B747D",
            border="#343A40",
            grid="#23282D",
            table_border="#2A3035",
            table_header="#1A1E22",
            rest="#525A62",
            rest_opacity=0.8,
            rest_sparse="#6E7780",
            categorical=("#567BE5", "#F47249", "#6FC497", "#FFA3D1", "#F6E37A", "#79EBFF", "#8E639E", "#9D5F34"),
            categorical_labels=("#87A2FF", "#F8865F", "#6FC497", "#FFA3D1", "#F6E37A", "#79EBFF", "#BE93CE", "#CC8F63"),
            sequential=(
                *("#1F2A4A", "#263765", "#2F4581", "#3A559E", "#4967BA"),
                *("#5D7BD0", "#7790DE", "#95A9E8", "#B6C4F0", "#DAE1F8"),
            ),
            diverging=(
                *("#F9B79E", "#F47249", "#AD4F32", "#834230", "#4A302A"),
                *("#2A3350", "#3A4F8C", "#4967BA", "#7790DE", "#B6C4F0"),
            ),
            diverging_second=(
                *("#F6E37A", "#CDB94E", "#94842F", "#635921", "#3A3620"),
                *("#36293D", "#573C64", "#7E5690", "#A97DBB", "#D6B5E2"),
            ),
            red="#F0857C",
            orange="#F47249",
            yellow="#F6E37A",
            green="#6FC497",
            blue="#7E9BFF",
            violet="#B98CCB",
            gray="#A3ABB3",
        ),
    }
)
"""Both themes by name: `light` and `dark`."""

_IN_BROWSER = (
    *("bg", "ink", "muted", "border", "grid", "second", "link", "rest", "rest_opacity", "rest_sparse"),
    *("categorical", "categorical_labels", "sequential", "diverging"),
)


def as_module() -> str:
    """Return the text of the ES module `scatter/theme.mjs`; `make format` writes it and a test compares it."""
    values = {name: {field: theme.as_dict()[field] for field in _IN_BROWSER} for name, theme in THEMES.items()}
    lines = "".join(f"  {name}: {json.dumps(value)},\n" for name, value in values.items())
    return f"/** Made from embedviz/figures/theme.py. */\nexport const THEMES = {{\n{lines}}};\n"


if __name__ == "__main__":
    (Path(__file__).parent / "scatter" / "theme.mjs").write_text(as_module(), "utf-8")
