"""The map as a page of its own: joined modules, words that stay words, and a policy that forbids every request."""

import base64
import hashlib
import html
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest

from embedviz.figures.scatter import MODULES, scatter, unpack
from embedviz.figures.web.joining import join

NASTY = "</script><img src=x onerror=alert(1)>"


def figure(words=("king", NASTY, "]]><!--<script>"), n=None):
    words = [f"w{row}" for row in range(n)] if n else list(words)
    points = np.arange(2 * len(words), dtype=np.float32).reshape(-1, 2)
    return scatter(SimpleNamespace(words=words, points=points, method="pca", axes=()))


class Page(HTMLParser):
    """The elements of a page with their attributes and texts."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.texts.append("")

    def handle_data(self, data):
        if self.texts:
            self.texts[-1] += data.strip()

    def text(self, tag, **attrs):
        (found,) = [
            text
            for (name, has), text in zip(self.elements, self.texts, strict=True)
            if name == tag and attrs.items() <= has.items()
        ]
        return found


def test_a_page_carries_the_same_bytes_as_the_route():
    made = figure()
    page = Page(made.html())
    assert base64.b64decode(page.text("script", id="geometry")) == made.envelope()
    assert base64.b64decode(page.text("script", id="paint")) == made.paint()
    header, _ = unpack(base64.b64decode(page.text("script", id="geometry")))
    assert header["count"] == 3


def test_words_and_notes_stay_text():
    note = {"space": NASTY, "count": "<b>3</b>", "badge": NASTY, "sample": NASTY, 'x" onload="': "half \ud800"}
    page = Page(figure().html(title=NASTY, note=note))
    tags = [tag for tag, _ in page.elements]
    assert tags.count("script") == 3
    assert not {"img", "b"} & set(tags)
    assert page.text("title") == page.text("h1") == NASTY
    assert page.text("p", **{"class": "about"}) == f"{NASTY} · <b>3</b>"
    assert page.text("p", **{"class": "badge"}) == NASTY
    assert not [name for _, attrs in page.elements for name in attrs if name.startswith("on")]


def test_the_policy_allows_this_script_and_no_request():
    text = figure().html()
    page = Page(text)
    (policy,) = [attrs["content"] for tag, attrs in page.elements if "http-equiv" in attrs and tag == "meta"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert set(rules) == {"default-src", "script-src", "style-src", "img-src", "base-uri", "form-action"}
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)[1]
    expected = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert rules["script-src"] == f"'sha256-{expected}'"
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", text)


def test_the_same_map_makes_the_same_page():
    assert figure().html(title="a") == figure().html(title="a")


@pytest.mark.parametrize("theme", ["light", "dark", "system"])
def test_a_page_has_a_theme(theme):
    assert ("html", {"lang": "en", "data-theme": theme}) in Page(figure().html(theme=theme)).elements


def test_another_theme_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="A page is light, dark or system; 'sepia' is none of these"):
        figure().html(theme="sepia")


def test_a_note_of_text_alone_stands_below():
    assert Page(figure().html(note="2,000 words")).text("p", **{"class": "below"}) == "2,000 words"


def test_a_notebook_gets_a_frame_that_holds_the_page():
    made = figure()
    page = Page(made._repr_html_())
    ((tag, attrs),) = page.elements
    assert (tag, attrs["sandbox"]) == ("iframe", "allow-scripts")
    assert "height:520px" in attrs["style"]
    inner = Page(attrs["srcdoc"])
    assert base64.b64decode(inner.text("script", id="geometry")) == made.envelope()


def test_a_map_too_large_for_a_notebook_says_so():
    text = figure(n=200_001)._repr_html_()
    assert len(text) < 300
    assert "A map of 200,001 words is too large for a notebook" in html.unescape(text)


# joining


def test_modules_are_joined_leaves_first_and_keep_their_names_apart():
    modules = {
        "a.mjs": [
            'import { one, two as zwei } from "./b.mjs";',
            'import "./c.mjs";',
            "export const sum = () => one + zwei();",
        ],
        "b.mjs": ["import {", "  SIZE,", '} from "./c.mjs";', "const hidden = 1;", "export const one = hidden;"],
        "c.mjs": [
            "const hidden = 2;",
            "export const SIZE = hidden;",
            "class Inner {}",
            "export { Inner as Outer, hidden };",
        ],
    }
    modules["b.mjs"].append("export function two() { return SIZE; }")
    text = join({name: "\n".join([*lines, ""]) for name, lines in modules.items()}, "a.mjs")
    assert text.index("_c_mjs =") < text.index("_b_mjs =") < text.index("_a_mjs =")
    assert "return { SIZE, Outer: Inner, hidden };" in text
    assert "two: zwei" in text
    assert not re.search(r"^(import|export)\b", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("modules", "sentence"),
    [
        ({"a.mjs": 'import "./b.mjs";\n', "b.mjs": 'import "./a.mjs";\n'}, "a.mjs imports b.mjs imports a.mjs"),
        ({"a.mjs": 'import "./b.mjs";\n'}, "a.mjs asks for b.mjs, and there is no such module"),
        ({"a.mjs": 'import all from "elsewhere";\n'}, "a line that cannot be joined: import all from"),
        ({"a.mjs": "export * from './b.mjs';\n"}, "a line that cannot be joined: export *"),
        ({"a.mjs": "export const { x } = y;\n"}, "a line that cannot be joined: export const"),
    ],
)
def test_what_cannot_be_joined_is_refused(modules, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        join(modules, "a.mjs")


@pytest.mark.parametrize("entry", sorted(MODULES))
def test_every_module_can_be_joined(entry):
    text = join(MODULES, entry)
    assert text.count('"use strict";') == 1
    assert f"const entry = _{entry.replace('.', '_')};" in text


def test_two_maps_of_the_same_words_are_one_page():
    one, other = figure(n=5), figure(n=5)
    written = one.html(title="t-SNE", second_map=(other, {"title": NASTY, "badge": "keeps 20 %"}))
    page = Page(written)
    assert NASTY not in written
    assert base64.b64decode(page.text("script", id="geometry-beside")) == other.envelope()
    assert [attrs.get("data-title") for tag, attrs in page.elements if attrs.get("class") == "map"] == [None, NASTY]
    assert "geometry-beside" not in [attrs.get("id") for _, attrs in Page(one.html()).elements]
    with pytest.raises(ValueError, match="the same words in the same order"):
        one.html(second_map=(figure(n=4), {}))
