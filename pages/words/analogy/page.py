"""Analogy: the answers of a formula of words by three rules, compared with answers without arithmetic."""

from functools import partial

import streamlit as st

from embedviz.core.call import call
from embedviz.core.options import OptionError
from embedviz.core.phrases import cut
from embedviz.core.space import UnknownWordError
from embedviz.figures.analogy import analogy_figure
from embedviz.neighbors import lookup
from embedviz.neighbors.analogy import WHY_IT_FAILS, examples
from embedviz.neighbors.formula import Formula, FormulaError, parse
from pages._shared.app import address, frame, states
from pages._shared.app.escape import escape
from pages._shared.controls import popovers, wordbox
from pages._shared.output import export, figure
from pages._shared.results import calls
from pages._shared.sources import current
from pages.words.analogy import chance
from pages.words.analogy.rankings import rankings

K = 6
IN_A_WORD = {"3cosadd": "sum", "3cosmul": "product", "pairdirection": "direction only"}


def choose(formula: str, expected: str | None = None) -> None:
    address.put(formula=formula, expect=expected)


def _same(text: str, formula: Formula) -> bool:
    """Return whether the typed text is the formula as the program writes it, apart from blanks."""
    return "".join(text.replace("−", "-").split()) == "".join(str(formula).split())


def replace(formula: Formula, word: str, by: str) -> None:
    address.put(formula=str(formula.replaced(word, by)))


view = current.view()
space = view.space
frame.header("Analogy", view.shape)

shelf = examples(space)
text = address.get("formula", shelf[0].formula if shelf else "")
expected_word = address.get("expect")[: address.LONGEST_WORD]
with st.container(horizontal=True, vertical_alignment="center", key="controls"):
    typed = wordbox.word_search(
        view,
        "analogy-formula",
        value=text,
        formula=True,
        label="Formula of words",
        placeholder="king - man + woman",
        width=360,
    )
    answer = st.empty()
    wanted = wordbox.word_search(view, "analogy-expect", value=expected_word, placeholder="Expected word", width=180)
    if shelf:
        listed = [
            (escape(f"{parse(one.formula).title} = {one.expected}?"), (one.formula, one.expected)) for one in shelf
        ]
        popovers.examples("analogy-examples", listed, choose)
if typed is not None and typed != text:
    choose(typed, expected_word or None)
    st.rerun()
if wanted is not None and wanted != expected_word:
    address.put(expect=wanted or None)
    st.rerun()

expected = lookup.find(space, expected_word)
found = None
figure_column, panel = st.columns([1.75, 1], gap="large")
with figure_column:
    try:
        formula, changed = parse(text, space.index).in_other_case(space)
        question = call("embedviz.neighbors.analogy:analogy", view.recipe, str(formula), K, expected=expected.word)
        found = calls.result(question)
    except UnknownWordError as error:
        closest = "Closest spellings:" if error.suggestions else "No word has a similar spelling."
        states.state(f"“{error.word[:80]}” is not among the {len(space):,} words.", closest)
        states.offers(error.suggestions, partial(replace, parse(text, space.index), error.word), "unknown")
    except (FormulaError, OptionError) as error:
        states.state("This formula has no answer." if text.strip() else "No formula yet.", str(error))
        states.offers([one.formula for one in shelf[:4]], choose, "start")
    else:
        answer.html(states.answer(found.answer or "–", "without the formula’s own words"))
        states.panel("Which word does the formula find?", f"Among {found.compared:,} other {space.noun}s", level=3)
        random = chance.by_chance(view, found)
        meaning = f"{found.meaning} {random.doubt}".strip()
        states.meaning(meaning)
        figure.plotly(analogy_figure(found, view.theme, phone=view.phone), "analogy-plot")
        read = "" if _same(text, found.formula) else f"Read as {found.formula.title}."
        states.note(changed)
        states.note(lookup.assembly(space, found.formula.words))
        states.note("" if random.doubt else random.meaning)
        states.note(read, found.reading)
        states.details(found.caption, random.meaning if random.doubt else "", found.method)
        export.export_row(
            key="analogy",
            picture="plot:analogy-plot",
            table=found.table,
            filename=f"analogy-{found.formula}",
            calls=[question, *random.calls],
            note={
                "title": found.formula.title,
                "space": view.size,
                "meaning": meaning,
                "baseline": f"{random.meaning} {found.reading} {found.caption}".strip(),
            },
        )

clicked = None
with panel:
    if expected.typed and expected.word is None:
        near = "Closest spellings:" if expected.suggestions else "No similar spelling found"
        states.panel(f"“{cut(expected.typed, 24)}” is not in this space", near, level=3)
        states.offers(expected.suggestions, lambda word: address.put(expect=word), "expected")
    if found is not None:
        under = "Without the formula’s own words. Click a word to see its neighbors"
        states.panel("What did the arithmetic change?", under, level=3)
        states.meaning(found.effect)
        clicked = rankings("The formula, and simpler rankings", found, found.sums, key="analogy-sums")
        if view.address == "builtin":
            states.note(*(one.why for one in shelf if (one.formula, one.expected) == (text, found.expected)))
        (states.note if found.fails else states.details)(WHY_IT_FAILS)
        states.panel("Does the rule matter?", "Three rules for the same formula", level=3)
        rules = {f"{ranking.title}: {IN_A_WORD[name]}": ranking for name, ranking in found.rules.items()}
        clicked = rankings("The three rules", found, rules, key="analogy-rules", left_in=2) or clicked
        states.note(f"{', '.join(ranking.title for ranking in found.rules.values())}: touch a name to see its rule.")
        states.note(*found.missing.values())
if clicked:
    frame.choose_word(clicked)
    st.switch_page("words/neighbors/page.py")
