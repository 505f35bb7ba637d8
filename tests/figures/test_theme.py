import dataclasses
import itertools
import re
import tomllib
from pathlib import Path

import pytest

from embedviz.figures.scatter import MOST_LABELS
from embedviz.figures.theme import THEMES, Theme
from embedviz.geometry.clusters import MOST


def luminance(color: str) -> float:
    """WCAG 2 relative luminance."""
    channels = [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def colors(theme: Theme) -> list[str]:
    values = [value for field, value in theme.as_dict().items() if field not in ("name", "rest_opacity")]
    return list(itertools.chain.from_iterable([v] if isinstance(v, str) else v for v in values))


@pytest.fixture(params=sorted(THEMES))
def theme(request):
    return THEMES[request.param]


def test_every_color_is_written_in_full(theme):
    assert all(re.fullmatch("#[0-9A-F]{6}", color) for color in colors(theme))


def test_a_theme_is_not_changed_by_accident(theme):
    with pytest.raises(dataclasses.FrozenInstanceError):
        theme.ink = "#000000"


def test_text_is_readable_on_the_page_and_beside_it(theme):
    for text in (theme.ink, theme.muted, theme.link):
        assert contrast(text, theme.bg) >= 4.5
        assert contrast(text, theme.second) >= 4.5


def test_names_of_categories_are_readable_and_their_points_visible(theme):
    assert len(theme.categorical) == len(theme.categorical_labels) == MOST_LABELS == MOST
    assert all(contrast(color, theme.bg) >= 5.5 for color in theme.categorical_labels)
    assert all(contrast(color, theme.bg) >= 3.0 for color in theme.categorical)


def test_the_rest_is_fainter_than_every_category(theme):
    assert contrast(theme.rest, theme.bg) < min(contrast(color, theme.bg) for color in theme.categorical)


def test_a_sequential_scale_runs_one_way_and_a_diverging_one_from_its_middle(theme):
    steps = [luminance(color) for color in theme.sequential]
    assert len(steps) == 10
    assert steps in (sorted(steps), sorted(steps, reverse=True))
    for scale in (theme.diverging, theme.diverging_second):
        away = [contrast(color, theme.bg) for color in scale]
        assert len(away) == 10
        assert away[:5] == sorted(away[:5], reverse=True)
        assert away[5:] == sorted(away[5:])


def test_the_widgets_have_the_same_colors(theme):
    given = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]
    own = given[theme.name]
    assert (own["backgroundColor"], own["secondaryBackgroundColor"], own["textColor"]) == (
        theme.bg,
        theme.second,
        theme.ink,
    )
    assert (own["linkColor"], own["primaryColor"], own["borderColor"]) == (theme.link, theme.primary, theme.border)
    assert own["sidebar"]["backgroundColor"] == theme.sidebar
    for key, values in (
        ("Categorical", theme.categorical),
        ("Sequential", theme.sequential),
        ("Diverging", theme.diverging),
    ):
        assert tuple(own[f"chart{key}Colors"]) == values


@pytest.mark.parametrize("image", ["logo", "dots"])
def test_the_logo_has_the_colors_of_the_first_categories(theme, image):
    path = Path(__file__).parents[2] / "pages" / "_shared" / "app" / "images" / f"{image}-{theme.name}.svg"
    fills = re.findall(r'fill="(#[0-9A-F]{6})"', path.read_text("utf-8"))
    assert fills == [*theme.categorical[:4], *([theme.ink] if image == "logo" else [])]
