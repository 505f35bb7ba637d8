"""Who may import whom, and what loads when."""

import ast
import subprocess
import sys
from functools import cache
from importlib.metadata import packages_distributions
from itertools import pairwise
from pathlib import Path

import pytest

from embedviz.core import cards

ROOT = Path(__file__).parent.parent
ROOMS = (
    "moved",
    "core",
    "jobs",
    "files",
    "tables",
    "testsets",
    "corpus",
    "formats",
    "neighbors",
    "geometry",
    "projection",
    "contextual",
    "retrieval",
    "evaluation",
    "synthetic",
    "shelf",
    "catalog",
    "training",
    "figures",
    "warm",
    "cli",
)
"""The rooms of the library: each imports only from those before it."""
SHARED = ("app", "results", "controls", "sources", "output", "map")
"""The rooms of `pages/_shared`, likewise."""
SECTIONS = ("start", "words", "quality", "context", "texts", "make", "learn")
EXCEPTIONS = {("embedviz.jobs.job", "embedviz.jobs"), ("embedviz.jobs.register", "embedviz.jobs")}
"""Imports at the moment of raising: after a hot reload it must be the class that callers catch now."""
LONGEST_MODULE = 500
LONGEST_PAGE = 150
LONGEST_BODY = 50
"""Lines of a module of the library, of one of the pages, and of the body of a function without its docstring."""
VERBS = """
    Add Align Answer Append Apply Ask Assemble Average Begin Build Cache Call Cancel Center Check Choose Close Compare
    Compile Compose Compute Convert Copy Count Create Cut Decode Delete Describe Detect Discard Divide Do Download
    Draw Drop Empty Encode End Estimate Expand Explain Extract Fill Find Fit Follow Forget Format Gather Generate Give
    Go Group Handle Hash Hide Hold Import Insert Iterate Join Judge Keep Label Lay Leave Let Limit Link List Load Lock
    Log Look Make Map Mark Match Measure Merge Mix Mount Move Name Normalize Note Number Offer Open Order Parse Pass
    Pick Pickle Place Prepare Print Process Project Put Raise Rank Read Receive Record Refuse Register Release
    Remember Remove Rename Render Repeat Replace Report Reserve Reset Resolve Restore Resume Return Ring Rotate Round
    Run Sample Save Say Scale Score Search Select Send Serve Set Settle Shift Show Shuffle Silence Skip Solve Sort Split
    Stack Start Step Stop Store Stream Sum Take Tell Test Tokenize Train Translate Try Turn Unpack Update Upload Use
    Validate Verify Wait Wake Warm Warn Weight Wrap Write Yield
"""
"""Verbs that the docstring of a function may begin with; a verb that is missing is added here."""
WORDS_FOR_NOTHING = {"told", "said", "asked", "kept", "beside", "shown", "thing", "things", "ways", "company"}
"""They name no function, class, parameter, variable or attribute: a name says what it holds (`question`, `points`)."""
FIELDS_MAY = {"kept", "shown"}
"""Fields of results that are called as the field calls them: neighbors kept, points shown."""
FIGURES_MAY = ("embedviz.figures", "embedviz.core.phrases", "embedviz.core.space")


