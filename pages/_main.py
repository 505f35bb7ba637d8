"""The frame: page settings, the menu, what stands in the header, and what all pages share."""

from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException

from embedviz.core.phrases import counted
from pages._shared.app import address, bookmarks, frame, views
from pages._shared.app.escape import plain
from pages._shared.results import work
from pages._shared.sources import spaces

IMAGES = Path(__file__).parent / "_shared" / "app" / "images"

st.set_page_config("embedviz", str(IMAGES / "icon.png"), layout="wide", initial_sidebar_state=232)

# One row a page: file, name, icon. Of a list of rows the first stands in the menu; the others are views of that page.
MENU = {
    "": [("start/home.py", "Start", "home")],
    "Words": [
        ("words/map/page.py", "Map", "scatter_plot"),
        [("words/neighbors.py", "Neighbors", "near_me"), ("words/subwords.py", "Subwords", "spellcheck")],
        ("words/analogy/page.py", "Analogy", "change_history"),
    ],
    "Quality": [
        ("quality/evaluation/page.py", "Evaluation", "fact_check"),
        ("quality/isotropy/page.py", "Isotropy", "explore"),
        [("quality/compare.py", "Compare", "compare_arrows"), ("quality/timeline/page.py", "Timeline", "timeline")],
    ],
    "Context": [
        ("context/senses/page.py", "Senses", "layers"),
        ("context/layers.py", "Layers", "stacked_line_chart"),
        [("context/attention/page.py", "Attention", "grid_view"), ("context/path/page.py", "Path", "route")],
        ("context/pooling/page.py", "Sentences", "filter_alt"),
    ],
    "Texts": [
        ("texts/documents/page.py", "Documents", "description"),
        ("texts/search/page.py", "Search", "search"),
    ],
    "Make": [
        [
            ("make/train/page.py", "Train", "model_training"),
            ("make/corpus/page.py", "Corpus", "article"),
            ("make/trajectory/page.py", "Replay", "animation"),
        ],
        ("make/open/page.py", "Open", "upload_file"),
    ],
}
HIDDEN = [("make/jobs.py", "Jobs", "pending_actions"), ("start/glossary.py", "Glossary", "menu_book")]
# How the views of a page are named beside each other, in order.
VIEWS = {
    "neighbors": {"neighbors": "Nearest", "subwords": "Subwords"},
    "compare": {"compare": "Two spaces", "timeline": "Through many"},
    "attention": {"attention": "Heads", "path": "One word through the layers"},
    "train": {"corpus": "1 · Text", "train": "2 · Train", "trajectory": "3 · Replay"},
}


def page_of(file: str, title: str, icon: str, *, menu: bool) -> st.Page:
    """Return a page by its row."""
    visibility = "visible" if menu else "hidden"
    name, first = address.page_name(file), file == "start/home.py"
    return st.Page(file, title=title, icon=f":material/{icon}:", url_path=name, default=first, visibility=visibility)


menu = {
    group: [
        page_of(*row, menu=place == 0)
        for entry in rows
        for place, row in enumerate(entry if isinstance(entry, list) else [entry])
    ]
    for group, rows in MENU.items()
}
menu["Make"] += [page_of(*row, menu=False) for row in HIDDEN]
page = st.navigation(menu, expanded=True)
address.begin(page.url_path)
owner = next((one for one, views in VIEWS.items() if page.url_path in views), page.url_path)
titles = spaces.titles(address.get("space", "builtin"))
pages = {one.url_path: one for rows in menu.values() for one in rows}
with_space = page.url_path == "trajectory" or any(page in menu[group] for group in ("Words", "Quality", "Texts"))


def beside_title() -> None:
    """Compose the header line after the title: the space in use, and the views of the page."""
    if with_space:
        spaces.control(titles, "Word vectors" if page in menu["Texts"] else "")
    if owner in VIEWS:
        views.control(VIEWS[owner], pages, page)
    unfinished = sum(not job.finished for job, _ in work.wishes())
    if unfinished and page.url_path != "jobs":
        st.page_link(pages["jobs"], label=counted(unfinished, "job"), icon=":material/pending_actions:")


frame.begin(beside_title)
st.sidebar.page_link(pages["glossary"], label="Glossary", icon=":material/menu_book:")
views.mark(owner)
look = st.session_state["frame:look"]
st.logo(str(IMAGES / f"logo-{look.theme}.svg"), icon_image=str(IMAGES / f"dots-{look.theme}.svg"), size="large")

shown = titles[address.get("space", "builtin")]
about = address.get("formula") or address.get("word")
bookmarks.control(page, pages, page.title, about[: frame.LONGEST_WORD], plain(shown, 60))
try:
    frame.guarded(page)
except RerunException:
    raise  # what was restored waits for the run that comes
except BaseException:
    address.settle()
    raise
address.settle()
