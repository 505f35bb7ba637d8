"""Glossary: the terms of the pages, each in two lines."""

from embedviz.core.glossary import glossary
from pages._shared.app import frame, states

frame.header("Glossary", "On every page a term is underlined at its first use: hover or tap it.")
states.terms((term.name, term.text) for term in glossary().values())
