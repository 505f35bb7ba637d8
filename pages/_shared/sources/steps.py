"""What a switch between views of a page carries: the run from Train to Replay, the sentence of Attention."""

from collections.abc import Mapping

from embedviz.catalog import Recipe
from embedviz.core.space import SpaceError
from embedviz.training import replay
from embedviz.training.trainers import TRAINERS
from pages._shared.app import address
from pages._shared.results import cache
from pages._shared.sources import uploads

TRAIN, REPLAY = "train", "trajectory"
SLOT = "train"
"""The slot (a place on a page for one result) of the training run."""
SENTENCE = "attention", "path"
"""The views that show one sentence."""
MIN_COUNT = "min_count"
"""Name in an address of the minimum count, which a switch to Train carries over as the trainer's option."""
EXAMPLE = "Example: Word2Vec learns a made-up text"
"""Title of the example that Replay shows for a space without a recording."""
RUN, JOB = "run", "job"
"""Names in the address of Train for a run and its job."""


def replays(titles: Mapping[str, str], in_use: str) -> dict[str, str]:
    """Return the titles of the spaces that Replay offers, by the address of the space.

    These are all spaces with a recording, and the space in use. If the space in use has no recording, it comes first
    and gets the title of the example that Replay plays instead.
    """
    listed = {one: title for one, title in titles.items() if recorded(one)}
    return listed if in_use in listed else {in_use: EXAMPLE, **listed}


def recorded(address_of: str) -> bool:
    """Return whether a space has a recording of its training."""
    try:
        return replay.has_trajectory(cache.space(cache.key_of(address_of)).folder)
    except (SpaceError, ValueError):
        return False


def carried(step: str) -> dict[str, str]:
    """Return the values to add to the address when the visitor switches to the view `step`; often empty.

    There is at most one: a sentence, the space of a recording, a minimum count, or a training run.
    """
    if step in SENTENCE and (sentence := address.get("sentence")):
        return {"sentence": sentence}
    if step == REPLAY and (space := recording()):
        return {"space": space}
    if step == TRAIN and (count := address.get(MIN_COUNT)):
        return {f"{trainer()}_{MIN_COUNT}": count}
    space = address.get("space")
    if step == TRAIN and not address.stored(TRAIN) and space.startswith("upload:") and recorded(space):
        return {RUN: Recipe.parse(space).name}
    return {}


def trainer() -> str:
    """Return the name of the trainer that the visitor chose on the page Train; by default the first trainer.

    The default is also used if no trainer has the chosen name.
    """
    named = next(iter(address.stored(TRAIN).get("method", [])), "")
    return named if named in TRAINERS else next(iter(TRAINERS))


def recording() -> str:
    """Return the address of the first space that has a recording of its training; empty if there is none.

    The order of search is: the space of the run on the page Train, the space in use, then the uploads, latest first.
    """
    run_tokens = address.stored(TRAIN).get(RUN, [])
    latest = [f"upload:{token}" for token in reversed(uploads.visited())]
    listed = [*(f"upload:{token}" for token in run_tokens), address.get("space", "builtin"), *latest]
    return next((one for one in listed if recorded(one)), "")
