"""Compare pictures with sentences: cosines, the scores of CLIP, and the probability of each sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from embedviz.contextual.clip.loading import Clip, load_clip
from embedviz.contextual.clip.pictures import DRAWN, open_picture, thumbnail
from embedviz.core.blobs import WordBlob
from embedviz.core.call import offered
from embedviz.core.options import OptionError
from embedviz.core.phrases import cut, number, share, unique_names
from embedviz.core.progress import Report, part, tell
from embedviz.core.space import Float, Origin, VectorSpace
from embedviz.core.stats.softmax import Probabilities, softmax

MOST_PICTURES, MOST_SENTENCES, LONGEST = 50, 50, 500
"""Maximum pictures and sentences of one comparison, and maximum characters of a sentence."""
_BATCH = 8
_NAME = 60  # maximum characters of a picture's name


@dataclass(frozen=True, eq=False)
class ClipScores:
    """Pictures and sentences in one space.

    Attributes:
        space: A unit vector for each picture, then one for each sentence. The column *kind* is *picture* or *sentence*.
        model: Name of the CLIP; `temperature`: its learned temperature.
        pictures: Names of the pictures.
        sentences: The sentences.
        thumbnails: A small PNG of each picture.
    """

    space: VectorSpace
    model: str
    temperature: float
    pictures: tuple[str, ...]
    sentences: tuple[str, ...]
    thumbnails: tuple[bytes, ...]

    @property
    def cosines(self) -> Float:
        """Return the cosine of each picture with each sentence, (pictures, sentences)."""
        many = len(self.pictures)
        return np.asarray(self.space.matrix[:many] @ self.space.matrix[many:].T, np.float32)

    @property
    def logits(self) -> Float:
        """Return the scores of CLIP, cosines ÷ learned temperature: `logits_per_image` of transformers."""
        return np.asarray(self.cosines / self.temperature, np.float32)

    def probabilities(self, temperature: float | None = None) -> Probabilities:
        """Return the probability of each sentence for each picture, (pictures, sentences).

        It is the softmax of cosines ÷ temperature over the sentences.

        Args:
            temperature: By default the learned temperature.

        Raises:
            OptionError: The temperature is not above zero.
        """
        return softmax(self.cosines, self.temperature if temperature is None else temperature)

    @property
    def meaning(self) -> str:
        """Say which sentence is nearest to the first picture, and their cosine, with the mean cosine of all pairs."""
        cosines, first = self.cosines, self.pictures[0]
        best = int(cosines[0].argmax())
        return (
            f"Of {len(self.sentences)} sentences, “{cut(self.sentences[best], 60)}” is nearest to the picture "
            f"“{first}”: cosine {number(float(cosines[0, best]))}, mean of all pairs {number(float(cosines.mean()))}."
        )

    def chances(self, picture: int, temperature: float | None = None) -> str:
        """Say the most probable sentence of a picture, with equal probabilities as the baseline."""
        probabilities = self.probabilities(temperature)[picture]
        best = int(probabilities.argmax())
        sentence = cut(self.sentences[best], 60)
        return (
            f"For the picture “{self.pictures[picture]}”, the most probable sentence is “{sentence}”: "
            f"{share(float(probabilities[best]))}. Equal probabilities would be {share(1 / len(probabilities))}."
        )

    def table(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return header and rows: the cosine, score and probability of each pair of a picture and a sentence."""
        cosines, logits, probabilities = self.cosines, self.logits, self.probabilities()
        rows: list[tuple[Any, ...]] = [
            (picture, sentence, *(float(each[at, to]) for each in (cosines, logits, probabilities)))
            for at, picture in enumerate(self.pictures)
            for to, sentence in enumerate(self.sentences)
        ]
        return ("picture", "sentence", "cosine", "score", "probability"), rows


