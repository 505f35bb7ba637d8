"""Run the tests: those that need no browser and those in a browser, both at once, in two processes each.

Each part waits for about a third of its time (for jobs, servers, a browser), which the other one uses. What they write
comes line by line, in the order of its time. `python -m tests` ends with one line for both parts, and exits with 1 when
a test failed in either.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

QUICK = "not slow and not gpu and not network"
TWO = ("-n", "2", "--dist", "loadfile", "--no-loadscope-reorder")
"""Two processes, a file of tests each; not the files with most tests first, since a dear one would come last, alone."""
BROWSER_TESTS = "tests/browser"
PARTS = {
    "without a browser": ("-m", f"not browser and {QUICK}", "--ignore", BROWSER_TESTS, *TWO),
    "in a browser": ("-m", f"browser and {QUICK}", *TWO),
}
"""Each process has its own server and its own browser."""
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""The processes share the cores."""
NONE_COLLECTED = 5


def run(name, arguments, folder, more):
    """Run one part, its output after its name; return its exit status and how many tests had which outcome."""
    tally = Path(folder) / f"{name}.json"
    environment = {**os.environ, "EMBEDVIZ_TALLY": str(tally), **ONE_THREAD}
    named = any(Path(each.partition("::")[0]).exists() for each in more)
    where = [BROWSER_TESTS] if name == "in a browser" and not named else []  # nothing else is collected a second time
    behind = ["nice", "-n", "5"] if not where and shutil.which("nice") else []  # a browser must answer at once
    command = [*behind, sys.executable, "-m", "pytest", *arguments, *where, *more]
    written = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, env=environment, **written) as part:
        for line in part.stdout:
            print(f"{name}: {line}", end="", flush=True)
    counts = json.loads(tally.read_text()) if tally.exists() else {}
    return part.returncode, counts


def summary(counts):
    """Say the outcomes in a line; an error in a fixture counts as a failure."""
    failed = counts.get("failed", 0) + counts.get("error", 0)
    again = f", {counts['rerun']} tries repeated" if counts.get("rerun") else ""
    return f"{counts.get('passed', 0)} passed, {failed} failed, {counts.get('skipped', 0)} skipped{again}"


def main(more):
    """Run both parts and return the exit status of the whole."""
    total, worst = {}, 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as threads:
        parts = {name: threads.submit(run, name, arguments, folder, more) for name, arguments in PARTS.items()}
        ended = {name: part.result() for name, part in parts.items()}
    for name, (status, counts) in ended.items():
        print(f"{name}: {summary(counts)} (exit status {status})")
        worst = worst or (0 if status == NONE_COLLECTED and more else status)
        total = {outcome: total.get(outcome, 0) + counts.get(outcome, 0) for outcome in {*total, *counts}}
    print(f"tests: {summary(total)}")
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
