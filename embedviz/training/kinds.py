"""Examples of what can have vectors (words, tokens, sentences, …), each with its nearest neighbor and random pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embedviz import corpus
from embedviz.contextual.clip import DRAWN, clip_scores
from embedviz.contextual.encoder import BUILTIN, encode, load
from embedviz.contextual.heads import token_text
from embedviz.contextual.pooling import own_pooling, pool
from embedviz.core.builtin import builtin_space
from embedviz.core.call import offered
from embedviz.core.phrases import cut
from embedviz.core.progress import Report, step
from embedviz.core.space import Float, VectorSpace
from embedviz.geometry.uniformity import nonzero_unit_rows
from embedviz.retrieval.spaces import text_space
from embedviz.testsets.datasets import sense_sentences, sentence_pairs
from embedviz.training.graphs import node2vec

_PAIRS = 2_000
_PIECES = 2_000
_LABEL = 60  # maximum length of a text in a label
_BLANKS = ("Ġ", "▁")  # what byte-level BPE and SentencePiece write for a space
_SENTENCES = (*DRAWN, "a dog on a beach", "a page of a book", "a plate of food")
"""Sentences that CLIP compares with drawn pictures: what each picture shows, and three that fit no picture."""


class KindExample(NamedTuple):
    """One kind of object with vectors, such as words or sentences, with an example.

    Attributes:
        name: Name of the kind in addresses; `title`: its title.
        made: A sentence that says how the vectors are made.
        example, nearest: An object of this kind, and its nearest neighbor.
        cosine: Cosine of `example` and `nearest`.
        usual: Baseline: mean cosine of random pairs.
        rows, dimensions: Shape of the matrix in which the neighbor was searched.
        lesson: Name of the lesson about this kind.
        sample: Sentences on the sample: how many neighbors were compared, and how many random pairs were averaged.
    """

    name: str
    title: str
    made: str
    example: str
    nearest: str
    cosine: float
    usual: float
    rows: int
    dimensions: int
    lesson: str
    sample: str

    @property
    def lead(self) -> float:
        """Return the difference `cosine` minus `usual`: how much nearer the neighbor is than a random object."""
        return self.cosine - self.usual


@dataclass(frozen=True)
class Kinds:
    """One example for each kind of object."""

    examples: tuple[KindExample, ...]

    def table(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return header and rows of a table, with a row for each kind."""
        rows = [(one.title, one.example, one.nearest, one.cosine, one.usual) for one in self.examples]
        return ("kind", "example", "nearest", "cosine", "random pairs"), rows


@offered("found", "for row in found.table()[1]:", "    print(*row)")
def kinds(*, model: str | Path = BUILTIN, clip: str | Path = "", report: Report | None = None) -> Kinds:
    """Return an example of each kind: word, subword, token, sentence, document, node, and with CLIP also image.

    There is no subword if the tokenizer does not mark the pieces inside words.

    Args:
        model: Name or folder of the encoder for subwords, tokens and sentences.
        clip: The folder of a CLIP model; without it there is no image.

    Raises:
        EncoderError: The model cannot be loaded.
    """
    encoder = load(model)
    words = builtin_space()
    found = [
        _example("word", "Word", "A row of a table, looked up.", words, words.row("guitar"), "what"),
    ]
    table = encoder.network.get_input_embeddings().weight.detach().numpy()
    names = encoder.tokenizer.convert_ids_to_tokens(list(range(len(table))))
    pieces = pieces_inside_words(names)[:_PIECES]
    if len(pieces) > 1:  # ELMo reads whole words
        piece = VectorSpace([names[row] for row in pieces], table[pieces])
        made = "A row of the model’s input table; a rare word is made of several."
        at = next((piece.index[name] for name in ("##ing", "ing") if name in piece.index), 0)
        found.append(_example("subword", "Subword", made, piece, at, "inside"))
    given = [one.sentence for one in sense_sentences()["bank"]]
    hidden = encode(encoder, given, layers=[encoder.depth], report=step(report, 0, 4))
    content = np.flatnonzero(~hidden.special)
    of = np.searchsorted(hidden.bounds, content, "right") - 1
    labels = [
        f"{token_text(hidden.tokens[row])} in “{cut(given[own], _LABEL)}”"
        for row, own in zip(content.tolist(), of.tolist(), strict=True)
    ]
    place = next((at for at, row in enumerate(content.tolist()) if token_text(hidden.tokens[row]) == "bank"), 0)
    rows = np.asarray(hidden.layer(encoder.depth)[content], np.float32)
    made = "Computed by the encoder, anew in each sentence."
    found.append(_from_rows("token", "Token in a sentence", made, labels, rows, place, "senses"))
    texts = list(dict.fromkeys(text for pair in sentence_pairs() for text in pair[:2]))
    states = encode(encoder, texts, layers=[encoder.depth], report=step(report, 1, 4))
    way = own_pooling(encoder.pooling)
    sentences = pool(states, way, **({"layer": encoder.depth}))
    made = "Pooled from the vectors of its tokens."
    found.append(_from_rows("sentence", "Sentence", made, texts, sentences.matrix, 0, "pooling"))
    documents = text_space(corpus.lee(), "lsa").space
    titles = [cut(text, _LABEL) for text in corpus.lee().texts]
    made = "Counts of its words, cut to a few directions (LSA)."
    found.append(_from_rows("document", "Document", made, titles, documents.matrix, 0, "passages"))
    nodes = node2vec(report=step(report, 3, 4))
    made = "Learned from walks on a graph (Node2Vec)."
    found.append(_example("node", "Node of a graph", made, nodes.space, 0, "nodes"))
    if clip:
        found.append(_image(clip))
    return Kinds(tuple(found))


