"""Every shared component on one page, each with something beside it that the tests can read."""

import json
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from embedviz.core.space import WordBlob
from embedviz.figures.scatter import REST, Scatter, scatter
from pages._shared.app import address
from pages._shared.app.appearance import appearance
from pages._shared.app.escape import escape, plain
from pages._shared.controls.completions import publish_words
from pages._shared.controls.wordbox import wordbox
from pages._shared.map.scatter import Click, mount
from pages._shared.output.export import csv_text, export_row
from pages.context.senses.movie import Movie
from pages.context.senses.scrubber import chosen, picture, scrubber

NASTY = [
    "*stars*", "__lines__", "`code`", "~~struck~~", "$x^2$", "$$y$$", ":smile:", ":+1:", ":material/home:",
    ":material_home:", ":red[text]", ":color[a]{foreground=red}", ":small[x]", ":streamlit:", ":blue-badge[b]",
    "![picture](/missing.png)", "[link](https://example.invalid)", "https://example.invalid/a_b", "www.example.invalid",
    "_www.example.invalid", "name@example.invalid", "<b>bold</b>", "<script>alert(1)</script>", "<!-- gone -->",
    "&amp;", "&#42;", "\\", "\\*", "# head", "- item", "+ item", "1. item", "1) item", "> quoted", "--", "->", "<->",
    ">=", "~=", "===", "---", "***", "| a | b |", "[^1]", "[ ] task", "a|b", "don't", "C#", "U.S.", "naïve", "日本語",
    ":", "12:30", "^", "{x}", "e.g.,", "100%", "_", "=1+1", '"quoted"', "```", "~~~", "    four", "-", "+", "*", "#",
    "<", "@", "$",
]  # fmt: skip
MODE = st.query_params.get("mode", "all")


@st.cache_resource
def vocabulary() -> list[str]:
    """Some words in the order of frequency, with traps."""
    common = ["the", "of", "guitar", "piano", "guitars", "King", "king", "kings", "guitarist", "Guitar", "guillotine"]
    common += ["guild", "kingdom", "<b>bold</b>"]
    return [*common, *(f"word{number}" for number in range(60_000)), "naïve", "Straße"]


st.set_page_config(page_title="Demo", layout="wide", page_icon=None)


def nasty() -> None:
    """Each nasty word in each place where Streamlit reads Markdown, and in one where it does not."""
    st.code(json.dumps(NASTY), language=None)
    for place, draw in {"markdown": st.markdown, "caption": st.caption}.items():
        with st.container(key=f"in-{place}"):
            for word in NASTY:
                draw(escape(word))
    with st.container(key="in-bold"):
        for word in NASTY:
            st.markdown(f"Word **{escape(word)}** here")
    with st.container(key="in-html"):
        for word in NASTY:
            st.markdown(escape(word), unsafe_allow_html=True)
    with st.container(key="in-button"):
        for row, word in enumerate(NASTY):
            st.button(escape(word), key=f"b{row}")
    with st.container(key="in-radio"):
        st.radio("Choose", NASTY, format_func=escape)
    with st.container(key="in-table"):
        st.table({escape("*head*"): [escape(word) for word in NASTY]})
    with st.container(key="in-select"):
        st.selectbox("Choose", NASTY, format_func=plain)


