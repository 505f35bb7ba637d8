"""`embedviz info` and the page *Open* on the same files: each must say of each what the other says.

Files: gensim's test data, all that EMBEDVIZ_DATA names, and one of every format, written by its own library. Compared:
rows, dimensions, format, bytes, encoding, rows left out and their first lines, rows of zeros, and the verdict; of a
refused file the sentence. Each file lies alone in a folder, as an upload does.

python benchmarks/info_and_page.py [FILE ...] [--few]
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import html as escapes
import importlib.util
import io
import json
import logging
import lzma
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

TOKEN = "agreement-token-01234567"


def written(folder: Path) -> list[Path]:
    """One file of every format that some library of this environment writes."""
    import h5py
    import pandas as pd
    from gensim.models import FastText, KeyedVectors
    from gensim.models.fasttext import save_facebook_model
    from safetensors.numpy import save_file

    from embedviz.core.builtin import model_folder

    random = np.random.default_rng(0)
    words = ["the", "of", "and", "Zürich", "東京", "שלום", *(f"w{row}" for row in range(294))]
    matrix = random.normal(size=(300, 20)).astype(np.float32)
    vectors = KeyedVectors(20)
    vectors.add_vectors(words, matrix)
    vectors.save_word2vec_format(str(folder / "gensim.txt"))
    vectors.save_word2vec_format(str(folder / "gensim.bin"), binary=True)
    vectors.save_word2vec_format(str(folder / "glove.txt"), write_header=False)
    vectors.save(str(folder / "gensim.kv"))
    model = FastText([words[:50], words[40:90]] * 5, vector_size=8, min_count=1, epochs=1, bucket=500)
    save_facebook_model(model, str(folder / "fasttext.bin"))
    np.savez_compressed(folder / "numpy.npz", words=np.array(words), matrix=matrix)
    np.save(folder / "numpy.npy", matrix.astype(np.float16))
    save_file({"embeddings": matrix}, folder / "rows.safetensors")
    frame = pd.DataFrame(matrix.round(5)).add_prefix("v").assign(word=words, kind=[f"k{row % 3}" for row in range(300)])
    frame.to_csv(folder / "pandas.csv", index=False)
    frame.to_csv(folder / "pandas.tsv", index=False, sep="\t")
    listed = pd.DataFrame({"word": words, "vector": [row.tolist() for row in matrix], "year": range(300)})
    listed.to_json(folder / "pandas.jsonl", orient="records", lines=True, force_ascii=False)
    listed.to_parquet(folder / "pandas.parquet")
    listed.to_feather(folder / "pandas.feather")
    with h5py.File(folder / "h5py.h5", "w") as file:
        file["vectors"], file["words"] = matrix, [word.encode() for word in words]
    pd.DataFrame(matrix).to_csv(folder / "tensors.tsv", sep="\t", header=False, index=False)
    shutil.make_archive(str(folder / "model"), "zip", model_folder())
    for ending, pack in ((".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)):
        (folder / f"gensim.txt{ending}").write_bytes(pack((folder / "gensim.txt").read_bytes()))
    alone = folder / "alone"
    alone.mkdir()
    shutil.copy(folder / "gensim.bin", alone)
    shutil.make_archive(str(folder / "zipped"), "zip", alone)
    return sorted(path for path in folder.iterdir() if path.is_file())


def given() -> list[Path]:
    """gensim's test data and the files of EMBEDVIZ_DATA."""
    spec, home = importlib.util.find_spec("gensim"), os.environ.get("EMBEDVIZ_DATA")
    places = [Path(spec.submodule_search_locations[0]) / "test" / "test_data"] if spec else []
    places += [Path(home)] if home else []
    return [path for place in places for path in sorted(place.rglob("*")) if path.is_file()]


def info(path: Path) -> dict[str, object] | str:
    """What the command says: its JSON, or its sentence."""
    from embedviz import cli

    out, errors = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, ["embedviz", "info", str(path), "--json"]
    try:
        with redirect_stdout(out), redirect_stderr(errors):
            cli.main()
    except SystemExit as left:
        if left.code:
            first = errors.getvalue().partition("\n")[0]  # lines of Python may follow
            return first.removeprefix("embedviz: ").removesuffix(" To use only those, add --skip-bad.")
    finally:
        sys.argv = before
    return json.loads(out.getvalue())


