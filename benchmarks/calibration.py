"""Measure how often each verdict of the program is given where it is wrong, and how often where it is right.

    python benchmarks/calibration.py                       # all verdicts; two processes, about an hour on two cores
    python benchmarks/calibration.py neighbors ratios      # only these; the others keep their last results
    python benchmarks/calibration.py --draws 40 --list

Each verdict is computed on draws of synthetic spaces: in some it is wrong, in others right. The results lie in
`docs/calibration.json`, and `docs/calibration.md` is written from them. A false-alarm rate is marked if its 95 %
interval lies above the rate that the page states; the script then ends with status 1.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # the processes share the cores

sys.path.insert(0, str(Path(__file__).parent))

from verdicts import ALL  # noqa: E402 - after the number of threads is set
from verdicts.base import Case, Verdict  # noqa: E402

from embedviz.core.stats.intervals import wilson  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
RESULTS, PAGE = ROOT / "docs" / "calibration.json", ROOT / "docs" / "calibration.md"
HEAD = """# Calibration: how often each verdict is wrong

A verdict is a statement such as *above chance*, *groups* or *better*. We computed each verdict on many random draws of
synthetic spaces. In some spaces it is wrong: the table gives the rate of *false alarms*. In others it is right: the
table gives the *power*. A page states a false-alarm rate of 5 %, unless it says otherwise, for all its tests together.
No verdict may lie above its stated rate. Intervals are 95 % (Wilson). Where the name of a space
says “part of words” or “part of sets”, the rate is the mean of this part over the draws.

`python benchmarks/calibration.py` writes this page; `benchmarks/verdicts/` describes the spaces.
"""


def one(job: tuple[str, str, int]) -> float | None:
    """Return whether the verdict is given on one draw, or for which share of its rows."""
    name, case, seed = job
    warnings.simplefilter("ignore")
    return find(name).case(case).draw(seed)


def find(name: str) -> Verdict:
    """Return the verdict of a name."""
    return next(each for each in ALL if each.name == name)


def measure(pool: ProcessPoolExecutor, verdict: Verdict, most: int) -> Iterator[tuple[str, dict[str, float]]]:
    """Draw all cases of a verdict, one after the other; yield the name of each and in how many it was given."""
    for case in verdict.cases:
        draws, start = min(most, case.draws), time.perf_counter()
        answers = list(pool.map(one, [(verdict.name, case.name, seed) for seed in range(draws)], chunksize=1))
        given = [answer for answer in answers if answer is not None]
        counted = {"given": round(sum(given), 3), "draws": len(given), "silent": len(answers) - len(given)}
        seconds = time.perf_counter() - start
        print(f"{verdict.name:<22} {case.name:<46} {row(case, counted)[1]}  {seconds:.0f} s", flush=True)
        yield case.name, counted


def row(case: Case, counted: dict[str, float]) -> tuple[str, str]:
    """Return whether a rate is of false alarms or power, and the rate with its interval."""
    given, draws = counted["given"], counted["draws"]
    low, high = wilson(given / draws if draws else 0.0, draws)
    return (
        "power" if case.true else "false alarms",
        f"{given / draws if draws else 0:.1%} [{low:.1%}, {high:.1%}] of {draws:.0f}"
        + (f", no statement on {counted['silent']:.0f} more" if counted.get("silent") else ""),
    )


def too_often(verdict: Verdict, case: Case, counted: dict[str, float]) -> bool:
    """Return whether a false-alarm rate is above the stated one by more than the error of the draws."""
    draws = counted["draws"]
    return not case.true and bool(draws) and wilson(counted["given"] / draws, draws)[0] > verdict.stated


def together(verdict: Verdict, results: dict[str, dict[str, float]]) -> list[str]:
    """Return the false-alarm rate over all spaces of a verdict as a line of its table; none for fewer than two."""
    found = [(case, results[case.name]) for case in verdict.cases if not case.true and case.name in results]
    if len(found) < 2:
        return []
    case = found[0][0]
    summed = {name: sum(counted.get(name, 0) for _, counted in found) for name in ("given", "draws", "silent")}
    return [f"| *all {len(found)} spaces without the property* | {' | '.join(row(case, summed))} |"]


def page(results: dict[str, dict[str, dict[str, float]]]) -> tuple[str, list[str]]:
    """Return the results as a page, and the verdicts that are above their stated rate."""
    lines, wrong = [HEAD], []
    for verdict in (each for each in ALL if each.name in results):
        lines += [f"## {verdict.title}", "", f"“{verdict.says}” ({verdict.where}). {verdict.family}", ""]
        lines += ["| space | rate of | given |", "| --- | --- | --- |"]
        for case in verdict.cases:
            if counted := results[verdict.name].get(case.name):
                must, rate = row(case, counted)
                mark = ""
                if too_often(verdict, case, counted):
                    mark, wrong = f" **above {verdict.stated:.0%}**", [*wrong, f"{verdict.name}: {case.name}"]
                lines.append(f"| {case.name} | {must} | {rate}{mark} |")
        lines += [*together(verdict, results[verdict.name]), ""]
    return "\n".join(lines), wrong


def main() -> int:
    """Measure, write both files and say what is above its rate."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="verdicts; all without one")
    parser.add_argument("--draws", type=int, default=1_000, help="at most so many draws of each space")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="list the verdicts and their spaces")
    parser.add_argument("--page", action="store_true", help="write the page from the results that are there")
    asked = parser.parse_args()
    if asked.list:
        for verdict in ALL:
            print(f"{verdict.name}: {verdict.title}; {', '.join(case.name for case in verdict.cases)}")
        return 0
    if unknown := set(asked.names) - {verdict.name for verdict in ALL}:
        parser.error(f"no such verdicts: {', '.join(sorted(unknown))}; --list names them")
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    chosen = [] if asked.page else [each for each in ALL if each.name in asked.names or not asked.names]
    with ProcessPoolExecutor(asked.processes, mp_context=get_context("spawn")) as pool:
        for verdict in chosen:
            results[verdict.name] = {}
            for name, counted in measure(pool, verdict, asked.draws):
                results[verdict.name][name] = counted
                RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", "utf-8")
    text, wrong = page(results)
    PAGE.write_text(text.rstrip() + "\n", "utf-8")
    for each in wrong:
        print(f"above its stated rate: {each}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