@offered("found", "print(found.meaning)", "for row in found.table()[1]:", "    print(*row)")
def clip_scores(
    model: Clip | str | Path,
    pictures: Sequence[str | Path] = DRAWN,
    sentences: Sequence[str] = DRAWN,
    *,
    names: Sequence[str] = (),
    report: Report | None = None,
) -> ClipScores:
    """Compare pictures with sentences by a CLIP.

    Args:
        model: The folder of a CLIP, or a loaded `Clip`.
        pictures: Names of drawn examples, or paths of files.
        names: Names of the pictures; by default the names of the files.

    Raises:
        EncoderError: The folder holds no CLIP that can be read.
        PictureError: A picture cannot be opened, as for `open_picture`.
        OptionError: There are no pictures or sentences, or too many; a sentence is empty, repeated or too long; or the
            numbers of names and pictures differ.
    """
    _check_count(len(pictures), MOST_PICTURES, "picture")
    _check_count(len(sentences), MOST_SENTENCES, "sentence")
    _check_sentences(sentences)
    titles = [name[:_NAME] for name in names] or [Path(each).name[:_NAME] for each in pictures]
    if len(titles) != len(pictures):
        raise OptionError(f"There are {len(pictures)} pictures and {len(titles)} names. Give a name for each picture.")
    opened = [open_picture(source, name) for source, name in zip(pictures, titles, strict=True)]
    tell(report, 0.2, "Loading CLIP")
    clip = load_clip(model)
    rows = [encode_texts(clip, sentences), encode_pictures(clip, opened, report=part(report, 0.4, 1.0))]
    matrix = np.concatenate(rows[::-1])
    labels = [*titles, *sentences]
    kinds = ["picture"] * len(titles) + ["sentence"] * len(sentences)
    origin = Origin(
        "clip",
        f"Pictures and sentences, {clip.name}",
        "none",
        {"pictures": len(titles), "sentences": len(sentences), "temperature": clip.temperature},
        clip.checksum,
        {"transformers": version("transformers")},
    )
    columns: dict[str, Any] = {"text": WordBlob.of(labels), "kind": np.array(kinds)}
    space = VectorSpace(unique_names(labels), matrix, None, columns, origin)
    small = tuple(map(thumbnail, opened))
    return ClipScores(space, clip.name, clip.temperature, tuple(titles), tuple(sentences), small)


def encode_texts(clip: Clip, sentences: Sequence[str]) -> Float:
    """Return a unit vector for each sentence, (n, d).

    Raises:
        OptionError: A sentence has more tokens than the model reads.
    """
    import torch

    given = clip.tokenizer(list(sentences), padding=True, return_tensors="pt")
    longest = given["attention_mask"].sum(dim=1)
    if (most := int(longest.max())) > clip.limit:
        place = int(longest.argmax())
        raise OptionError(f"Sentence {place + 1} has {most:,} tokens; {clip.name} reads {clip.limit}. Shorten it.")
    with torch.inference_mode():
        found = clip.network.get_text_features(
            input_ids=given["input_ids"], attention_mask=given["attention_mask"]
        ).pooler_output
    return _unit(found)


def encode_pictures(clip: Clip, pictures: Sequence[Any], *, report: Report | None = None) -> Float:
    """Return a unit vector for each Pillow image, (n, d)."""
    import torch

    found = []
    for start in range(0, len(pictures), _BATCH):
        tell(report, start / len(pictures), f"Picture {start + 1} of {len(pictures)}")
        pixels = clip.processor(images=list(pictures[start : start + _BATCH]), return_tensors="pt")["pixel_values"]
        with torch.inference_mode():
            found.append(_unit(clip.network.get_image_features(pixel_values=pixels).pooler_output))
    return np.concatenate(found)


def _unit(rows: Any) -> Float:
    return np.asarray((rows / rows.norm(dim=-1, keepdim=True)).numpy(), np.float32)


def _check_count(count: int, most: int, noun: str) -> None:
    if not count:
        raise OptionError(f"There is no {noun}. Give one at least.")
    if count > most:
        raise OptionError(f"There are {count:,} {noun}s; at most {most} are compared. Take fewer.")


def _check_sentences(sentences: Sequence[str]) -> None:
    """Check that each sentence can be compared.

    Raises:
        OptionError: A sentence is empty, too long or repeated.
    """
    first: dict[str, int] = {}
    for place, sentence in enumerate(sentences, 1):
        if not sentence.strip():
            raise OptionError(f"Sentence {place} is empty. Write what a picture may show.")
        if len(sentence) > LONGEST:
            raise OptionError(f"Sentence {place} has {len(sentence):,} characters; at most {LONGEST} are read.")
        if sentence in first:
            raise OptionError(f"Sentences {first[sentence]} and {place} are the same. Delete one of them.")
        first[sentence] = place
