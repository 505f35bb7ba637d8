"""The time left of a job."""

from types import SimpleNamespace

import pytest

from pages._shared.results import estimate, work
from pages.make.train import standing


def looks(done, seconds=300):
    """The progress of a job read once a second; its share done is a function of the share of the time."""
    return [(float(at), done(at / seconds)) for at in range(1, seconds // 2)]


def test_the_time_left_is_given_at_an_even_pace():
    assert estimate.remaining(looks(lambda time: time)) == pytest.approx(151, abs=3)


def test_no_time_is_given_while_the_predicted_end_moves():
    assert estimate.remaining(looks(lambda time: time**0.4)) is None  # slower and slower: always the same time left
    assert estimate.remaining(looks(lambda time: time**4)) is None
    assert estimate.remaining(looks(lambda time: 0.05 * time)) is None


def test_many_looks_are_thinned_and_the_first_stays():
    seen = []
    for second in range(1_000):
        estimate.add(seen, float(second), second / 2_000)
    assert len(seen) <= 241
    assert seen[0] == (0.0, 0.0)
    assert estimate.remaining(seen) == pytest.approx(1_000, rel=0.05)


@pytest.mark.parametrize(
    ("seconds", "sentence"),
    [(None, "36 % done."), (4.0, "A few seconds left."), (43.0, "About 40 s left."), (301.0, "About 5 min left.")],
)
def test_the_time_left_is_rounded(seconds, sentence):
    assert estimate.left(seconds, 0.36).replace("\xa0", " ") == sentence


@pytest.mark.parametrize(("message", "sentence"), [("done", "Done."), ("the index is built", "The index is built.")])
def test_a_job_that_has_computed_everything_is_not_done_by_a_share(message, sentence):
    assert work.step(SimpleNamespace(state="running", message=message, fraction=1.0)) == sentence


def test_a_message_becomes_a_sentence():
    assert work.sentence("comparing HistWords 1900") == "Comparing HistWords 1900."
    assert work.sentence("t-SNE step 3") == "t-SNE step 3."


def test_the_start_of_a_training_is_not_counted_as_its_pace():
    job = SimpleNamespace(id="slow start", state="running", seconds=0.0, fraction=0.0, message="Preparing")
    run = SimpleNamespace(task=SimpleNamespace(job=job))
    assert standing.progress_text(run) == "Preparing."
    for second in range(5):
        job.seconds, job.fraction, job.message = 30.0 + second, 0.06 + 0.1 * second, f"Epoch {second + 1} of 10"
        text = standing.progress_text(run)
    assert text == "Epoch 5 of 10. A few seconds left."  # not the 40 s that 34 s for 46 % would need
