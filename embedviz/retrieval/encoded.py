"""The sentence space: texts by an encoder and a pooling, one vector a text or a sentence. `METHODS` is the table.

Texts are read in blocks and pooled at once, so that the memory does not grow with them. One that is too long for the
model is read in windows that overlap by half. Where tokens are averaged, a query's cosine with a text is a sum over the
query's words, since its vector is one; each word's vector has read the whole query, though.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from embedviz.contextual.encoder import BUILTIN, Encoder, encode, load
from embedviz.contextual.pooling import POOLINGS, own_pooling, own_said, pool
from embedviz.core import builtin
from embedviz.core.call import offered
from embedviz.core.hidden import HiddenStates
from embedviz.core.options import Choice, Method, OptionError, check, choose, table
from embedviz.core.progress import Report
from embedviz.core.space import (
    Float,
    Ints,
    Origin,
    SpaceError,
    VectorSpace,
    WordBlob,
    folder_writer,
    open_folder,
    read_card,
    write_rest,
)
from embedviz.core.texts import Part, Passage, Texts, TextSpace, places, sentence_places
from embedviz.corpus import MOST_TEXTS, opened
from embedviz.neighbors import similarities
from embedviz.retrieval import documents
from embedviz.retrieval.documents import DOCUMENTS
from embedviz.retrieval.snippets import MOST_READ

UNITS = ("text", "sentence")
AT_ONCE = 40_000
"""Characters that are read before they are pooled."""
_ENDS = (*".!?…。！？", "\n\n")
_KEPT = 16  # texts whose tokens are kept between questions
OWN = "own"
"""The pooling that the model's makers chose."""
_OTHER = "signs and numbers"
"""What stands for all tokens of a query that belong to no word."""
_SPECIAL = "[CLS] and [SEP]"
"""What stands for the special tokens of a query, whatever the model calls them."""


@dataclass(frozen=True)
class Summary:
    """What came of encoding texts, in numbers.

    Attributes:
        model: What the encoder is called; `pooling`: a name of `POOLINGS`, with its options in `options`.
        unit: *text* or *sentence*: what a row is.
        rows, dimensions: n and d; `empty` rows have no token, and so no direction.
        pieces: Tokens read, the model's special ones left out.
        longest: Tokens that are read at once.
        made_for: Whether the model's makers set that limit; else it is as long as the model can take.
        windowed: Rows with more than that.
        note: What a reader should know of the model.
    """

    model: str
    pooling: str
    options: Mapping[str, Any]
    unit: str
    rows: int
    dimensions: int
    empty: int
    pieces: int
    longest: int
    made_for: bool
    windowed: int
    note: str = ""

    @property
    def meaning(self) -> str:
        """What was read and how, in sentences."""
        said = [f"{self.model} read {self.pieces:,} tokens."]
        if self.windowed:
            have = "has" if self.windowed == 1 else "have"
            why = "its makers set it to" if self.made_for else "it takes at once"
            said.append(
                f"{self.windowed:,} of {self.rows:,} {self.unit}s {have} more than the {self.longest:,} tokens that "
                f"{why}, and {'is' if self.windowed == 1 else 'are'} read in overlapping windows."
            )
        if self.empty:
            which = f"1 {self.unit} has" if self.empty == 1 else f"{self.empty:,} {self.unit}s have"
            said.append(f"{which} no token: rows of zeros.")
        return " ".join([*said, self.note]).strip()


@offered("made", "print(len(made.space), made.space.dimensions)")
def text_space(
    texts: Texts,
    *,
    model: str | Path = BUILTIN,
    unit: str = "text",
    pooling: str = OWN,
    report: Report | None = None,
    **options: Any,
) -> TextSpace:
    """A space of texts by an encoder, in memory.

    Args:
        model: What `contextual.encoder.load` takes: a folder, or *builtin*.
        unit: Whether a row is a *text* or a *sentence* of one.
        pooling: A name of `POOLINGS`, with its options, or *own*.

    Raises:
        EncoderError: The model cannot be loaded.
        OptionError: An unknown pooling or unit, an option out of range, or too many sentences.
    """
    space, summary = _made(texts, model, unit, pooling, options, report)
    return _text_space(space, str(model), summary.pooling, summary.options)


