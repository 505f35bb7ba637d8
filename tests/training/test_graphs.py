"""Node2Vec: walks have the transition probabilities of the paper, the space has a row for each node, lists are read."""

import bz2
import gzip
import io
import lzma
import time
import zipfile
from itertools import pairwise

import networkx
import numpy as np
import pytest
from scipy.stats import chisquare

from embedviz.core.options import OptionError
from embedviz.training.graphs import Graph, graph_of, node2vec, transition, walks


@pytest.fixture(scope="module")
def karate():
    return graph_of("karate")


def test_the_weights_of_a_step_are_those_of_the_paper(karate):
    """α = 1/p back to t, 1 to a neighbor of t, 1/q away from it (Figure 2 of the paper), by networkx's distances."""
    whole = networkx.Graph([(karate.nodes[one], karate.nodes[other]) for one, other in karate.edges])
    assert whole.number_of_edges() == networkx.karate_club_graph().number_of_edges()
    before, here = karate.nodes.index("1"), karate.nodes.index("3")
    found = transition(karate, before, here, p=4, q=0.5)
    alpha = {0: 1 / 4, 1: 1, 2: 1 / 0.5}
    for node, weight in zip(found.nodes, found.weights, strict=True):
        assert weight == alpha[networkx.shortest_path_length(whole, "1", karate.nodes[node])]
    assert {karate.nodes[node] for node in found.nodes} == set(whole["3"])
    assert found.probabilities.sum() == pytest.approx(1)


@pytest.mark.parametrize(("p", "q"), [(4.0, 0.5), (0.25, 4.0)])
def test_walks_have_these_probabilities_by_chi_square(karate, p, q):
    before, here = karate.nodes.index("1"), karate.nodes.index("2")
    expected = transition(karate, before, here, p, q)
    counts = np.zeros(len(karate.nodes))
    for walk in walks(karate, p=p, q=q, length=60, each=40, seed=0):
        for one, two, three in zip(walk, walk[1:], walk[2:], strict=False):
            counts[three] += (one, two) == (before, here)
    seen = counts[expected.nodes]
    assert seen.sum() == counts.sum() > 300  # every step leads to a neighbor
    assert chisquare(seen, seen.sum() * expected.probabilities).pvalue > 0.01
    equal = np.full(len(seen), seen.sum() / len(seen))
    assert chisquare(seen, equal).pvalue < 1e-6  # and not those of a walk without p and q


def test_every_step_of_a_walk_is_an_edge(karate):
    edges = {frozenset(edge) for edge in karate.edges.tolist()}
    found = walks(karate, length=10, each=2, seed=1)
    assert len(found) == 2 * 34
    assert all(frozenset(pair) in edges for walk in found for pair in pairwise(walk))
    assert found == walks(karate, length=10, each=2, seed=1)


def test_the_nodes_become_a_space_that_tells_the_clubs_apart():
    found = node2vec("karate", length=20, each=8)
    assert found.space.matrix.shape == (34, 16)
    assert set(found.space.metadata["group"]) == {"Mr. Hi", "Officer"}
    assert found.scores.beyond_chance
    assert "This is more than chance." in found.meaning
    unit = found.space.unit
    assert found.nearest(0, 1)[0] == int(np.argsort(-(unit @ unit[0]))[1])
    np.testing.assert_array_equal(found.space.matrix, node2vec("karate", length=20, each=8).space.matrix)


@pytest.mark.parametrize("seed", range(3))
def test_groups_found_in_the_edges_of_a_random_graph_are_no_test(seed):
    made = networkx.gnm_random_graph(34, 78, seed=seed)
    text = "\n".join(f"{one},{other}" for one, other in made.edges)
    found = node2vec(text=text, length=20, each=4, seed=seed)
    assert not found.graph.known
    assert "more than chance" not in found.meaning
    assert "no test" in found.meaning


def test_the_chance_of_one_group_is_that_of_two_nodes_drawn_without_replacement():
    found = node2vec("karate", length=10, each=2)
    groups = np.array(found.graph.groups)
    same = groups[:, None] == groups
    assert found.by_chance == pytest.approx((same.sum() - len(groups)) / (len(groups) * (len(groups) - 1)))


def test_groups_dealt_at_random_are_not_said_to_be_told_apart(karate):
    from embedviz.core.space import VectorSpace
    from embedviz.retrieval.themes import group_scores

    found = node2vec("karate", length=10, each=3)
    dealt = np.random.default_rng(3).permutation(list(karate.groups)).tolist()
    space = VectorSpace(karate.nodes, found.space.matrix, metadata={"group": dealt})
    assert not group_scores(space).beyond_chance


def test_an_edge_list_is_read_with_commas_tabs_or_blanks():
    found = graph_of(text="# friends\nann, bob\nbob\tcarl\n\ncarl dora\nbob, ann\ndora,dora")
    assert isinstance(found, Graph)
    assert found.nodes == ("ann", "bob", "carl", "dora")
    assert found.edges.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert not found.known
    assert [near.tolist() for near in found.near] == [[1], [0, 2], [1, 3], [2]]
    assert found.places().shape == (4, 2)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"text": "a,a"}, "The graph has no edge between two nodes"),
        ({"text": "# nothing"}, "The graph has no edge between two nodes"),
        ({"text": "lonely"}, "Line 1, “lonely”, has no two names"),
        ({"text": "\n".join(f"a{row},b{row}" for row in range(600))}, "1,200 nodes and 600 edges; at most 1,000"),
        ({"text": "a,b\n" * 200_000}, "The list has 800,000 characters; at most 400,000 are read"),
        ({"name": "moon"}, "There is no graph “moon”. There are: karate"),
        ({"text": "a,,b"}, "Line 1, “a,,b”, has no two names. Write one edge in each line: a, b."),
        ({"text": '"a,b'}, "has no two names"),
        ({"text": f'"{"a" * 200_000}", b'}, "has no two names"),
        ({"text": "\x00\x01 \x02\nlonely"}, "Line 2, “lonely”, has no two names"),
    ],
)
def test_what_is_no_graph_is_a_sentence(given, says):
    with pytest.raises(OptionError) as refused:
        graph_of(**given)
    assert says in str(refused.value)


