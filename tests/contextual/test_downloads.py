"""Encoders from the hub, proved on a server of our own: whole or not at all, resumed, checked, or refused."""

import fcntl
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import namedtuple

import pytest

from embedviz import jobs
from embedviz.contextual import models
from embedviz.contextual.models import hub
from embedviz.contextual.models.hub import HubError
from embedviz.core.options import OptionError
from tests.loopback_hub import Model, serving

CONFIG = {"model_type": "bert", "num_hidden_layers": 12, "hidden_size": 768, "num_attention_heads": 12}
WEIGHTS = random.Random(0).randbytes(700_000)
FILES = {
    "config.json": json.dumps(CONFIG).encode(),
    "tokenizer.json": b"{}",
    "vocab.txt": b"[PAD]\n" * 400,
    "model.safetensors": WEIGHTS,
    "README.md": b"words",
    "pytorch_model.bin": b"never",
    "modeling.py": b"never",
    "onnx/model.onnx": b"never",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("EMBEDVIZ_MODELS", str(tmp_path))
    monkeypatch.setattr("embedviz.contextual.models.hub._SOON", 0.01)
    return tmp_path / "encoders"


@pytest.fixture
def server(monkeypatch):
    with serving(google_bert__bert_base_uncased=Model(dict(FILES)), me__mine=Model(dict(FILES), "mit")) as started:
        started.renamed["bert-base-uncased"] = "google-bert/bert-base-uncased"
        monkeypatch.setenv("HF_ENDPOINT", started.url)
        yield started


def left(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_a_model_comes_whole_with_its_card(server, folder):
    result = []
    found = models.download("me/mine", report=lambda part, message: result.append((part, message)))
    path = folder / "me--mine"
    assert left(path) == [
        "config.json",
        "download.json",
        "model.safetensors",
        "tokenizer.json",
        "vocab.txt",
    ]
    assert (path / "model.safetensors").read_bytes() == WEIGHTS
    assert found.path == str(path)
    assert found.checksum == hashlib.sha256(WEIGHTS).hexdigest()
    wanted = ("config.json", "tokenizer.json", "vocab.txt", "model.safetensors")
    assert found.bytes == sum(len(FILES[name]) for name in wanted)
    assert (found.name, found.repository, found.license, found.resumed) == ("me--mine", "me/mine", "mit", False)
    assert json.loads((path / "download.json").read_text())["from"] == server.url
    shares = [part for part, _ in result if part is not None]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert result[-1][1] == "0.7 of 0.7 MB"
    card = models.card("me--mine")
    assert (card.depth, card.license, card.bytes > found.bytes) == (12, "mit", True)
    assert left(folder) == ["me--mine"]


def test_a_link_whose_folder_is_gone_is_replaced(server, folder):
    folder.mkdir()
    (folder / "me--mine").symlink_to(folder / "gone")
    assert models.download("me/mine").path == str(folder / "me--mine")
    assert left(folder) == ["me--mine"]


def test_only_what_is_needed_is_asked_for(server):
    models.download("me/mine")
    asked = {path.rpartition("/")[2] for path, _ in server.asked if "/resolve/" in path}
    assert asked == {"config.json", "tokenizer.json", "vocab.txt", "model.safetensors"}


def test_a_name_of_old_leads_to_the_new_one(server, folder):
    server.models["albert/albert-base"] = server.models["me/mine"]
    server.renamed["albert-base"] = "albert/albert-base"
    found = models.download("albert-base")
    assert (found.name, found.repository) == ("albert-base", "albert/albert-base")


def test_a_known_model_has_its_name_of_the_catalogue(server, folder):
    found = models.download("google-bert/bert-base-uncased")
    assert found.path == str(folder / "bert-base-uncased")
    assert models.local_name("https://huggingface.co/google-bert/bert-base-uncased") == "bert-base-uncased"


def test_what_is_at_hand_is_told_and_not_fetched_again(server):
    first = models.download("me/mine")
    count = len(server.asked)
    assert models.download("me/mine") == first
    assert len(server.asked) == count


def test_a_folder_of_ones_own_is_never_replaced(server, folder):
    (folder / "me--mine").mkdir(parents=True)
    with pytest.raises(OptionError, match="already, which was not downloaded"):
        models.download("me/mine")
    assert server.asked == []


def test_a_cut_connection_goes_on_where_it_broke(server, folder):
    server.cuts = [300_000, 0, 100_001]
    found = models.download("me/mine")
    assert (folder / "me--mine" / "model.safetensors").read_bytes() == WEIGHTS
    starts = server.ranges_of("model.safetensors")
    assert starts == [None, "bytes=300000-", "bytes=300000-", "bytes=400001-"]
    assert not found.resumed


def test_a_second_try_takes_up_what_the_first_left(server, folder):
    server.cuts = [300_000, *[0] * 20]
    with pytest.raises(HubError, match=r"broke 5 times in a row .* What came is kept"):
        models.download("me/mine")
    assert models.at_hand()[1:] == []
    (kept,) = models.unfinished()
    assert (kept.name, kept.total - kept.bytes, kept.busy) == ("me--mine", 400_000, False)
    server.cuts.clear()
    server.asked.clear()
    result = []
    found = models.download("me/mine", report=lambda part, message: result.append(part))
    assert (found.resumed, found.kept) == (True, kept.bytes)
    assert server.ranges_of("model.safetensors") == ["bytes=300000-"]
    assert not any(path.endswith("vocab.txt") for path, _ in server.asked)
    assert (folder / "me--mine" / "model.safetensors").read_bytes() == WEIGHTS
    assert models.unfinished() == []


def test_a_server_without_ranges_gives_the_whole_again(server, folder):
    server.cuts, server.ranges = [300_000], False
    models.download("me/mine")
    assert (folder / "me--mine" / "model.safetensors").read_bytes() == WEIGHTS


def test_a_model_that_changed_meanwhile_is_fetched_anew(server, folder):
    server.cuts = [300_000, *[0] * 20]
    with pytest.raises(HubError):
        models.download("me/mine")
    server.cuts.clear()
    new = WEIGHTS[::-1]
    server.models["me/mine"].files["model.safetensors"] = new
    server.models["me/mine"].sha = "d" * 40
    found = models.download("me/mine")
    assert (folder / "me--mine" / "model.safetensors").read_bytes() == new
    assert found.kept == sum(len(FILES[name]) for name in ("config.json", "tokenizer.json", "vocab.txt"))


def test_a_wrong_checksum_is_refused_and_nothing_of_the_file_is_kept(server, folder):
    server.models["me/mine"].declared["model.safetensors"] = {"sha256": "0" * 64}
    with pytest.raises(HubError, match=r"model\.safetensors is not the announced file"):
        models.download("me/mine")
    assert not (folder / "me--mine").exists()
    assert not [part for part in left(folder / ".part-me--mine") if part.startswith("model")]


def test_more_bytes_than_were_told_are_not_written(server, folder):
    declared = {"sha256": hashlib.sha256(WEIGHTS[:1000]).hexdigest(), "size": 1000}
    server.models["me/mine"].declared["model.safetensors"] = declared
    with pytest.raises(HubError, match=r"model\.safetensors is not the announced file"):
        models.download("me/mine")


def test_a_small_file_is_held_against_gits_checksum(server, folder):
    original = dict(server.models["me/mine"].files)
    listed = hub.listing("me/mine")
    server.models["me/mine"].files["tokenizer.json"] = b"[]"
    with pytest.raises(HubError, match=r"tokenizer\.json is not the announced file"):
        hub.fetch(listed, folder.parent, accept=lambda *_: None)
    assert original["tokenizer.json"] == b"{}"


def test_pickles_alone_are_refused(server, folder):
    del server.models["me/mine"].files["model.safetensors"]
    with pytest.raises(HubError, match=r"weights as pickles alone \(pytorch_model\.bin\), which can run code"):
        models.download("me/mine")
    assert left(folder) == []


@pytest.mark.parametrize(
    ("lacking", "sentence"),
    [
        (("model.safetensors", "pytorch_model.bin"), "no weights in safetensors"),
        (("config.json",), "no config.json"),
        (("tokenizer.json", "vocab.txt"), "no tokenizer"),
    ],
)
def test_what_is_no_whole_model_is_refused(server, folder, lacking, sentence):
    for name in lacking:
        del server.models["me/mine"].files[name]
    with pytest.raises(HubError, match=sentence):
        models.download("me/mine")
    assert left(folder) == []


def test_shards_are_fetched_with_their_index(server, folder):
    files = server.models["me/mine"].files
    del files["model.safetensors"]
    files |= {f"model-0000{n}-of-00002.safetensors": WEIGHTS[n:] for n in (1, 2)}
    files["model.safetensors.index.json"] = b'{"weight_map": {}}'
    files["model-00001-of-00002.fp16.safetensors"] = b"no"
    found = models.download("me/mine")
    assert len(list((folder / "me--mine").glob("*.safetensors"))) == 2
    assert found.checksum == hashlib.sha256(WEIGHTS[1:] + WEIGHTS[2:]).hexdigest()


def test_a_model_of_another_kind_is_refused_before_its_weights_come(server, folder):
    for change, sentence in (
        ({"is_encoder_decoder": True}, "an encoder with a decoder"),
        ({"model_type": "own", "auto_map": {}}, "Code from a download is never run"),
        ({"hidden_size": None}, "how many layers"),
    ):
        server.models["me/mine"].files["config.json"] = json.dumps(CONFIG | change).encode()
        with pytest.raises(OptionError, match=sentence):
            models.download("me/mine")
    assert server.ranges_of("model.safetensors") == []
    assert left(folder) == []


def test_who_may_not_have_it_is_told_why(server, folder, monkeypatch):
    server.models["me/mine"].gated = "manual"
    by_hand = rf"only to those who accepted its terms on the hub\. .*put its folder into {re.escape(str(folder))}\.$"
    with pytest.raises(HubError, match=by_hand):
        models.download("me/mine")
    with pytest.raises(HubError, match="no model “me/none”, or shows it to its members only"):
        models.download("me/none")
    listed = hub.listing("google-bert/bert-base-uncased")
    server.models["google-bert/bert-base-uncased"].gated = "auto"
    with pytest.raises(HubError, match="only to those who accepted its terms"):
        hub.fetch(listed, folder.parent, accept=lambda *_: None)
    server.models["google-bert/bert-base-uncased"].gated = False
    server.models["google-bert/bert-base-uncased"].sha = "e" * 40
    with pytest.raises(HubError, match="changed on the hub meanwhile"):
        hub.fetch(listed, folder.parent, accept=lambda *_: None)
    assert left(folder) == []


@pytest.mark.parametrize(("status", "sentence"), [(429, "too many requests"), (503, "status 503"), (403, "an account")])
def test_a_hub_that_gives_nothing_says_so(server, status, sentence):
    server.status = status
    with pytest.raises(HubError, match=sentence):
        models.download("me/mine")


def test_a_hub_that_is_not_there_says_so(server, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(HubError, match="cannot be reached from here"):
        models.download("me/mine")
    monkeypatch.setenv("HF_ENDPOINT", server.url + "/small/me/mine/README.md?")
    with pytest.raises(HubError):
        models.download("me/mine")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(HubError, match="HF_HUB_OFFLINE is set"):
        models.download("me/mine")


@pytest.mark.parametrize(
    "name", ["", "../x", "a/../b", "a/b/c", "builtin", "a b", ".hidden", "https://evil.example/a/b", "x" * 200, "a\nb"]
)
def test_what_is_no_name_is_never_asked_for(server, folder, name):
    with pytest.raises(HubError):
        models.download(name)
    assert server.asked == []
    assert left(folder) == []


def test_a_model_too_large_or_a_disk_too_small_is_refused(server, folder, monkeypatch):
    monkeypatch.setattr(hub, "MOST_BYTES", 600_000)
    with pytest.raises(HubError, match=r"has 70\d\.\d kB; at most 600\.0 kB are fetched"):
        models.download("me/mine")
    monkeypatch.setattr(hub, "MOST_BYTES", 10**9)
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(0, 0, 1_000_500_000))
    with pytest.raises(HubError, match="Make room, then go on"):
        models.download("me/mine")
    assert left(folder) == []


def test_a_full_disk_says_so_and_keeps_what_came(server, folder, monkeypatch):
    import resource
    import signal

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, before[1]))
        with pytest.raises(HubError, match="The disk takes no more"):
            models.download("me/mine")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert models.unfinished()[0].bytes > 300_000
    assert models.download("me/mine").resumed


