"""What the page Pooling shows: two sentences, a list of sentences, and sentence pairs with people's scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from embedviz.contextual import pooled, sentence_pairs
from embedviz.contextual.encoder import BUILTIN_NOTE
from embedviz.contextual.models import BUILTIN
from embedviz.contextual.pair_tables import EXAMPLE, MOST_BYTES
from embedviz.contextual.pooled import GAMMA, MIX, MOST_COMPARED, WEIGHT, ComparedSentences
from embedviz.contextual.pooling import POOLINGS, own_said
from embedviz.contextual.sentence_pairs import PairScores
from embedviz.contextual.ways import Way, lacks
from embedviz.core.call import Call, Elsewhere, call
from embedviz.core.options import Method, OptionError, Parameter, table
from embedviz.core.pasted import words_of
from embedviz.core.phrases import listing, number, share
from embedviz.figures.pooling import beside_figure, scores_figure
from embedviz.testsets import datasets
from pages._shared.app import address, frame, lists, states
from pages._shared.app.escape import escape, plain
from pages._shared.controls import widgets
from pages._shared.output import export, figure, matrix
from pages._shared.results import calls, work
from pages._shared.sources import models, uploads

if TYPE_CHECKING:
    from embedviz.contextual.models import Card
    from embedviz.contextual.pooled import Mixed, PoolingCosine
    from pages._shared.sources.current import View

LONGEST = 500
"""Characters of a sentence that stands in the address."""
LONGEST_PASTED = 2_000_000
FITS = table(
    Method("target", "Fitted to these sentences", sentence_pairs.pairs),
    Method("held-out", "Fitted to the other half", sentence_pairs.pairs),
)
LISTED, PAIRS = "sentences", "pairs"
"""What the address calls a pasted list, and the token of an uploaded table."""
_REFUSED = "pooling:refused"


class Example(NamedTuple):
    """Two sentences to begin with, and what is between them."""

    title: str
    one: str
    other: str
    about: str


EXAMPLES = (
    Example(
        "Other words",
        "A man is playing a guitar.",
        "Someone strums an instrument.",
        "They say nearly the same without a word in common.",
    ),
    Example("Negation", "The film was good.", "The film was not good.", "The second denies the first."),
    Example("Opposites", "The price rose sharply.", "The price fell sharply.", "They exclude each other."),
    Example("Who does what", "The dog bit the man.", "The man bit the dog.", "The same words describe another event."),
    Example(
        "Short and long",
        "Rain.",
        "It has been raining all day long in the north of the country.",
        "A word, and a sentence about the same.",
    ),
    Example(
        "Two senses", "She sat on the bank of the river.", "She works at the bank.", "They share an ambiguous word."
    ),
    Example(
        "Question and answer",
        "Who wrote this book?",
        "This book was written by my sister.",
        "They belong together but do not mean the same.",
    ),
    Example(
        "Nothing in common",
        "Cats sleep a lot.",
        "The stock market fell by three percent on Monday after the bank raised its rates.",
        "They are about different things.",
    ),
)

RANDOM = "pooling-random"
"""The slot of the random sentences."""


@dataclass(frozen=True)
class Asked:
    """What every part of the page rests on: the view, the encoder, and whether special tokens are counted."""

    view: View
    card: Card
    special: str

    @property
    def own_model(self) -> bool:
        """Whether the encoder is not the built-in one."""
        return self.card.name != BUILTIN

    @property
    def note(self) -> str:
        """Which pooling is the model's own, and what to know of the built-in model."""
        return f"{own_said(self.card.pooling, self.special)} {'' if self.own_model else BUILTIN_NOTE}".strip()

    @property
    def layer(self) -> int:
        """The layer that the address names, the last where it names none.

        Raises:
            OptionError: There is no such layer.
        """
        depth = self.card.depth
        option = Parameter("layer", 0, depth, depth, "0 is the input, the highest the last layer.", "Layer")
        return int(option.check(address.get("layer") or depth, depth))

    def call(self, function: str, *given: Any, **more: Any) -> Call:
        """Return the call of a study with this encoder."""
        encoder = {"model": models.asked(self.card), "special": self.special}
        return call(f"embedviz.contextual.{function}", *given, **encoder, **more)

    @property
    def random(self) -> Call:
        """The call that reads random sentences."""
        return self.call("pooled:baseline")


