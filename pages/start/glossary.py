"""Glossary: the terms of the pages, each in two lines; those that a beginner needs come first."""

from embedviz.core.glossary import glossary
from pages._shared.app import frame, states

frame.header("Glossary", "On every page a term is underlined at its first use: hover or tap it.")
for first, title in ((True, "Begin with these"), (False, "All others, by name")):
    states.panel(title, level=2)
    states.terms((term.name, term.text) for term in glossary().values() if term.first is first)