def pieces_inside_words(names: Sequence[str]) -> list[int]:
    """Return the rows of the tokenizer's pieces that continue a word and consist of letters.

    Some tokenizers mark these pieces by ##. Others mark the pieces that begin a word, by a sign for a space. Without
    such marks, the list is empty.
    """
    if any(name.startswith("##") for name in names):
        return [row for row, name in enumerate(names) if name.startswith("##") and name[2:].isalpha()]
    if not any(name.startswith(_BLANKS) for name in names):
        return []
    return [row for row, name in enumerate(names) if name.isalpha() and not name.startswith(_BLANKS)]


def _image(clip: str | Path) -> KindExample:
    """Return the example for the kind *image*: a drawn picture and its nearest sentence.

    The baseline is the mean cosine of all pictures with all sentences.
    """
    scores = clip_scores(clip, DRAWN, _SENTENCES)
    cosines, space = scores.cosines, scores.space
    best = int(cosines[0].argmax())
    made, picture = "By CLIP, in one space with sentences.", f"{DRAWN[0]}, drawn"
    size = len(space), space.dimensions
    sample = (
        f"The nearest of {len(_SENTENCES)} sentences. Random pairs: each of {len(DRAWN)} pictures with each of these."
    )
    cosine, usual = float(cosines[0, best]), float(cosines.mean())
    return KindExample("image", "Image", made, picture, _SENTENCES[best], cosine, usual, *size, "clip", sample)


def _example(name: str, title: str, made: str, space: VectorSpace, row: int, lesson: str) -> KindExample:
    return _from_rows(name, title, made, list(space.words), space.matrix, row, lesson)


def _from_rows(
    name: str, title: str, made: str, labels: list[str], matrix: Float, row: int, lesson: str
) -> KindExample:
    """Return the example of a kind whose vectors are the rows of `matrix`.

    The example is the object in row `row` of `matrix`, and its nearest neighbor is the row with the highest cosine. The
    baseline is the mean cosine of random pairs. Rows of zeros are neither neighbors nor in the pairs.
    """
    live = np.flatnonzero(np.any(matrix, axis=1))
    at = int(np.searchsorted(live, row))
    unit = nonzero_unit_rows(matrix[live])
    cosines = unit @ unit[at]
    cosines[at] = -np.inf
    best = int(cosines.argmax())
    random = np.random.default_rng(0)
    one = random.integers(0, len(live), _PAIRS)
    other = (one + random.integers(1, len(live), _PAIRS)) % len(live)
    usual = float((unit[one] * unit[other]).sum(axis=1).mean())
    named = [labels[int(live[place])] for place in (at, best)]
    size = len(matrix), matrix.shape[1]
    sample = f"The nearest of {len(matrix):,} rows. Random pairs: the mean of {_PAIRS:,}."
    return KindExample(name, title, made, named[0], named[1], float(cosines[best]), usual, *size, lesson, sample)