def examples() -> None:
    """Draw sentences to begin with."""
    with st.popover("Examples", icon=":material/menu_book:", type="tertiary"), st.container(gap=None):
        for number_of, one in enumerate(EXAMPLES):
            st.button(
                one.title,
                key=f"pooling-example-{number_of}",
                type="tertiary",
                on_click=address.put,
                kwargs={"one": one.one, "two": one.other},
            )


def two(asked: Asked) -> None:
    """Draw two sentences by each pooling, beside random ones; and the scalar mix, its weights to turn.

    Raises:
        OptionError: The address holds a sentence that is too long, or weights that are not allowed.
    """
    texts = []
    for place, box in zip(st.columns(2), _boxes(), strict=True):
        with place:
            texts.append(_box(*box))
    one, other = texts
    layer = asked.layer
    if not one or not other:
        states.state("A sentence is missing.", "Type two sentences, or take an example.")
        return
    if one == other:
        states.state("The two sentences are the same.", "Every cosine is then 1. Change one of them.")
        return
    task = calls.task("pooling-pair", asked.call("pooled:compared", [one, other]), private=True)
    drawn = calls.task(RANDOM, asked.random)
    column, panel = st.columns([2, 1], gap="large")
    if task.result is None or drawn.result is None:
        with column:
            waiting = (
                (task, "Reading the two sentences.") if task.result is None else (drawn, "Reading random sentences.")
            )
            work.show(*waiting)
        return
    pair, random = task.result, drawn.result
    with panel:
        weights, gamma = _mix(pair)
    found = pooled.beside(pair, random, layer, weights, gamma)
    with column:
        _layer(asked)
        _shown(asked, pair, random, found, weights, gamma)
    with panel:
        _mixed(pair.mix(weights, gamma), found[-1])


def _boxes() -> list[tuple[str, str, str]]:
    """Name, title and text of the two boxes; the first example where the address names neither."""
    first = EXAMPLES[0]
    bare = not {"one", "two"} & set(address.names())
    return [
        ("one", "First sentence", first.one if bare else address.get("one")),
        ("two", "Second sentence", first.other if bare else address.get("two")),
    ]


def _box(name: str, title: str, given: str) -> str:
    text = " ".join(given.split())
    if len(text) > LONGEST:
        raise OptionError(
            f"A sentence of this link has {len(text):,} characters; at most {LONGEST} are read. Paste it as a list."
        )
    bound = address.bind(name, text)

    def write() -> None:
        first, second = (st.session_state.get(f"{bound['key'].partition(':')[0]}:{one}", "") for one in ("one", "two"))
        address.put(one=first, two=second)

    st.text_input(
        title, max_chars=LONGEST, placeholder=title, label_visibility="collapsed", **{**bound, "on_change": write}
    )
    return text


def _layer(asked: Asked) -> None:
    """Draw the slider of layers."""
    st.slider("Layer", 0, asked.card.depth, **address.bind("layer", asked.layer))


def _mix(pair: ComparedSentences) -> tuple[list[float], float]:
    """Return the weights and the scale that the address holds, with a slider for each.

    Raises:
        OptionError: They are not one a layer, or not allowed.
    """
    count = pair.depth + 1
    states.panel("ELMo's scalar mix", "γ times the sum of all layers, each by its share: softmax of w", level=3)
    parts = address.get("weights").replace(",", " ").split()
    if parts and len(parts) != count:
        raise OptionError(f"{len(parts):,} weights were given; {pair.model} has {count} layers, its input included.")
    weights = [WEIGHT.check(text, count) for text in parts] or [0.0] * count
    gamma = GAMMA.check(address.get("gamma") or GAMMA.default, count)
    shares = pair.mix(weights).shares
    keys = [f"pooling:weight-{layer}" for layer in range(count)]

    def write() -> None:
        turned = [st.session_state[key] for key in keys]
        address.put(weights=",".join(f"{value:g}" for value in turned) if any(turned) else None)

    columns = st.columns(2, gap="medium")
    for layer, (key, weight, part) in enumerate(zip(keys, weights, shares, strict=True)):
        st.session_state[key] = weight
        label = f"{'Input' if layer == 0 else f'Layer {layer}'} · {share(part)}"
        with columns[2 * layer >= count]:
            st.slider(label, WEIGHT.low, WEIGHT.high, step=0.1, key=key, on_change=frame.safely(write))
    with columns[1]:
        st.slider("γ", GAMMA.low, GAMMA.high, step=0.1, help=GAMMA.help, **address.bind("gamma", gamma))
    with st.container(horizontal=True):
        st.button("All alike", type="tertiary", on_click=address.put, kwargs={"weights": None, "gamma": None})
        last = ",".join(["-4"] * (count - 1) + ["4"])
        st.button("Nearly all of the last", type="tertiary", on_click=address.put, kwargs={"weights": last})
    return weights, gamma


