"""The link to the page Jobs in the header, while jobs of this visitor run."""

from collections.abc import Mapping

import streamlit as st

from embedviz.core.phrases import counted
from pages._shared.app.escape import escape
from pages._shared.results import work


def jobs_link(pages: Mapping[str, st.Page]) -> None:
    """Draw a link to the page Jobs while jobs of this visitor run or wait.

    Its label has the number of jobs and the pages that started them; its tooltip names the jobs.
    """
    unfinished = [(job, start) for job, start in work.started_jobs() if not job.finished]
    if not unfinished:
        return
    begun = dict.fromkeys(pages[start.page].title for _, start in unfinished if start.page and start.page in pages)
    label = counted(len(unfinished), "job") + (f": {', '.join(begun)}" if begun else "")
    named = "; ".join(dict.fromkeys((start.title or job.title).removesuffix(".") for job, start in unfinished))
    st.page_link(pages["jobs"], label=label, icon=":material/pending_actions:", help=escape(named, 300) or None)
