"""The map as one HTML file that needs no server and no network.

The file holds the modules as one script, and the envelopes in base64. Its content security policy forbids every
request and every other script, so that a word on the map can only be shown, not run as code.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from embedviz.figures.theme import THEMES
from embedviz.figures.web.joining import join

if TYPE_CHECKING:
    from embedviz.figures.theme import Theme

APPEARANCES = ("light", "dark", "system")
_ABOVE = ("title", "space", "count", "badge")
_SANS = '"Source Sans", "Source Sans 3", "Source Sans Pro", system-ui, sans-serif'
_SERIF = '"Source Serif", "Source Serif 4", "Source Serif Pro", Georgia, serif'

_CSS = """
* { box-sizing: border-box; }
html { color-scheme: light dark; }
html[data-theme="light"] { color-scheme: light; }
html[data-theme="dark"] { color-scheme: dark; }
body { margin: 0; padding: 12px 24px; font: 400 16px/1.5 var(--st-font);
  color: var(--st-text-color); background: var(--st-background-color); }
h1 { display: inline; margin: 0 14px 0 0; font: 600 1.5rem/1.3 var(--st-heading-font); }
h1, p { overflow-wrap: anywhere; }
p { margin: 0; font-size: 14px; }
.about { display: inline; }
.about, .below, .said { color: var(--st-gray-color); }
.row { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 4px 16px; }
.find { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 10px; margin-left: auto; }
input { width: 220px; height: 40px; padding: 0 12px; font: inherit; color: inherit;
  background: var(--st-secondary-background-color); border: 1px solid var(--st-border-color); border-radius: 6px; }
