"""Trainings from corpus to saved space: what they will take, how they go, what came of them.

`settings`: what suits a corpus and what it will take · `runs`: a run · `watching`: what happens meanwhile, with
`evaluating`, `basis` and `snapshots` · `records`: what is kept · `measures`: how it went, and beside what ·
`repeating`: a run made again · `journal`: what outlives a process · `beside`: two runs beside each other.
"""

from embedviz.training.beside import UNTOLD, Difference, alike, answered, called, differences, task
from embedviz.training.journal import Interrupted, forget, interrupted, keep, tidy, unwant
from embedviz.training.measures import Measure, explained, measures, verdicts
from embedviz.training.records import (
    CUT_OFF,
    PER,
    STOPPED,
    WHOLE,
    Asked,
    Moment,
    Read,
    Record,
    matrix_hash,
    record,
    summary,
    trajectory,
)
from embedviz.training.repeating import Repeated, corpus_again, corpus_of, recorded, repeat
from embedviz.training.runs import Ran, finish, train
from embedviz.training.settings import Plan, caution, plan, suggested

__all__ = [
    "CUT_OFF",
    "PER",
    "STOPPED",
    "UNTOLD",
    "WHOLE",
    "Asked",
    "Difference",
    "Interrupted",
    "Measure",
    "Moment",
    "Plan",
    "Ran",
    "Read",
    "Record",
    "Repeated",
    "alike",
    "answered",
    "called",
    "caution",
    "corpus_again",
    "corpus_of",
    "differences",
    "explained",
    "finish",
    "forget",
    "interrupted",
    "keep",
    "matrix_hash",
    "measures",
    "plan",
    "record",
    "recorded",
    "repeat",
    "suggested",
    "summary",
    "task",
    "tidy",
    "train",
    "trajectory",
    "unwant",
    "verdicts",
]
