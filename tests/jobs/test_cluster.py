"""A Dask cluster of two workers on loopback: results as here, and nothing is lost with a worker or a scheduler."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embedviz.core.space import Origin, VectorSpace
from embedviz.corpus import cooccurrence
from embedviz.corpus.tokenized import write_corpus
from embedviz.evaluation import evaluate, search
from embedviz.jobs import Cancelled, Pool, cluster
from embedviz.retrieval.spaces import encoded
from embedviz.testsets import OddOne, OddOnes, Question, Questions, Section
from tests import job_functions
from tests.contextual.test_encoder import made

distributed = pytest.importorskip("distributed")
HERE = Path(__file__).resolve().parents[1]
ROOT = HERE.parent
SECONDS = 60.0


def until(condition: Callable[[], Any]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Nodes:
    """A scheduler and its workers, as an operator starts them."""

    def __init__(self, folder: Path, workers: int) -> None:
        self.port = free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self._folder, self._started = folder, list[subprocess.Popen[bytes]]()
        self.scheduler = self._start("scheduler", "--port", str(self.port), "--idle-timeout", "300")
        more = ("--nworkers", str(workers), "--nthreads", "1", "--death-timeout", "60")
        more += ("--local-directory", str(folder))
        self._start("worker", self.address, *more)

    def _start(self, kind: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *options]
        more = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(HERE), os.environ.get("PYTHONPATH", "")])}
        with (self._folder / f"{kind}.log").open("wb") as log:
            started = subprocess.Popen(
                [*command, "--host", "127.0.0.1", "--no-dashboard"],
                env=os.environ | more,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._started.append(started)
        return started

    def end(self) -> None:
        for started in self._started:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()


def ready(nodes: Nodes, workers: int) -> Any:
    """A client of the test, once the workers are there."""
    client = distributed.Client(nodes.address, timeout=SECONDS, set_as_default=False)
    client.wait_for_workers(workers, timeout=SECONDS)
    return client


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    started = Nodes(tmp_path_factory.mktemp("dask"), 2)
    try:
        ready(started, 2).close()
        yield started
    finally:
        started.end()


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EMBEDVIZ_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(HERE))


@pytest.fixture
def named(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> Nodes:
    monkeypatch.setenv(cluster.VARIABLE, nodes.address)
    return nodes


class Heard:
    """A report that notes the messages, and does something at one of them."""

    def __init__(self, at: Callable[[float], bool] = lambda _: False, act: Callable[[], None] = lambda: None) -> None:
        self.messages: list[str] = []
        self._at, self._act = at, act

    def __call__(self, fraction: float | None = None, message: str = "", **_: Any) -> None:
        self.messages.append(message)
        if fraction is not None and self._at(fraction):
            self._at = lambda _: False
            self._act()


def test_texts_have_the_same_vectors(named, monkeypatch, tmp_path):
    model = str(made("bert", tmp_path / "model"))
    texts = [f"the bank of river {number} " * number for number in range(30)]
    way = encoded.PooledEncoder(model, "mean", {"layer": 2, "special": "with"})
    monkeypatch.setattr(encoded, "AT_ONCE", 1_000)
    monkeypatch.setattr(encoded, "CLUSTER_PAYS", 2)
    heard = Heard()
    there = way.read_texts(texts, heard, keep=True)
    assert heard.messages[-1].startswith("Cluster of 2 workers: ")
    assert way.read_texts(texts, keep=True).known == len(texts)  # as those of any encoding
    monkeypatch.delenv(cluster.VARIABLE)
    here = way.read_texts(texts)
    assert (there.pieces, there.windowed) == (here.pieces, here.windowed)
    assert here.windowed
    np.testing.assert_allclose(there.matrix, here.matrix, atol=1e-5)
    with pytest.raises(cluster.ClusterError, match="model"):
        encoded.read_block((model, "another checksum", "mean", way.options), texts)


def test_counts_are_the_same_to_the_bit(named, monkeypatch, tmp_path):
    rng = np.random.default_rng(3)
    lines = [[f"w{word}" for word in rng.zipf(1.3, 40) if word < 900] for _ in range(300)]
    corpus = write_corpus(lines, tmp_path / "corpus", name="random")
    here = cooccurrence.cooccurrences(corpus, window=6)
    monkeypatch.setattr(cooccurrence, "CLUSTER_PAYS", 0)
    monkeypatch.setattr(cooccurrence, "_SHARD", 20_000)
    heard = Heard()
    there = cooccurrence.cooccurrences(corpus, window=6, report=heard)
    assert heard.messages[-1].startswith("Cluster of 2 workers: neighbors of ")
    for name in ("pointers", "columns", "values"):
        np.testing.assert_array_equal(getattr(there, name), getattr(here, name))
    assert there.places == here.places


def test_a_batch_of_tests_has_the_same_scores(named, monkeypatch, tmp_path):
    words = [f"w{number}" for number in range(60)]
    matrix = np.random.default_rng(0).normal(size=(60, 8)).astype(np.float32)
    matrix[5] = 0
    space = VectorSpace(words, matrix, origin=Origin("test", "noise", "frequency")).save(tmp_path / "space")
    asked = [Question(*words[at : at + 3], (words[at + 3],)) for at in range(56)]
    sets = [Questions(name, name, (Section("all", "", tuple(asked)),), "made up") for name in ("one", "two")]
    sets.append(OddOnes("odd", "odd", tuple(OddOne(tuple(words[at : at + 4]), words[at]) for at in range(30)), ""))
    here = evaluate(space, sets, words=50, simpler=False)
    monkeypatch.setattr(search, "CLUSTER_PAYS", 0)
    monkeypatch.setattr(search, "_QUESTIONS", 16)
    heard = Heard()
    there = evaluate(space, sets, words=50, simpler=False, report=heard)
    assert "one: Cluster of 2 workers: 32 of 43 questions answered" in heard.messages
    assert [*there] == ["one", "two", "odd"]
    assert {name: each.card() for name, each in there.items()} == {name: each.card() for name, each in here.items()}
    np.testing.assert_array_equal(there["one"].answers, here["one"].answers)


def test_a_worker_that_is_killed_loses_nothing(named):
    client = ready(named, 2)
    before = set(client.run(os.getpid).values())
    heard = Heard(lambda share: share >= 0.2, lambda: os.kill(min(before), signal.SIGKILL))
    found = job_functions.naps(20, 0.1, report=heard)
    assert [product for product, _ in found] == [3 * number for number in range(20)]
    assert not any("computed here" in message for message in heard.messages)
    assert min(before) not in {process for _, process in found[12:]}
    until(lambda: len(client.nthreads()) == 2)  # its nanny starts another
    assert min(before) not in client.run(os.getpid).values()
    client.close()


def test_an_error_of_a_shard_is_raised_as_it_is(named):
    with pytest.raises(ValueError, match="The number is negative"):
        list(cluster.map_shards(job_functions.nap, [(1,), (-1,)], shared=[3], progress=lambda done: (0.0, "")))


def test_a_job_says_where_it_runs_and_cancel_drops_what_waits(named):
    client = ready(named, 2)

    def tasks() -> int:
        return int(client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))

    with Pool(prefixes=("job_functions:",), paths=(HERE,), memory=2 << 30) as pool:
        job = pool.submit("job_functions:naps", 200, 0.2, owner="me")
        until(lambda: (job.fraction or 0) > 0 or job.finished)
        assert (job.state, job.message) == ("running", "Cluster of 2 workers: naps")
        assert tasks() > 2
        job.cancel()
        until(lambda: tasks() == 0)
        with pytest.raises(Cancelled):
            job.result(SECONDS)
    client.close()


def test_what_a_lost_scheduler_leaves_is_computed_here(tmp_path, monkeypatch):
    nodes = Nodes(tmp_path, 1)
    try:
        ready(nodes, 1).close()
        monkeypatch.setenv(cluster.VARIABLE, nodes.address)
        monkeypatch.setattr(cluster, "_CONNECT", 1.0)
        heard = Heard(lambda share: share > 0.3, nodes.scheduler.kill)
        found = job_functions.naps(12, 0.05, report=heard)
    finally:
        nodes.end()
    assert [product for product, _ in found] == [3 * number for number in range(12)]
    assert found[0][1] != os.getpid() == found[-1][1]
    assert "lost. The rest is computed here: naps" in heard.messages[-1]


@pytest.mark.parametrize("address", [f"tcp://127.0.0.1:{free_port()}", "somewhere"], ids=("silent", "no address"))
def test_without_a_cluster_all_is_computed_here(address, monkeypatch):
    monkeypatch.setenv(cluster.VARIABLE, address)
    monkeypatch.setattr(cluster, "_CONNECT", 0.2)
    heard = Heard()
    assert job_functions.naps(2, 0.0, report=heard) == [(0, os.getpid()), (3, os.getpid())]
    assert "This is computed here: naps" in heard.messages[0]
    assert heard.messages[0].startswith(
        "The address of the cluster is 'somewhere'" if address == "somewhere" else "The scheduler of the cluster does"
    )


def test_dask_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(cluster.ClusterError, match=r"embedviz\[dask\]"):
        cluster.check("tcp://127.0.0.1:1")


def test_workers_of_other_versions_are_refused(named, monkeypatch):
    assert cluster.check(named.address) == 2
    ours = cluster.node()
    for other, named_one in (
        (ours._replace(python="3.9"), "Python 3.9"),
        (ours._replace(packages=("1.0", *ours.packages[1:])), "numpy 1.0"),
        (ours._replace(code=""), "version of embedviz"),
    ):
        with pytest.raises(cluster.ClusterError, match=named_one):
            cluster.refuse_other(other, ours)
    monkeypatch.setattr(cluster, "_version", lambda package: "0.1")
    cluster.node.cache_clear()
    try:
        with pytest.raises(cluster.ClusterError, match=r"this server 0\.1; install the same"):
            cluster.check(named.address)
    finally:
        cluster.node.cache_clear()
