"""Compiled functions of libraries: kept on disk where a folder can be written, and as good where none can."""

import importlib.util
from pathlib import Path

import numba

from embedviz.core.compiled import keep_on_disk


def test_what_a_library_compiles_is_kept_beside_it(tmp_path):
    (tmp_path / "library.py").write_text("import numba\n\n\n@numba.njit\ndef twice(x):\n    return 2 * x\n")
    made = importlib.util.spec_from_file_location("library", tmp_path / "library.py")
    library = importlib.util.module_from_spec(made)
    made.loader.exec_module(library)
    keep_on_disk(library.twice)
    assert library.twice(4) == 8
    assert list(Path(library.twice.stats.cache_path).glob("library.twice-*.nbc"))


def test_a_function_without_a_file_is_compiled_as_ever():
    names = {}
    exec(compile("def twice(x):\n    return 2 * x\n", "<no file>", "exec"), names)
    function = numba.njit(names["twice"])
    keep_on_disk(function)
    assert function(4) == 8
