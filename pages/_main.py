"""The frame of all pages: page settings, the menu, the header."""

from contextlib import suppress
from pathlib import Path
from typing import Literal

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException

from embedviz.core.options import OptionError
from pages._shared.app import account, address, bookmarks, frame, presenting, views
from pages._shared.app.escape import plain
from pages._shared.app.menu import HIDDEN, MENU, VIEWS, WITHOUT_FIGURE
from pages._shared.results import devices, work_link
from pages._shared.sources import corpora, models, spaces, steps, tokenized

IMAGES = Path(__file__).parent / "_shared" / "app" / "images"

st.set_page_config(
    "embedviz",
    str(IMAGES / "icon.png"),
    layout="wide",
    initial_sidebar_state=232,
    menu_items={"About": devices.about()},
)


def page_of(file: str, title: str, icon: str, *, menu: bool) -> st.Page:
    """Return the Streamlit page of a file, with its title and icon.

    Args:
        menu: Whether the menu lists the page.
    """
    name, first = address.page_name(file), file == "start/home/page.py"
    visibility: Literal["visible", "hidden"] = "visible" if menu else "hidden"
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
st.session_state["frame:titles"] = {name: one.title for name, one in pages.items()}
with_space = page.url_path == "trajectory" or any(page in menu[group] for group in ("Words", "Quality"))
if page.url_path == "timeline" and not spaces.chosen_others(address.get("space", "builtin")):
    with_space = False  # its example is made of other spaces
if page.url_path == "subwords" and not spaces.have_ngrams(address.get("space", "builtin")):
    with_space = False  # its example is another space


def after_title() -> None:
    """Draw the rest of the header line: the space, the texts or the model in use, and the views of the page."""
    if with_space:
        replay = page.url_path == steps.REPLAY
        spaces.control(steps.replays(titles, address.get("space", "builtin")) if replay else titles)
    with suppress(OptionError):  # the page says what is wrong with the address
        if page in menu["Texts"]:
            corpora.header()
        elif page.url_path == "corpus":
            tokenized.header()
    if page in menu["Context"]:
        models.control()
    if owner in VIEWS:
        example = owner == "neighbors" and not spaces.have_ngrams(address.get("space", "builtin"))
        named = VIEWS[owner] | ({"subwords": "Subwords (example)"} if example else {})
        views.control(named, pages, page, steps.carried)
    figure = page.url_path not in WITHOUT_FIGURE and (page.url_path != "learn" or address.get("lesson"))
    if figure and st.session_state["frame:look"].width != "phone":
        presenting.opening()
    if page.url_path != "jobs":
        work_link.jobs_link(pages)


frame.begin(after_title)
with st.sidebar.container(horizontal=True, key="aids"):
    st.page_link(pages["glossary"], label="Glossary", width="content")
    st.page_link(pages["jobs"], label="Jobs", width="content")
    account.log_out()
views.mark(owner)
look = st.session_state["frame:look"]
st.logo(str(IMAGES / f"logo-{look.theme}.svg"), icon_image=str(IMAGES / f"dots-{look.theme}.svg"), size="large")

space_title = titles[address.get("space", "builtin")]
about = address.get("formula") or address.get("word")
bookmarks.control(page, pages, page.title, about[: address.LONGEST_WORD], plain(space_title, 60))
try:
    frame.guarded(page)
except RerunException:
    raise  # the next run restores the address
except BaseException:
    address.settle()
    raise
address.settle()