@pytest.fixture
def pool(server):
    with jobs.Pool(workers=1) as started:
        yield started


def test_a_job_that_waits_for_bytes_is_cancelled_at_once_and_goes_on_later(server, pool, folder):
    server.stalled = True
    job = pool.submit("embedviz.contextual.models:download", "me/mine", owner="me")
    end = time.monotonic() + 30
    while not server.ranges_of("model.safetensors") or not (job.fraction or 0) > 0.05:
        assert time.monotonic() < end
        assert not job.finished, job.error
        time.sleep(0.02)
    (kept,) = models.unfinished()
    assert kept.busy
    with pytest.raises(OptionError, match="being fetched already"):
        models.discard("me--mine")
    with pytest.raises(OptionError, match="being fetched already"):
        models.download("me/mine")
    began = time.monotonic()
    job.cancel()
    assert job.wait(5)
    while models.unfinished()[0].busy:
        assert time.monotonic() - began < 3  # measured .3 to .5; a busy machine takes longer
        time.sleep(0.01)
    assert job.state == "cancelled"
    server.stalled = False
    again = pool.submit("embedviz.contextual.models:download", "me/mine", owner="me").result(30)
    assert again.resumed
    assert (folder / "me--mine" / "model.safetensors").read_bytes() == WEIGHTS