def make_text_space(
    source: str | Path,
    folder: str | Path,
    *,
    model: str | Path = BUILTIN,
    unit: str = "text",
    pooling: str = OWN,
    report: Report | None = None,
    **options: Any,
) -> Summary:
    """Writes such a space to a folder: a saved space as any other, and on its card what `open_text_space` needs.

    A folder that is there already is taken for the same space.

    Args:
        source: The texts, as `corpus.opened` takes them.

    Raises:
        CorpusError: There are no such texts.
        EncoderError, OptionError: As for `text_space`.
    """
    folder = Path(folder)
    if folder.exists():
        found: Summary = summary_of(folder)
        return found
    space, summary = _made(opened(source), model, unit, pooling, options, report)
    card = {"encoder": {"model": str(model), "summary": asdict(summary)}}
    with folder_writer(folder) as draft:
        np.save(draft / "matrix.npy", space.matrix)
        write_rest(draft, space.words, None, space.metadata, space.origin, card)
    return summary


def open_text_space(folder: str | Path) -> TextSpace:
    """The space of texts of a folder, by memory map, whatever method made it; an encoder is loaded when it is asked.

    Raises:
        SpaceError: The folder holds none, or a part of it is missing.
    """
    card = read_card(folder).get("encoder")
    if card is None:
        return documents.open_text_space(folder)
    try:
        summary = card["summary"]
        return _text_space(open_folder(folder), str(card["model"]), str(summary["pooling"]), summary["options"])
    except (KeyError, TypeError):
        raise SpaceError(f"{Path(folder).name} is no whole space of texts.") from None


def summary_of(folder: str | Path) -> Any:
    """What came of making the space of a folder: a `Summary`, or that of `embedviz.retrieval.documents`.

    Raises:
        SpaceError: The folder holds no space of texts.
    """
    card = read_card(folder).get("encoder")
    if card is None:
        return documents.summary_of(folder)
    try:
        return Summary(**card["summary"])
    except (KeyError, TypeError):
        raise SpaceError(f"{Path(folder).name} is no whole space of texts.") from None


def size_of(texts: Texts, dimensions: int, unit: str = "text") -> int:
    """About how many bytes the folder of such a space takes, without the texts; sentences are told by their ends."""
    rows = len(texts)
    if unit == "sentence":
        rows = min(MOST_TEXTS, rows + sum(text.count(sign) for text in texts.texts for sign in _ENDS))
    return 4 * rows * dimensions


ENCODER = Method(
    "encoder",
    "Encoder",
    text_space,
    (
        Choice("unit", UNITS, "text", "One row for each text, or for each of its sentences.", "A row is a"),
        Choice(
            "pooling",
            (OWN, *POOLINGS),
            OWN,
            "How a text's tokens become one vector; own: as the model's makers do it.",
            "Pooling",
        ),
    ),
    "A text's tokens by a language model, in which each has read the others, pooled to one vector. "
    "Two texts can be alike without any word in common.",
    "Reimers and Gurevych 2019",
    long=True,
)
METHODS: dict[str, Method] = table(*DOCUMENTS.values(), ENCODER)


