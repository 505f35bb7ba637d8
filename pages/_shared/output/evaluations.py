"""What the page Evaluate shows of each kind of test: its figure, its sentence, its table, and what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from embedviz.core.phrases import listing, number, share, signed
from embedviz.core.space import VectorSpace
from embedviz.evaluation import EVALUATIONS, AnalogyScores, AssociationScores, Difference
from embedviz.evaluation.missed import Missed, missed
from embedviz.evaluation.simpler import named
from embedviz.evaluation.weat import CAUTION, said_p
from embedviz.evaluation.words import row_of
from embedviz.figures import evaluation as figures
from embedviz.testsets import Questions
from pages._shared.app import address, states
from pages._shared.app.escape import escape, plain
from pages._shared.sources.current import View
from pages._shared.sources.testsets import Chosen

_LISTED = 12
_PERCENT = "\u00a0%"


class Told(NamedTuple):
    """A space's name and its scores, or None while they are computed or could not be; the first is the one in use."""

    name: str
    scores: Any


class Kind(NamedTuple):
    """How one kind of test is shown.

    Attributes:
        drawn: Whether there is something to draw.
        figure: Of all scores.
        sentence: What those of the space in use say, in at most two sentences.
        note: Method, sample and interval.
        columns: Titles of the table after the space's name and before the difference.
        cells: Those of one space, as text.
        header: Titles of the exported table after the space's name.
        rows: The exported lines of one space, as numbers.
        wrong: The panel of what went wrong in the space in use.
        scale: How a difference is said; `unit`: in what.
    """

    drawn: Callable[[Any], bool]
    figure: Callable[[View, Sequence[Told]], Any]
    sentence: Callable[[Any], str]
    note: Callable[[Any], str]
    columns: tuple[str, ...]
    cells: Callable[[Any], tuple[str, ...]]
    header: tuple[str, ...]
    rows: Callable[[Any], Iterable[Sequence[object]]]
    wrong: Callable[[View, Chosen, Any], None]
    scale: Callable[[float], str]
    unit: str = ""


def _between(value: float, interval: tuple[float, float], said: Callable[[float], str]) -> str:
    low, high = (said(end) for end in interval)
    return f"{said(value)} ({low.removesuffix(_PERCENT)} to {high})"


def points(value: float) -> str:
    """A difference of two shares in points of a hundred, with its sign."""
    digits = 1 if abs(value) >= 0.0005 else 2
    return f"{100 * value:+.{digits}f}".replace("-", "−") if abs(value) >= 0.00005 else "0.0"


def finely(value: float) -> str:
    """A difference with its sign; a small one keeps a third decimal."""
    return signed(value, 2 if abs(value) >= 0.005 else 3)


def difference(found: Difference | None, kind: Kind) -> str:
    """A paired difference with its interval, as a cell of the table."""
    if found is None:
        return "…"
    if found.value is None or found.low is None or found.high is None:
        return "too few in both"
    return f"{kind.scale(found.value)} ({kind.scale(found.low)} to {kind.scale(found.high)})"


def table(header: Sequence[str], lines: Sequence[Sequence[str]], *, phone: bool) -> None:
    """Spaces in lines; on a phone in columns."""
    turned = [list(column) for column in zip(header, *lines, strict=True)]
    with st.container(key="evaluation-table"):
        states.table(*((turned[0], turned[1:]) if phone else (header, lines)))


def figures_of(lines: Sequence[Sequence[str]], kind: Kind) -> str:
    """The lines of the table in one text, for a picture that stands alone: each space with its figures."""
    told = (
        f"{name}: {'; '.join(f'{title} {cell}' for title, cell in zip(kind.columns, cells, strict=False))}"
        for name, *cells in lines
    )
    return ". ".join(told) + "."


def verdict(found: Sequence[tuple[str, Difference | None]], base: str, kind: Kind) -> str:
    """Which spaces differ from the one in use beyond chance, and which do not, in sentences."""
    told = [(plain(name, 60), one) for name, one in found if one is not None]
    family = max((one.family for _, one in told), default=1)
    ahead = [f"{name} by {kind.scale(one.value or 0)}{kind.unit}" for name, one in told if one.beyond_chance]
    alike = [name for name, one in told if one.value is not None and not one.beyond_chance]
    few = [name for name, one in told if one.value is None]
    return " ".join(
        part
        for part in (
            f"Beyond chance on what both cover, against {base}: {listing(ahead)}." if ahead else "",
            f"Not told apart from {base} by this set: {listing(alike)}." if alike else "",
            f"Too little covered by both to compare: {listing(few)}." if few else "",
            f"Adjusted for {family} comparisons (Holm); the intervals are not." if family > 1 else "",
        )
        if part
    )