def test_a_process_that_is_killed_leaves_what_came_and_the_next_one_goes_on(server, folder):
    """The program dies in the middle of a file: nothing is listed as whole, and the next download resumes."""
    server.pace = 0.05
    code = "from embedviz.contextual import models; models.download('me/mine')"
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 60
        while not (
            server.ranges_of("model.safetensors") and models.unfinished() and models.unfinished()[0].bytes > 65_536
        ):
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == -signal.SIGKILL
    assert models.at_hand()[1:] == []
    (kept,) = models.unfinished()
    assert (kept.name, kept.busy) == ("me--mine", False)
    server.pace = 0.0
    server.asked.clear()
    found = models.download("me/mine")
    assert (found.resumed, found.kept) == (True, kept.bytes)
    (asked,) = server.ranges_of("model.safetensors")
    assert 0 < int(asked.removeprefix("bytes=").rstrip("-")) < len(WEIGHTS)
    assert (folder / "me--mine" / "model.safetensors").read_bytes() == WEIGHTS
    assert left(folder) == ["me--mine"]


def test_a_cancel_before_anything_came_leaves_nothing(server, folder):
    def cancel(*_):
        raise jobs.Cancelled

    with pytest.raises(jobs.Cancelled):
        models.download("me/mine", report=cancel)
    assert left(folder) == []


