"""Documents: what texts are about, on a map of a space of texts, with clusters named by their words."""

from functools import partial

import streamlit as st

from embedviz import catalog
from embedviz.core.call import Call, call
from embedviz.core.space import SpaceError
from embedviz.retrieval.spaces import ENCODER, METHODS, NEEDS_WORDS, usual
from embedviz.retrieval.themes import CLUSTERS, GroupScores, Themes
from pages._shared.app import address, frame, states
from pages._shared.controls import widgets
from pages._shared.output import export
from pages._shared.results import calls, work
from pages._shared.sources import corpora, current, encoding, models, saving
from pages.texts.documents import drawing, themes

COLORS = {"cluster": "Cluster", "group": "Group"}


def choose(key: str) -> None:
    address.put(doc=key or None)


def asked_of() -> list[Call]:
    """Return the calls that give the same without the space that is kept here."""
    words = view.recipe if method.name in NEEDS_WORDS else None
    by = {} if card is None else {"model": models.asked(card)}
    made = call("embedviz.retrieval.spaces:text_space", texts.read(), method.name, words, **by, **turned)
    found = call("embedviz.retrieval.themes:themes", made.part("space"), way.name, **clustering)
    return [found, *([call("embedviz.retrieval.themes:group_scores", made.part("space"))] if scores else [])]


view = current.view()
head = st.container()
row = st.container(horizontal=True, vertical_alignment="center", key="controls")
with row:
    corpora.control()
    offered = st.container(width="content")
texts = corpora.chosen()
with head:
    frame.header("Documents", "What are these texts about?" if texts is None else texts.size)
if texts is None:
    frame.stop()
with offered:
    method = widgets.method("Method", "method", METHODS, usual(texts.texts, view.space), segmented=True)
with row:
    way = widgets.method("Clusters", "clusters", CLUSTERS, "kmeans", segmented=True)
    first = way.options[0]
    few = first.upper(len(texts.texts)) <= first.low
    st.html(f'<span class="ev-muted">{first.label}{f": {first.low:g}" if few else ""}</span>', width="content")
    with st.container(width=110):
        size = int(widgets.number(first, texts.texts))
    with st.popover("Settings", icon=":material/tune:", type="tertiary"):
        st.markdown(f"**{method.title}**")
        st.caption(method.summary)
        card = models.choose() if method is ENCODER else None
        if card is None:
            turned = widgets.options(method, texts.texts, f"{method.name}_")
        else:
            turned = encoding.options(card, texts.texts)
        st.markdown(f"**{way.title}**")
        st.caption(way.summary)
        clustering = {first.name: size, **widgets.options(way, texts.texts, "clusters_", without=(first.name,))}
        by = "cluster"
        if texts.texts.labels is not None:
            by = address.get("color") if address.get("color") in COLORS else by
            st.selectbox("Color", list(COLORS), format_func=COLORS.__getitem__, **address.bind("color", by))

try:
    made = corpora.made(view, texts, method.name, turned, card)
except SpaceError as error:
    states.state("This space cannot be made.", str(error))
    frame.stop()
if not made.ready:
    if made.task is not None:
        work.show(made.task, f"{method.title} of {len(texts.texts):,} texts.")
    frame.stop()

summary, opened = made.summary, made.space.space
sub = made.view(view)
task = calls.task("themes", call("embedviz.retrieval.themes:themes", sub.recipe, way.name, **clustering))
found: Themes | None = task.result
scoring: work.Task | None = None
scores: dict[str, GroupScores] = {}
if texts.texts.labels is not None:
    scoring = calls.task("groups", call("embedviz.retrieval.themes:group_scores", sub.recipe))
    scores = st.session_state.setdefault("documents:scores", {}).setdefault(texts.address, {})
    if scoring.result is not None:
        scores[method.title] = scoring.result
doc = address.get("doc") if address.get("doc") in opened.index else ""

figure_column, panel = st.columns([1.9, 1], gap="medium")
with figure_column:
    drawn = drawing.draw(sub, found, by, method.title, texts.texts.name, doc, choose, view)
    if found is not None:
        states.meaning(found.meaning)
    elif not task.running:
        work.show(task, "What are these texts about?")
    states.note(
        f"{method.title}: {encoding.spoken(card, turned) if card else widgets.spoken(method, turned)}.",
        summary.meaning,
        drawn.colors if drawn is not None else "",
        found.note if found is not None else "",
        texts.texts.note,
    )
    export.export_row(
        key="documents",
        picture="map:documents-map" if drawn is not None else None,
        table=partial(export.csv_text, *found.table(opened)[::-1]) if found else None,
        filename=f"documents-{texts.texts.name}-{method.name}",
        calls=asked_of(),
        note=drawn.note if drawn is not None else {},
    )
    with st.container(horizontal=True):
        if st.button("Open as a space", icon=":material/scatter_plot:"):
            corpora.offer(made)
            colors = {} if texts.texts.labels is not None else {"color": "clusters"}
            address.go("words/map/page.py", {"space": made.address, "pca_rows_as": "unit", **colors})
        with st.popover("Save it"):
            usual_name = catalog.clean_name(opened.origin.name)
            if (saved := saving.form("Name", usual_name, "Save", lambda name: catalog.save(opened, name))) is not None:
                states.note(f"Saved as {saved.name}: every page can open it.")

with panel:
    if doc:
        lacks = "word that the model reads" if method is ENCODER else "known word"
        themes.text(opened, doc, choose, partial(choose, ""), lacks=lacks)
    if found is not None:
        themes.clusters(found, view.theme)
    elif task.running:
        work.watch(task, lambda job: states.step(f"Clustering. {job.message}", job.fraction))
    if method.title in scores:
        checking = None
        if address.get("checked") == "yes":
            every = call("embedviz.retrieval.themes:scores_by_method", texts.given, view.recipe)
            checking = calls.task("groups-all", every)
            scores = {**(checking.result or {}), **scores}
        themes.groups(found, scores, method.title)
        if checking is None:
            st.button("Check all methods", on_click=address.put, kwargs={"checked": "yes"})
        elif checking.result is None:
            work.show(checking, "Checking all methods.")
        elif ENCODER.title not in scores:
            states.note(f"{ENCODER.title}: choose it above, and its rows stand here too.")
    elif scoring is not None and scoring.running:
        work.watch(scoring, lambda job: states.step(f"Groups. {job.message}", job.fraction))
    elif scoring is not None:
        states.note(scoring.sentence)
