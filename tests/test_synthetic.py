"""Made-up spaces are what their summaries say, have addresses, and open on every page and in every command."""

import numpy as np
import pytest
from scipy.stats import kstest
from sklearn.neighbors import NearestNeighbors

from embedviz import catalog
from embedviz.catalog import Recipe, RecipeError, open_space
from embedviz.core.options import OptionError
from embedviz.evaluation import evaluate
from embedviz.synthetic import SYNTHETIC, english_words, synthetic_space
from embedviz.testsets import datasets
from tests.cli.test_cli import answer, run
from tests.pages.test_pages import PAGES
from tests.visit import html, opened

SMALL = "synthetic:noise(n=120,d=8)"
WITH_SPACE = ("start/home", "words/", "quality/", "make/open", "make/trajectory")
"""The pages that show the space in use."""
CLUSTERS = "synthetic:clusters(n=120,d=8,clusters=3)"


@pytest.fixture(autouse=True)
def nothing_opened(own_folders, monkeypatch):
    """Folders of this test alone, and no file that another test has opened."""
    monkeypatch.delenv(catalog.OPENED, raising=False)


def same_column(space, k=10):
    """The share of the k nearest rows that have a row's own cluster."""
    codes = np.asarray(list(space.metadata["cluster"]))
    near = NearestNeighbors(n_neighbors=k + 1).fit(space.matrix).kneighbors(return_distance=False)[:, :k]
    return float((codes[near] == codes[:, None]).mean())


@pytest.mark.parametrize("kind", SYNTHETIC)
def test_each_kind_has_its_size_and_unique_words_and_is_the_same_at_the_same_seed(kind):
    one, again, other = (synthetic_space(kind, n=200, d=12, seed=seed) for seed in (3, 3, 4))
    assert one.matrix.shape == (200, 12)
    assert len(one.index) == 200
    assert np.isfinite(one.matrix).all()
    np.testing.assert_array_equal(one.matrix, again.matrix)
    assert np.abs(one.matrix - other.matrix).max() > 0.1
    assert one.origin.order == "none"
    assert one.origin.note.startswith("Made up.")
    assert "n=200" in one.origin.name


def test_noise_is_normal():
    space = synthetic_space("noise", n=2_000, d=10, seed=1)
    assert kstest(space.matrix.ravel(), "norm").pvalue > 1e-3
    assert np.abs(np.corrcoef(space.matrix.T) - np.eye(10)).max() < 0.12


@pytest.mark.parametrize(("clusters", "d"), [(2, 2), (5, 50), (9, 3), (40, 2)])
def test_the_nearest_centers_are_as_far_apart_as_the_strength_says(clusters, d):
    space = synthetic_space("clusters", n=8_000, d=d, clusters=clusters, strength=30)
    codes = np.asarray(list(space.metadata["cluster"]))
    centers = np.stack([space.matrix[codes == name].mean(axis=0) for name in np.unique(codes)])
    assert len(centers) == clusters
    apart = np.linalg.norm(centers[:, None] - centers, axis=2)[~np.eye(clusters, dtype=bool)]
    assert apart.min() == pytest.approx(30, abs=1.5)
    around = space.matrix - centers[np.unique(codes, return_inverse=True)[1]]
    assert around.std() == pytest.approx(1, abs=0.05)


def test_the_strength_of_clusters_is_how_well_they_separate():
    none, some, all_ = (same_column(synthetic_space("clusters", n=500, d=20, strength=s)) for s in (0, 4, 12))
    assert 0.15 < none < 0.25 < some < 0.9 < all_


def test_a_ring_closes_and_a_roll_is_rolled():
    ring = synthetic_space("ring", n=1_000, d=20)
    near = NearestNeighbors(n_neighbors=2).fit(ring.matrix).kneighbors(return_distance=False)[:, 0]
    turned = np.abs(ring.metadata["angle"] - np.asarray(ring.metadata["angle"])[near])
    assert np.median(np.minimum(turned, 360 - turned)) < 15
    roll = synthetic_space("roll", n=3_000, d=20, strength=50)
    position = np.asarray(roll.metadata["position"])
    near = NearestNeighbors(n_neighbors=2).fit(roll.matrix).kneighbors(return_distance=False)[:, 0]
    assert np.median(np.abs(position - position[near])) < 0.2
    assert np.abs(np.corrcoef(roll.matrix.T, position)[-1, :-1]).max() < 0.7  # no one direction tells it


