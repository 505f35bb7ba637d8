"""Clusters of texts in words, and how often near texts are of one group: planted groups, and none."""

import numpy as np
import pytest
from sklearn.metrics import silhouette_samples

from embedviz import corpus
from embedviz.core.options import OptionError
from embedviz.core.space import VectorSpace
from embedviz.core.texts import Texts
from embedviz.corpus import save_texts
from embedviz.projection import project
from embedviz.projection.coloring import REST
from embedviz.retrieval.cluster_words import cluster_words
from embedviz.retrieval.spaces import DOCUMENTS, text_space
from embedviz.retrieval.themes import (
    CLUSTERS,
    TextCluster,
    _silhouettes,
    group_scores,
    nearest_texts,
    scores_by_method,
    themes,
)

WORDS = {
    "sea": ["ship", "wave", "sail", "harbor", "tide", "anchor"],
    "kitchen": ["oven", "bread", "flour", "butter", "sugar", "dough"],
    "court": ["judge", "law", "trial", "jury", "verdict", "appeal"],
}


def planted(n=90, seed=0, shuffled=False):
    random = np.random.default_rng(seed)
    groups = [list(WORDS)[row % 3] for row in range(n)]
    sentence = [
        " ".join(["the", "and", "of", *random.choice(WORDS[group], 5), *random.choice(list("abcdefgh"), 3)])
        for group in groups
    ]
    labels = random.permutation(groups).tolist() if shuffled else groups
    return Texts(sentence, [f"t{row}" for row in range(n)], labels, "planted")


@pytest.fixture(scope="module")
def space():
    return text_space(planted(), "tfidf").space


@pytest.fixture(scope="module")
def found(space):
    return themes(space, k=3)


def test_planted_groups_are_found_and_named_by_their_words(space, found):
    assert [theme.size for theme in found.themes] == [30, 30, 30]
    for theme in found.themes:
        assert {term.word for term in theme.terms[:6]} == set(WORDS[theme.group])
        assert theme.purity == 1.0
        assert theme.usual == pytest.approx(1 / 3)
        assert not {"the", "and", "of"} & {term.word for term in theme.terms}
    assert found.agreement.rand.value == pytest.approx(1.0)
    assert found.agreement.purity.value == 1.0
    assert found.agreement.purity.shuffled < 0.6
    assert found.agreement.meaning.startswith("100\u00a0% of the texts belong to the largest group of their cluster")
    assert "they are drawn" not in found.meaning


def test_a_cluster_of_unlike_texts_is_mixed(space):
    random = np.random.default_rng(0)
    tight = [np.eye(6)[group] + random.normal(0, 0.05, 6) for group in (0, 1) for _ in range(30)]
    spread = random.normal(0, 1, (60, 6))
    matrix = np.asarray([*tight, *spread], np.float32)
    labels = np.repeat([0, 1, 2], [30, 30, 60])
    means = _silhouettes(VectorSpace([str(row) for row in range(120)], matrix), labels, 0)
    each = silhouette_samples(matrix / np.linalg.norm(matrix, axis=1, keepdims=True), labels)
    assert means == pytest.approx({cluster: each[labels == cluster].mean() for cluster in range(3)}, abs=1e-5)
    assert [TextCluster(30, (), (), silhouette=means[cluster]).mixed for cluster in range(3)] == [False, False, True]


def test_clusters_without_telling_words_have_names_of_their_own():
    lines = ["Bake it.", "Knead it.", "The violin sang.", "The drum beat.", "They won.", "He ran fast."]
    found = themes(text_space(Texts(lines, list("abcdef"), None, "few"), "tfidf").space, k=3)
    names = [theme.name for theme in found.themes]
    assert len(set(names)) == 3
    assert not all(theme.terms for theme in found.themes)
    assert all(theme.terms or lines[theme.central[0]].startswith(theme.name.rstrip("…")) for theme in found.themes)
    assert not any(theme.mixed for theme in found.themes if theme.size == 1)