def buttons(items: Sequence[tuple[str, str, Mapping[str, str]]], key: str) -> None:
    """A list of lines that each lead to another page: what is said, the page, and its part of the address."""
    with st.container(gap=None, key=f"lines-{key}"):
        for place, (label, page, query) in enumerate(items):
            if st.button(escape(label, 120), key=f"line-{key}-{place}", type="tertiary"):
                shared = {name: address.get_list(name) for name in address.SHARED if address.get(name)}
                address.remember(address.page_name(page), {**shared, **{name: [text] for name, text in query.items()}})
                st.switch_page(page)


def _to_neighbors(view: View, label: str, word: str) -> tuple[str, str, dict[str, str]]:
    row = row_of(view.space, word)
    return label, "words/neighbors.py", {"word": view.space.words[row] if row is not None else word}


# analogies


def _analogies_sentence(scores: Any) -> str:
    total = scores.total
    if not total.covered:
        return str(scores.meaning)
    more = _ahead(scores.beyond_baseline, "all of these")
    asked = f"{total.covered:,} question{'' if total.covered == 1 else 's'}"
    return f"{share(total.accuracy)} right; simpler rules: {named(scores.rules, shares=True)}. {more} {asked}."


def _ahead(beyond: bool, these: str) -> str:
    """Say whether a score is ahead of its baselines."""
    return f"That is more than {these}, beyond chance." if beyond else f"It is not shown to do better than {these}."


def _analogies_note(scores: Any) -> str:
    total = scores.total
    if not total.covered:
        return ""
    behind = [figures.section_title(name) for name in scores.behind]
    ahead = f" The best simpler rule is right more often in: {listing(behind)}." if behind else ""
    return (
        f"Asked with b − a + c (3CosAdd), the question's own words left out, among {scores.compared:,} words, whatever "
        f"their case. With those words left in {share(total.unrestricted.value, fine=True)} are right, and "
        f"{share(total.itself.value)} of the answers are the third word itself. Covered: {total.covered:,} of "
        f"{total.questions:,} questions, made of {scores.units.of(scores.covered).count:,} word pairs. Intervals: "
        "95\u00a0%, word pairs drawn anew within each section. Spelling alone: the same arithmetic on letters."
        f"{ahead}"
    )


def _analogies_cells(scores: Any) -> tuple[str, ...]:
    total = scores.total
    covered = f"{total.covered:,} of {total.questions:,}"
    if not total.covered:
        return covered, *("–",) * 5
    five, mul, third = (share(one.value) for one in (total.add_five, total.mul, total.third))
    spelling = share(total.spelling.value) if total.spelling else "–"
    return covered, _between(total.accuracy, (total.low, total.high), share), five, mul, third, spelling


def _analogies_rows(scores: Any) -> Iterable[Sequence[object]]:
    for one in (scores.total, *scores.sections):
        shares = (one.add, one.add_five, one.mul, one.unrestricted, one.third, one.spelling, one.frequency)
        values = [each.value if one.covered and each else "" for each in shares]
        yield one.name, one.questions, one.covered, *values, one.low, one.high


@st.cache_resource(max_entries=64, show_spinner=False)
def _missed(
    key: str, set_key: str, section: str, _space: VectorSpace, _set: Questions, _scores: AnalogyScores
) -> tuple[Missed, ...]:
    return missed(_space, _set, _scores, section=section, count=_LISTED)


def _analogies_wrong(view: View, chosen: Chosen, scores: Any) -> None:
    states.panel("Which were wrong?", "The answer, and the expected word; each leads to Analogy", level=3)
    names = [section.name for section in scores.sections if section.covered]
    section = address.get("section")
    section = section if section in names else ""
    st.selectbox(
        "Section",
        ["", *names],
        format_func=lambda one: plain(one, 60) or "All sections",
        label_visibility="collapsed",
        **address.bind("section", section),
    )
    found = _missed(view.key, chosen.address, section, view.space, chosen.set, scores)
    if not found:
        asked = scores.total.covered
        states.note("No covered question was answered wrong." if asked else "No question is covered.")
        return
    lines = [
        (
            f"{one.a} : {one.b} :: {one.c} : {one.answered}, not {one.expected}",
            "words/analogy/page.py",
            {"formula": one.formula, "expect": one.expected},
        )
        for one in found
    ]
    buttons(lines, "wrong")