def name_of(path):
    """The dotted name of a file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


LIBRARY = {name_of(path): path for path in sorted((ROOT / "embedviz").rglob("*.py"))}
PAGES = {name_of(path): path for path in sorted((ROOT / "pages").rglob("*.py"))}
MODULES = {**LIBRARY, **PAGES}


@cache
def text_of(name):
    """The source of a module."""
    return MODULES[name].read_text("utf-8")


@cache
def tree_of(path):
    """The syntax tree of a file, shared and never changed."""
    return ast.parse(path.read_text("utf-8"))


@cache
def nodes_of(name):
    """All nodes of the syntax tree of a module, shared and never changed."""
    return list(ast.walk(tree_of(MODULES[name])))


def statements(block, typed):
    """The statements of a block and of those inside it; `typed`: also what only a type checker sees."""
    for node in block:
        yield node
        hidden = not typed and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for part in ("orelse",) if hidden else ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from statements(getattr(node, part, []), typed)


@cache
def imported(path, typed=False):
    """Modules a file imports, inside functions too; `typed`: also those that only a type checker sees."""
    found = []
    for node in statements(tree_of(path).body, typed):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} has a relative import"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.append(whole if whole in MODULES else node.module)
    return found


def room_of(module):
    """The room of a module of the library; empty for the package itself."""
    return module.split(".")[1] if "." in module else ""


def circle_among(modules):
    """A list of modules that import each other in a circle, or none."""
    arrows = {
        name: {other for other in imported(MODULES[name], typed=True) if other in modules and other != name}
        - {other for one, other in EXCEPTIONS if one == name}
        for name in modules
    }
    state, path = {}, []

    def search(name):
        state[name] = "open"
        path.append(name)
        for other in sorted(arrows[name]):
            if state.get(other) == "open":
                return [*path[path.index(other) :], other]
            if other not in state and (found := search(other)):
                return found
        path.pop()
        state[name] = "done"
        return None

    return next((found for name in sorted(modules) if name not in state and (found := search(name))), None)


def test_every_module_lies_in_a_room():
    assert {room_of(name) for name in LIBRARY} == {*ROOMS, "", "__main__"}


def test_a_module_imports_only_from_rooms_before_its_own():
    wrong = [
        f"{name} imports {module}" for name in LIBRARY for module in imported(LIBRARY[name]) if leaves(name, module)
    ]
    assert not wrong


def leaves(name, module):
    """Whether a module of the library imports what it may not: the pages, or a room at or after its own."""
    here = room_of(name)
    there = room_of(module) if module.startswith("embedviz.") else here
    climbs = here in ROOMS and there != here and ROOMS.index(there) >= ROOMS.index(here)
    return climbs or module.startswith(("streamlit", "pages"))


def test_a_figure_draws_and_computes_nothing():
    figures = [name for name in LIBRARY if room_of(name) == "figures"]
    own = {(name, module) for name in figures for module in imported(LIBRARY[name]) if module.startswith("embedviz")}
    assert own
    assert not {pair for pair in own if not pair[1].startswith(FIGURES_MAY)}


def test_no_circle_inside_a_room():
    found = [circle_among({name for name in LIBRARY if room_of(name) == room}) for room in ROOMS]
    assert not [" -> ".join(circle) for circle in found if circle]


def test_no_circle_among_the_pages():
    found = circle_among(set(PAGES))
    assert not found, " -> ".join(found or [])


def test_a_page_imports_what_is_shared_and_its_own_folder():
    arrows = [(name, module) for name in PAGES for module in imported(PAGES[name])]
    assert not [f"{name} imports {module}: {why}" for name, module in arrows if (why := refusal(name, module))]


def refusal(name, module):
    """Why this module of the pages may not import that one; empty where it may."""
    parts, there = name.split("."), module.split(".")
    if module.startswith(("embedviz.cli", "embedviz.moved", "embedviz.warm")):
        return "not for pages"
    if there[0] != "pages":
        return ""
    if there[1:2] == ["_shared"]:
        if len(there) < 3:
            return "name the room"
        climbs = parts[1] == "_shared" and parts[2] != there[2] and SHARED.index(there[2]) >= SHARED.index(parts[2])
        return "a room at or after its own" if climbs else ""
    folder = ".".join(parts if PAGES[name].name == "__init__.py" else parts[:-1])
    if f"pages.{parts[1]}.page" in PAGES:  # the whole section is the folder of its page
        folder = f"pages.{parts[1]}"
    if not module.startswith(f"{folder}."):
        return "another page's"
    return "" if len(there) > 3 or parts[1] == "_server" else "a page is not imported"


def test_each_shared_module_serves_more_than_one_page():
    """What one page alone uses lies beside that page; the frame and the launcher count as users."""
    users = {name: set() for name in PAGES if name.startswith("pages._shared.") and name.count(".") > 2}
    launcher = {"app": ROOT / "app.py", **PAGES}
    reached = {name: set(imported(path)) & set(PAGES) for name, path in launcher.items()}
    for name in launcher:
        if name.startswith("pages._shared"):
            continue
        seen, open_ = set(), [name]
        while open_:
            new = reached[open_.pop()] - seen
            seen |= new
            open_ += new
        parts = name.split(".")
        page = ".".join(parts[:-1]) if len(parts) > 3 else name
        for module in seen & set(users):
            users[module].add(page)
    frame = {"app", "pages._main", "pages._server.lifespan"}
    assert {name for name, found in users.items() if len(found) < 2 and not found & frame} == set()


def test_only_the_frame_lies_beside_the_sections():
    assert {path.name for path in (ROOT / "pages").glob("*.py")} == {"__init__.py", "_main.py"}
    found = {path.name for path in (ROOT / "pages").iterdir() if path.is_dir() and list(path.rglob("*.py"))}
    assert found == {"_server", "_shared", *SECTIONS}
    rooms = {path.name for path in (ROOT / "pages" / "_shared").iterdir() if path.is_dir() and list(path.rglob("*.py"))}
    assert rooms == set(SHARED)


def test_every_page_is_in_the_menu_and_named_once():
    menu = (ROOT / "pages" / "_shared" / "app" / "menu.py").read_text("utf-8")
    pages = [path for path in PAGES.values() if path.name != "__init__.py" and path.parent.name in SECTIONS]
    pages += [path for path in PAGES.values() if path.name == "page.py" and path not in pages]
    assert pages
    for path in pages:
        assert f'"{path.relative_to(ROOT / "pages").as_posix()}"' in menu
    names = [path.parent.name if path.name == "page.py" else path.stem for path in pages]
    assert len(set(names)) == len(names)


def classes_named_twice():
    """Names of classes with their modules, of those that stand in more than one.

    A private class counts too: a reader who searches the program for a name must find one meaning.
    """
    found = {}
    for module in MODULES:
        for node in nodes_of(module):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(module)
    return {name: modules for name, modules in sorted(found.items()) if len(modules) > 1}


def test_each_popover_has_a_key():
    """Without one a browser closes it as soon as a job above it ends and changes the number of elements."""
    calls = [
        (module, node)
        for module in MODULES
        if module.startswith("pages.")
        for node in nodes_of(module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "popover"
    ]
    assert len(calls) > 20
    assert [(module, node.lineno) for module, node in calls if "key" not in {one.arg for one in node.keywords}] == []


def test_no_class_name_is_given_twice():
    assert classes_named_twice() == {}


def test_a_module_is_short_enough_to_be_read_at_once():
    """One that is too long is split along its subject."""
    lines = {name: len(text_of(name).splitlines()) for name in MODULES}
    assert lines
    assert not {name: n for name, n in lines.items() if n > (LONGEST_PAGE if name in PAGES else LONGEST_MODULE)}


def test_the_body_of_a_function_is_short_enough_to_be_read_at_once():
    assert {
        f"{name}.{node.name}": lines
        for name in MODULES
        for node in nodes_of(name)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := node.body[-1].end_lineno - node.body[_has_docstring(node)].lineno + 1) > LONGEST_BODY
    } == {}


def _has_docstring(node):
    return ast.get_docstring(node) is not None and len(node.body) > 1


def test_the_docstring_of_a_function_begins_with_a_verb():
    """It says what the function does or gives: “Return whether …”, not “Whether …”. A verb may be added to VERBS."""
    verbs, texts = {*VERBS.split()}, 0
    others = []
    for name in MODULES:
        for node in nodes_of(name):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (text := ast.get_docstring(node)):
                texts += 1
                if _first_word(text) not in verbs:
                    others.append(f"{name}, line {node.lineno}: {text.splitlines()[0]}")
    assert texts > 100
    assert not others


def _first_word(text):
    return text.split()[0].rstrip(".,:;")


def names_given(node):
    """List the names that a statement or an expression gives; an old name of something is no new one."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.arg():
            return [node.arg]
        case ast.Name(ctx=ast.Store()):
            return [node.id]
        case ast.Attribute(ctx=ast.Store()):
            return [node.attr]
        case ast.ExceptHandler(name=str()):
            return [node.name]
    return []


