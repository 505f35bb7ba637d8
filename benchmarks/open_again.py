"""Opening a text file of vectors for the second time, in a process of its own: seconds, and memory beside the matrix.

python benchmarks/open_again.py [--rows 1000000] [--dimensions 100]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from open_text import write_glove

ONCE = """
import resource, sys, time
from embedviz.formats import cache
begun = time.perf_counter()
space, _ = cache.read(sys.argv[1])
taken = time.perf_counter() - begun
first, last = space.words[0], space.matrix[-1].sum()
used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
print(f"{taken:.3f} s, {used:,.0f} MB at most; the matrix has {space.matrix.nbytes / 1e6:,.0f} MB")
"""


def main() -> None:
    """Write a file, and open it three times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--dimensions", type=int, default=100)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.txt"
        write_glove(path, given.rows, given.dimensions)
        print(f"{given.rows:,} × {given.dimensions}, {path.stat().st_size / 1e6:,.0f} MB of text")
        environment = {**os.environ, "EMBEDVIZ_CACHE": folder}
        for title in ("first", "second", "third"):
            command = [sys.executable, "-c", ONCE, str(path)]
            done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
            print(f"{title} opening: {done.stdout.strip()}")


if __name__ == "__main__":
    main()