input::-webkit-calendar-picker-indicator { display: none !important; }
input:focus-visible { outline: 2px solid var(--st-text-color); outline-offset: -1px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
main { margin-top: 6px; }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 12px 24px; align-items: end; }
.pair h2 { margin: 0; font: 600 1.25rem/1.3 var(--st-heading-font); }
@media (max-width: 640px) { .pair { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 640px) { body { padding: 8px 16px; } .find, input { width: 100%; } }
"""


def page(
    modules: Mapping[str, str],
    envelope: bytes,
    paint: bytes,
    *,
    title: str,
    note: Mapping[str, str] | str,
    theme: str,
    trails: Sequence[int] = (),
    near: Sequence[int] = (),
    second_map: tuple[bytes, bytes, Mapping[str, str]] | None = None,
    guests: Sequence[Mapping[str, Any]] = (),
    filtered: Mapping[str, Any] | None = None,
    columns: bytes = b"",
) -> str:
    """Return the page as HTML.

    Args:
        modules: The map's modules by file name.
        envelope: The geometry.
        paint: The coloring.
        title: Text above the map and in the window's title.
        note: Lines of text by name: `space`, `count` and `badge` stand above the map, and so does `title` if the
            argument `title` is empty; all others stand below the map. A plain string stands below the map.
        theme: `light`, `dark`, or `system` for the setting of the reader's computer.
        trails: Indices of the words that leave trails, on a map that moves.
        near: On a map with trails, indices of the words that leave no trail but may have a label. If empty, all words
            may have labels.
        second_map: Geometry, coloring and note (`title`, `badge`, `space`) of a second map of the same words.
        guests: Words drawn on the map that are not part of it, each with a `word` and a position `at`.
        filtered: The filter when the page opens, as in `Scatter.html`. With None, the page has no legend that filters.
        columns: Columns by which a reader colors, sizes and filters; empty if there are none.

    Raises:
        ValueError: There is no such theme.
    """
    if theme not in APPEARANCES:
        raise ValueError(f"A page is {', '.join(APPEARANCES[:-1])} or {APPEARANCES[-1]}; {theme!r} is none of these.")
    lines = {"note": note} if isinstance(note, str) else dict(note)
    title = title or lines.get("title", "")
    script = _harmless(join(modules, "standalone.mjs") + "entry.start();\n")
    policy = (
        f"default-src 'none'; script-src 'sha256-{_sha256(script)}'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    about = " · ".join(_text(lines[name]) for name in ("space", "count") if lines.get(name))
    above = f"<h1>{_text(title)}</h1>" * bool(title) + f'<p class="about">{about}</p>' * bool(about)
    badge = f'<p class="badge">{_text(lines["badge"])}</p>' if lines.get("badge") else ""
    rows, labels = (" ".join(str(int(row)) for row in each) for each in (trails, near))
    marks = _text(json.dumps([dict(each) for each in guests]))
    second, more = _second(*second_map) if second_map is not None else ("", "")
    more += _data("columns", columns) * bool(columns)
    filters = "" if filtered is None else f' data-filtered="{_text(json.dumps(dict(filtered)))}"'
    rest = [_text(line) for name, line in lines.items() if line and name not in _ABOVE]
    below = "".join(f'<p class="below">{line}</p>' for line in rest)
    return f"""<!doctype html>
<html lang="en" data-theme="{theme}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="embedviz">
<title>{_text(title) or "Map"}</title>
<style>{_themes()}{_CSS}</style>
</head>
<body>
<div class="row"><header>{above}{badge}</header>
<div class="find" role="search"><p class="said" role="status"></p><label class="unseen" for="word">Find a word</label>
<input id="word" type="search" list="words" placeholder="Find a word" autocomplete="off" spellcheck="false">
<datalist id="words"></datalist></div></div>
<main{' class="pair"' * bool(second)}><div class="map" data-trails="{rows}" data-near="{labels}" \
data-guests="{marks}"{filters}></div>{second}</main>
<footer>{below}</footer>
<script type="text/plain" id="geometry">{base64.b64encode(envelope).decode()}</script>
<script type="text/plain" id="paint">{base64.b64encode(paint).decode()}</script>{more}
<script>{script}</script>
</body>
</html>
"""


def _second(envelope: bytes, paint: bytes, note: Mapping[str, str]) -> tuple[str, str]:
    """Return two texts of HTML: a second map with its title and note above it, and the elements with the map's data."""
    title = _text(note.get("title", ""))
    lines = "".join(f"<p>{_text(note[name])}</p>" for name in ("badge", "space") if note.get(name))
    place = f'<div><h2>{title}</h2>{lines}<div class="map" data-title="{title}"></div></div>'
    data = {"geometry-beside": envelope, "paint-beside": paint}
    return place, "".join(_data(name, content) for name, content in data.items())


def _data(name: str, content: bytes) -> str:
    """Return bytes as an element of the page, in base64."""
    return f'\n<script type="text/plain" id="{name}">{base64.b64encode(content).decode()}</script>'


def frame(content: str, title: str, height: int) -> str:
    """Return an iframe that embeds the HTML page `content`; its sandbox allows scripts and nothing else."""
    return (
        f'<iframe srcdoc="{html.escape(content)}" title="{_text(title)}" sandbox="allow-scripts" loading="lazy" '
        f'style="width:100%;height:{height}px;border:0"></iframe>'
    )


def _text(text: str) -> str:
    return html.escape(text.encode("utf-8", "replace").decode())


def _harmless(script: str) -> str:
    """Return the script with `</script`, `<script` and `<!--` escaped: they would end or nest a script element."""
    return re.sub(r"<(?=/script|script|!--)", r"\\x3c", script, flags=re.IGNORECASE)


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _themes() -> str:
    light, dark = _variables(THEMES["light"]), _variables(THEMES["dark"])
    system = f'@media (prefers-color-scheme: dark) {{ [data-theme="system"] {{ {dark} }} }}'
    return f':root {{ {light} }} [data-theme="dark"] {{ {dark} }} {system}'


def _variables(theme: Theme) -> str:
    values = {
        "background-color": theme.bg,
        "secondary-background-color": theme.second,
        "text-color": theme.ink,
        "border-color": theme.border,
        "gray-color": theme.muted,
        "font": _SANS,
        "heading-font": _SERIF,
    }
    return " ".join(f"--st-{name}: {value};" for name, value in values.items())
