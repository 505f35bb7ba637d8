"""The map that the built-in space opens with, and the check of that map: computed and written for shipping.

Run `python -m embedviz.projection.quality.shipping` after a change of t-SNE, of the sample, or of the check.
"""

import os
import shutil
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

from embedviz.core.builtin import builtin_space
from embedviz.core.options import check as checked_options
from embedviz.projection import PROJECTIONS, lay_out, quality, shipped
from embedviz.projection.sampling import sample


def ship() -> quality.Checked:
    """Write the layout of the first map, and the measures of its copies, into the program's data.

    Return the map's check, which `quality.check()` computed.
    """
    space = builtin_space()
    rows = sample(space, "groups").rows
    options = checked_options(PROJECTIONS["tsne"], {}, rows)
    laid = lay_out(space, rows, "tsne", **options)
    folder = Path(str(files("embedviz"))) / shipped.FOLDER
    shutil.rmtree(folder, ignore_errors=True)  # otherwise the old files would be read, and nothing computed
    with tempfile.TemporaryDirectory() as cache:
        os.environ["EMBEDVIZ_CACHE"] = cache
        found = quality.check(space, rows, "tsne", options, points=laid.points)
        shutil.copytree(Path(cache) / "copies", folder)
        for file in folder.iterdir():
            file.chmod(0o644)
    shipped.write(folder / shipped.file_name(space, rows, "tsne", options), laid)
    return found


if __name__ == "__main__":
    for name, one in ship().permissions._asdict().items():
        sys.stdout.write(f"{name}: {one.given} · {one.reason}\n")
