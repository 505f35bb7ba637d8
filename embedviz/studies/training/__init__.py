"""Trainings from corpus to saved space: what they will take, how they go, what came of them.

`settings`: what suits a corpus and what it will take · `runs`: a run · `watching`: what happens meanwhile, with
`evaluating`, `basis` and `snapshots` · `records`: what is kept.
"""

from embedviz.studies.training.records import (
    CUT_OFF,
    STOPPED,
    WHOLE,
    Asked,
    Moment,
    Read,
    Record,
    matrix_hash,
    record,
    trajectory,
)
from embedviz.studies.training.runs import Ran, finish, train
from embedviz.studies.training.settings import Plan, plan, suggested

__all__ = [
    "CUT_OFF",
    "STOPPED",
    "WHOLE",
    "Asked",
    "Moment",
    "Plan",
    "Ran",
    "Read",
    "Record",
    "finish",
    "matrix_hash",
    "plan",
    "record",
    "suggested",
    "train",
    "trajectory",
]