def test_one_direction_is_all_there_is():
    space = synthetic_space("one-direction", n=2_000, d=50, strength=10)
    unit = space.unit
    assert (unit @ unit.T)[~np.eye(2_000, dtype=bool)].mean() > 0.5
    rest = space.matrix - space.matrix.mean(axis=0)
    lean = np.asarray(space.metadata["lean"])
    slope = rest.T @ (lean - lean.mean()) / np.sum((lean - lean.mean()) ** 2)
    left = rest - np.outer(lean - lean.mean(), slope)
    values = np.linalg.eigvalsh(np.cov(left.T))
    assert values[-1] < 1.6  # of 50 equal ones, 2,000 rows give 1.34


def test_spelling_alone_is_in_the_vectors_of_spelling():
    space = synthetic_space("spelling", n=2_000, d=200)
    words = space.index
    pairs = [(word, f"{word}s") for word in words if f"{word}s" in words]
    assert len(pairs) > 20
    alike = np.mean([space.unit[words[a]] @ space.unit[words[b]] for a, b in pairs])
    assert alike > 0.3
    assert abs(space.unit[words["king"]] @ space.unit[words["queen"]]) < 0.3


@pytest.mark.parametrize("n", [500, 3_000])
def test_the_test_sets_can_be_asked_of_noise_and_find_nothing(n):
    space = synthetic_space("noise", n=n, d=50)
    scores = evaluate(space, datasets.bundled())
    assert scores["google"].card()["covered"] >= 100
    assert scores["google"].card()["accuracy"] < 0.02
    for name in ("wordsim353", "simlex999"):
        assert scores[name].card()["covered"] >= 100
        assert abs(scores[name].card()["spearman"]) < 0.25
    assert len(english_words()) == 20_000 == len(set(english_words()))


@pytest.mark.parametrize(
    ("asked", "plain"),
    [
        ("synthetic:noise", "synthetic:noise"),
        ("synthetic:noise()", "synthetic:noise"),
        ("synthetic:noise(n=3000)", "synthetic:noise"),
        ("synthetic:clusters( strength = 4 , d=50 )", "synthetic:clusters(d=50,strength=4)"),
        ("synthetic:clusters(strength=2.5,n=1000,seed=7)", "synthetic:clusters(n=1000,seed=7,strength=2.5)"),
        (
            "synthetic:one-direction(d=8)~center~gaussian(seed=2)",
            "synthetic:one-direction(d=8)~center~gaussian(seed=2)",
        ),
    ],
)
def test_an_address_is_spelled_in_one_way(asked, plain):
    recipe = Recipe.parse(asked)
    assert str(recipe) == plain
    assert Recipe.parse(str(recipe)) == recipe
    assert recipe == Recipe.parse(plain)
    assert not recipe.private


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("synthetic", "synthetic:KIND"),
        ("synthetic:", "synthetic:KIND"),
        ("synthetic:nothing", "There is: noise, clusters"),
        ("synthetic:noise(", "synthetic:KIND"),
        ("synthetic:noise(k=3)", "has no option 'k'"),
        ("synthetic:noise(strength=3)", "has no option 'strength'"),
        ("synthetic:noise(n)", "Write name=value"),
        ("synthetic:noise(n=)", "a number is needed"),
        ("synthetic:noise(n=1)", "from 50 to 20000"),
        ("synthetic:noise(n=1e9)", "from 50 to 20000"),
        ("synthetic:noise(n=nan)", "from 50 to 20000"),
        ("synthetic:noise(n=60.5)", "a whole number"),
        ("synthetic:roll(d=2)", "from 3 to 1000"),
        ("synthetic:clusters(clusters=1)", "from 2 to 40"),
        ("synthetic:../../etc/passwd", "synthetic:KIND"),
    ],
)
def test_odd_addresses_are_refused_in_a_sentence(address, says):
    with pytest.raises(RecipeError) as caught:
        Recipe.parse(address)
    assert says in str(caught.value)
    assert str(caught.value).endswith(".")


