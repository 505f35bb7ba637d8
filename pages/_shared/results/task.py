"""A task: the job of a slot (a place on a page for one result), and the outcome of the job."""

import re
from dataclasses import dataclass
from typing import Any

from embedviz import jobs

_REFUSAL = re.compile(r"^embedviz\.[\w.]*\.(OptionError|EncoderError|SentencesError): ", re.MULTILINE)


@dataclass(frozen=True)
class Task:
    """The content of a slot: a job, or why no job could be started.

    Attributes:
        question_key: The function's name, and a key that stands for its arguments.
        stopped: Whether this visitor cancelled the job.
        refused: Why no job could be started; empty if there is a job.
        ended: Whether the job had ended when this run of the page read its state. The value then stays fixed, so that
            the page shows either the progress or the result.
    """

    slot: str
    question_key: tuple[str, str]
    job: jobs.Job | None = None
    stopped: bool = False
    refused: str = ""
    ended: bool = False

    @property
    def running(self) -> bool:
        """Return whether the job runs or waits, and this visitor has not cancelled it."""
        return self.job is not None and not self.ended and not self.stopped

    @property
    def result(self) -> Any:
        """Return the result of the job; None before the job has ended, or if it failed or was cancelled."""
        return self.job.result() if self.job is not None and self.ended and self.job.state == "done" else None

    @property
    def lasting(self) -> bool:
        """Return whether the failure would last: the function refused its arguments, and would refuse them again."""
        return self.job is not None and bool(_REFUSAL.search(self.job.traceback))

    @property
    def sentence(self) -> str:
        """Return a sentence: why the task has no result and will have none."""
        if self.stopped or (self.job is not None and self.job.state == "cancelled"):
            return "Cancelled."
        return self.refused or (self.job.error if self.job is not None else None) or "The computation gave no result."
