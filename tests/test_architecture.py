"""Who may import whom, and what loads when."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ORDER = [
    {"embedviz"},
    {"pasted"},
    {"options"},
    {"saying"},
    {"progress"},
    {"intervals"},
    {"resampling"},
    {"permutation"},
    {"device"},
    {"compiled"},
    {"hub"},
    {"subwords"},
    {"blobs"},
    {"space"},
    {"copies"},
    {"jobs", "worker"},
    {"testsets"},
    {"datasets"},
    {"texts"},
    {"corpus"},
    {"hidden"},
    {"trajectory"},
    {"static", "formats", "documents"},
    {"contextual"},
    {"synthetic"},
    {"neighbors"},
    {"lookup"},
    {"formula"},
    {"analogy"},
    {"sampling"},
    {"clusters"},
    {"density"},
    {"columns"},
    {"alignment"},
    {"projection"},
    {"quality"},
    {"separation"},
    {"isotropy"},
    {"postprocess"},
    {"evaluation"},
    {"comparison"},
    {"search"},
    {"catalog"},
    {"encoders"},
    {"studies"},
    {"figures"},
    {"cli"},
]
RANK = {name: rank for rank, names in enumerate(ORDER) for name in names}
MAKERS = {"static", "contextual", "formats", "documents", "synthetic"}
USERS = {
    "neighbors",
    "lookup",
    "formula",
    "analogy",
    "sampling",
    "clusters",
    "density",
    "columns",
    "alignment",
    "projection",
    "quality",
    "separation",
    "isotropy",
    "postprocess",
    "evaluation",
    "comparison",
    "search",
}
FIGURES_MAY = {"figures", "saying", "space"}
FILES = sorted((ROOT / "embedviz").rglob("*.py"))


def imported(path, *, at_run_time=True):
    """Modules a file imports; without what only a type checker sees."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and at_run_time and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "embedviz":
                yield from (f"embedviz.{alias.name}" for alias in node.names)
            else:
                yield node.module


def room(module):
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in RANK else "embedviz"


def own_room(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[1] if len(parts) > 1 and parts[1] != "__init__" else "embedviz"


def test_every_module_has_its_place():
    assert {own_room(path) for path in FILES} <= set(RANK)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_from_before_it(path):
    here = own_room(path)
    for module in imported(path):
        assert not module.startswith(("streamlit", "pages")), f"{path.name} imports {module}"
        if not module.startswith("embedviz") or module == "embedviz" or here == "embedviz":
            continue
        there = room(module)
        assert there in ("embedviz", here) or RANK[there] < RANK[here] or {here, there} == {"jobs", "worker"}, (
            path.name,
            module,
        )
        assert not (here in MAKERS and there in USERS), (path.name, module)
        assert not (here in USERS and there in MAKERS), (path.name, module)
        if here == "figures":
            assert there in FIGURES_MAY, (path.name, module)


def test_pages_do_not_import_the_command_line():
    for path in [ROOT / "app.py", *(ROOT / "pages").rglob("*.py")]:
        assert "embedviz.cli" not in set(imported(path)), path


def test_only_the_frame_lies_beside_the_sections():
    assert [path.name for path in (ROOT / "pages").glob("*.py")] == ["_main.py"]


def test_every_page_is_in_the_menu_and_named_once():
    menu = (ROOT / "pages" / "_main.py").read_text("utf-8")
    pages = list((ROOT / "pages").glob("[a-z]*/*.py"))
    assert pages
    for path in pages:
        assert f'"{path.parent.name}/{path.name}"' in menu
    assert len({path.name for path in pages}) == len(pages)


def loaded_by(statement):
    code = f"import sys; {statement}; print(' '.join(sys.modules))"
    return set(
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
        ).stdout.split()
    )


HEAVY = {
    "torch",
    "transformers",
    "gensim",
    "umap",
    "sklearn",
    "scipy",
    "pandas",
    "plotly",
    "streamlit",
    "numba",
    "openTSNE",
}


@pytest.mark.parametrize(
    "statement",
    [
        "import embedviz",
        "import embedviz.jobs",
        "import embedviz.cli",
        "import embedviz.evaluation, embedviz.studies.verdict; from embedviz.datasets import bundled; bundled()",
        "import embedviz.separation",
        "import embedviz.studies.training",
        "import embedviz.hidden, embedviz.contextual.encoder, embedviz.contextual.pooling, embedviz.studies.senses",
        "import embedviz.quality, embedviz.columns, embedviz.projection, embedviz.alignment, embedviz.figures.scatter",
    ],
)
def test_importing_the_library_loads_nothing_heavy(statement):
    assert not loaded_by(statement) & HEAVY


def test_the_built_in_space_needs_no_torch():
    assert not loaded_by("from embedviz.static.builtin import read_table; read_table()") & {"torch", "transformers"}
