"""Trainings from corpus to saved space: their cost, their measures, their records.

`trainers`: the table, a file and a row for each trainer · `settings`: what suits a corpus and what it will take ·
`runs`: a run · `watching`: a running training, with `evaluating`, `basis` and `snapshots` · `measures`: its measures
· `records`: what is saved · `comparing`: two runs · `repeating`: a run made again · `journal`: what outlives a process
· `replay` and `curves`: the recording as a movie, and its charts · `example`: a small training to show.
"""

from embedviz.training.comparing import UNTOLD, alike, compare_analogies, differences, run_names, task
from embedviz.training.journal import Interrupted, discard, forget, interrupted, keep, tidy
from embedviz.training.measures import Course, Coverage, Moment, TrainingCurve, measures
from embedviz.training.records import CUT_OFF, STOPPED, WHOLE, Record, matrix_hash, record, trajectory
from embedviz.training.repeating import corpus_again, corpus_of, recorded, repeat
from embedviz.training.runs import TrainingResult, finish, train
from embedviz.training.settings import Plan, caution, plan, suggested

__all__ = [
    "CUT_OFF",
    "STOPPED",
    "UNTOLD",
    "WHOLE",
    "Course",
    "Coverage",
    "Interrupted",
    "Moment",
    "Plan",
    "Record",
    "TrainingCurve",
    "TrainingResult",
    "alike",
    "caution",
    "compare_analogies",
    "corpus_again",
    "corpus_of",
    "differences",
    "discard",
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
    "run_names",
    "suggested",
    "task",
    "tidy",
    "train",
    "trajectory",
]