def components() -> None:
    """The components as on the page of the neighbors."""
    st.markdown("# Neighbors", unsafe_allow_html=False)
    seen = appearance()
    runs = st.session_state["runs"] = st.session_state.get("runs", 0) + 1
    word = st.query_params.get("word", "guitar")
    with st.container(horizontal=True, key="controls"):
        typed = wordbox(
            "Word",
            value=word,
            token=publish_words(vocabulary()),
            key="word",
            patterns=True,
            width=240,
            placeholder="Find a word",
        )
        st.selectbox("Nearest", ["Nearest 10"], label_visibility="collapsed", width=152)
    if typed is not None:
        st.query_params["word"] = typed
        st.session_state["typed"] = typed
        if typed != word:
            st.rerun()
    if st.button("Choose king"):
        st.query_params["word"] = "king"
        st.rerun()
    if st.button("Choose the"):
        st.query_params["word"] = "the"
        st.rerun()
    figure = go.Figure(
        [
            go.Scatter(
                x=[0.8, 0.62, 0.56],
                y=[3, 2, 1],
                mode="markers+text",
                text=["guitars", "guitarist", "guitarists"],
                textposition="middle right",
            )
        ]
    )
    ink = "#E9E7E2" if seen.theme == "dark" else "#1E2429"
    clear = "rgba(0,0,0,0)"
    figure.update_layout(
        height=240, margin={"l": 8, "r": 80, "t": 4, "b": 28}, paper_bgcolor=clear, plot_bgcolor=clear,
        font={"family": "Source Sans", "size": 14, "color": ink},
    )  # fmt: skip
    figure.update_traces(marker={"size": 12, "color": "#2F4BB2"}, opacity=1)
    with st.container(key="chart"):
        st.plotly_chart(figure, theme=None, config={"displayModeBar": False})
    rows = [("guitars", 0.8), ("=cmd()", 0.62), ("naïve", -0.5)]
    note = {
        "title": "Nearest to guitar",
        "space": "MiniLM input words · 21,719 × 384",
        "badge": "●●○ Read groups · 29 % of neighbors kept",
        "sample": "Exact search over 21,718 words. A random word: 0.02 (sd 0.07). " * 3,
        "empty": "",
        "meaning": f"A guitar is near to guitars, and {'a' * 300}wkward words are broken. {'Few are. ' * 30}".strip(),
    }
    export_row(
        key="neighbors", picture="plot:chart", table=lambda: csv_text(rows, ["word", "cosine"]),
        filename="neighbors guitar", code='import embedviz\nspace = embedviz.load("builtin")', note=note,
    )  # fmt: skip
    st.text(
        f"runs {runs}; theme {seen.theme}; width {seen.width}; typed {st.session_state.get('typed')!r}; word {word!r}"
    )
    heat = go.Figure([go.Heatmap(z=[[0, 1]], colorscale=[[0, "#f00"], [1, "#0f0"]])])
    heat.update_layout(height=200, margin={"t": 4, "b": 28}, paper_bgcolor=clear, plot_bgcolor=clear)
    with st.container(key="heat"):
        st.plotly_chart(heat, theme=None, config={"displayModeBar": False})
    export_row(key="heat", picture="plot:heat", table=None, filename="heat", code="pass", note={})
    export_row(key="map", picture="map:first", table=None, filename="map", code="pass", note=note)


@st.cache_resource
def plane(n: int) -> Scatter:
    """A lattice of words in two colors and grey; the first says something nasty."""
    side = round(n**0.5)
    points = np.stack(np.meshgrid(np.arange(side), np.arange(side)), -1).reshape(-1, 2).astype(np.float32)
    words = ["</script><img src=x onerror=alert(1)>", *(f"word{row}" for row in range(1, side**2))]
    codes = np.resize(np.array([0, 1, REST, REST], np.uint8), side**2)
    color = SimpleNamespace(
        title="halves", kind="category", codes=codes, labels=("Ones", "Others"), low=0.0, high=0.0, diverging=False
    )
    return scatter(
        SimpleNamespace(words=words, points=points, method="PCA", axes=("direction 1", "direction 2")), color
    )