# similarity


def _similarity_sentence(scores: Any) -> str:
    if scores.spearman is None:
        return str(scores.meaning)
    beyond = _ahead(scores.beyond_baseline, "these")
    rules = f" Simpler rules: {named(scores.rules, shares=False)}." if scores.rules else ""
    return (
        f"The order of the cosines agrees with people's by ρ {number(scores.spearman)}; |ρ| of 95 of 100 random "
        f"orders stays below {number(scores.chance)}.{rules} {beyond}"
    )


def _similarity_note(scores: Any) -> str:
    covered = f"Spearman's ρ over {scores.count:,} of {len(scores.pairs):,} pairs, whose words both have rows"
    same = [pair.one for pair, one in zip(scores.pairs, scores.covered & scores.itself, strict=True) if one]
    if scores.low is None:
        return f"{covered}."
    assembled = ""
    if scores.with_assembled is not None:
        assembled = f" With pairs assembled from n-grams: ρ {number(scores.with_assembled)}."
    alone = f" Not drawn: {listing(same)} with itself, whose cosine is 1." if same else ""
    return (
        f"{covered} (95\u00a0%: {number(scores.low)} to {number(scores.high)}, allowing for words in several pairs)."
        f"{assembled}{alone}"
    )


def _spelling(scores: Any, said: Callable[[float], str]) -> str:
    """What the letters of the words alone reach, as a cell."""
    return next((said(rule.value) for rule in scores.rules if rule.name == "spelling"), "–")


def _similarity_cells(scores: Any) -> tuple[str, ...]:
    covered = f"{scores.count:,} of {len(scores.pairs):,}"
    if scores.spearman is None:
        return covered, "–", "–", "–"
    figure = _between(scores.spearman, (scores.low, scores.high), number)
    return covered, figure, number(scores.chance), _spelling(scores, number)


def _similarity_wrong(view: View, chosen: Chosen, scores: Any) -> None:
    states.panel("Farthest out of order", "Place among the pairs, 0 least to 100 most alike", level=3)
    lines = [
        _to_neighbors(
            view,
            f"{one.pair.one}, {one.pair.other}: people {100 * one.people:.0f}, space {100 * one.space:.0f}",
            one.pair.one,
        )
        for one in scores.worst(_LISTED)
    ]
    if not lines:
        states.note("Two covered pairs are needed to put them in order.")
    buttons(lines, "worst")


# odd one out


def _odd_cells(scores: Any) -> tuple[str, ...]:
    covered = f"{scores.covered:,} of {scores.lists:,}"
    if not scores.covered:
        return covered, "–", "–", "–"
    return covered, _between(scores.accuracy, scores.interval, share), share(scores.chance), _spelling(scores, share)


def _odd_wrong(view: View, chosen: Chosen, scores: Any) -> None:
    states.panel("Which were wrong?", "The word chosen, and the odd one; each leads to Neighbors", level=3)
    if not scores.wrong:
        states.note("In no covered list was another word chosen." if scores.covered else "No list is covered.")
    lines = [
        _to_neighbors(view, f"{', '.join(one.list.words)}: {one.chosen}, not {one.list.odd}", one.chosen)
        for one in scores.wrong[:_LISTED]
    ]
    buttons(lines, "odd")


# categories


def _categories_cells(scores: Any) -> tuple[str, ...]:
    return (
        f"{scores.covered:,} of {scores.asked:,}",
        _between(scores.purity, (scores.low, scores.high), share),
        share(scores.chance),
        _spelling(scores, share),
        number(scores.adjusted_rand),
        number(scores.mutual_information),
    )


def _categories_wrong(view: View, chosen: Chosen, scores: Any) -> None:
    states.panel("Which went elsewhere?", "Word, its category, and that of its cluster", level=3)
    if not scores.strays:
        states.note("Every word lies in a cluster of its own category.")
    lines = [
        _to_neighbors(view, f"{one.word}: {one.category}, with {one.among}", one.word)
        for one in scores.strays[:_LISTED]
    ]
    buttons(lines, "strays")