def test_density_finds_how_many_groups_there_are_and_names_them(space):
    found = themes(space, "hdbscan", min_cluster_size=10)
    assert len(found.themes) == 3
    for theme in found.themes:
        assert {term.word for term in theme.terms[:5]} < set(WORDS[theme.group])
        assert theme.purity == 1.0
        assert theme.usual == pytest.approx(1 / 3)
    assert found.agreement.texts == 90 - found.outside
    assert found.agreement.rand.value == 1.0 > 0.2 > found.agreement.rand.best
    assert found.directions == 0
    assert "more and better separated than by chance" in found.meaning
    assert f"{found.outside} of 90 texts are in no cluster, grey" in found.note
    assert np.array_equal(found.coloring().codes == REST, found.labels < 0)


def test_texts_in_many_dimensions_are_clustered_in_their_first_directions():
    space = text_space(planted(n=300), "tfidf", columns=50, min_df=1).space
    noise = np.random.default_rng(2).normal(scale=0.01, size=(300, 60)).astype(np.float32)
    wide = VectorSpace(space.words, np.hstack([space.matrix, noise]), None, dict(space.metadata), space.origin)
    found = themes(wide, "hdbscan")
    assert found.directions == 50
    assert "in their first 50 singular directions" in found.note
    assert len(found.themes) == 3


@pytest.mark.parametrize("method", CLUSTERS)
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_very_few_texts_have_clusters_that_say_nothing_or_none(method, n):
    found = themes(text_space(planted(n=n), "tfidf").space, method)
    assert "are better separated" not in found.meaning
    assert "are separate" not in found.meaning
    assert len(found.labels) == n
    assert found.agreement is None or np.isfinite(found.agreement.rand.value)


def test_a_term_has_its_shares_by_hand(space, found):
    theme = found.themes[0]
    texts = list(space.metadata["text"])
    inside = [text for text, label in zip(texts, found.labels.tolist(), strict=True) if label == 0]
    for term in theme.terms:
        assert term.inside == pytest.approx(np.mean([term.word in text.split() for text in inside]))
        assert term.overall == pytest.approx(np.mean([term.word in text.split() for text in texts]))
    assert theme.terms[0].inside > 2 * theme.terms[0].overall


def test_shuffled_groups_are_found_no_better_than_chance():
    space = text_space(planted(shuffled=True, n=300), "tfidf").space
    scores = group_scores(space)
    assert scores.accuracies[1].value == pytest.approx(1 / 3, abs=0.1)
    assert "not significantly more than chance" in scores.meaning
    agreed = themes(space, k=3).agreement
    assert abs(agreed.rand.value) < 0.05
    assert "do not agree with the 3 known groups" in agreed.meaning or agreed.rand.value > agreed.rand.best


def test_near_texts_of_planted_groups_share_them(space):
    scores = group_scores(space)
    assert scores.accuracies[1].value == scores.accuracies[5].value == 1.0
    assert scores.accuracies[1].shuffled == pytest.approx(29 / 89, abs=0.08)
    assert (scores.largest, scores.groups, scores.sample) == (pytest.approx(1 / 3), 3, 90)


def test_the_accuracy_is_that_of_scikit_learn():
    from sklearn.model_selection import LeaveOneOut, cross_val_predict
    from sklearn.neighbors import KNeighborsClassifier

    random = np.random.default_rng(4)
    matrix = random.normal(size=(60, 4)).astype(np.float32)
    labels = np.where(matrix[:, 0] + 0.5 * random.normal(size=60) > 0, "a", "b")
    space = VectorSpace([f"t{row}" for row in range(60)], matrix, metadata={"group": labels.tolist()})
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    for k, mine in group_scores(space).accuracies.items():
        theirs = cross_val_predict(KNeighborsClassifier(k), unit, labels, cv=LeaveOneOut())
        assert mine.value == pytest.approx(np.mean(theirs == labels))


