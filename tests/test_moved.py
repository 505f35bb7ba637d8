"""Code that was written for an earlier layout still runs, or is told where its module went."""

import importlib
import sys
from types import FunctionType, ModuleType

import pytest

from embedviz import moved


def module(name):
    return importlib.import_module(f"embedviz.{name}")


@pytest.mark.parametrize("old", moved.MOVED)
def test_an_old_name_gives_the_module_that_took_its_place(old):
    if "kernels" in old or old in ("compiled", "formats.scanner", "corpus.windows", "projection.forces"):
        pytest.importorskip("numba")
    found, successor = module(old), module(moved.MOVED[old])
    public = [
        name
        for name, value in vars(successor).items()
        if name[0] != "_" and not isinstance(value, ModuleType) and f"{old}.{name}" not in moved.MOVED
    ]
    assert found is successor or all(getattr(found, name) is getattr(successor, name) for name in public)


def test_an_old_module_hides_no_function_of_its_name():
    from embedviz.geometry import isotropy

    module("isotropy.look")
    assert isinstance(isotropy.look, FunctionType)


def test_no_old_name_is_also_a_new_one():
    assert not {old for old in moved.MOVED if old in moved.MOVED.values()}


@pytest.mark.parametrize(
    "line",
    [
        "from embedviz import quality, columns, projection, sampling",
        "from embedviz import catalog, datasets, documents, encoders, postprocess, search",
        "from embedviz.studies import film, training",
        "from embedviz.studies.documents import group_scores, themes",
        "from embedviz.studies import senses, layers, path, pooled, pairs, attention, searching, sentences, subwords",
        "from embedviz.studies.pooled import Way; Way('mean', 6)",
        "from embedviz.static.textcnn import Told",
        "from embedviz.static import word2vec",
        "from embedviz.corpus import tokenized, ratios",
        "import embedviz.isotropy, embedviz.studies.corrections",
        "from embedviz.saying import share",
        "from embedviz.space import Origin, VectorSpace",
    ],
)
def test_exported_python_of_before_still_imports(line):
    exec(line, {})


def test_a_package_keeps_one_copy_of_each_module():
    module("studies.training.records")
    assert sys.modules["embedviz.studies.training.records"] is module("training.records")
    assert module("training.records").__name__ == "embedviz.training.records"
    assert module("training.records").__spec__.name == "embedviz.training.records"


def test_what_never_was_is_refused_with_a_sentence():
    with pytest.raises(ModuleNotFoundError, match=r"no module embedviz\.studies\.nothing: .* divided among other"):
        module("studies.nothing")
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'embedviz\.nothing'"):
        module("nothing")