def test_two_nodes_are_too_few_and_the_sentence_says_what_to_do():
    with pytest.raises(OptionError) as refused:
        node2vec(text="a,b\nb,a\na,a")
    assert str(refused.value) == (
        "The graph has 2 nodes; 3 or more can be compared. Write more edges, one in each line: a, b."
    )
    assert len(node2vec(text="a,b\nb,c").space) == 3


def test_weights_are_not_read_however_bad_they_are_nor_loops_nor_what_is_there_twice():
    plain = graph_of(text="a,b\nb,c\nc,d")
    for weights in (("nan", "-1", "inf"), ("", "x", "1e999"), ("0", "0.0", "-inf"), ("1,2", "3,4", "5,6")):
        lines = [f"{edge},{weight}" for edge, weight in zip(("a,b", "b,c", "c,d"), weights, strict=True)]
        found = graph_of(text="\n".join([*lines, "b,a,7", "d,d,2"]))
        assert found.nodes == plain.nodes
        np.testing.assert_array_equal(found.edges, plain.edges)


FRIENDS = 'source,target,weight\n# friends\n"ann, a.",bob,1\nbob,carl,2\n\ncarl,bob,3\ncarl,dora,1\n'


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("text", [FRIENDS, FRIENDS.replace("\n", "\r\n"), "\ufeff" + FRIENDS])
def test_a_file_of_edges_is_read_plain_or_packed(tmp_path, pack, text):
    (tmp_path / "file").write_bytes(pack(text.encode()))
    found = graph_of("friends.csv", file=tmp_path / "file")
    assert (found.name, found.nodes) == ("friends.csv", ("ann, a.", "bob", "carl", "dora"))
    assert found.edges.tolist() == [[0, 1], [1, 2], [2, 3]]


def test_a_file_in_utf16_and_with_tabs_is_read(tmp_path):
    (tmp_path / "file").write_bytes("äpfel\tbirnen\nbirnen\tmöhren\n".encode("utf-16"))
    assert graph_of("a.tsv", file=tmp_path / "file").nodes == ("äpfel", "birnen", "möhren")


def test_the_nodes_of_a_file_become_the_same_space_as_pasted(tmp_path):
    lines = "\n".join(f"{one},{other}" for one, other in networkx.karate_club_graph().edges())
    (tmp_path / "file").write_text(lines)
    given = {"length": 10, "each": 3}
    found, pasted = node2vec("club.csv", file=tmp_path / "file", **given), node2vec(text=lines, **given)
    np.testing.assert_array_equal(found.space.matrix, pasted.space.matrix)
    assert found.space.origin.name == "Nodes of club.csv"


def zipped():
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("a.csv", "a,b\n")
    return target.getvalue()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no edge between two nodes"),
        (b"source,target\n", "no edge between two nodes"),
        (b"a,b\nlonely\n", "Line 2, “lonely”, has no two names"),
        (b"a,b\n\xff\xfe\xfa,c\n", "Line 2 of mine.csv is not in UTF-8"),
        (b"a," + b"b" * 3_000, "Line 1 of mine.csv has more than 2,000 bytes"),
        (bytes(range(256)) * 20, "mine.csv cannot be read"),
        (gzip.compress(b"a,b\n" * 9_000)[:40], "mine.csv cannot be read. The gzip data end early"),
        (gzip.compress(b"a,b\n" * 1_000_000), "mine.csv has more than 200,000 lines"),
        (gzip.compress(b"#" * 20_000_000), "Line 1 of mine.csv has more than 2,000 bytes"),
        (zipped(), "mine.csv is a zip of several files"),
        (b"".join(b"%d,%d\n" % (row, row + 1) for row in range(1_200)), "more than 1,000 nodes or 10,000 edges"),
    ],
)
def test_a_file_that_is_no_edge_list_is_a_sentence(tmp_path, content, says):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(OptionError) as refused:
        graph_of("mine.csv", file=tmp_path / "file")
    assert says in str(refused.value)


def test_a_million_edges_are_refused_before_all_are_read(tmp_path):
    lines = [f"{row % 900},{row // 900}\n" for row in range(1_000_000)]
    (tmp_path / "file").write_text("".join(lines))
    begun = time.process_time()
    with pytest.raises(OptionError, match="Take a part of it"):
        graph_of("large.csv", file=tmp_path / "file")
    with pytest.raises(OptionError, match="at most 400,000 are read"):
        graph_of(text="".join(lines))
    assert time.process_time() - begun < 2  # to read all of them takes longer
    with pytest.raises(OptionError, match="There is no file"):
        graph_of("gone.csv", file=tmp_path / "gone")


@pytest.mark.parametrize("few", [{"length": 0}, {"length": 1}, {"each": 0}])
def test_a_walk_has_two_nodes_and_there_is_one(karate, few):
    with pytest.raises(OptionError, match="Give 1 walk and 2 nodes or more"):
        walks(karate, **few)


def test_p_and_q_are_above_zero(karate):
    with pytest.raises(OptionError, match="p is 0 and q is 1; both must be above 0"):
        transition(karate, 0, int(karate.near[0][0]), p=0)
    with pytest.raises(OptionError, match="There is no edge from"):
        transition(karate, 0, next(node for node in range(1, 34) if node not in karate.near[0]))