def _mixed(mixed: Mixed, found: PoolingCosine) -> None:
    """Draw what the mix gives."""
    one, other = mixed.lengths[:2]
    states.note(
        f"Cosine by this mix: {number(found.cosine)}; random pairs {number(found.mean)} "
        f"(95\u00a0%: {number(found.low)} to {number(found.high)}).",
        f"Lengths of the two vectors: {number(one)} and {number(other)}; γ changes these and no cosine.",
    )


def _shown(
    asked: Asked,
    pair: ComparedSentences,
    random: ComparedSentences,
    found: tuple[PoolingCosine, ...],
    weights: list[float],
    gamma: float,
) -> None:
    """Draw the figure, what it means, and its export row."""
    one, other = pair.sentences
    figure.plotly(beside_figure(found, asked.view.theme, phone=asked.view.phone), "pooling-plot")
    meaning = pooled.meaning(found)
    states.meaning(meaning)
    common, every = pooled.words_in_common(one, other)
    sample = pooled.sample(random)
    flat = [each.title for each in found if each.constant]
    about = next((each.about for each in EXAMPLES if (each.one, each.other) == (one, other)), "")
    states.note(
        about,
        f"Words in common: {common} of {every}.",
        f"{listing(flat)} of layer {asked.layer} is the same for every sentence: nothing has reached it yet."
        if flat
        else "",
        sample,
        "Random sentences have 6 to 40 words; by max a cosine depends on how many there are.",
        lacks(pair.missing, pair.model),
    )
    export.export_row(
        key="pooling",
        picture="plot:pooling-plot",
        table=partial(export.csv_text, *pooled.table(found)[::-1]),
        filename=f"pooling-{one}",
        calls=[
            call(
                "embedviz.contextual.pooled:beside",
                asked.call("pooled:compared", pair.sentences),
                asked.random,
                asked.layer,
                weights,
                gamma,
            ),
            asked.random,
        ],
        note={
            "title": f"“{plain(one, 80)}” and “{plain(other, 80)}”",
            "space": asked.card.size,
            "meaning": meaning,
            "sample": sample,
        },
    )


def pasted() -> list[str]:
    """Return the sentences of the list in use, with a box to paste others, a line a sentence.

    Raises:
        OptionError: The list is not kept any more.
    """
    token = address.get(lists.NAME)
    text = lists.unmarked(lists.marked(token)) if token else address.get(LISTED)
    sentences = words_of(text) if text else _usual()
    shown = "\n".join(sentences)
    whole = len(shown) <= widgets.LONGEST_SHOWN
    bound = address.bind(LISTED, shown if whole else "")

    def write() -> None:
        lines = [line.strip() for line in st.session_state[bound["key"]].splitlines()]
        address.put(**lists.reference(LISTED, list(dict.fromkeys(line for line in lines if line))))

    with st.popover(f"Sentences ({len(sentences):,})", icon=":material/edit_note:", type="tertiary"):
        st.text_area(
            "One sentence per line",
            height=280,
            width=520,
            max_chars=LONGEST_PASTED,
            **{**bound, "on_change": frame.safely(write)},
        )
        if not whole:
            st.caption(f"A list of {len(sentences):,} sentences is in use. Another one that is pasted takes its place.")
    return sentences


def _usual() -> list[str]:
    """Return the first sentences of the built-in pairs."""
    return [text for pair in datasets.sentence_pairs()[:7] for text in pair[:2]]


def way(asked: Asked) -> Way:
    """Return the pooling and the layer that the address names, with a control for each.

    Raises:
        OptionError: There is none of the kind.
    """
    row = widgets.method("Pooling", "pooling", POOLINGS, "mean")
    if not any(option.name == "layer" for option in row.options):
        return Way(row.name, None)
    with st.container(width=220):
        _layer(asked)
    return Way(row.name, asked.layer)


