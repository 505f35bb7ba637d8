"""Glossary: the terms of the pages, each in two lines; first those that a beginner needs, then the others by group."""

import html

import streamlit as st

from embedviz.core.glossary import by_topic, glossary
from pages._shared.app import frame, states, term_lists

frame.header("Glossary", "On every page a term is underlined at its first use: hover or tap it.")
part = st.text_input("Find a term", placeholder="Find a term", label_visibility="collapsed", width=320) or ""
groups = by_topic(part)
if not groups:
    states.state(f"No term has “{part[:40]}”.", f"The glossary has {len(glossary())} terms. Try a shorter word.")
if len(groups) > 1:
    links = " · ".join(
        f'<a href="#terms-{number}" target="_self" style="color: inherit">{html.escape(title)}</a>'
        for number, title in enumerate(groups)
    )
    st.html(f'<p class="ev-plain">{links}</p>')
halves = st.columns(2, gap="large")
lengths = [0, 0]
for number, (title, terms) in enumerate(groups.items()):
    place = 0 if lengths[0] <= lengths[1] else 1
    lengths[place] += len(terms) + 1
    with halves[place]:
        st.html(f'<div id="terms-{number}"></div>')
        states.panel(title, level=2)
        term_lists.terms((term.name, term.text) for term in terms)
