"""Cost of encoding texts: the texts and tokens that are not cached, and the seconds at a measured rate."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from embedviz.contextual.encoder import BUILTIN
from embedviz.core.phrases import counted, duration, two_digits
from embedviz.core.progress import Report, tell
from embedviz.corpus import opened
from embedviz.retrieval.spaces.encoded import OWN, by_sentence, encoder_of

SAMPLE = 24
"""Number of texts that are encoded to measure the rate; their vectors are cached and used later."""


@dataclass(frozen=True)
class EncodingCost:
    """The cost of an encoding.

    Attributes:
        model: Name of the encoder.
        unit: What a row is: *text* or *sentence*.
        texts: Number of rows.
        known: Number of rows whose vectors are cached, the sample included.
        tokens: Estimated number of tokens in the other rows; 0 if all rows are cached.
        rate: Tokens per second; 0 if nothing was measured because all rows are cached.
        sample: Number of rows that the rate was measured with.
    """

    model: str
    unit: str
    texts: int
    known: int
    tokens: float
    rate: float
    sample: int

    @property
    def seconds(self) -> float:
        """Return the estimated duration of the encoding, in seconds."""
        return self.tokens / self.rate if self.rate else 0.0

    @property
    def meaning(self) -> str:
        """Say how many rows the encoder has to read, and how long this takes."""
        if self.known == self.texts:
            return f"The vectors of all {counted(self.texts, self.unit)} are kept from an earlier encoding."
        sentence = (
            f"{self.model} has to read {counted(self.texts - self.known, self.unit)}, about {two_digits(self.tokens)} "
        )
        return f"{sentence}tokens. This takes about {duration(self.seconds)}."

    @property
    def note(self) -> str:
        """Say how many rows are cached, and how the rate was measured."""
        known = f"{counted(self.known, self.unit)} of {self.texts:,} cost nothing: their vectors are kept. "
        rate = f"Measured with {counted(self.sample, self.unit)}: {two_digits(self.rate)} tokens per second."
        return f"{known if self.known else ''}{rate if self.rate else ''}".strip()


def encoding_cost(
    source: str | Path,
    *,
    model: str | Path = BUILTIN,
    unit: str = "text",
    pooling: str = OWN,
    report: Report | None = None,
    **options: Any,
) -> EncodingCost:
    """Return an estimate of the tokens and seconds that `encoder_space` needs for these texts.

    To measure the rate, up to 24 texts (or sentences) that are not cached are encoded.

    Args:
        source: The texts, as `corpus.opened` takes them.
        model, unit, pooling, options: As for `encoder_space`.

    Raises:
        CorpusError: There are no such texts.
        EncoderError, OptionError: As for `encoder_space`.
    """
    texts = opened(source)
    rows = (texts if unit == "text" else by_sentence(texts)).texts
    tell(report, 0.0, "loading the encoder")
    encoder, way = encoder_of(model, unit, pooling, options)
    known = way.known(rows)
    new = [text for row, text in enumerate(rows) if row not in known]
    if not new:
        return EncodingCost(encoder.name, unit, len(rows), len(rows), 0.0, 0.0, 0)
    way.read_texts(new[:1])  # warm up: the first text takes longer than the others
    places = np.unique(np.linspace(0, len(new) - 1, SAMPLE).astype(int))
    sample = [new[place] for place in places.tolist()]
    tell(report, 0.5, f"measuring the rate with {counted(len(sample), unit)}")
    began = time.perf_counter()
    tokens = way.read_texts(sample, keep=True).pieces
    rate = max(tokens, 1) / max(time.perf_counter() - began, 1e-6)
    known = way.known(rows)
    left = sum(len(text) for row, text in enumerate(rows) if row not in known)
    estimated = left * tokens / max(1, sum(map(len, sample)))
    return EncodingCost(encoder.name, unit, len(rows), len(known), estimated, rate, len(sample))
