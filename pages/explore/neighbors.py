"""Neighbors: who is nearest to a word in the whole space, and how near that is."""

import streamlit as st

from embedviz import neighbors
from embedviz.figures.neighbors import nearest_figure, neighborhood_figure
from embedviz.figures.plotly import number
from embedviz.options import Parameter, split_words
from pages._shared import address, cache, code, controls, export, frame, states, work
from pages._shared.wordlist import Row, wordlist

K = Parameter("k", 1, 100, 10, "How many words the list has.", "Nearest")

view = frame.view()
space = view.space
frame.header("Neighbors", view.size)

with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    typed = frame.word_search(view, "neighbors-search")
    metric = controls.method("Metric", "metric", neighbors.METRICS, "cosine", segmented=True)
    with st.container(width=150):
        k = K.check(address.get("k", str(K.default)), len(space))
        st.number_input("Nearest", 1, 100, help=K.help, label_visibility="collapsed", **address.bind("k", k))
    with st.popover("More words", icon=":material/add:", type="tertiary"):
        more = ", ".join(address.get_list("with"))
        st.text_input(
            "Together with",
            help="Words separated by commas. The query is then the mean of their unit vectors.",
            **address.bind("with", more, lambda text: ", ".join(split_words(text)[:20])),
        )
if typed is not None:
    frame.choose_word(typed)
    st.rerun()

found = view.find()
together = split_words(more)
unknown = [word for word in together if word not in space.index]
if not view.word:
    states.no_word(frame.choose_word, view.examples())
    st.stop()
if found.word is None:
    states.unknown_word(found, len(space), frame.choose_word)
    st.stop()

words = (found.word, *(word for word in together if word in space.index))
near = cache.neighborhood(view.address, words, int(k), metric.name)
query = " + ".join(words)
unit = "distance" if metric.name == "euclidean" else metric.title.lower()
job = work.run(
    "embedviz.neighbors:occurrences",
    space,
    10,
    metric.name,
    key=f"{view.address}|{metric.name}",
    private=view.recipe.private,
)

figure_column, panel = st.columns([2.3, 1], gap="medium")
with figure_column:
    with st.container(key="neighbors-plot"):
        figure = neighborhood_figure(near, view.theme, phone=view.look.width == "phone")
        st.plotly_chart(figure, theme=None, width="stretch", config={"displayModeBar": False, "displaylogo": False})
    beyond = near.beyond_shuffled
    if beyond == len(near.neighbors):
        states.meaning(f"All {beyond} are nearer to {query} than the best word of ten shuffled spaces.")
    else:
        states.meaning(
            f"{beyond} of {len(near.neighbors)} are nearer to {query} than the best word of ten shuffled spaces. "
            "The others could be there by chance."
        )
    details = [
        f"Exact search over {near.compared:,} words. A random word: {number(near.mean)} (sd {number(near.sd)}).",
        f"Shuffled: each principal direction permuted over {near.shuffled_rows:,} words, ten times.",
        metric.summary,
    ]
    if len(words) > 1:
        details.insert(0, "The query is the mean of the words' unit vectors.")
    if found.normalised:
        details.append("The word was found in its composed form (Unicode NFC).")
    if unknown:
        details.append(f"Not in this space and left out: {', '.join(unknown[:10])}.")
    if near.skipped:
        details.append(f"{near.skipped:,} rows of zeros have no direction and are left out.")
    states.note(" ".join(details))
    lines = [
        f"near = neighbors.neighborhood(space, {list(words)!r}, k={int(k)}, metric={metric.name!r})",
        "for neighbor in near.neighbors:",
        '    print(neighbor.rank, neighbor.word, f"{neighbor.similarity:.2f}")',
        'print("best in ten shuffled spaces:", near.shuffled_best)',
    ]
    export.export_row(
        key="neighbors",
        picture="plot:neighbors-plot",
        table=export.csv_text(near.neighbors, ("word", unit, "rank")),
        filename=f"neighbors-{query}",
        code=code.joined("neighbors", code.space_lines(view.recipe), lines),
        note={
            "title": f"Nearest to {query}",
            "space": view.size,
            "baseline": f"{unit}; exact search over {near.compared:,} words; best in ten shuffled spaces: {near.shuffled_best:.2f}",
        },
    )

with panel:
    states.panel("The list", f"{unit}; click a word to go there", level=3)
    top = max((abs(neighbor.similarity) for neighbor in near.neighbors), default=1.0) or 1.0
    reach = 1.0 if metric.name == "cosine" else top
    best = near.shuffled_best
    wordlist(
        f"Nearest to {query}",
        [Row(n.word, max(0.0, n.similarity) / reach, number(n.similarity)) for n in near.neighbors],
        ("word", unit, ""),
        frame.choose_word,
        key="neighbors-list",
        tick=None if best is None or not 0 <= best <= reach else best / reach,
    )
    if not job.finished:
        work.watch(job.id, work.progress("Who is near to everyone?", "occurrences"))
    elif job.state != "done":
        work.failed(job)
        st.button("Compute again", key="occurrences-again")
    else:
        lists: neighbors.Occurrences = job.result()
        states.panel("How near is the nearest?", f"For {len(lists.rows):,} words, the {unit} to their nearest", level=3)
        with st.container(key="nearest-plot"):
            st.plotly_chart(
                nearest_figure(lists, near, view.theme),
                theme=None,
                width="stretch",
                config={"displayModeBar": False, "displaylogo": False},
            )
        hubs = [int(row) for row in lists.hubs(8)]
        most = max(1, int(lists.counts[hubs[0]]))
        states.panel("Who is near to everyone?", "Lists of ten in which each word stands", level=3)
        wordlist(
            "Words that stand in the most lists",
            [Row(space.words[row], int(lists.counts[row]) / most, f"{int(lists.counts[row]):,}") for row in hubs],
            ("word", "lists", ""),
            frame.choose_word,
            key="hubs-list",
            tick=min(1.0, lists.mean / most),
            quiet=True,
        )
        own = int(lists.counts[space.index[found.word]])
        states.note(
            f"{found.word}: {own:,}. Mean: {lists.mean:.1f} (the tick). In no list: {lists.never:.1%} of words. "
            f"Skewness {lists.skewness:.2f}; without hubs near 0. Lists of {len(lists.rows):,} of {len(space):,} words."
        )
