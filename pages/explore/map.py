"""Map: some words of a space in two dimensions, with what the map keeps."""

import streamlit as st

from embedviz import columns, lookup, projection, quality, sampling
from embedviz.figures.plotly import number
from embedviz.figures.scatter import scatter
from embedviz.options import OptionError
from pages._shared import address, badge, cache, code, controls, export, frame, states
from pages._shared import scatter as mounted
from pages._shared.wordlist import ABSENT, ELSEWHERE, NEAR, Row, wordlist

K = 10
NEAR_ON_MAP = 15
MOST_HITS = 500

view = frame.view()
space = view.space
frame.header("Map", view.size)


def search(text: str) -> None:
    """What was typed: a pattern marks its hits, a word becomes the word in use."""
    if lookup.as_pattern(text) is not None:
        address.put(find=text)
    else:
        address.put(word=text or None, find=None)


# (2) one row of controls
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    method = controls.method("Projection", "method", projection.PROJECTIONS, "pca", segmented=True)
    colorings = columns.available(space)
    with st.container(width=210):
        by = controls.method("Color", "color", colorings, "groups")
    typed = frame.word_search(view, "map-search", patterns=True, placeholder="A word, or /pattern/")
    with st.popover("Settings", icon=":material/tune:", type="tertiary"):
        st.markdown("**Which words**")
        rule = controls.method("Rule", "sample", sampling.SAMPLES, "frequent")
        st.caption(rule.summary)
        chosen_options = controls.options(rule, space, "sample_")
        if method.options:
            st.markdown(f"**{method.title}**")
            turned = controls.options(method, space, f"{method.name}_")
        else:
            turned = {}
        if by.options:
            st.markdown(f"**Color: {by.title.lower()}**")
        painted = controls.options(by, space, f"{by.name}_")
if typed is not None:
    search(typed)
    st.rerun()

# one call into the library for each part; kept by names and numbers
added = tuple(address.get_list("add"))
sample = cache.sample(view.address, rule.name, chosen_options, added)
shown = cache.mapped(view.address, rule.name, chosen_options, added, method.name, turned)
found = view.find()
problem = ""
if by.name == "similarity" and not painted["word"]:
    painted["word"] = found.word or ""
try:
    color = cache.colored(view.address, rule.name, chosen_options, added, by.name, painted)
except (OptionError, LookupError) as error:
    color, problem = None, str(error)
position = {int(row): place for place, row in enumerate(shown.rows)}

near = cache.neighborhood(view.address, (found.word,), K, "cosine") if found.word else None
chosen = position.get(space.index[found.word]) if found.word else None
neighbors_here = [position[int(row)] for row in near.rows if int(row) in position] if near else []

pattern = lookup.as_pattern(address.get("find"))
hits: list[int] = []
if pattern is not None:
    try:
        hits = lookup.matching(shown.words, pattern).tolist()
    except lookup.PatternError as error:
        problem = str(error)

sample_key = f"{rule.name}{sorted(chosen_options.items())}{added}"
what = f"{sample_key}|{method.name}{sorted(turned.items())}"
job = badge.measured(space, shown, view.address, what, view.recipe.private)
measured = badge.quality_of(job)

