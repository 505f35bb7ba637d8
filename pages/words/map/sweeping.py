"""Six small maps below the map: one setting at six values, each with the share of neighbors that it keeps."""

import streamlit as st

from embedviz import projection
from embedviz.core.call import Call, call
from embedviz.core.options import Parameter
from embedviz.core.phrases import lasting
from embedviz.figures.quality import MOST_IN_SMALL, sweep_figure
from embedviz.figures.scatter import point_colors
from embedviz.projection.quality.sweep import Sweep, sweep_values
from pages._shared.app import address, states
from pages._shared.map import maps, questions
from pages._shared.map.questions import map_arguments, options_of, words_of
from pages._shared.map.ready import row_of
from pages._shared.output import export, figure
from pages._shared.results import calls, latest, work
from pages._shared.sources.current import View
from pages.words.map import companion, sweep_badges
from pages.words.map.drawn import DrawnMap

_SLOT = "map-sweep"


def _setting(what: Call) -> Parameter | None:
    listed = companion.numbers(row_of(what), options_of(what))
    return listed.get(address.get(companion.OPTION)) or next(iter(listed.values()), None)


def show(view: View, drawn: DrawnMap) -> None:
    """Draw the small maps; until they are computed, draw their cost and a button, or their progress."""
    what = drawn.making.what
    option = _setting(what) if companion.kind() == "sweep" else None
    if option is None:
        for slot in (_SLOT, sweep_badges.SLOT):
            work.release(slot)
        return
    space, rows, method, options = map_arguments(what)
    n, here = len(drawn.projected.rows), options[option.name]
    values = sweep_values(option, n, here)
    flat = {**options, "components": 2} if "components" in options else options
    question = call("embedviz.projection.quality.sweep:sweep", space, rows, method, option.name, values, flat)
    costs = [projection.estimate(n, view.space.dimensions, method, {**flat, option.name: one}) for one in values]
    seconds = sum(cost.seconds for cost in costs)
    title = f"{row_of(what).title} at {len(values)} values of {(option.label or option.name).lower()}"
    states.panel(title, "The same words and colors. One click opens a map above.", level=3)
    if seconds > maps.UNASKED and not calls.holds(_SLOT, question):
        states.note(f"Drawing these maps takes {lasting(seconds)}.")
        st.button("Draw them", key="sweep-draw", type="primary", on_click=_begin, args=(question,))
        return
    task = calls.task(_SLOT, question, long=seconds > maps.UNASKED, title=title)
    found = latest.finished(task, question, f"Drawing {title}.", title)
    if found is not None:
        _drawn(view, drawn, option, found, here)


def _begin(question: Call) -> None:
    calls.task(_SLOT, question, long=True)


def _drawn(view: View, drawn: DrawnMap, option: Parameter, found: latest.Finished, here: float) -> None:
    """Draw the small maps, and for each value of the setting a button that draws the main map with this value.

    There are buttons only if the small maps belong to the present settings.
    """
    swept: Sweep = found.value
    what, n = drawn.making.what, len(swept.points[0])
    same = n == len(drawn.projected.rows)
    colors = point_colors(drawn.colors.color if same else None, n, view.theme)
    each = _keep(view, what, option, swept) if found.current else []
    checked = sweep_badges.known(each)
    badges = sweep_badges.badges(checked, phone=view.phone)
    drawing = sweep_figure(swept, colors, view.theme, here=here, badges=badges, phone=view.phone)
    figure.plotly(drawing, "sweep-maps", lecture=False)
    with st.container(horizontal=True, key="sweep-open"):
        for value in swept.values if found.current else ():
            name = f"{what.value('method')}_{option.name}"
            wanted = {name: f"{value:g}" if isinstance(value, float) else str(value)}
            label = f"Open {value:g}"
            st.button(label, key=f"sweep-{value:g}", on_click=address.put, kwargs=wanted, disabled=value == here)
    if each:
        sweep_badges.control(view, each, checked)
    states.meaning(swept.meaning)
    states.note(
        f"Each small map draws {MOST_IN_SMALL:,} of the {n:,} points." if n > MOST_IN_SMALL else "",
        sweep_badges.key(phone=view.phone) if badges else "",
    )
    export.export_row(
        key="sweep",
        picture="plot:sweep-maps",
        table=swept.table,
        filename=f"sweep-{what.value('method')}-{option.name}-{view.name}",
        calls=[found.call],
        note={"title": f"{swept.method}, {swept.setting}", "space": view.size, "meaning": swept.meaning},
    )


def _keep(view: View, what: Call, option: Parameter, swept: Sweep) -> list[Call]:
    """Cache the small maps, so that opening one needs no computation. Return their calls; no calls for maps in 3-D."""
    if options_of(what).get("components", 2) != 2:
        return []
    each, rows = sweep_badges.each_map(what, option, swept), questions.rows_of(words_of(what))
    for one, layout in zip(each, swept.layouts, strict=True):
        if calls.known(one) is None:
            calls.keep(one, projection.placed(view.space, rows, what.value("method"), options_of(one), layout))
    return each
