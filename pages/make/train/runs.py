"""The trainings of a visitor: each writes a space under a token, and the address names this token.

The address says `run=TOKEN`, and `job=ID` while it runs. The space opens as `upload:TOKEN`; whoever knows the token
controls the run. A token made by `looking` only shows the run.
"""

from embedviz import training
from embedviz.catalog import TOKEN
from pages._shared.app import address
from pages._shared.results import work
from pages._shared.sources import uploads
from pages._shared.sources.steps import JOB as JOB
from pages._shared.sources.steps import RUN as RUN
from pages._shared.sources.steps import SLOT as SLOT
from pages.make.train import looking
from pages.make.train.run import Run

BEFORE = "before"
"""Name in the address under which the token of the previous run stands."""


def named(token: str, job_id: str = "") -> Run | None:
    """Return the run with this token, even if it has no files; None if the text cannot be a token.

    The call counts as a visit, so that the files of the run stay. `job_id` is the id of the job of the run, to find the
    job again after a reload.
    """
    if not TOKEN.fullmatch(token):
        return None
    if looking.only(token):
        uploads.visit(token)
        return Run(token, looking.task(token))
    task = work.adopt(SLOT, job_id)
    if uploads.folder_of(token).is_dir():
        uploads.visit(token, listed=task is None or not task.running)
    elif training.interrupted(token):
        uploads.visit(token, listed=False)
    return Run(token, task)


def current() -> Run | None:
    """Return the run that the address names; None if it names none."""
    return named(address.get(RUN), address.get(JOB))


def before(run: Run | None) -> Run | None:
    """Return the previous run that the address names; None if it has no space any more, or if it is `run` itself."""
    previous = named(address.get(BEFORE)) if address.get(BEFORE) else None
    return (
        previous
        if previous is not None and previous.has_space and (run is None or previous.token != run.token)
        else None
    )