def several(asked: Asked, sentences: list[str], chosen: Way) -> None:
    """Draw a list of sentences, each with each."""
    reading = asked.call("pooled:compared", sentences[: MOST_COMPARED + 1])
    task = calls.task("pooling-list", reading, private=True)
    drawn = calls.task(RANDOM, asked.random)
    if task.result is None or drawn.result is None:
        waiting = (task, "Reading the sentences.") if task.result is None else (drawn, "Reading random sentences.")
        work.show(*waiting)
        return
    found, random = task.result, drawn.result
    parts = address.get("weights").replace(",", " ").split() if chosen.pooling == MIX else []
    weights = [WEIGHT.check(text, len(parts)) for text in parts]
    shown = pooled.matrix(found, random, chosen, weights)
    more = len(sentences) - MOST_COMPARED
    matrix.draw(
        asked.view,
        shown,
        f"{chosen.title}.",
        f"The first {MOST_COMPARED} of {len(sentences):,} sentences; {more:,} are not shown." if more > 0 else "",
        shown.baseline,
        matrix.LIKE_BY_LIKE,
        f"Without a token, left out: {len(found.left_out):,}." if found.left_out else "",
        found.note.replace(BUILTIN_NOTE, "").strip(),
        calls=[call("embedviz.contextual.pooled:matrix", reading, asked.random, chosen, weights)],
        title=f"{chosen.title}: {len(found)} sentences",
        of=asked.card.size,
    )


def fit() -> bool:
    """Return whether corrections are those fitted to the other half, with a control to choose."""
    return widgets.method("Corrections", "fit", FITS, "target", segmented=True).name == "held-out"


def upload() -> str:
    """Return the token of the table in use, empty for the built-in pairs, with a box to bring one."""
    token = address.get(PAIRS)
    refused = st.session_state.get(_REFUSED, "")
    with st.popover("Your pairs", icon=":material/upload_file:", type="tertiary"):
        st.file_uploader(
            "A table with the columns sentence1, sentence2 and score (.csv, .tsv), as STS has them",
            key="pooling:file",
            on_change=_take,
            max_upload_size=MOST_BYTES // 2**20,
        )
        if refused:
            st.error(escape(refused))
        if token:
            st.button("Use the built-in pairs", on_click=address.put, kwargs={PAIRS: None})
        states.note("At most 10,000 pairs and 16 MB. Nothing leaves the computer that runs this program.")
    return token


def _take() -> None:
    """Receive the table that was just chosen; what is refused is said beside it."""
    if token := uploads.taken("pooling:file", _REFUSED):
        address.put(**{PAIRS: token})


def scored(asked: Asked, token: str, *, held_out: bool) -> None:
    """Draw pairs with people's scores: ρ by layer, pooling and correction."""
    received = uploads.file_of(token)
    if token and received is None:
        _gone()
        return
    if received is not None:
        uploads.visit(token, listed=False)
    path, name = received or (EXAMPLE, "")
    own = Elsewhere(str(path), "your-pairs.csv") if token else EXAMPLE
    question = asked.call("sentence_pairs:pairs", own, name=name)
    task = calls.task("pooling-scores", question)
    found: PairScores | None = task.result
    if found is None:
        work.show(task, "Scoring the pairs." if task.running else "These pairs cannot be scored.")
        return
    phone = asked.view.phone
    pooling = widgets.method("Pooling", "pooling", POOLINGS, "mean").name if phone else ""
    figure.plotly(
        scores_figure(found, asked.view.theme, held_out=held_out, pooling=pooling, phone=phone), "scores-plot"
    )
    meaning = found.meaning(held_out)
    states.meaning(meaning)
    column, panel = st.columns([1.4, 1], gap="large")
    with column:
        states.note(
            found.corrections_said(held_out),
            found.setting,
            f"Palest: at or below {number(found.chance)}; |ρ| of 95 of 100 shuffles stays below it. Empty: no order.",
            next(
                (row.left_out for row in found.rows if row.correction == "whiten" and row.left_out and not held_out), ""
            ),
            found.sample,
            found.note.replace(BUILTIN_NOTE, "").strip(),
        )
        export.export_row(
            key="scores",
            picture="plot:scores-plot",
            table=lambda: export.csv_text(*found.table()[::-1]),
            filename=f"pairs-{found.name}",
            calls=[question],
            note={
                "title": f"{found.name}: Spearman’s ρ with people’s scores",
                "space": asked.card.size,
                "meaning": meaning,
                "baselines": found.baselines,
            },
        )
    with panel:
        states.panel("Beside chance", "Spearman’s ρ over the same pairs", level=3)
        states.table(*found.baseline_table(held_out))


def _gone() -> None:
    states.state(
        "This table is no longer here.",
        "An unsaved upload is deleted one minute after you close the page. Choose it again.",
    )
    st.button("Use the built-in pairs", on_click=address.put, kwargs={PAIRS: None})