def _made(
    texts: Texts, model: str | Path, unit: str, pooling: str, options: Mapping[str, Any], report: Report | None
) -> tuple[VectorSpace, Summary]:
    if not len(texts):
        raise OptionError("There are no texts.")
    check(ENCODER, {"unit": unit, "pooling": pooling})
    rows = texts if unit == "text" else by_sentence(texts)
    if report is not None:
        report(0.0, "loading the encoder")
    encoder = load(model)
    own = pooling == OWN
    pooling = own_pooling(encoder.pooling) if own else pooling
    row = choose(POOLINGS, pooling, "pooling")
    values = check(row, options, range(encoder.depth + 1))
    reading, made_for = _reading(encoder, str(model))
    matrix = np.zeros((len(rows), encoder.dimensions), np.float32)
    pieces = windowed = 0
    versions: Mapping[str, str] = {}
    for block in _blocks(rows.texts):
        if report is not None:
            report(block.start / len(rows), f"{encoder.name} reads {block.start:,} of {len(rows):,} {unit}s")
        hidden = encode(reading, rows.texts[block], layers=_layers(encoder.depth, pooling, values))
        pooled = pool(hidden, pooling, **values)
        matrix[block.start + np.asarray(pooled.metadata["sentence"], np.int64)] = pooled.matrix
        pieces, windowed = pieces + int(hidden.counts.sum()), windowed + len(hidden.windowed)
        versions = hidden.origin.versions
    summary = Summary(
        encoder.name,
        pooling,
        values,
        unit,
        len(rows),
        encoder.dimensions,
        int((~matrix.any(axis=1)).sum()),
        pieces,
        reading.limit,
        made_for,
        windowed,
        " ".join(filter(None, [own_said(encoder.pooling) if own else "", encoder.note])),
    )
    metadata: dict[str, Any] = {
        "text": WordBlob.of(rows.texts),
        **({"group": WordBlob.of(rows.labels)} if rows.labels is not None else {}),
    }
    parameters = {"texts": texts.name, "method": "encoder", "model": encoder.name, "unit": unit, "pooling": pooling}
    what = f"{texts.name}{', sentences' if unit == 'sentence' else ''}, {row.title} of {encoder.name}"
    origin = Origin("texts", what, "none", parameters | values, encoder.checksum, versions, note=summary.meaning)
    return VectorSpace(rows.keys, matrix, None, metadata, origin), summary


def by_sentence(texts: Texts) -> Texts:
    """The sentences of texts as texts of their own, each with its text's group; what has no letter or digit is none.

    Raises:
        OptionError: There are none, or more than a collection may have.
    """
    found, keys, labels = [], [], []
    for place, (key, text) in enumerate(zip(texts.keys, texts.texts, strict=True)):
        number = 0
        for start, end in sentence_places(text, wrapped=True):
            said = text[start:end]
            if any(sign.isalnum() for sign in said):
                number += 1
                found.append(said)
                keys.append(f"{key} · {number}")
                labels.append(texts.labels[place] if texts.labels is not None else "")
    if not 0 < len(found) <= MOST_TEXTS:
        raise OptionError(
            f"{texts.name} has {len(found):,} sentences; from 1 to {MOST_TEXTS:,} are encoded. Take whole texts."
        )
    return Texts(found, keys, labels if texts.labels is not None else None, texts.name, texts.note)


def _reading(encoder: Encoder, model: str) -> tuple[Encoder, bool]:
    """The encoder with the longest window that its makers set it to, and whether they did."""
    folder = builtin.model_folder() if model == BUILTIN else Path(model).expanduser()
    try:
        found = json.loads((folder / "sentence_bert_config.json").read_text("utf-8"))["max_seq_length"]
    except (OSError, ValueError, KeyError, TypeError):
        return encoder, False
    if not isinstance(found, int) or not 8 <= found < encoder.limit:
        return encoder, False
    return replace(encoder, limit=found), True


def _layers(depth: int, pooling: str, values: Mapping[str, Any]) -> Sequence[int]:
    """The layers that a pooling needs; all where that is not known of it."""
    if "layer" in values:
        return (int(values["layer"]),)
    if pooling == "last-4":
        return range(max(1, depth - 3), depth + 1)
    return (0, 1, depth) if pooling == "first-last" else range(depth + 1)


