"""The frame: page settings, menu, the choice of space, and what all pages share."""

from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException

from pages._shared.app import address, bookmarks, frame
from pages._shared.app.escape import plain
from pages._shared.sources import spaces

IMAGES = Path(__file__).parent / "_shared" / "app" / "images"

st.set_page_config("embedviz", str(IMAGES / "icon.png"), layout="wide", initial_sidebar_state=232)

# One row a page: file, name in the menu, icon.
MENU = {
    "": [("start/home.py", "Start", "home")],
    "Explore": [
        ("words/map/page.py", "Map", "scatter_plot"),
        ("words/neighbors.py", "Neighbors", "near_me"),
        ("words/subwords.py", "Subwords", "spellcheck"),
        ("words/analogy/page.py", "Analogy", "change_history"),
        ("quality/isotropy.py", "Isotropy", "explore"),
        ("quality/evaluation.py", "Evaluate", "fact_check"),
        ("quality/compare.py", "Compare", "compare_arrows"),
        ("quality/timeline.py", "Timeline", "timeline"),
        ("make/trajectory/page.py", "Trajectory", "animation"),
        ("texts/documents/page.py", "Documents", "description"),
        ("texts/search/page.py", "Search", "search"),
    ],
    "Context": [
        ("context/senses/page.py", "Senses", "layers"),
        ("context/layers.py", "Layers", "stacked_line_chart"),
        ("context/path.py", "Path", "route"),
        ("context/attention/page.py", "Attention", "grid_view"),
        ("context/pooling/page.py", "Pooling", "filter_alt"),
    ],
    "Make and open": [
        ("make/corpus/page.py", "Corpus", "article"),
        ("make/train/page.py", "Train", "model_training"),
        ("make/open/page.py", "Your vectors", "upload_file"),
        ("make/jobs.py", "Jobs", "pending_actions"),
    ],
}

menu = {
    group: [
        st.Page(
            file,
            title=title,
            icon=f":material/{icon}:",
            url_path=address.page_name(file),
            default=file == "start/home.py",
        )
        for file, title, icon in rows
    ]
    for group, rows in MENU.items()
}
page = st.navigation(menu, expanded=True)
address.begin(page.url_path)
frame.begin()
look = st.session_state["frame:look"]
st.logo(str(IMAGES / f"logo-{look.theme}.svg"), icon_image=str(IMAGES / f"dots-{look.theme}.svg"), size="large")


with st.sidebar:
    titles = spaces.titles(address.get("space", "builtin"))
    st.selectbox(
        "Space",
        list(titles),
        format_func=lambda key: plain(titles[key], 60),
        help="The vectors that every page shows.",
        **address.bind("space", address.get("space", "builtin")),
    )

pages = {one.url_path: one for rows in menu.values() for one in rows}
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