def renamed_or_field(module):
    """Return the nodes of a module that keep an old name (`old = new`), and fields of results."""
    free = set()
    for node in nodes_of(module):
        body = getattr(node, "body", []) if isinstance(node, ast.Module | ast.ClassDef) else []
        for each in body:
            if isinstance(each, ast.Assign) and isinstance(each.value, ast.Name):
                free |= {id(target) for target in each.targets}
            elif isinstance(node, ast.ClassDef) and isinstance(each, ast.AnnAssign) and each.target.id in FIELDS_MAY:
                free.add(id(each.target))
    return free


def test_a_name_says_what_it_holds():
    found = []
    for module in MODULES:
        free = renamed_or_field(module)
        for node in nodes_of(module):
            named = [] if id(node) in free else names_given(node)
            found += [f"{module}: {name}" for name in named if name.strip("_").lower() in WORDS_FOR_NOTHING]
    assert found == ["embedviz.evaluation.outcome: kept"]  # an old name of its overlap, which is a field


def test_contributing_lists_the_packages_in_their_order():
    """The list in CONTRIBUTING.md is this one."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    house = text[text.index("## Structure") : text.index("## Where to add what")]
    places = [house.find(f"| `{room}") for room in ROOMS]
    assert min(places) > 0, [room for room, place in zip(ROOMS, places, strict=True) if place < 0]
    assert all(one < other for one, other in pairwise(places))


READ_ONLY = {"safetensors", "pyarrow", "huggingface_hub", "httpx2", "google-re2", "RapidFuzz", "tqdm"}
"""Packages that read files, fetch them, look words up and report progress: no number depends on their version."""


def test_a_card_states_the_version_of_each_package_that_computes():
    """A library that a projection, a trainer or a measure newly imports is named in `COMPUTING` too."""
    modules = {name.split(".")[0] for room in cards.ROOMS for path in in_room(room) for name in imported(path)}
    packages = packages_distributions()
    found = {packages[name][0] for name in modules - {"embedviz", *sys.stdlib_module_names}}
    assert found - READ_ONLY <= set(cards.COMPUTING)


def in_room(room):
    """The files of a room of the library."""
    return [path for name, path in LIBRARY.items() if room_of(name) == room]


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
        "import embedviz.evaluation, embedviz.evaluation.verdict; "
        "from embedviz.testsets.datasets import bundled; bundled()",
        "import embedviz.geometry.separation",
        "import embedviz.training",
        "import embedviz.core.hidden, embedviz.contextual.encoder, embedviz.contextual.pooling, "
        "embedviz.contextual.senses",
        "import embedviz.projection.quality, embedviz.projection.coloring, embedviz.geometry.alignment, "
        "embedviz.figures.scatter",
    ],
)
def test_importing_the_library_loads_nothing_heavy(statement):
    assert not loaded_by(statement) & HEAVY


def test_importing_the_package_loads_little_of_it():
    own = {name for name in loaded_by("import embedviz") if name.startswith("embedviz.")}
    assert {room_of(name) for name in own} == {"core", "moved"}


def test_the_built_in_space_needs_no_torch():
    assert not loaded_by("from embedviz.core.builtin import read_table; read_table()") & {"torch", "transformers"}