def _blocks(texts: Sequence[str]) -> Iterator[slice]:
    """Texts that are read together: about `AT_ONCE` characters, one text at least."""
    start = size = 0
    for row, text in enumerate(texts):
        if size and size + len(text) > AT_ONCE:
            yield slice(start, row)
            start, size = row, 0
        size += len(text)
    yield slice(start, len(texts))


@dataclass(frozen=True, eq=False)
class _Read:
    """The tokens of one text that count: their vectors (t, d), and the characters that they begin at (t,).

    Special tokens begin at −1.
    """

    vectors: Float
    starts: Ints


def _mean(vectors: Float) -> Any:
    return vectors.mean(axis=0, dtype=np.float64) if len(vectors) else np.zeros(vectors.shape[1])


def _text_space(space: VectorSpace, model: str, pooling: str, options: Mapping[str, Any]) -> TextSpace:
    def hidden(texts: Sequence[str]) -> HiddenStates:
        encoder = load(model)
        values = check(POOLINGS[pooling], options, range(encoder.depth + 1))
        return encode(_reading(encoder, model)[0], texts, layers=_layers(encoder.depth, pooling, values))

    def encoded(texts: Sequence[str]) -> Float:
        found = np.zeros((len(texts), space.dimensions), np.float32)
        for block in _blocks(texts):
            pooled = pool(hidden(texts[block]), pooling, **options)
            found[block.start + np.asarray(pooled.metadata["sentence"], np.int64)] = pooled.matrix
        return found

    @lru_cache(maxsize=_KEPT)
    def read(text: str) -> _Read:
        states = hidden([text])
        kept = ~states.special
        if options.get("special") != "without":
            kept |= kept.any()  # of a text without a token nothing counts
        starts = np.where(states.special, -1, states.offsets[:, 0])
        return _Read(np.asarray(states.layers[0][kept], np.float32), starts[kept])

    def several(queries: Sequence[str]) -> Float:
        found = np.asarray(similarities(space, encoded(queries)), np.float32)
        return np.nan_to_num(found, copy=False)

    def parts(query: str, row: int) -> list[Part]:
        tokens = read(query)
        length = float(np.linalg.norm(_mean(tokens.vectors))) * len(tokens.vectors)
        each = tokens.vectors @ space.unit_rows(slice(row, row + 1))[0] / (length or 1.0)
        words = _words_at(query, tokens.starts)
        added: dict[str, float] = {}
        for word, part in zip(words, each.tolist(), strict=True):
            added[word] = added.get(word, 0.0) + part
        return sorted((Part(word, part) for word, part in added.items()), key=lambda part: -part.share)

    def passages(query: str, row: int) -> list[Passage]:
        text = str(space.metadata["text"][row])[:MOST_READ]
        tokens, wanted = read(text), _mean(read(query).vectors)
        found = []
        for start, end in sentence_places(text, wrapped=True):
            inside = tokens.vectors[(tokens.starts >= start) & (tokens.starts < end)]
            if len(inside):
                own = _mean(inside)
                lengths = float(np.linalg.norm(own) * np.linalg.norm(wanted))
                found.append(Passage(start, end, float(own @ wanted) / (lengths or 1.0)))
        return sorted(found, key=lambda passage: -passage.cosine)

    averaged = pooling == "mean"
    return TextSpace(
        space,
        lambda text: encoded([text])[0],
        parts if averaged else None,
        None,
        None,
        several,
        lambda word: True,
        passages if averaged else None,
    )


def _words_at(text: str, starts: Ints) -> list[str]:
    """The word in lower case that each of these characters belongs to, or `_OTHER`, or `_SPECIAL` for those at −1."""
    found = [*places(text)]
    begins = np.asarray([token.start for token in found], np.int64)
    listed = []
    for start, place in zip(starts.tolist(), (np.searchsorted(begins, starts, "right") - 1).tolist(), strict=True):
        inside = place >= 0 and start < found[place].end
        listed.append(_SPECIAL if start < 0 else found[place].word if inside else _OTHER)
    return listed
