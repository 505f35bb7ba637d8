"""The progress bar of a command."""

import sys

from rich.progress import Progress

from embedviz.cli.output import progress


def test_a_report_without_a_share_leaves_the_bar_where_it_is(monkeypatch):
    shares, update = [], Progress.update

    def noted(bar, task, **fields):
        update(bar, task, **fields)
        shares.append(bar.tasks[0].completed)

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(Progress, "update", noted)
    with progress("computing") as report:
        report(0.5, "half")
        report(None, "waiting for the graphics card")
    assert shares == [0.5, 0.5]
