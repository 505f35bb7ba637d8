"""Jobs: the long computations of this visitor, their progress and their results."""

from pathlib import Path

import streamlit as st

from embedviz import jobs, training
from embedviz.core.call import call
from embedviz.core.notebook import python
from embedviz.core.phrases import duration
from pages._shared.app import address, frame, states
from pages._shared.app.escape import plain
from pages._shared.output import export
from pages._shared.results import devices, work
from pages._shared.sources import current

MOST_ENDED, MOST_ADDRESSED, SAMPLE = 12, 20, "embedviz.projection.sampling:sample"
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
"""Python code that starts a job, watches the job, and prints how many jobs run and how many wait."""
EXAMPLES = {
    ("words/map/page.py", "A t-SNE map"): {"method": "tsne", "sample": "frequent"},
    ("context/layers/page.py", "The layers of a model"): {},
    ("context/senses/page.py", "The senses of bank"): {},
}
"""Pages whose first visit starts a job. Keys: file and label of a page; values: the query of its address."""


def title_of(job: jobs.Job, start: work.StartedJob) -> str:
    """Return a text: the title of a job, and that of the page that last showed the job, if any."""
    page = st.session_state.get("frame:titles", {}).get(start.page, "")
    name = start.title or job.title or job.function.partition(":")[2].replace("_", " ").capitalize()
    return f"{plain(name, 120).removesuffix('.')}{page and ' · page '}{page}"


def standing(job: jobs.Job) -> str:
    """Return a few sentences on the state of a job: its step, its time, its memory, its error."""
    if job.state == "waiting":
        return f"In the queue for {duration(job.waited)}."
    if job.state == "running":
        held = pool.memory_of(job)
        takes = f"{job.threads} thread{'s' if job.threads > 1 else ''}"
        memory = f", {held / 1e9:.1f} GB" if held else ""
        return f"{work.step(job)} Has run for {duration(job.seconds)}; {takes}{memory}."
    end = (ended_early(job) if job.state == "done" else "") or job.state.capitalize()
    took = f" {'in' if job.state == 'done' else 'after'} {duration(job.seconds)}" if job.seconds else ""
    return f"{end}{took}, {duration(max(1.0, job.ago))} ago.{f' {job.error}' if job.error else ''}"


def ended_early(job: jobs.Job) -> str:
    """Return a sentence about a training that a visitor ended early but kept; empty for all other jobs."""
    try:
        ran = job.result(0)
    except (jobs.JobError, jobs.Cancelled, TimeoutError):
        return ""
    return ran.early if isinstance(ran, training.TrainingResult) else ""


def door(job: jobs.Job, start: work.StartedJob) -> None:
    """Draw a link to the page that last displayed the job, with the page's address then; nothing if no page did."""
    label = "See its result" if job.state == "done" else "See its page"
    if start.page is not None and (page := PAGES.get(start.page or "home")):
        st.page_link(page, label=label, icon=":material/open_in_new:", query_params=start.query)


@st.fragment(run_every=1.0)
def under_way(before: list[tuple[str, str]]) -> None:
    """List the unfinished jobs, updated every second; rerun the page if their ids and states differ from `before`."""
    now = [(job, start) for job, start in work.started_jobs() if not job.finished]
    if [(job.id, job.state) for job, _ in now] != before:
        st.rerun()
    for job, start in now:
        with st.container(horizontal=True, vertical_alignment="center", key=f"job-{job.id}"):
            with st.container():
                states.entry(title_of(job, start), standing(job))
                if job.state == "running":
                    states.bar(job.fraction or 0.0)
            with st.container(horizontal=True, vertical_alignment="center", width="content"):
                door(job, start)
                st.button("Cancel", key=f"end-{job.id}", on_click=work.end, args=(job,))


pool, owner = jobs.pool(), work.owner()
for token in address.get_list("job")[:MOST_ADDRESSED]:
    jobs.find(token, owner=owner)  # after a reload they are this session's again
begun = work.started_jobs()
unfinished = [(job, start) for job, start in begun if not job.finished]
ended = sorted(((job, start) for job, start in begun if job.finished), key=lambda one: one[0].ago)
load = pool.load(owner)
mine = load.running - load.others_running, load.waiting - load.others_waiting
address.put(job=[job.id for job, _ in unfinished[:MOST_ADDRESSED]])
frame.header("Jobs", f"{mine[0]} of yours running, {mine[1]} waiting" if unfinished else "")

if unfinished:
    under_way([(job.id, job.state) for job, _ in unfinished])
else:
    about = "A job is a computation that takes some seconds or more. It goes on while you look at other pages."
    states.state("You have no running jobs.", about)
cut_off = [each for each in training.interrupted() if not each.private or each.id == address.get("run")]
if cut_off:
    states.panel("Interrupted")
for one in cut_off:
    with st.container(horizontal=True, vertical_alignment="center", key=f"cut-off-{one.id}"):
        states.note(one.sentence)
        to = {"run": one.id}
        st.page_link("make/train/page.py", label="Keep or delete it", icon=":material/undo:", query_params=to)
if ended:
    states.panel("Finished jobs", "Latest first. A link opens the page with the result.")
    for job, start in ended[:MOST_ENDED]:
        with st.container(horizontal=True, vertical_alignment="center", key=f"ended-{job.id}"):
            with st.container():
                states.entry(title_of(job, start), standing(job))
            door(job, start)
    if len(ended) > MOST_ENDED:
        states.note(f"{len(ended) - MOST_ENDED:,} earlier jobs are not listed.")
elif not unfinished:
    states.note("Each of these starts one. It is then listed here, with its time and a link to its result.")
    with st.container(horizontal=True, key="examples"):
        for (file, label), query in EXAMPLES.items():
            st.page_link(file, label=label, icon=":material/play_arrow:", query_params=query)

states.note(
    f"At most {pool.workers} short and {pool.long} long jobs run at once, for all visitors. {devices.cluster_in_use()}",
    f"Jobs of other visitors: {load.others_running:,} running and {load.others_waiting:,} waiting.",
)
states.details(
    f"Long jobs are stopped {duration(pool.long_grace)} after you close the page, short ones after {pool.grace:.0f} s.",
    f"All jobs share {pool.cores} cores.",
    f"Memory: {pool.memory.short / 1e9:.1f} GB for a short job, {pool.memory.long / 1e9:.1f} GB for a long one.",
)
every = [*unfinished, *ended]
rows = [(title_of(job, start), job.state, round(job.waited, 1), round(job.seconds, 1)) for job, start in every]
view = current.view()
export.export_row(
    key="jobs",
    picture=None,
    table=(lambda: export.csv_text(rows, ("job", "state", "waited s", "ran s"))) if rows else None,
    filename="jobs",
    code=CODE.format(sample=python(call(SAMPLE, view.recipe, "frequent", n=min(600, len(view.space))))),
    note={},
)