def page(path: Path, uploads: Path, expected: dict[str, object] | str) -> list[str]:
    """What the page says otherwise: the fields that differ."""
    from embedviz.core import limits
    from embedviz.core.phrases import byte_size
    from embedviz.core.space import open_folder, read_card
    from embedviz.evaluation.verdict import verdict
    from embedviz.formats import FORMATS, FormatError, import_spaces
    from embedviz.formats.reading import lost_rows
    from pages._shared.app.escape import plain
    from pages.make.open.reports import _titled
    from pages.make.open.verdicts import sentence
    from tests.visit import html, opened, until

    folder = uploads / TOKEN
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copyfile(path, folder / "file")
    try:
        readings = import_spaces(folder / "file", folder / "space", "mine", max_bytes=limits.UNPACKED_BYTES)
    except FormatError as error:
        same = expected == plain_sentence(str(error).partition("\n")[0], path, expected)
        return [] if same else [f"the page refuses: {error}"]
    if isinstance(expected, str):
        return ["the page reads it"]
    card = read_card(folder / "space")["reading"]
    names = ("rows", "dimensions", "format", "bytes", "encoding", "zero_rows", "dropped", "undecodable")
    differ = [f"{name}: {card[name]}" for name in names if card[name] != expected[name]]
    found = verdict(open_folder(folder / "space"), **lost_rows(card["dropped"]))
    differ += [] if str(found) == expected["verdict"] else [f"verdict: {found}"]
    if len(readings) > 1:
        return differ  # a page of several spaces lists them
    test = opened("make/open/page.py", job=f"forgotten.{TOKEN}")
    wanted = [
        f"{card['rows']:,} word{'' if card['rows'] == 1 else 's'} × {card['dimensions']} numbers.",
        f"Format: {FORMATS[card['format']].title}, {byte_size(card['bytes'])}, {_titled(card['encoding'])}",
        *(f"{plain(each['reason'], 99)}</td>" for each in card["dropped"]),
    ]
    until(test, lambda each: "Checking the vectors." not in html(each) and tail(sentence(found)) in text_of(each))
    visible = text_of(test)
    return [*differ, *(f"not on the page: {each}" for each in wanted if each not in visible)]


def plain_sentence(answer: str, path: Path, expected: object) -> str:
    """The page's sentence as the command would say it of the file's own name."""
    text = answer.replace("file", path.name, 1) if str(expected).startswith(path.name) else answer
    return text if text == expected else str(expected).strip() if str(expected).strip().startswith(text) else text


def text_of(test: object) -> str:
    """What the page shows, without escapes."""
    from tests.visit import html

    return escapes.unescape(html(test)).replace("\\", "")


def tail(answer: str) -> str:
    """The last part of a verdict, which no markup of terms divides."""
    return answer.replace("\xa0", " ")[-20:]


def main() -> int:
    """Compare all files and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--few", action="store_true", help="only the files that are written here")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    count: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        scratch = Path(place)
        os.environ |= {"EMBEDVIZ_KEPT": "0", "EMBEDVIZ_UPLOADS": str(scratch / "uploads"), "EMBEDVIZ_MODELS": place}
        (scratch / "made").mkdir()
        files = options.files or [*written(scratch / "made"), *([] if options.few else given())]
        for path in files:
            begun, alone = time.monotonic(), scratch / "alone"
            shutil.rmtree(alone, ignore_errors=True)
            alone.mkdir()
            shutil.copy(path, alone)
            answer = info(alone / path.name)
            differ = page(path, scratch / "uploads", answer)
            count["differ" if differ else "refused by both" if isinstance(answer, str) else "read by both"] += 1
            line = (
                answer if isinstance(answer, str) else f"{answer['format']}, {answer['rows']} × {answer['dimensions']}"
            )
            sign = "DIFFER" if differ else "agree "
            print(f"{sign} {path.name[:44]:44} {time.monotonic() - begun:4.1f} s  {line.strip()[:110]}", flush=True)
            for each in differ:
                print(f"       {each}", flush=True)
    print(", ".join(f"{kind}: {files}" for kind, files in count.items()))
    return 1 if count["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
