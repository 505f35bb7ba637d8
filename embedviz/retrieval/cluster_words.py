"""Words that tell clusters of texts apart.

The score of a word in a cluster is p · log(p / q). Here p is the share of the cluster's texts that contain the word,
and q is the same share among all other texts. This is class-based TF-IDF (Grootendorst 2022) with shares of texts
instead of counts. So a single text that repeats a word has little influence. Function words, single Latin letters and
words that are frequent in most clusters are left out; if the texts are e-mails, so are typical words of e-mails. Words
that are at least twice as frequent in the cluster as in the other texts come first. Other words also describe many
texts outside the cluster.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embedviz.core.space import Ints
from embedviz.corpus import Terms, count_terms
from embedviz.corpus.function_words import function_words

TERMS = 8
"""Maximum number of words listed for a cluster."""
_LEAST = 2  # minimum number of the cluster's texts that contain a listed word
_OFTEN = 0.25  # minimum share of the cluster's texts with a listed word, or half the largest such share if that is less
_TELLING = 2.0  # minimum of (share of the cluster's texts ÷ share of other texts) for words that come first
_MESSAGES = 0.1  # minimum share of texts with an e-mail address for leaving out words of e-mails
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.\w")
_EMAIL = """
please thanks thank hi hello dear regards posted article articles writes wrote com edu net org gov ca uk ac cs
subject lines nntp posting host reply replies distribution organization newsgroups mail email address fax
internet www http https ftp usenet fwd
"""
Shares = NDArray[np.float64]


class ClusterWord(NamedTuple):
    """A word of a cluster, with the share of the cluster's texts and of all texts that contain it."""

    word: str
    inside: float
    overall: float


def cluster_words(texts: Sequence[str], labels: Ints, sizes: Sequence[int]) -> list[tuple[ClusterWord, ...]]:
    """Return for each cluster the words that describe it, at most `TERMS`, the best first.

    The score of a word is p · log(p / q). Here p is its share of the cluster's texts, and q its share of the other
    texts. Words at least twice as frequent in the cluster as in other texts come first. Within both groups, words whose
    highest score is in this cluster come first. Words of equal standing are in order of score.

    Args:
        labels: Cluster of each text, (n,); −1 for a text in no cluster.
        sizes: Number of texts in each cluster, (k,).
    """
    terms = count_terms(texts)
    inside = np.stack(
        [np.asarray(terms.counts[labels == cluster].count_nonzero(axis=0)).ravel() for cluster in range(len(sizes))]
        or [np.zeros(len(terms.vocabulary))]
    ).astype(np.float64)
    parts = inside / np.maximum(1, np.asarray([*sizes] or [0]))[:, None]
    scores = _scores(inside, parts, np.asarray([*sizes] or [0]), terms.documents, len(terms))
    scores[:, _left_out(texts, terms) | _in_most(parts)] = 0.0
    telling = _telling(inside, parts, np.asarray([*sizes] or [0]), terms.documents, len(terms))
    best = scores.argmax(axis=0)
    overall = terms.documents / max(1, len(terms))
    listed = []
    for cluster, size in enumerate(sizes):
        score, part = scores[cluster], parts[cluster]
        score = np.where(inside[cluster] < min(_LEAST, size), 0.0, score)
        often = part[score > 0].max(initial=0.0)
        score = np.where(part < min(_OFTEN, often / 2), 0.0, score)
        order = np.lexsort((-score, best != cluster, ~telling[cluster]))
        chosen = [place for place in order.tolist() if score[place] > 0][:TERMS]
        listed.append(
            tuple(ClusterWord(terms.vocabulary[one], float(part[one]), float(overall[one])) for one in chosen)
        )
    return listed


def _scores(inside: Shares, parts: Shares, sizes: Ints, documents: Any, texts: int) -> Shares:
    """Return the score p · log(p / q) of each word in each cluster, at least 0, (k, V).

    p is the share of the cluster's texts that contain the word, and q the share of all other texts. In the logarithm, a
    share is (texts with the word + 0.5) / (all texts + 1), so that no share is 0.

    Args:
        inside, parts: Number, and share, of the cluster's texts that contain the word, (k, V).
        sizes: Number of texts in each cluster, (k,).
        documents: Document frequency of each word, (V,).
        texts: Number of all texts.
    """
    outside = np.maximum(0.0, documents[None, :] - inside)
    here = (inside + 0.5) / (sizes[:, None] + 1)
    there = (outside + 0.5) / (texts - sizes[:, None] + 1)
    scores: Shares = np.maximum(0.0, parts * np.log(here / there))
    return scores


def _telling(inside: Shares, parts: Shares, sizes: Ints, documents: Any, texts: int) -> NDArray[np.bool_]:
    """Return which words are at least twice as frequent in a cluster as in the texts outside it, (k, V).

    The arguments are those of `_scores()`.
    """
    outside = np.maximum(0.0, documents[None, :] - inside) / np.maximum(1, texts - sizes)[:, None]
    found: NDArray[np.bool_] = parts >= _TELLING * outside
    return found


def _in_most(parts: Shares) -> NDArray[np.bool_]:
    """Return which words are frequent in more than half of the clusters, (V,).

    A word is frequent in a cluster if its share there is at least half its largest share in any cluster.
    """
    if len(parts) < 2:
        return np.zeros(parts.shape[1], bool)
    many: NDArray[np.bool_] = (parts >= parts.max(axis=0) / 2).sum(axis=0) > len(parts) / 2
    return many


def _left_out(texts: Sequence[str], terms: Terms) -> NDArray[np.bool_]:
    """Return which words name no subject, (V,): function words, single Latin letters, typical words of e-mails.

    Words of e-mails are left out only if the texts are e-mails.
    """
    idle = function_words(terms.vocabulary, terms.documents, len(terms))
    some = texts[:: max(1, len(texts) // 500)]
    if some and sum(bool(_ADDRESS.search(text)) for text in some) >= _MESSAGES * len(some):
        idle = idle | frozenset(_EMAIL.split())
    return np.asarray([word in idle or (len(word) == 1 and word.isascii()) for word in terms.vocabulary], bool)
