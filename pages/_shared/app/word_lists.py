"""Lists of words that are too long for an address. A random token names a list and is the permission to read it.

Lists are stored while the server runs and there is room.
"""

import secrets
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable
from typing import NamedTuple

from streamlit.runtime.scriptrunner import get_script_run_ctx

from embedviz.core import limits
from embedviz.core.options import OptionError
from pages._shared.app.registry import live

_BETWEEN = "\0"


class _List(NamedTuple):
    owner: str
    text: str


class WordListStore:
    """Lists of words by token, with a limit on their letters in total. All methods may be called from any thread.

    If there is no room for a new list, drop the least recently used list of the session that stores the most letters.
    """

    def __init__(self, most: int = limits.WORD_LIST_LETTERS) -> None:
        self._lists: OrderedDict[str, _List] = OrderedDict()
        self._tokens: dict[str, str] = {}
        self._letters: Counter[str] = Counter()
        self._most = most
        self._lock = threading.Lock()

    def keep(self, words: Iterable[str], owner: str = "") -> str:
        """Return a token for these words; an equal list has the same token.

        Raises:
            OptionError: The words have more letters than the store may hold.
        """
        listed = [*words]
        text = _BETWEEN.join(listed)
        if len(text) > self._most:
            raise OptionError(f"{len(listed):,} words are too many to store; the limit is {self._most:,} letters.")
        with self._lock:
            if text not in self._tokens:
                self._tokens[text] = secrets.token_urlsafe(16)
                self._lists[self._tokens[text]] = _List(owner, text)
                self._letters[owner] += len(text)
                self._make_room(self._tokens[text])
            token = self._tokens[text]
            self._lists.move_to_end(token)
            return token

    def _make_room(self, newest: str) -> None:
        while self._letters.total() > self._most:
            others = [(token, each) for token, each in self._lists.items() if token != newest]
            most = max({each.owner for _, each in others}, key=self._letters.__getitem__)
            token, gone = next((token, each) for token, each in others if each.owner == most)
            del self._lists[token], self._tokens[gone.text]
            self._letters[most] -= len(gone.text)

    def get(self, token: str) -> tuple[str, ...] | None:
        """Return the words of a token; None if there never was such a token or its list was dropped."""
        with self._lock:
            if token not in self._lists:
                return None
            self._lists.move_to_end(token)
            text = self._lists[token].text
        return tuple(text.split(_BETWEEN)) if text else ()


def keep(words: Iterable[str]) -> str:
    """Return a token for these words; an equal list has the same token.

    Raises:
        OptionError: The words have more letters than the store may hold.
    """
    visit = get_script_run_ctx(suppress_warning=True)
    return live("kept", WordListStore).keep(words, visit.session_id if visit is not None else "")


def words_behind(token: str) -> tuple[str, ...] | None:
    """Return the words of a token; None if there never was such a token or its list was dropped."""
    return live("kept", WordListStore).get(token) if token else None
