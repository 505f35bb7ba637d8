"""The Python code that repeats a run: the same settings, trained anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from embedviz.corpus.preparing import SOURCES, TOKENIZING

if TYPE_CHECKING:
    from embedviz.training import Record


def lines(record: Record) -> str:
    """Return Python code that trains with the settings of a run again, and prints the measures."""
    made = dict(record.corpus.made)
    source = str(made.pop("source", "file"))
    source = source if source in SOURCES else "your-text.txt"
    usual = {option.name: option.default for option in TOKENIZING}
    given = [f"{name}={value!r}" for name, value in made.items() if usual.get(name) != value]
    known = {option.name: option.default for option in record.trainer.options}
    options = {name: record.options[name] for name in known if record.options.get(name, known[name]) != known[name]}
    sets = " ".join(f"--set {name}={value}" for name, value in options.items())
    return (
        f"""# in a terminal: embedviz train {record.method} {source} my-space --defaults {sets}""".rstrip()
        + f"""
from embedviz.corpus import preparing
from embedviz import training

corpus = preparing.prepare({", ".join([repr(source), "'my-corpus'", *given])})
ran = training.train(str(corpus.folder), {record.method!r}, "my-space", options={options!r})
recorded = training.record(ran.folder)
for one in recorded.moments:
    print(one.epoch, one.loss, one.analogies, one.third, one.similarity, sep='  ')
print(recorded.rows, recorded.dimensions, recorded.matrix)"""
    )