def plane_of_words() -> None:
    """A map with its tools, what Python heard, and two ways for Python to select."""
    figure = plane(int(st.query_params.get("n", "400")))
    runs = st.session_state["runs"] = st.session_state.get("runs", 0) + 1
    left, right, rest = st.columns(3)
    if left.button("Select few"):
        st.session_state["rows"] = [0, 1, 2]
    if right.button("Select half"):
        st.session_state["rows"] = list(range(len(figure) // 2))
    if rest.button("Rerun"):
        st.session_state["heard"] = None
    if rest.button("Clear"):
        st.session_state["rows"] = []
    rows = st.session_state.get("rows", [])
    note = {"title": "A plane <of> words", "space": "test words", "count": f"{len(figure)} words", "badge": "checking"}
    mount(
        figure, key="first", height=480, note=note, summary="A plane.", selected=rows,
        on_select=lambda drawn: st.session_state.update(heard=drawn, rows=drawn.tolist()),
    )  # fmt: skip
    heard = st.session_state.get("heard")
    st.text(f"runs {runs}; heard {None if heard is None else len(heard)}; selected {len(rows)}; first {rows[:5]}")
    export_row(
        key="first", picture="map:first", table=None, filename="plane", code="pass", note=note,
        page=lambda: figure.html(note=note),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Layout:
    """As much of a projection as the map asks for."""

    words: WordBlob
    points: np.ndarray
    rows: np.ndarray
    method: str = "random"
    axes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Groups:
    """Eight groups of points."""

    codes: np.ndarray
    labels: tuple[str, ...] = tuple(f"group {letter}" for letter in "abcdefgh")
    title: str = "group"
    kind: str = "category"
    low: float = 0.0
    high: float = 0.0
    diverging: bool = False


@st.cache_resource
def layout(n: int, dimensions: int, seed: int) -> tuple[Layout, Groups]:
    """Points in eight gatherings; another seed lays the same words out in another order and another scale."""
    words = WordBlob.of([f"word{row}" for row in range(n)])
    codes = (np.arange(n) % 8).astype(np.uint8)
    random = np.random.default_rng(seed + 1)
    middles = random.normal(size=(8, dimensions)) * 3 * (seed + 1)
    points = (middles[codes] + random.normal(size=(n, dimensions)) * (seed + 1)).astype(np.float32)
    return Layout(words, points, np.arange(n)), Groups(codes)


def maps() -> None:
    """A map of as many points as the address says, and what was clicked on it."""
    n, dimensions = int(st.query_params.get("n", 2000)), int(st.query_params.get("d", 2))
    seed = st.session_state.setdefault("seed", 0)
    if st.button("Another layout"):
        seed = st.session_state["seed"] = seed + 1
    if st.button("The other dimensions"):
        st.session_state["other"] = not st.session_state.get("other", False)
    if st.session_state.get("other"):
        dimensions = 5 - dimensions
    where, groups = layout(n, dimensions, seed)
    figure = scatter(where, groups if st.query_params.get("color") == "groups" else None)
    chosen = st.session_state.get("chosen")
    with st.container(key="answer"):
        st.text(f"chosen {chosen}")

    def choose(click: Click) -> None:
        st.session_state["chosen"] = click.index

    mount(figure, key="points", height=525, chosen=chosen, on_click=choose)


def movie() -> None:
    """Two groups that part from layer to layer, and what the address was told."""
    address.begin("movie")
    random = np.random.default_rng(0)
    side = np.repeat([-1.0, 1.0], 8)[:, None] * [1.0, 0.0]
    noise = random.normal(size=(16, 2)) / 4
    texts = [f"<i>{row}</i> on the bank again" for row in range(16)]
    visible = Movie(
        np.stack([noise + side * part for part in (0, 0.5, 1)]).astype(np.float32),
        texts,
        [(text.index("bank"), text.index("bank") + 4) for text in texts],
        ["left"] * 8 + ["right"] * 8,
        marks={"alone": np.array([[0, 0.5], [0, 0.6], [0, 0.7]], np.float32)},
    )
    layer, row = chosen(visible, 2)
    scrubber(visible, layer, key="senses")
    picture(visible, row, key="senses", height=360, summary="Two groups.")
    with st.container(key="answer"):
        st.text(f"layer {layer}; row {row}")
    export_row(key="movie", picture="drawing:senses", table=None, filename="movie", code="pass", note={"title": "Two"})
    address.settle()


if MODE == "nasty":
    nasty()
elif MODE == "movie":
    movie()
elif MODE == "map":
    maps()
elif MODE == "plane":
    plane_of_words()
else:
    components()
