"""The scripts that run in the browser: their types, their pure functions in node, and what Python and they agree on.

A test is skipped where node or TypeScript is not installed, and says so; `make lint` installs TypeScript by npm.
"""

import base64
import json
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

from embedviz.core.phrases import INVISIBLE
from embedviz.figures import theme
from embedviz.figures.scatter import MODULES, scatter
from embedviz.figures.web import STYLES, component, modules_in

ROOT = Path(__file__).parents[2]
TSC = ROOT / "node_modules/.bin/tsc"
NODE = shutil.which("node")
LEAST_NODE = 20
COMPONENTS = sorted(path for path in (ROOT / "pages").rglob("*.mjs") if path.with_suffix(".py").exists())


def need_node():
    if NODE is None:
        pytest.skip("node is not installed: the scripts are tested in the browser alone")
    version = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout
    if int(re.match(r"v(\d+)", version)[1]) < LEAST_NODE:
        pytest.skip(f"node {version.strip()} is older than {LEAST_NODE}")


def run_in_node(script, value):
    """What a function body returns, with exports of all modules in scope and a value as `v`."""
    need_node()
    folder = (ROOT / "embedviz/figures/scatter").as_uri()
    text = f"import * as data from '{folder}/data.mjs'; import * as svg from '{folder}/svg.mjs';"
    text += f"import * as selection from '{folder}/selection.mjs'; import {{ readFileSync }} from 'node:fs';"
    text += f"const run = (v) => {{ {script} }};"
    text += "process.stdout.write(JSON.stringify(run(JSON.parse(readFileSync(0, 'utf8')))));"
    command = [NODE, "--input-type=module", "--eval", text]
    answer = subprocess.run(command, input=json.dumps(value), capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)


def test_the_types_of_all_scripts_hold():
    if not TSC.exists():
        pytest.skip("TypeScript is not installed: run npm install")
    need_node()
    found = subprocess.run([TSC, "-p", ROOT], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout


def test_the_pure_functions_do_what_they_say():
    need_node()
    found = subprocess.run([NODE, "--test", "tests/web/"], cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout
    assert re.search(r"^# pass [1-9]\d", found.stdout, re.M), found.stdout


def test_the_colors_of_the_map_are_those_of_the_theme():
    assert MODULES["theme.mjs"] == theme.as_module(), "run make format"


@pytest.mark.parametrize("path", COMPONENTS, ids=lambda path: path.stem)
def test_a_component_is_one_module_with_one_entry(path, tmp_path):
    need_node()
    text = component(path)
    assert len(re.findall(r"^export ", text, re.M)) == len(re.findall(r"^export default function", text, re.M)) == 1
    assert not re.search(r"^import\b", text, re.M)
    (tmp_path / "joined.mjs").write_text(text, "utf-8")
    subprocess.run([NODE, "--check", tmp_path / "joined.mjs"], check=True, capture_output=True)


def test_shared_names_are_told_apart():
    folders = {path.parent for path in COMPONENTS}
    assert len(COMPONENTS) >= 8
    assert not [name for folder in folders for name in modules_in(folder) if name in MODULES]
    assert set(STYLES) == {"bars.css", "table.css"}


def test_an_envelope_of_python_is_read_by_the_scripts():
    rng = np.random.default_rng(0)
    words = ["<b>alone</b>", "größer", *(f"word{row}" for row in range(38))]
    points = rng.uniform(-10, 10, (40, 2)).astype(np.float32)
    made = SimpleNamespace(words=words, points=points, method="PCA", axes=())
    codes = np.resize(np.array([0, 1, 255], np.uint8), 40)
    color = SimpleNamespace(title="t", kind="category", codes=codes, labels=("a", "b"), low=0, high=1, diverging=False)
    figure = scatter(made, color)
    got = run_in_node(
        """
        const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
        const [geometry, paint] = [data.geometryOf(bytes(v[0]), 'x'), data.paintOf(bytes(v[1]))];
        const words = Array.from({ length: geometry.count }, (_, row) => geometry.words.at(row));
        return [words, [...geometry.points], geometry.bounds.maxX, paint.kind, paint.labels, paint.colored];
        """,
        [base64.b64encode(content).decode() for content in (figure.envelope(), figure.paint())],
    )
    assert got[0] == words
    assert got[1] == pytest.approx(points.ravel().tolist())
    assert got[2] == pytest.approx(float(points[:, 0].max()))
    assert got[3:] == ["category", ["a", "b"], int((codes != 255).sum())]


def test_a_selection_in_bits_is_numpy_s():
    masks = [np.random.default_rng(n).integers(0, 2, n, dtype=np.uint8) for n in (1, 7, 8, 9, 1000)]
    texts = run_in_node(
        "return v.map((mask) => selection.base64Of(selection.bitsOf(Uint8Array.from(mask))));",
        [mask.tolist() for mask in masks],
    )
    for mask, text in zip(masks, texts, strict=True):
        assert base64.b64decode(text) == np.packbits(mask, bitorder="little").tobytes()


def test_any_text_can_be_written_in_an_svg():
    signs = [chr(code) for code in (*range(0x300), 0x2028, 0xD7FF, 0xE000, 0xFFFD, 0xFFFE, 0xFFFF, 0x1F600)]
    texts = ["", 'a<b>&"c"\'', "]]><!--", *(f"a{sign}b" for sign in signs), "".join(signs)]
    for text, written in zip(texts, run_in_node("return v.map(svg.escaped);", texts), strict=True):
        read = ElementTree.fromstring(f"<a b='{written.replace(chr(39), '&apos;')}'>{written}</a>")
        visible = INVISIBLE.sub(lambda found: found[0] if found[0] in "\t\n\r" else f"\\u{ord(found[0]):04x}", text)
        legal = re.sub("[\ufffe\uffff]", "\ufffd", visible)
        assert (read.text or "") == legal.replace("\r\n", "\n").replace("\r", "\n")
