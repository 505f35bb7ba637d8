"""The prompt made of the best texts, in the lesson on finding passages: what a RAG system sends to a language model."""

import streamlit as st

from embedviz.core.texts import tokens
from embedviz.retrieval.passages import OPENING, Passages, rag_prompt
from pages._shared.app import address, states
from pages.learn.pattern.asking import Exercise
from pages.learn.pattern.choices import number_choice
from pages.learn.pattern.latex import tex
from pages.learn.pattern.lesson import LessonText


def prompt_figure(found: Passages, query: str) -> LessonText | None:
    """Draw a prompt with the best texts by BM25 or by the encoder, and return the lesson's text below the prompt.

    The result is None if no text was found.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", key="prompt-controls"):
        by = address.get("by") if address.get("by") in found.hits.rankings else "encoder"
        st.segmented_control(
            "Texts found by",
            list(found.hits.rankings),
            format_func=lambda name: found.hits.rankings[name].title,
            required=True,
            **address.bind("by", by),
        )
        k = int(number_choice("k", "Texts in the prompt k", (1, 2, 3, 4, 5), 3))
    first = found.hits.first(k).rankings
    if not first[by].hits:
        states.state("Nothing to put into a prompt.", "No text holds a word of the question.")
        return None
    prompt = rag_prompt(query, [(found.keys[row], found.texts[row]) for row in first[by].rows])
    st.code(prompt, language=None, wrap_lines=True, height=320)
    return _text(found, by, k, prompt)


def _text(found: Passages, by: str, k: int, prompt: str) -> LessonText:
    """Return the texts under the prompt.

    The prompt has the first `k` texts by the search method `by`. The exercise asks how many of them are also among the
    first `k` by the other method.
    """
    other = next(name for name in found.hits.rankings if name != by)
    first = found.hits.first(k).rankings
    shared = len(set(first[by].rows) & set(first[other].rows))
    listed = ", ".join(found.keys[row] for row in first[other].rows) or "none"
    words = len(tokens(prompt))
    return LessonText(
        limit="No model answers here. An answer can be wrong although its passages are right, and it can be right by "
        "chance although the passage is missing.",
        exercise=Exercise(
            f"How many of the texts of this prompt are among the first {k} of {first[other].title} too?",
            float(shared),
            f"{shared}: {first[other].title} lists {listed}.",
            f"Compare the names in brackets with the first {k} of {first[other].title} under “Two methods”.",
        ),
        formula=(
            rf"\text{{prompt}} = \text{{instruction}} + {len(first[by].rows)}\ \text{{texts}} + \text{{question}}"
            rf" = {tex(words, 0)}\ \text{{words}}",
        ),
        meaning="A RAG system sends this text to a language model. Of your texts, the model reads only those that the "
        "search found.",
        note=f"You can copy it into a chat with a model. It has the beginning of each text, at most {OPENING} "
        "characters.",
        details="RAG is retrieval-augmented generation: Lewis et al. 2020. A word is a run of letters.",
    )