def test_what_became_whole_before_the_folder_was_held_is_not_fetched_again(server, folder, monkeypatch):
    listing, held = hub.listing, []

    def slow(name):
        found = listing(name)
        if not held:
            held.append(None)
            held.append(models.download("me/mine"))
        return found

    monkeypatch.setattr("embedviz.contextual.models.hub.listing", slow)
    assert models.download("me/mine") == held[1]
    assert left(folder) == ["me--mine"]


def test_who_looks_at_a_download_keeps_nobody_out(server, folder, monkeypatch):
    server.cuts = [300_000, *[0] * 20]
    with pytest.raises(HubError):
        models.download("me/mine")
    looking = os.open(folder / ".part-me--mine", os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    assert not models.unfinished()[0].busy
    threading.Timer(0.1, os.close, [looking]).start()
    server.cuts = []
    assert models.download("me/mine").resumed


def test_a_folder_that_went_meanwhile_is_not_written_into(server, folder, monkeypatch):
    monkeypatch.setattr("fcntl.flock", lambda *_: shutil.rmtree(folder / ".part-me--mine"))
    with pytest.raises(OptionError, match="thrown away just now"):
        models.download("me/mine")
    assert left(folder) == []


@pytest.mark.parametrize(("name", "most"), [("config.json", "1.0 MB"), ("tokenizer.json", "64.0 MB")])
def test_a_small_file_that_is_large_is_refused_before_it_comes(server, folder, name, most):
    server.models["me/mine"].declared[name] = {"size": 65_000_000}
    server.models["me/mine"].files[name] = b" " * 60_000
    with pytest.raises(HubError, match=f"{name} of this model has 65.0 MB; at most {most} are fetched"):
        models.download("me/mine")
    assert left(folder) == []


def test_what_came_can_be_thrown_away(server, folder):
    server.cuts = [300_000, *[0] * 20]
    with pytest.raises(HubError):
        models.download("me/mine")
    assert models.source("me--mine") == "me/mine"
    models.discard("me--mine")
    assert left(folder) == []
    for name in ("me--mine", "../encoders", ""):
        with pytest.raises(OptionError, match="is kept"):
            models.discard(name)


def test_an_encoder_can_be_deleted_and_the_built_in_one_not(server, folder, tmp_path):
    models.download("me/mine")
    models.delete("me--mine")
    assert left(folder) == []
    (tmp_path / "elsewhere").mkdir()
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    models.delete("link")
    assert (tmp_path / "elsewhere").is_dir()
    for name in ("builtin", "me--mine", "..", ""):
        with pytest.raises(OptionError, match="no downloaded encoder"):
            models.delete(name)


def test_a_name_at_hand_stands_for_its_folder(server, folder, tmp_path):
    found = models.download("bert-base-uncased")
    assert models.resolve("bert-base-uncased") == found.path
    assert models.resolve("google-bert/bert-base-uncased") == found.path
    assert models.resolve("builtin") == "builtin"
    assert models.resolve(str(tmp_path)) == str(tmp_path)
    with pytest.raises(OptionError, match="Fetch it with: embedviz catalog gpt2"):
        models.resolve("gpt2")
    with pytest.raises(OptionError, match=r"At hand: builtin, bert-base-uncased\.$"):
        models.resolve("/no/such/folder")


def test_what_came_is_read_as_the_model_it_is(server, folder, tmp_path):
    from embedviz.contextual.encoder import encode, load
    from tests.contextual.test_encoder import made

    tiny = made("bert", tmp_path / "tiny")
    server.models["me/tiny"] = Model({path.name: path.read_bytes() for path in tiny.iterdir()})
    found = models.download("me/tiny")
    one, other = load(found.path), load(tiny)
    assert one.checksum == found.checksum
    assert (encode(one, ["the bank"]).layers == encode(other, ["the bank"]).layers).all()


def test_the_known_models_are_named_once_and_can_be_asked_for():
    listed = models.known()
    assert {"bert-base-uncased", "distilbert-base-uncased", "roberta-base", "gpt2"} <= {one.name for one in listed}
    assert len({one.name for one in listed}) == len({one.repository for one in listed}) == len(listed)
    for one in listed:
        assert models.local_name(one.repository) == models.local_name(one.name) == one.name
        assert one.repository.endswith(f"/{one.name}")
        assert 50 < one.megabytes < hub.MOST_BYTES / 1e6
        assert one.about.endswith(".")
        assert one.license in ("Apache-2.0", "MIT")


def test_the_command_lists_downloads_and_names_the_model_in_senses(server, folder):
    from tests.cli.test_cli import answer, run

    listed = {each["name"]: each for each in answer("catalog")["models"]}
    assert listed["builtin"]["at_hand"]
    assert not listed["gpt2"]["at_hand"]
    server.cuts = [300_000, *[0] * 20]
    broken = run("catalog", "me/mine")
    assert broken.returncode == 2
    assert "What came is kept" in broken.stderr
    assert "Traceback" not in broken.stderr
    server.cuts.clear()
    found = answer("catalog", "me/mine")
    assert {"name", "bytes", "checksum", "path", "resumed"} <= set(found)
    assert found["resumed"] is True
    assert found["checksum"] == hashlib.sha256(WEIGHTS).hexdigest()
    assert "me--mine\tyes" in run("catalog").stdout
    refused = run("senses", "bank", "--model", "gpt2")
    assert refused.returncode == 2
    assert "Fetch it with: embedviz catalog gpt2" in refused.stderr
