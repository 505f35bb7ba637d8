"""Jobs: the long work of this visitor, how far it is, what became of it, and what work may take here."""

from pathlib import Path

import streamlit as st

from embedviz import jobs, training
from embedviz.core.call import call
from embedviz.core.notebook import python
from embedviz.core.phrases import duration
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.output import export
from pages._shared.results import work
from pages._shared.sources import current

MOST_ENDED, MOST_ADDRESSED = 12, 20
SAMPLE = "embedviz.projection.sampling:sample"
_PAGES = Path(__file__).parents[1]
FILES = [path.relative_to(_PAGES).as_posix() for path in _PAGES.glob("[a-z]*/**/[a-z]*.py")]
PAGES = {address.page_name(file): file for file in FILES if file.count("/") == 1 or file.endswith("/page.py")}
CODE = """from embedviz import jobs
{sample}
what = {{"owner": "me", "title": f"A map of {{len(sample.rows)}} words"}}
job = jobs.run("embedviz.projection:lay_out", space, sample.rows, "pca", **what)
while not job.wait(0.5):
    print(job.state, job.message, f"{{job.fraction or 0:.0%}}")
print(job.title, job.state, f"{{job.seconds:.1f}} s")
print(jobs.pool().load("me"))"""
"""The Python that begins a job, watches it and asks how much is being done."""
STATES = {"running": "running", "waiting": "waiting", "done": "done", "failed": "failed", "cancelled": "stopped"}


def title_of(job: jobs.Job, wish: work.Wish) -> str:
    """Return the title of a job."""
    name = wish.title or job.title or job.function.partition(":")[2].replace("_", " ").capitalize()
    return plain(name, 120).removesuffix(".")


def standing(job: jobs.Job) -> str:
    """Return how a job stands, in a few sentences."""
    if job.state == "waiting":
        return f"Waiting for a free place for {duration(job.waited)}."
    if job.state == "running":
        held = pool.memory_of(job)
        takes = f"{job.threads} thread{'s' if job.threads > 1 else ''}"
        memory = f", {held / 1e9:.1f} GB" if held else ""
        return f"{work.step(job)} {duration(job.seconds)} so far; {takes}{memory}."
    end = (ended_early(job) if job.state == "done" else "") or STATES[job.state].capitalize()
    took = f" {'in' if job.state == 'done' else 'after'} {duration(job.seconds)}" if job.seconds else ""
    return f"{end}{took}, {duration(job.ago)} ago.{f' {job.error}' if job.error else ''}"


def ended_early(job: jobs.Job) -> str:
    """Return a sentence about a training whose owner ended it and kept what there was; empty for all other work."""
    try:
        ran = job.result(0)
    except (jobs.JobError, jobs.Cancelled, TimeoutError):
        return ""
    return ran.early if isinstance(ran, training.TrainingResult) else ""


def door(job: jobs.Job, wish: work.Wish) -> None:
    """Link the page that a job was asked on, as it was there."""
    if wish.page is not None and (page := PAGES.get(wish.page or "home")):
        st.page_link(page, label="Open its page", icon=":material/open_in_new:", query_params=wish.query)


@st.fragment(run_every=1.0)
def under_way(before: list[tuple[str, str]]) -> None:
    """List what is not finished, every second; run the whole page again when one begins or ends."""
    now = [(job, wish) for job, wish in work.wishes() if not job.finished]
    if [(job.id, job.state) for job, _ in now] != before:
        st.rerun()
    for job, wish in now:
        with st.container(horizontal=True, vertical_alignment="center", key=f"job-{job.id}"):
            with st.container():
                states.entry(title_of(job, wish), standing(job))
                if job.state == "running":
                    states.bar(job.fraction or 0.0)
            with st.container(horizontal=True, vertical_alignment="center", width="content"):
                door(job, wish)
                st.button("Cancel", key=f"end-{job.id}", on_click=work.end, args=(job,))


pool, owner = jobs.pool(), work.owner()
for token in address.get_list("job")[:MOST_ADDRESSED]:
    jobs.find(token, owner=owner)  # after a reload they are this session's again
wishes = work.wishes()
unfinished = [(job, wish) for job, wish in wishes if not job.finished]
ended = sorted(((job, wish) for job, wish in wishes if job.finished), key=lambda one: one[0].ago)
load = pool.load(owner)
mine = load.running - load.others_running, load.waiting - load.others_waiting
address.put(job=[job.id for job, _ in unfinished[:MOST_ADDRESSED]])
frame.header("Jobs", f"{mine[0]} of yours running, {mine[1]} waiting")

left, right = st.columns([2.3, 1], gap="large")
with left:
    if unfinished:
        under_way([(job.id, job.state) for job, _ in unfinished])
    else:
        states.state(
            "No work of yours is under way.",
            "What takes long, such as a map by t-SNE or a training, runs beside the pages and is listed here.",
        )
    cut_off = [each for each in training.interrupted() if not each.private or each.id == address.get("run")]
    if cut_off:
        states.panel("Cut off")
    for one in cut_off:
        with st.container(horizontal=True, vertical_alignment="center", key=f"cut-off-{one.id}"):
            states.note(one.sentence)
            query = {"run": one.id}
            st.page_link("make/train/page.py", label="Keep or forget it", icon=":material/undo:", query_params=query)
    if ended:
        states.panel("Ended", "the latest first")
    for job, wish in ended[:MOST_ENDED]:
        with st.container(horizontal=True, vertical_alignment="center", key=f"ended-{job.id}"):
            with st.container():
                states.entry(title_of(job, wish), standing(job))
            door(job, wish)
    if len(ended) > MOST_ENDED:
        states.note(f"And {len(ended) - MOST_ENDED:,} before these.")
    rows = [
        (title_of(job, wish), STATES[job.state], round(job.waited, 1), round(job.seconds, 1))
        for job, wish in [*unfinished, *ended]
    ]
    view = current.view()
    export.export_row(
        key="jobs",
        picture=None,
        table=lambda: export.csv_text(rows, ("job", "state", "waited s", "ran s")),
        filename="jobs",
        code=CODE.format(sample=python(call(SAMPLE, view.recipe, "frequent", n=min(600, len(view.space))))),
        note={},
    )
with right:
    states.panel("Now", "Of other visitors, only how many")
    states.table(
        ("jobs", "yours", "others'"),
        [
            ("running", f"{mine[0]:,}", f"{load.others_running:,}"),
            ("waiting", f"{mine[1]:,}", f"{load.others_waiting:,}"),
        ],
    )
    states.note(
        f"{pool.workers} short jobs run at once, and {pool.long} long ones besides.",
        f"They share {pool.cores} cores, give way to the pages, and take {pool.memory.short / 1e9:.1f} GB each at "
        f"most, long ones {pool.memory.long / 1e9:.1f} GB.",
        f"What nobody waits for any more ends after {pool.grace:.0f} s.",
    )
