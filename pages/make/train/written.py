"""The Python that makes a run again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from embedviz.corpus.preparing import SOURCES, TOKENIZING
from embedviz.training.trainers import TRAINERS

if TYPE_CHECKING:
    from embedviz.training import Record


def lines(record: Record) -> str:
    """Return what makes the same run again, and prints how it went."""
    made = dict(record.corpus.made)
    source = str(made.pop("source", "file"))
    usual = {option.name: option.default for option in TOKENIZING}
    given = {name: value for name, value in made.items() if usual.get(name) != value}
    source = source if source in SOURCES else "your-text.txt"
    method = TRAINERS[record.method]
    turned = {option.name: record.options[option.name] for option in method.options if option.name in record.options}
    turned = {name: value for name, value in turned.items() if value != method.option(name).default}
    reading = f"{source!r}, 'my-corpus'"
    sets = " ".join(f"--set {name}={value}" for name, value in turned.items())
    return "\n".join(
        [
            f"# in a terminal: embedviz train {record.method} {source} my-space --defaults {sets}".rstrip(),
            "from embedviz.corpus import preparing",
            "from embedviz import training",
            "",
            f"corpus = preparing.prepare({_keywords(given, reading)})",
            f'ran = training.train(str(corpus.folder), {record.method!r}, "my-space", options={turned!r})',
            "told = training.record(ran.folder)",
            "for one in told.moments:",
            "    print(one.epoch, one.loss, one.analogies, one.third, one.similarity, sep='  ')",
            "print(told.rows, told.dimensions, told.matrix)",
        ]
    )


def _keywords(options: Mapping[str, Any], first: str = "") -> str:
    """The arguments of a call: one without a name, where there is one, then the options."""
    return ", ".join([*([first] if first else []), *(f"{name}={value!r}" for name, value in options.items())])