def test_a_text_of_no_words_is_in_no_cluster():
    texts = planted()
    sentence = [*texts.texts, "17 + 4"]
    space = text_space(Texts(sentence, [f"t{n}" for n in range(91)], None, "one more"), "tfidf").space
    found = themes(space, k=3)
    assert found.labels[-1] == -1
    assert found.agreement is None
    assert found.coloring().codes[-1] == REST
    assert found.table(space)[1][-1] == ("t90", "", "17 + 4")
    assert np.isfinite(nearest_texts(space, "t0").mean)


def test_many_clusters_are_colored_as_far_as_colors_go(space):
    found = themes(space, k=12, restarts=1)
    color = found.coloring(np.arange(50))
    assert len(color.labels) == 8
    assert len(color.codes) == 50
    assert color.note == "Color: the 8 largest of 12 clusters."


def test_nearest_texts_and_a_random_one(space):
    near = nearest_texts(space, "t0", 5)
    cosines = space.unit @ space.unit[0]
    assert [one.similarity for one in near.neighbors] == pytest.approx(np.sort(cosines[1:])[::-1][:5])
    assert near.mean == pytest.approx(cosines[1:].mean(), abs=1e-5)


def test_what_cannot_be_clustered_is_refused_in_a_sentence(space):
    words = VectorSpace(["a", "b", "c"], np.eye(3))
    with pytest.raises(OptionError, match="is not a space of texts"):
        themes(words)
    with pytest.raises(OptionError, match="No groups are known"):
        group_scores(words)
    with pytest.raises(OptionError, match="may be from 2"):
        themes(space, k=1)


def told_by(sentence, groups):
    made = text_space(Texts(sentence, [f"t{row}" for row in range(len(sentence))], groups, "told"), "tfidf").space
    return {theme.group: theme for theme in themes(made, k=2).themes}


def test_function_words_name_no_cluster():
    random = np.random.default_rng(3)
    idle = {"sea": "they were by the from of and", "court": "you could if the your of and"}
    groups = ["sea", "court"] * 30
    sentence = [" ".join([idle[group], *random.choice(WORDS[group], 4)]) for group in groups]
    named = told_by(sentence, groups)
    assert all({term.word for term in named[group].terms} <= set(WORDS[group]) for group in idle)
    other = [" ".join(f"{word}o" for word in text.split()) for text in sentence]
    assert {"theo", "ofo", "ando"}.isdisjoint(
        term.word for theme in told_by(other, groups).values() for term in theme.terms
    )


def test_a_word_of_a_few_texts_names_no_cluster_of_many():
    groups = ["sea", "court"] * 30
    sentence = [
        f"{'ship wave' if group == 'sea' else 'judge law'} {group[0]}q{'abcdefgh'[row // 8]}"
        for row, group in enumerate(groups)
    ]
    for group, theme in told_by(sentence, groups).items():
        assert theme.name == {"sea": "ship, wave", "court": "judge, law"}[group]


def test_every_method_is_checked_in_the_order_of_the_table(space, builtin, tmp_path):
    save_texts(planted(), tmp_path / "texts")
    found = scores_by_method(tmp_path / "texts", builtin)
    assert [*found] == [row.title for row in DOCUMENTS.values()]
    assert found["TF-IDF"].accuracies == group_scores(space).accuracies
    assert [*scores_by_method(tmp_path / "texts")] == ["TF-IDF", "LSA"]
    one = group_scores(text_space(planted(shuffled=True), "tfidf").space)
    value = one.accuracies[1].value
    assert one.margin_of(1) == pytest.approx(1.96 * (value * (1 - value) / one.sample) ** 0.5, rel=1e-4)


def boilerplate():
    """Messages of four subjects: their writers quote each other with the same words, in two thirds of each group."""
    subjects = {
        "space": ["orbit", "shuttle", "launch", "moon"],
        "hockey": ["puck", "goalie", "season", "rink"],
        "cars": ["engine", "brake", "wheel", "dealer"],
        "faith": ["church", "prayer", "gospel", "sermon"],
    }
    random, sentence, groups = np.random.default_rng(1), [], []
    for row in range(160):
        group = list(subjects)[row % 4]
        quoted = ["someone@example.edu writes in article", "posted to the com newsgroups"] if row % 12 < 8 else []
        sentence.append(" ".join([*quoted, *random.choice(subjects[group], 3), *random.choice(list("abcdefgh"), 2)]))
        groups.append(group)
    return sentence, np.asarray([list(subjects).index(group) for group in groups]), subjects