figure_column, panel = st.columns([2.4, 1], gap="medium")
with figure_column:
    with st.container(horizontal=True, vertical_alignment="center", key="badge-row"):
        badge.badge(job, method.title, f"{view.address}|{sample_key}")
        states.note(f"{len(shown.rows):,} of {len(space):,} words, {sample.rule}")
    if measured is not None and badge.worst_marked():
        hits = measured.worst().tolist()
    mounted.mount(
        scatter(shown, color),
        key="map",
        height=500,
        chosen=chosen,
        neighbors=neighbors_here,
        hits=hits[:MOST_HITS],
        note={
            "title": f"{method.title} map",
            "space": view.size,
            "count": f"{len(shown.rows):,} of {len(space):,} words, {sample.rule}",
            "badge": badge.line(measured),
        },
        summary=f"{method.title} map of {len(shown.rows):,} words. {shown.meaning}",
        on_click=lambda click: frame.choose_word(click.word),
    )
    states.meaning(shown.meaning)
    settings = controls.spoken(method, turned)
    details = [f"{method.title}: {settings}." if settings else "", color.note if color else "", problem]
    if sample.missing:
        details.append(
            f"Not in this space: {', '.join(sample.missing[:10])}{' …' if len(sample.missing) > 10 else ''}."
        )
    if pattern is not None and not problem:
        details.append(f"/{pattern}/ is found in {len(hits):,} of the {len(shown.rows):,} words shown.")
    if space.origin.order == "assumed" and rule.name == "frequent":
        details.append(space.origin.note or "The file has no counts: its order is taken for frequency.")
    states.note(" ".join(part for part in details if part))
    with st.container(horizontal=True, key="map-clear"):
        if pattern is not None:
            st.button("Clear the search", type="tertiary", on_click=address.put, kwargs={"find": None})
        if added:
            st.button(f"Take out the {len(added):,} added", type="tertiary", on_click=address.put, kwargs={"add": None})
    lines = [
        f"sample = sampling.sample(space, {code.call(rule.name, chosen_options)})",
        *(
            [f"sample = sample.including([space.row(word) for word in {[w for w in added if w in space.index]!r}])"]
            if added
            else []
        ),
        f"map = projection.project(space, sample.rows, {code.call(method.name, turned)})",
        f"color = columns.coloring(space, sample.rows, {code.call(by.name, painted)})",
        f"kept = quality.measure(space, sample.rows, map.points, k={NEAR_ON_MAP})",
        "print(map.points[:5], color.codes[:5], kept.card())",
    ]

    def table() -> str:
        """Word, place and color of every word shown."""
        rows = (
            (word, float(x), float(y), color.describe(place) if color else "")
            for place, (word, (x, y)) in enumerate(zip(shown.words, shown.points, strict=True))
        )
        return export.csv_text(rows, ("word", "x", "y", color.title if color else "color"))

    export.export_row(
        key="map",
        picture="map:map",
        table=table,
        filename=f"map-{method.name}-{space.origin.name}",
        code=code.joined("columns, projection, quality, sampling", code.space_lines(view.recipe), lines),
        note={"title": f"{method.title} map", "space": view.size, "badge": badge.line(measured)},
    )

with panel:
    if not view.word:
        states.panel("Neighbors")
        states.no_word(frame.choose_word, view.examples())
    elif near is None:
        states.panel("Neighbors")
        states.unknown_word(found, len(space), frame.choose_word)
    else:
        states.panel(found.word or "", "Nearest in the space, not on the map")
        if found.normalised:
            states.note("Found in its composed form (Unicode NFC); it looks the same.")
        close = quality.places(shown.points, chosen, neighbors_here, NEAR_ON_MAP) if chosen is not None else ()
        is_close = dict(zip(neighbors_here, close, strict=False))

        def mark(row: int) -> tuple[str, str]:
            """Where a neighbor lies on the map: the mark and what is said for it."""
            if row not in position:
                return ABSENT, "not on the map"
            return (NEAR, "near on the map") if is_close.get(position[row]) else (ELSEWHERE, "elsewhere on the map")

        wordlist(
            f"Neighbors of {found.word}",
            [
                Row(neighbor.word, max(0.0, neighbor.similarity), number(neighbor.similarity), *mark(int(row)))
                for neighbor, row in zip(near.neighbors, near.rows, strict=True)
            ],
            ("word", "cosine", "map"),
            frame.choose_word,
            key="map-neighbors",
        )
        absent = [
            neighbor.word for neighbor, row in zip(near.neighbors, near.rows, strict=True) if int(row) not in position
        ]
        if chosen is None:
            absent.insert(0, found.word or "")
        low, middle, high = near.percentiles
        states.note(
            f"● among the {NEAR_ON_MAP} nearest on the map: {sum(close)} of {len(near.neighbors)}. ○ elsewhere on it. – not on it. "
            f"A random word: {number(near.mean)} (90 %: {number(low)} to {number(high)}). Best in ten shuffled spaces: {near.shuffled_best:.2f}."
        )
        with st.container(horizontal=True):
            if absent:
                st.button(
                    f"Add {'these' if len(absent) > 1 else 'it'} to the map ({len(absent)})",
                    on_click=lambda: address.put(add=[*added, *absent]),
                    icon=":material/add:",
                )
            st.page_link("explore/neighbors.py", label="How near is near?", icon=":material/near_me:")