# associations


def _weat_cells(effect: Any) -> tuple[str, ...]:
    covered = covered_lists(effect)
    if effect.d is None:
        return covered, "–", "–", "–"
    return covered, _between(effect.d, (effect.low, effect.high), number), number(effect.chance), said_p(effect.p)


def _weat_note(effect: Any) -> str:
    if effect.d is None:
        return effect.coverage
    how = f"all {effect.splits:,} splits" if effect.exact else f"{effect.splits:,} random splits"
    unequal = len(effect.x.words) != len(effect.y.words)
    kept = " The lists are unequal here: the splits keep their sizes, and means are compared." if unequal else ""
    return (
        f"{effect.coverage} d is the difference of the means in standard deviations, −2 to 2; interval by resampled "
        f"words, p one-sided over {how} of the target words.{kept} {CAUTION}"
    )


def associations_table(scores: AssociationScores, *, phone: bool) -> None:
    """Every test of a set side by side, its p beside that which stands among so many tests."""
    count = scores.covered
    states.panel("All tests of this set", f"In {plain(scores.space, 60)}")
    lines = []
    for effect, adjusted in zip(scores.effects, scores.adjusted, strict=True):
        known = effect.d is not None
        d = _between(effect.d, (effect.low, effect.high), number) if known else "–"
        tail = (said_p(effect.p), said_p(adjusted)) if known and adjusted is not None else ("–", "–")
        lines.append((effect.test.name, covered_lists(effect), d, *tail))
    header = ("association", "covered X, Y, A, B", "d (95\u00a0%)", "p", "p among all, two-sided")
    if phone:
        for name, *cells in lines:
            states.entry(name, "; ".join(f"{title} {cell}" for title, cell in zip(header[1:], cells, strict=True)))
    else:
        states.table(header, lines)
    states.note(
        f"Of {count:,} tests of nothing, each would fall below p 0.05 once in twenty, some {number(count / 20, 1)} of "
        "them together; p among all is adjusted for their number (Holm), and for either direction."
        if count > 1
        else ""
    )


def covered_lists(effect: Any) -> str:
    """How many words of the four lists are covered, as a cell."""
    return ", ".join(f"{len(found.words)}/{len(found.words) + len(found.missing)}" for _, found in effect.lists)


def _weat_wrong(view: View, chosen: Chosen, effect: Any) -> None:
    a, b = effect.test.a[0], effect.test.b[0]
    states.panel("Which words?", f"s: mean cosine to {plain(a, 30)} less that to {plain(b, 30)}", level=3)
    pairs = [*zip(effect.x.words, effect.s_x, strict=False), *zip(effect.y.words, effect.s_y, strict=False)]
    ranked = sorted(pairs, key=lambda pair: -pair[1])
    lines = [_to_neighbors(view, f"{word}: s {number(value)}", word) for word, value in ranked]
    if len(lines) <= _LISTED:
        buttons(lines, "words")
    else:
        half = _LISTED // 2
        buttons(lines[:half], "words")
        with st.expander(f"{len(lines) - 2 * half:,} words between"):
            buttons(lines[half:-half], "between")
        buttons(lines[-half:], "last")
    states.note(*(f"Not here of {name}: {listing(found.missing)}." for name, found in effect.lists if found.missing))


def _of_all(draw: Callable[..., Any]) -> Callable[[View, Sequence[Told]], Any]:
    """A figure of the scores of all spaces."""
    return lambda view, told: draw(
        [one.scores for one in told], [one.name for one in told], view.theme, phone=view.phone
    )


def _of_first(draw: Callable[..., Any]) -> Callable[[View, Sequence[Told]], Any]:
    """A figure of the space in use alone."""
    return lambda view, told: draw(told[0].scores, view.theme, phone=view.phone)