def test_clusters_have_names_of_their_own_without_the_phrases_of_messages():
    sentence, labels, subjects = boilerplate()
    words = cluster_words(sentence, labels, np.bincount(labels).tolist())
    for cluster, of in enumerate(words):
        assert {term.word for term in of[:3]} <= set(list(subjects.values())[cluster])
        assert not {"article", "writes", "com", "edu"} & {term.word for term in of}
    assert len({tuple(term.word for term in of[:3]) for of in words}) == 4


def test_a_word_that_is_frequent_in_most_clusters_names_none_of_them():
    sentence, labels, _ = boilerplate()
    marked = [f"{text} budget" if label < 3 else text for text, label in zip(sentence, labels.tolist(), strict=True)]
    words = cluster_words(marked, labels, np.bincount(labels).tolist())
    assert "budget" not in {term.word for of in words for term in of}
    twice = [f"{text} budget" if label < 2 else text for text, label in zip(sentence, labels.tolist(), strict=True)]
    words = cluster_words(twice, labels, np.bincount(labels).tolist())
    assert ["budget" in {term.word for term in of} for of in words] == [True, True, False, False]


def test_words_that_are_twice_as_frequent_as_elsewhere_come_before_frequent_words():
    sea = [f"{'people' if row < 70 else 'q'} {WORDS['sea'][row % 3]}" for row in range(100)]
    rest = [f"{'people' if row < 170 else 'q'} r{row % 7}s" for row in range(250)]
    rest += [f"c{row % 7}s" for row in range(155)]
    labels = np.repeat([1, 0, 2, 3], [100, 250, 78, 77])
    listed = [term.word for term in cluster_words([*sea, *rest], labels, [250, 100, 78, 77])[1]]
    assert {*listed[:3]} == {"ship", "wave", "sail"}
    assert listed[3:] == ["people"]


def test_the_columns_of_a_table_stay_beside_its_texts(tmp_path):
    table = tmp_path / "reviews.csv"
    sentence = ["The cat sleeps in house", "The dog barks in house"]
    lines = [f"{sentence[row % 2]} {row}.,{row % 3},{'xy'[row % 2]}" for row in range(40)]
    table.write_text("\n".join(["review,stars,shop", *lines]))
    texts, _ = corpus.read_texts(table, group="none")
    assert {name: [*values][:3] for name, values in texts.columns.items()} == {
        "stars": ["0", "1", "2"],
        "shop": ["x", "y", "x"],
    }
    corpus.save_texts(texts, tmp_path / "kept")
    space = text_space(corpus.open_texts(tmp_path / "kept"), "tfidf").space
    assert space.metadata["stars"].tolist() == [row % 3 for row in range(40)]
    by_shop = group_scores(space, column="shop")
    assert (by_shop.groups, by_shop.accuracies[1].value) == (2, 1.0)
    with pytest.raises(OptionError, match=r"no column “color”.*stars, shop"):
        group_scores(space, column="color")
    found, drawn = themes(space, k=2), project(space, np.arange(30), "pca")
    header, rows = found.table(space, drawn)
    assert header == ("name", "cluster", "stars", "shop", "x", "y", "text")
    assert rows[3][2:] == (0, "y", *drawn.points[3].tolist(), texts.texts[3])  # numbers: no spreadsheet computes them
    assert rows[35][4:] == ("", "", texts.texts[35])
    space.save(tmp_path / "saved")
    again = corpus.open_texts(tmp_path / "saved")
    assert ([*again.texts], [*again.columns["stars"]][:3]) == ([*texts.texts], ["0", "1", "2"])
