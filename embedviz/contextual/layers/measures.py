"""The measures of a layer: the table `MEASURES`, with the functions that compute the values and their baselines."""

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
    LayerEstimate,
    LayerLook,
    Value,
    interval,
    summed,
)
from embedviz.contextual.layers.sample import LEAST
from embedviz.core.phrases import value_or_dash
from embedviz.geometry.isotropy.moments import isoscore, isotropic_spectrum, normal_length_spread
from embedviz.geometry.isotropy.tokens import explainable

_ROUNDING = 1e-7


@dataclass(frozen=True)
class LayerMeasure:
    """One row of `MEASURES`.

    Attributes:
        function: Computes the value of a layer.
        summary: The definition, in one or two sentences.
        source: The paper that defines the measure; empty for a measure without a paper.
        subject: The subject of a sentence about the value; `against`: the baseline in a few words.
        question: The heading of the figure; `axis`: the title of the y axis; `means`: how to read the value.
        advice: What to compare the value with, in a sentence.
        digits: Number of decimals; `shares`: whether the value is a share, shown in percent.
    """

    name: str
    title: str
    function: Callable[[LayerLook], Result]
    summary: str
    source: str
    subject: str
    against: str
    question: str
    axis: str
    means: str
    advice: str = ""
    digits: int = 2
    shares: bool = False

    def say(self, value: float | None) -> str:
        """Format a value; a dash for None."""
        return value_or_dash(value, self.digits, shares=self.shares)


Result = tuple[Value, LayerEstimate | None]
"""The result of a measure: the value, and the estimate for comparing layers (None if layers are not compared)."""
NOTHING: Result = (Value(None), None)


def _result(found: LayerEstimate | None, chance: float | None = None, isotropic: float | None = None) -> Result:
    return NOTHING if found is None else (interval(found, chance, isotropic), found)


def _baseline(seen: LayerLook) -> Result:
    return _result(seen.base, isotropic=0.0)


def _baseline_all(seen: LayerLook) -> Result:
    return _result(seen.pairs(seen.tokens.any_each), isotropic=0.0)


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
    """Return the intra-sentence similarity of unrelated tokens: the mean over sentences of 1 ÷ √(number of tokens)."""
    return float(np.mean(1 / np.sqrt(np.bincount(seen.tokens.sentence))))


def _explained(seen: LayerLook, *, centered: bool = False, adjusted: bool = False) -> Result:
    if seen.groups is None:
        return NOTHING
    own, other = (_over_words(explainable(each, centered=centered)) for each in seen.groups)
    if own is None or other is None:
        return NOTHING
    # the interval resamples words only; words of one text are similar, so no estimate is given to compare layers
    if adjusted:
        return interval(own.less(other), 0.0, 0.0), None
    return interval(own, other.value, _isotropic_explained(seen.dimensions, centered)), None


def _over_words(values: Doubles) -> LayerEstimate | None:
    """Return the mean of `values`, one per word, with an error from resampling words; None without a finite value."""
    known = np.isfinite(values)
    if not known.any():
        return None
    middle = float(values[known].mean())
    return LayerEstimate(middle, np.zeros(0), np.where(known, values - middle, 0.0) / known.sum())


@cache
def _isotropic_explained(dimensions: int, centered: bool) -> float:
    rows = np.random.default_rng(0).standard_normal((GROUPS, EQUAL, dimensions)).astype(np.float32)
    return float(np.nanmean(explainable(rows, centered=centered)))


def _norm(seen: LayerLook) -> Result:
    return _result(seen.mean(seen.norms[seen.tokens.one_each].astype(np.float64)))


