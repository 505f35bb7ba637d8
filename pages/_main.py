"""The frame: page settings, menu, the choice of space, and what all pages share."""

from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException

from pages._shared import address, bookmarks, frame, spaces
from pages._shared.escape import plain

IMAGES = Path(__file__).parent / "_shared" / "images"

st.set_page_config("embedviz", str(IMAGES / "icon.png"), layout="wide", initial_sidebar_state=232)

# One row a page: file, name in the menu, icon. Each group is a section folder.
MENU = {
    "": [("explore/home.py", "Start", "home")],
    "Explore": [
        ("explore/map.py", "Map", "scatter_plot"),
        ("explore/neighbors.py", "Neighbors", "near_me"),
        ("explore/subwords.py", "Subwords", "spellcheck"),
        ("explore/analogy.py", "Analogy", "change_history"),
        ("explore/isotropy.py", "Isotropy", "explore"),
        ("explore/evaluation.py", "Evaluate", "fact_check"),
        ("explore/compare.py", "Compare", "compare_arrows"),
        ("explore/timeline.py", "Timeline", "timeline"),
        ("explore/trajectory.py", "Trajectory", "animation"),
        ("explore/documents.py", "Documents", "description"),
        ("explore/search.py", "Search", "search"),
    ],
    "Context": [
        ("context/senses.py", "Senses", "layers"),
        ("context/layers.py", "Layers", "stacked_line_chart"),
        ("context/path.py", "Path", "route"),
        ("context/attention.py", "Attention", "grid_view"),
        ("context/pooling.py", "Pooling", "filter_alt"),
    ],
    "Make and open": [
        ("manage/corpus.py", "Corpus", "article"),
        ("manage/train.py", "Train", "model_training"),
        ("manage/open.py", "Your vectors", "upload_file"),
        ("manage/jobs.py", "Jobs", "pending_actions"),
    ],
}

menu = {
    group: [
        st.Page(file, title=title, icon=f":material/{icon}:", default=file == "explore/home.py")
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
