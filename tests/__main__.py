"""Run the tests: those that need no browser, then those in a browser, also where the first failed.

`python -m tests` ends with one line for both parts and exits with 1 when a test failed in either.
"""

import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

QUICK = "not slow and not gpu and not network"
BROWSER_TESTS = "tests/browser"
BY_FOLDER, BY_HALVES = ("--dist", "loadscope"), ("--dist", "worksteal")
PARTS = {
    "without a browser": ("-m", f"not browser and {QUICK}", "--ignore", BROWSER_TESTS, "-n", "3", *BY_FOLDER),
    "in a browser": ("-m", f"browser and {QUICK}", "-n", "2", *BY_HALVES),
}
"""Two cores are idle a quarter of the time with two processes, for tests wait for jobs. Each takes a folder of tests
after the other (`conftest.py`). In the second part each has its own server and its own browser; it takes half of the
files, and the one that is ready first takes tests from the other: whole files, some of them dear, would end apart."""
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""The processes share the cores."""
BYTECODE = "PYTHONDONTWRITEBYTECODE"
"""Without bytecode on disk each of some two hundred processes would compile the program anew."""
MAPS = ("-c", "from embedviz.projection import warm; warm()")
"""Compiles slow maps to machine code on disk: else the first processes would each do so, at the same time."""
COLLECTING = ("-m", "pytest", "--collect-only", "--quiet", "--ignore", BROWSER_TESTS)
"""Writes the bytecode of program and tests."""
NONE_COLLECTED = 5


def surroundings():
    """Return the environment of all processes of the tests."""
    return {name: value for name, value in os.environ.items() if name != BYTECODE} | ONE_THREAD


def compiling(what):
    """Return the process that compiles something to the disk; where that fails, the tests say why."""
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([sys.executable, *what], env=surroundings(), **silent)


def run(name, arguments, folder, more):
    """Run one part; return its exit status and how many tests had which outcome."""
    tally = Path(folder) / "tally.json"
    tally.unlink(missing_ok=True)
    environment = {**surroundings(), "EMBEDVIZ_TALLY": str(tally)}
    named = any(Path(each.partition("::")[0]).exists() for each in more)
    where = [BROWSER_TESTS] if name == "in a browser" and not named else []  # nothing else is collected a second time
    status = subprocess.run([sys.executable, "-m", "pytest", *arguments, *where, *more], env=environment).returncode
    counts = json.loads(tally.read_text()) if tally.exists() else {}
    print(f"{name}: {summary(counts)} (exit status {status})", flush=True)
    return status, counts


def summary(counts):
    """Say the outcomes in a line; an error in a fixture counts as a failure."""
    failed = counts.get("failed", 0) + counts.get("error", 0)
    again = f", {counts['rerun']} tries repeated" if counts.get("rerun") else ""
    return f"{counts.get('passed', 0)} passed, {failed} failed, {counts.get('skipped', 0)} skipped{again}"


def main(more):
    """Run both parts and return the exit status of the whole."""
    total, worst = {}, 0
    with tempfile.TemporaryDirectory() as folder, ExitStack() as beside:
        if not more:
            print("Compiling what all tests need …", flush=True)
            beside.enter_context(compiling(MAPS))
            compiling(COLLECTING).wait()
        for name, arguments in PARTS.items():
            status, counts = run(name, arguments, folder, more)
            worst = worst or (0 if status == NONE_COLLECTED and more else status)
            total = {outcome: total.get(outcome, 0) + counts.get(outcome, 0) for outcome in {*total, *counts}}
    print(f"tests: {summary(total)}")
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