KINDS: Mapping[str, Kind] = {
    "analogies": Kind(
        lambda scores: bool(scores.total.covered),
        _of_all(figures.analogies_figure),
        _analogies_sentence,
        _analogies_note,
        (
            "covered",
            "3CosAdd (95\u00a0%)",
            "first five",
            "3CosMul",
            "third word",
            "spelling",
        ),
        _analogies_cells,
        (
            *("section", "questions", "covered", "3cosadd", "first five", "3cosmul", "own words left in"),
            *("third alone", "spelling alone", "frequency alone", "low", "high"),
        ),
        _analogies_rows,
        _analogies_wrong,
        points,
        " points",
    ),
    "similarity": Kind(
        lambda scores: scores.spearman is not None,
        _of_first(figures.pairs_figure),
        _similarity_sentence,
        _similarity_note,
        ("covered", "ρ (95\u00a0%)", "|ρ| by chance below", "spelling"),
        _similarity_cells,
        ("word", "other", "people", "cosine"),
        lambda scores: (
            (*pair, cosine if covered else "")
            for pair, cosine, covered in zip(scores.pairs, scores.cosines.tolist(), scores.covered, strict=True)
        ),
        _similarity_wrong,
        finely,
    ),
    "odd": Kind(
        lambda scores: bool(scores.covered),
        _of_all(figures.odd_figure),
        lambda scores: scores.meaning,
        lambda scores: (
            f"Chosen is the word with the least mean cosine to the others. Asked: the {scores.covered:,} of "
            f"{scores.lists:,} lists all of whose words have a vector. Intervals: 95\u00a0%, allowing for words "
            "that stand in several lists."
        ),
        ("covered", "found (95\u00a0%)", "by chance", "spelling alone"),
        _odd_cells,
        ("words", "odd", "chosen", "right"),
        lambda scores: ((" ".join(one.list.words), one.list.odd, one.chosen, int(one.right)) for one in scores.choices),
        _odd_wrong,
        points,
        " points",
    ),
    "categories": Kind(
        lambda scores: True,
        _of_all(figures.purity_figure),
        lambda scores: scores.meaning,
        lambda scores: (
            f"k-means of unit rows, {len(scores.categories)} clusters, {scores.covered:,} of {scores.asked:,} words. "
            "Chance: the categories permuted over the same clusters; for one category, the share of all words in its "
            "clusters. Intervals: 95\u00a0% over words, the clusters held fast."
        ),
        ("covered", "purity (95\u00a0%)", "by chance", "spelling alone", "adjusted Rand", "mutual information"),
        _categories_cells,
        ("word", "category", "cluster", "with its own"),
        lambda scores: (
            (word, scores.categories[label], cluster, home)
            for word, label, cluster, home in zip(
                scores.words, scores.labels.tolist(), scores.clusters.tolist(), scores.at_home.tolist(), strict=True
            )
        ),
        _categories_wrong,
        points,
        " points",
    ),
    "weat": Kind(
        lambda effect: effect.d is not None,
        _of_first(figures.association_figure),
        lambda effect: effect.meaning,
        _weat_note,
        ("covered X, Y, A, B", "d (95\u00a0%)", "5\u00a0% of splits reach", "p"),
        _weat_cells,
        ("list", "word", "s"),
        lambda effect: (
            (name, word, value)
            for (name, found), values in zip(effect.lists[:2], (effect.s_x.tolist(), effect.s_y.tolist()), strict=True)
            for word, value in zip(found.words if values else (), values, strict=True)
        ),
        _weat_wrong,
        finely,
    ),
}
"""How each kind of test is shown."""

OVERVIEW: Mapping[str, str] = {
    "analogies": "right",
    "similarity": "ρ with people",
    "odd": "found",
    "categories": "purity",
}
"""Of each kind that comes with the program what its figure is."""


def overview(found: Sequence[tuple[str, str, Any]], *, phone: bool) -> None:
    """One line for each set: its figure with interval, its strongest baseline, and its coverage; scores None are due.

    Args:
        found: Kind, title of the set, scores.
    """
    header = ("set", "covered", "figure (95\u00a0%)", "strongest baseline", "what these are")
    lines = []
    for name, title, scores in found:
        what, value = OVERVIEW[name], "…"
        cells = KINDS[name].cells(scores) if scores is not None else ("…", "…")
        if scores is not None:
            title_of, reached = scores.baseline
            what, value = f"{what}; {title_of}", (number if name == "similarity" else share)(reached)
        lines.append((f"{EVALUATIONS[name].title}: {title}", cells[0], cells[1], value, what))
    if phone:
        for title, covered, value, chance, what in lines:
            states.entry(title, f"{value}, baseline {chance} ({what}); covered {covered}")
    else:
        states.table(header, lines, texts=(4,))
    states.note(
        "The figures are of different kinds: read each beside its own baseline, not beside the others. Odd one out and "
        "categories are coarse tests, of groups of everyday words."
    )
