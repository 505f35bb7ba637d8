"""The list of the page Timeline: words that changed most over all spaces."""

from embedviz.core.phrases import number
from embedviz.geometry.comparison import SeriesChange, Timeline
from pages._shared.app import frame, states
from pages._shared.app.escape import plain
from pages._shared.output.wordlist import WordRow, wordlist

LISTED = 12


def changed_most(found: SeriesChange) -> None:
    """Draw the words with the greatest change, and the change that noise alone gives."""
    listed = found.changed(LISTED)
    most = max([one.change for one in listed] + [found.tick, 1e-6])
    between = "{} → {}. ".format(*(plain(one, 40) for one in found.ends)) if found.lasting else ""
    states.panel("Which words changed most?", f"{between}Click a word to see its path", level=3)
    states.note(found.meaning)
    rows = [WordRow(one.word, max(0.0, one.change) / most, number(one.change)) for one in listed]
    head = ("word", "change")
    wordlist("Changed most", rows, head, frame.choose_word, key="changed-most", tick=found.tick / most)
    clear = sum(one.clear for one in listed)
    states.note(
        f"Only {clear} of the {len(listed)} listed are clear." if found.lasting and clear < len(listed) else "",
        found.measure,
    )
    states.note(
        f"Upright tick: {number(found.tick)}. {found.baseline}",
    )


def compared(change: SeriesChange | None, found: Timeline) -> str:
    """Return a phrase that names the compared spaces: early and late ones, or the first and last with the word.

    Early and late spaces are named if the lasting change of the word was measured over these spaces.
    """
    if change is not None and change.lasting and _same(change, found) and change.place(found.word) is not None:
        early, late = (plain(one, 40) for one in change.ends)
        return f"Early ({early}) compared with late ({late}) spaces, as in the list of words"
    return f"From {plain(found.present[0].name, 40)} to {plain(found.present[-1].name, 40)}"


def _same(change: SeriesChange, found: Timeline) -> bool:
    """Return whether all spaces of `change` are in `found`.

    The two can differ while new spaces are compared, because an old result stays on the page until the new one is
    ready.
    """
    return set(change.steps) <= {step.name for step in found.steps}


def answered(change: SeriesChange | None, found: Timeline) -> str:
    """Return sentences: the verdict of `change`, if there is one, then the neighbors in the first and last space."""
    if change is None or not _same(change, found):
        return found.story
    return f"{change.verdict(found.word)} {found.story}"