def test_a_space_that_is_too_large_is_refused_in_a_sentence():
    with pytest.raises(RecipeError, match="at most 4,000,000 numbers"):
        open_space("synthetic:noise(n=20000,d=1000)")
    with pytest.raises(OptionError, match="There is no made-up space"):
        synthetic_space("donut")
    assert "at most 4,000,000 numbers" in html(opened("words/map/page.py", space="synthetic:noise(n=20000,d=1000)"))
    assert "has no option" in html(opened("words/map/page.py", space="synthetic:noise(k=1)"))


def test_a_server_keeps_a_made_up_space_in_a_folder():
    space = open_space(SMALL)
    assert space.folder is not None
    assert open_space(SMALL).folder == space.folder
    np.testing.assert_array_equal(space.matrix, synthetic_space("noise", n=120, d=8).matrix)
    assert catalog.entry(Recipe.parse(SMALL)).bytes == 0


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith(WITH_SPACE)])
@pytest.mark.parametrize("address", [CLUSTERS, f"{SMALL}~gaussian"])
def test_every_page_opens_on_a_made_up_space(page, address):
    test = opened(page, space=address)
    assert not test.exception
    assert "Something went wrong" not in html(test)
    assert "is not here" not in html(test)
    assert "cannot be read" not in html(test)
    assert "do not work" not in html(test)


@pytest.mark.parametrize("page", ["words/map/page.py", "quality/compare/page.py", "quality/timeline/page.py"])
def test_the_python_of_a_page_opens_the_space_by_its_address(page, capsys):
    test = opened(page, space=CLUSTERS, also=SMALL)
    for code in test.code:
        assert CLUSTERS in code.value
        assert "your-file" not in code.value


def test_a_made_up_space_is_opened_on_your_vectors_and_stays_in_the_choice_of_spaces():
    test = opened("make/open/page.py", made="ring", ring_n="100", ring_d="5")
    assert "A circle with noise around it." in html(test)
    next(button for button in test.button if button.key == "made-up-open").click().run()
    assert test.query_params["space"] == "synthetic:ring(n=100,d=5)"
    assert "In use." in html(test)
    test.query_params["space"] = "builtin"
    test.switch_page("words/neighbors/page.py").run()
    assert any("Made-up ring" in option for box in test.selectbox for option in box.options)
    refused = opened("make/open/page.py", noise_n="20000", noise_d="1000")
    next(button for button in refused.button if button.key == "made-up-open").click().run()
    assert "space" not in refused.query_params
    assert any("numbers are made up" in error.value for error in refused.error)


@pytest.mark.parametrize(
    "command",
    [
        ("info", SMALL),
        ("neighbors", SMALL, "africa"),
        ("project", CLUSTERS, "--method", "pca"),
        ("isotropy", f"{CLUSTERS}~gaussian"),
        ("compare", CLUSTERS, SMALL),
    ],
)
def test_a_command_takes_a_made_up_space(command):
    assert answer(*command)


def test_a_command_refuses_an_odd_address_in_a_sentence():
    refused = run("info", "synthetic:noise(k=2)")
    assert refused.returncode != 0
    assert "has no option" in refused.stderr
    copied = run("isotropy", SMALL, "--correction", "gaussian")
    assert copied.returncode != 0
    assert "There is: center" in copied.stderr


def test_a_torus_has_a_tube_around_a_ring():
    rows = synthetic_space("torus", n=500, d=3, strength=1_000)
    tube = np.radians(np.asarray(rows.metadata["tube"]))
    values = np.sort(np.linalg.eigvalsh(np.cov(rows.matrix.T)))
    around = np.radians(np.asarray(rows.metadata["angle"]))
    shape = np.stack([(2 + np.cos(tube)) * np.cos(around), (2 + np.cos(tube)) * np.sin(around), np.sin(tube)])
    expected = np.sort(np.linalg.eigvalsh(np.cov(shape)))
    assert values / values.sum() == pytest.approx(expected / expected.sum(), abs=0.002)