def _norm_spread(seen: LayerLook) -> Result:
    """Return the standard deviation of the vectors' lengths ÷ their mean, with an error by the delta method."""
    norms = seen.norms[seen.tokens.one_each].astype(np.float64)
    mean, spread = float(norms.mean()), float(norms.std())
    if not mean > 0:
        return NOTHING
    ratio, shift = spread / mean, norms - mean
    each = ratio * ((shift**2 - spread**2) / max(2 * spread**2, _ROUNDING) - shift / mean) / len(norms)
    found = LayerEstimate(ratio, summed(seen.tokens.unit, each), np.zeros(0))
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
_UNRELATED = "random directions"

MEASURES: dict[str, LayerMeasure] = {
    row.name: row
    for row in (
        LayerMeasure(
            "baseline",
            "Mean cosine of random words",
            _baseline,
            "Mean cosine of two words from different sentences. Isotropic vectors give 0. Compare other cosines of the "
            "layer with this value.",
            _PAPER,
            subject="The mean cosine of two random words",
            against=_UNRELATED,
            question="How alike are random words at each layer?",
            axis="mean cosine of two random words (1: same direction)",
            means="Near 0 is good: the higher it is, the more alike unrelated words look.",
            advice="Subtract this baseline before you compare cosines.",
            digits=3,
        ),
        LayerMeasure(
            "baseline_all",
            "Baseline with punctuation",
            _baseline_all,
            "The same for all tokens except special tokens, as in the published curves.",
            _PAPER,
            subject="The mean cosine of two random tokens, punctuation included,",
            against=_UNRELATED,
            question="How alike are random tokens at each layer?",
            axis="mean cosine of two random tokens (1: same direction)",
            means="Near 0 is good: the higher it is, the more alike unrelated tokens look.",
            advice="Subtract this baseline before you compare cosines.",
            digits=3,
        ),
        LayerMeasure(
            "self_similarity",
            "Self-similarity",
            _self,
            f"Mean cosine of two occurrences of a word, over words with {LEAST} occurrences or more. At layer 0 only "
            "the position differs.",
            _PAPER,
            subject="The mean cosine of two occurrences of a word",
            against="two random words",
            question="How alike are the occurrences of a word?",
            axis="mean cosine of two occurrences",
            means="Low is no fault: the vector of a word then depends more on its sentence.",
            advice="Compare it with two random words.",
        ),
        LayerMeasure(
            "self_similarity_adjusted",
            "Self-similarity, adjusted",
            _self_adjusted,
            "Self-similarity minus the anisotropy baseline of the layer.",
            _PAPER,
            subject="The mean cosine of two occurrences of a word, minus the baseline,",
            against="two random words",
            question="How alike are the occurrences of a word?",
            axis="mean cosine minus baseline",
            means="Low is no fault: the vector of a word then depends more on its sentence.",
            advice="0: no more alike than random words.",
        ),
        LayerMeasure(
            "intra",
            "Intra-sentence similarity",
            _intra,
            "Mean cosine of a token with the mean of its sentence. The token is part of that mean, so shuffled tokens "
            "have a high value too.",
            _PAPER,
            subject="The mean cosine of a token with the mean of its sentence",
            against="shuffled tokens",
            question="How alike are the words of a sentence?",
            axis="mean cosine with the sentence mean",
            means="High is no fault: the words of a sentence are then more alike.",
            advice="Compare it with shuffled tokens.",
        ),
        LayerMeasure(
            "intra_adjusted",
            "Intra-sentence similarity, adjusted",
            _intra_adjusted,
            "The same minus the anisotropy baseline of the layer, as in the paper. Compare it with shuffled tokens.",
            _PAPER,
            subject="The mean cosine of a token with the mean of its sentence, minus the baseline,",
            against="shuffled tokens",
            question="How alike are the words of a sentence?",
            axis="mean cosine minus baseline",
            means="High is no fault: the words of a sentence are then more alike.",
            advice="Compare it with shuffled tokens.",
        ),
        LayerMeasure(
            "explained",
            "Explainable variance",
            _explained,
            f"σ₁² ÷ Σ σᵢ² of {EQUAL} occurrences of a word, not centered (MEV). The values "
            "printed in Ethayarajh (2019) are not comparable: they are of another quantity.",
            _PAPER,
            subject=f"The share of the squared lengths of {EQUAL} occurrences of a word that one direction holds",
            against=f"{EQUAL} random words",
            question="Can one vector stand for a word?",
            axis="share of one direction",
            means="Low is no fault: one fixed vector per word would then lose more.",
            advice="Compare it with random words.",
            shares=True,
        ),
        LayerMeasure(
            "explained_adjusted",
            "Explainable variance, adjusted",
            lambda seen: _explained(seen, adjusted=True),
            f"The same minus the ratio of {EQUAL} random words.",
            _PAPER,
            subject=(
                f"The share of the squared lengths of {EQUAL} occurrences of a word that one direction holds, minus "
                "that of random words,"
            ),
            against="random words",
            question="Can one vector stand for a word?",
            axis="share of one direction minus random",
            means="Low is no fault: one fixed vector per word would then lose more.",
            advice="0: no better than random words.",
        ),
        LayerMeasure(
            "explained_centered",
            "Explainable variance, centered",
            lambda seen: _explained(seen, centered=True),
            f"The same after centering, as in PCA. It is never below 1 ÷ {EQUAL - 1}.",
            "",
            subject=f"The first component’s share of the variance of {EQUAL} occurrences of a word",
            against=f"{EQUAL} random words",
            question="Do occurrences vary in one direction?",
            axis="share of the first component",
            means="High is no fault: the occurrences of a word then differ in few ways.",
            advice="Compare it with random words.",
            shares=True,
        ),
        LayerMeasure(
            "norm",
            "Mean length",
            _norm,
            "Mean length of one word from each sentence. It has no baseline, since the scale of a layer is arbitrary.",
            "",
            subject="The mean length of a word’s vector",
            against="",
            question="How long are the vectors at each layer?",
            axis="mean length",
            means="Do not compare lengths of two layers: the scale of a layer is arbitrary.",
            advice="Cosines do not depend on it.",
        ),
        LayerMeasure(
            "norm_spread",
            "Spread of lengths",
            _norm_spread,
            "Standard deviation ÷ mean of these lengths.",
            "",
            subject="The spread of lengths",
            against=_ISOTROPIC,
            question="How much do the lengths differ?",
            axis="standard deviation ÷ mean",
            means="Neither is a fault: cosines do not depend on lengths.",
            advice="Cosines do not depend on it.",
            shares=True,
        ),
        LayerMeasure(
            "isoscore",
            "IsoScore",
            _isoscore,
            "0: all variance in one direction; 1: equal variance in all. It ignores the mean vector.",
            "Rudman et al. 2022",
            subject="IsoScore",
            against=_ISOTROPIC,
            question="Is the variance equal in all directions?",
            axis="IsoScore",
            means="High is good: all directions are then used about equally.",
        ),
        LayerMeasure(
            "rogue_share",
            "Top dimension",
            _rogue_share,
            "Largest share of one dimension in the mean cosine. Not shown where the mean cosine is near 0.",
            "Timkey and van Schijndel 2021",
            subject="The top dimension’s share of the mean cosine of two words",
            against="equal shares",
            question="How much does the top dimension add?",
            axis="share of the mean cosine",
            means="Low is good: at a high share, one dimension decides which words look alike.",
            shares=True,
        ),
        LayerMeasure(
            "rogue_agreement",
            "Cosines without it",
            _rogue_agreement,
            f"r² between cosines with and without the top dimension, over {PAIRS:,} random pairs of words. 1: the "
            "dimension does not matter.",
            "Timkey and van Schijndel 2021",
            subject="The agreement of cosines without the top dimension with those of all",
            against="isotropic, 1 − 1 ÷ d",
            question="Do cosines need the top dimension?",
            axis="r² with and without it",
            means="Near 1 is good: no single dimension then decides which words look alike.",
        ),
    )
}
