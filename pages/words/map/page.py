"""Map: some words of a space in two or three dimensions, with what the map keeps."""

import streamlit as st

from embedviz import projection
from embedviz.core.call import call
from embedviz.core.options import OptionError, Text
from embedviz.core.phrases import listing
from embedviz.figures.scatter import scatter
from embedviz.neighbors import lookup
from embedviz.projection import coloring, quality, sampling
from embedviz.projection.axes import examples
from pages._shared.app import address, frame, states
from pages._shared.controls import widgets, wordbox
from pages._shared.map import badge, maps, questions
from pages._shared.map import scatter as mounted
from pages._shared.output import export
from pages._shared.results import calls
from pages._shared.sources import current
from pages.words.map import nearest, paint, selection

K = 10
SEARCHES = {"word": "A word, or a pattern: /ing$/", "text": "A text's key, or a pattern: /hockey/"}

view = current.view()
space = view.space
frame.header("Map", view.shape)

# The controls: one row, and the rest in Settings.
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    method = widgets.method("Projection", "method", projection.PROJECTIONS, "pca", segmented=True)
    dimensions = widgets.segments(method.option("components"), space, {2: "2-D", 3: "3-D"})
    with st.container(width=210):
        by = widgets.method("Color", "color", coloring.available(space), coloring.usual(space))
    typed = wordbox.word_search(view, "map-search", patterns=True, placeholder=SEARCHES[space.noun])
    with st.popover("Settings", icon=":material/tune:", type="tertiary"):
        st.markdown("**Which words**")
        rule = widgets.method("Rule", "sample", sampling.SAMPLES, sampling.usual(space))
        st.caption(rule.summary)
        which = widgets.options(rule, space, "sample_")
        added, only = tuple(address.get_list("add")), address.get("only")
        asked = questions.sample(view.recipe, rule.name, which, added, only)
        rows = questions.sampled(asked).rows
        st.markdown(f"**{method.title}**")
        st.caption(method.summary)
        idle = projection.idle(method, dimensions)
        texts = [option.name for option in method.options if isinstance(option, Text) and option.name not in idle]
        turned = widgets.options(method, rows, f"{method.name}_", without=(*idle, *texts))
        if by.options:
            st.markdown(f"**Color: {by.title.lower()}**")
        painted = widgets.options(by, space, f"{by.name}_", word=view.word)
if texts:
    with st.container(horizontal=True, vertical_alignment="bottom", key="said"):
        others = [option.name for option in method.options if option.name not in texts]
        turned |= widgets.options(method, rows, f"{method.name}_", without=others)
        for title, said in examples(space).items():
            named = {f"{method.name}_{name}": text for name, text in said.items()}
            st.button(title, type="tertiary", key=f"axes-{title}", on_click=address.put, kwargs=named)
if typed is not None:
    address.put(**({"find": typed} if lookup.as_pattern(typed) else {"word": typed or None, "find": None}))
    st.rerun()

# The library's answers, kept by names and numbers. Until a slow map is there, another one is drawn.
found = view.find()
try:
    making = maps.make(view, questions.drawn(asked, method.name, {**turned, "components": dimensions}))
except OptionError as error:
    states.state("This map cannot be drawn.", str(error))
    frame.stop()
what, shown = making.drawn, making.seen
if shown is None:
    maps.show(view, making)
    frame.stop()
words = questions.words_of(what)
sample = questions.sampled(words)
method = projection.PROJECTIONS[what.value("method")]
near = calls.result(call("embedviz.neighbors:neighborhood", view.recipe, (found.word,), K)) if found.word else None
pattern = lookup.as_pattern(address.get("find"))
coloring_asked = questions.colored(words, by.name, painted)
colors = paint.paint(coloring_asked, by)
color = colors.color
hits = paint.matching(view, words, pattern, len(shown.rows))
checking = badge.check(what)
task = None if making.stream else badge.measured(view, checking, shown)
kept: quality.Checked | None = task.result if task is not None else None
count = f"{len(shown.rows):,} of {len(space):,} {space.noun}s, {sample.rule}"
if not making.ready:
    count = f"{method.title} {'on its way' if making.stream else 'meanwhile'}: {count}"
chosen = selection.chosen(words)

figure_column, panel = st.columns([2.4, 1], gap="medium")
with figure_column:
    maps.show(view, making)
    with st.container(horizontal=True, vertical_alignment="center", key="badge-row"):
        badge.badge(task, what, view.theme, short=view.phone)
        with st.container(width="content"):
            states.note(count)
        paint.waiting(colors, by)
    states.note(hits.sentence)
    states.note(colors.problem)
    states.note(f"Not in this space, so not on the map: {listing(sample.missing)}." if sample.missing else "")
    flat = shown.points.shape[1] == 2
    title = f"{method.title} map{'' if flat else ' in three dimensions'}"
    note = {"title": title, "space": view.size, "count": count, **badge.lines(kept, method.name)}
    picture = scatter(shown, color)
    mounted.mount(
        picture,
        key="map",
        height=480,
        chosen=shown.position.get(space.index[found.word]) if found.word else None,
        neighbors=[shown.position[int(row)] for row in near.rows if int(row) in shown.position] if near else [],
        hits=kept.worst().tolist() if kept is not None and badge.worst_marked() else hits.places,
        selected=() if chosen is None else chosen,
        note=note,
        summary=f"{method.title} map of {len(shown.rows):,} {space.noun}s. {shown.meaning}",
        on_click=lambda click: frame.choose_word(click.word),
        on_select=lambda rows: selection.choose(shown, rows),
        stream=making.stream,
    )
    badge.noise(kept, shown.points, view.theme, phone=view.phone)
    states.meaning(badge.meaning(shown.meaning, kept, method.name))
    idle = projection.idle(method, shown.points.shape[1])
    told = widgets.spoken(method, {name: value for name, value in shown.parameters.items() if name not in idle})
    states.note(
        f"{method.title}: {told}." if told else "",
        color.note if color else "",
        space.origin.note,
        selection.hint(flat=flat, phone=view.phone),
    )
    selection.ways_back(bool(pattern), sample.added, bool(only))
    if not making.stream:
        export.export_row(
            key="map",
            picture="map:map",
            table=lambda: export.map_table(space, shown, color),
            filename=f"map-{method.name}-{view.name}",
            calls=[what, *([coloring_asked] if color else []), checking],
            note=note,
            page=lambda: picture.html(note=note),
        )

with panel:
    if chosen is not None:
        selection.show(space, shown, chosen, color, frame.choose_word)
    if near is None or found.word is None:
        states.panel("Neighbors")
        states.word_needed(found, view, frame.choose_word)
        frame.stop()
    nearest.show(view, found, near, shown, moving=bool(making.stream), added=added)
