"""Train a space on a corpus and save it, with a cost estimate before, measures meanwhile, and a record afterwards.

`trainers`: the table of trainers, each in its own file · `settings`: suggested settings and the expected cost · `runs`:
run a training and save its space · `watching`: work during a training, with `evaluating`, `basis` and `snapshots` ·
`measures`: loss, analogies and similarity at each moment · `records`: the saved record · `comparing`: compare two runs
· `repeating`: repeat a run · `journal`: recover interrupted runs · `replay` and `curves`: the recording as a movie, and
its charts · `example`: a small training.
"""

from embedviz.training.comparing import UNTOLD, alike, compare_analogies, differences, run_names, task
from embedviz.training.journal import Interrupted, discard, forget, interrupted, keep, last_checkpoint, tidy
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
    "last_checkpoint",
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
