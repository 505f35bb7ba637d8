"""What is measured of a layer. `MEASURES` has a row for each number, beside what chance and an isotropic space give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from embedviz.contextual.layers.look import (
    EQUAL,
    GROUPS,
    PAIRS,
    Doubles,
    Estimate,
    LayerLook,
    Value,
    interval,
    summed,
)
from embedviz.contextual.layers.sample import LEAST
from embedviz.core.phrases import number, share
from embedviz.geometry.isotropy.moments import isoscore, isotropic_spectrum, normal_length_spread
from embedviz.geometry.isotropy.tokens import explainable

_ROUNDING = 1e-7


@dataclass(frozen=True)
class LayerMeasure:
    """One row of `MEASURES`.

    Attributes:
        summary: What the number is and how not to misread it.
        source: The paper.
        subject: What the number is of, as a sentence begins; `against`: what its baseline is, in a few words.
        digits: Decimals that are said; `shares`: whether it is a share, said in percent.
    """

    name: str
    title: str
    function: Callable[[LayerLook], Result]
    summary: str
    source: str
    subject: str
    against: str
    digits: int = 2
    shares: bool = False

    def say(self, value: float | None) -> str:
        """Return the value as people read it."""
        return "–" if value is None else share(value) if self.shares else number(value, self.digits)


Result = tuple[Value, Estimate | None]
"""What a measure gives: the value, and what is behind its interval."""
NOTHING: Result = (Value(None), None)


def _result(found: Estimate | None, chance: float | None = None, isotropic: float | None = None) -> Result:
    return NOTHING if found is None else (interval(found, chance, isotropic), found)


def _baseline(seen: LayerLook) -> Result:
    return _result(seen.base, isotropic=0.0)


def _baseline_all(seen: LayerLook) -> Result:
    return _result(seen.pairs(seen.kept.any_each), isotropic=0.0)


def _self(seen: LayerLook) -> Result:
    return _result(seen.mean_similarity, seen.base.value, 0.0)


def _self_adjusted(seen: LayerLook) -> Result:
    found = seen.mean_similarity
    return NOTHING if found is None else _result(found.less(seen.base), 0.0, 0.0)


def _intra(seen: LayerLook) -> Result:
    return _result(seen.intra, seen.dealt, _of_unrelated(seen))


def _intra_adjusted(seen: LayerLook) -> Result:
    if seen.intra is None:
        return NOTHING
    dealt = None if seen.dealt is None else seen.dealt - seen.base.value
    return _result(seen.intra.less(seen.base), dealt, _of_unrelated(seen))


def _of_unrelated(seen: LayerLook) -> float:
    """Return what unrelated tokens give: 1 ÷ √n for each sentence of n, on average."""
    return float(np.mean(1 / np.sqrt(np.bincount(seen.kept.sentence))))


def _explained(seen: LayerLook, *, centered: bool = False, adjusted: bool = False) -> Result:
    if seen.groups is None:
        return NOTHING
    own, other = (_over_words(explainable(each, centered=centered)) for each in seen.groups)
    if own is None or other is None:
        return NOTHING
    # the interval is that of other words; layers are not compared by it, since words of one text are alike
    if adjusted:
        return interval(own.less(other), 0.0, 0.0), None
    return interval(own, other.value, _isotropic_explained(seen.dimensions, centered)), None


def _over_words(values: Doubles) -> Estimate | None:
    """Return the mean of a number for each word."""
    known = np.isfinite(values)
    if not known.any():
        return None
    middle = float(values[known].mean())
    return Estimate(middle, np.zeros(0), np.where(known, values - middle, 0.0) / known.sum())


@cache
def _isotropic_explained(dimensions: int, centered: bool) -> float:
    rows = np.random.default_rng(0).standard_normal((GROUPS, EQUAL, dimensions)).astype(np.float32)
    return float(np.nanmean(explainable(rows, centered=centered)))


def _norm(seen: LayerLook) -> Result:
    return _result(seen.mean(seen.norms[seen.kept.one_each].astype(np.float64)))


def _norm_spread(seen: LayerLook) -> Result:
    """Return the deviation over the mean; what a sentence adds is its first-order share of both."""
    norms = seen.norms[seen.kept.one_each].astype(np.float64)
    mean, spread = float(norms.mean()), float(norms.std())
    if not mean > 0:
        return NOTHING
    ratio, shift = spread / mean, norms - mean
    each = ratio * ((shift**2 - spread**2) / max(2 * spread**2, _ROUNDING) - shift / mean) / len(norms)
    found = Estimate(ratio, summed(seen.kept.unit, each), np.zeros(0))
    return _result(found, isotropic=normal_length_spread(seen.dimensions))


def _isoscore(seen: LayerLook) -> Result:
    if seen.values is None or (value := isoscore(seen.values, seen.dimensions)) is None:
        return NOTHING
    live = int((seen.space.norms > 0).sum())
    return Value(value, isotropic=_isotropic_score(live, seen.dimensions)), None


@cache
def _isotropic_score(count: int, dimensions: int) -> float | None:
    return isoscore(isotropic_spectrum(count, dimensions), dimensions)


def _rogue_share(seen: LayerLook) -> Result:
    found = seen.rogues[0].share if seen.rogues else None
    return NOTHING if found is None else (Value(found, isotropic=1 / seen.dimensions), None)


def _rogue_agreement(seen: LayerLook) -> Result:
    if not seen.striking or seen.striking[0].struck != 1:
        return NOTHING
    return Value(seen.striking[0].agreement, isotropic=seen.striking[0].isotropic), None


_PAPER = "Ethayarajh 2019"
_ISOTROPIC = "isotropic"

MEASURES: dict[str, LayerMeasure] = {
    row.name: row
    for row in (
        LayerMeasure(
            "baseline",
            "Anisotropy baseline",
            _baseline,
            "One word drawn from each sentence, all pairs of them. What is above 0 any two words share on average; "
            "hold cosines of this layer against it.",
            _PAPER,
            subject="The mean cosine of two words from different sentences",
            against=_ISOTROPIC,
            digits=3,
        ),
        LayerMeasure(
            "baseline_all",
            "Baseline with punctuation",
            _baseline_all,
            "The same of all tokens but special ones, as the published curves have it.",
            _PAPER,
            subject="The mean cosine of two tokens from different sentences, punctuation among them,",
            against=_ISOTROPIC,
            digits=3,
        ),
        LayerMeasure(
            "self_similarity",
            "Self-similarity",
            _self,
            f"Mean over words that occur {LEAST} times or more, all pairs of each. Where positions are added to "
            "the input, as in BERT, they alone keep it below 1 at layer 0.",
            _PAPER,
            subject="The mean cosine of two occurrences of a word",
            against="two random words",
        ),
        LayerMeasure(
            "self_similarity_adjusted",
            "Self-similarity, adjusted",
            _self_adjusted,
            "Self-similarity minus the layer's baseline: how much a word has of its own.",
            _PAPER,
            subject="The mean cosine of two occurrences of a word, less the baseline,",
            against="two random words",
        ),
        LayerMeasure(
            "intra",
            "Intra-sentence similarity",
            _intra,
            "Each token is a part of that mean, so that tokens dealt to sentences at random have much of it too.",
            _PAPER,
            subject="The mean cosine of a token with the mean of its sentence",
            against="tokens dealt anew",
        ),
        LayerMeasure(
            "intra_adjusted",
            "Intra-sentence similarity, adjusted",
            _intra_adjusted,
            "Minus the layer's baseline, as in the paper. That leaves in what a token adds to its own mean: hold it "
            "against tokens dealt anew.",
            _PAPER,
            subject="The mean cosine of a token with the mean of its sentence, less the baseline,",
            against="tokens dealt anew",
        ),
        LayerMeasure(
            "explained",
            "Explainable variance",
            _explained,
            f"σ₁² ÷ Σ σᵢ² of the occurrences as they are (MEV), {EQUAL} drawn of each word, since it depends on how "
            "many. Near the self-similarity; the paper's printed figures are of another quantity.",
            _PAPER,
            subject=f"The share of the squared lengths of {EQUAL} occurrences of a word that one direction holds",
            against=f"{EQUAL} random words",
            shares=True,
        ),
        LayerMeasure(
            "explained_adjusted",
            "Explainable variance, adjusted",
            lambda seen: _explained(seen, adjusted=True),
            f"Minus the same ratio of {EQUAL} random words.",
            _PAPER,
            subject=(
                f"The share of the squared lengths of {EQUAL} occurrences of a word that one direction holds, less "
                "that of random words,"
            ),
            against="random words",
        ),
        LayerMeasure(
            "explained_centered",
            "Explainable variance, centered",
            lambda seen: _explained(seen, centered=True),
            f"The same about the occurrences' mean, as PCA has it: never below 1 ÷ {EQUAL - 1}.",
            "",
            subject=f"The first component's share of the variance of {EQUAL} occurrences of a word",
            against=f"{EQUAL} random words",
            shares=True,
        ),
        LayerMeasure(
            "norm",
            "Mean length",
            _norm,
            "Of one word a sentence, as for the baseline. It has no chance value: the scale of a layer is free.",
            "",
            subject="The mean length of a word's vector",
            against="",
        ),
        LayerMeasure(
            "norm_spread",
            "Spread of lengths",
            _norm_spread,
            "Standard deviation ÷ mean of the same lengths.",
            "",
            subject="The spread of lengths",
            against=_ISOTROPIC,
            shares=True,
        ),
        LayerMeasure(
            "isoscore",
            "IsoScore",
            _isoscore,
            "0: all variance in one direction, 1: the same in all. It leaves the mean out, and so cannot see a cone.",
            "Rudman et al. 2022",
            subject="IsoScore",
            against=_ISOTROPIC,
        ),
        LayerMeasure(
            "rogue_share",
            "Top dimension",
            _rogue_share,
            "The greatest share of a single dimension in the mean cosine; none is given where that is next to nothing.",
            "Timkey and van Schijndel 2021",
            subject="The top dimension's share of the mean cosine of two words",
            against="if all added alike",
            shares=True,
        ),
        LayerMeasure(
            "rogue_agreement",
            "Cosines without it",
            _rogue_agreement,
            f"r² over {PAIRS:,} random pairs of words: how little one dimension rules the cosines.",
            "Timkey and van Schijndel 2021",
            subject="The agreement of cosines without the top dimension with those of all",
            against="isotropic, 1 − 1 ÷ d",
        ),
    )
}
