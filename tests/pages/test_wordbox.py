"""The completion index, its route and the tokens."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import threading
import time
import timeit
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from starlette.routing import Router
from streamlit.testing.v1 import AppTest

from embedviz.core.space import WordBlob
from pages._shared.app import registry
from pages._shared.app.registry import Registry, live
from pages._shared.controls import completions as route
from pages._shared.controls.completions import LONGEST_QUERY, MOST_OFFERED, ROUTES, Completions

WORDS = ["the", "The", "theta", "THEN", "zebra", "then", "", "Straße", "naïve", "日本語", "日本"]


def slow(words: Sequence[str], prefix: str, count: int = MOST_OFFERED) -> list[str]:
    """What `of` is meant to answer, by looking at every word."""
    exact = [word for word in words if word.startswith(prefix)]
    other = [word for word in words if word not in exact and word.casefold().startswith(prefix.casefold())]
    return [*exact, *other][:count] if prefix else []


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("th", ["the", "theta", "then", "The", "THEN"]),
        ("TH", ["THEN", "the", "The", "theta", "then"]),
        ("strass", ["Straße"]),
        ("日", ["日本語", "日本"]),
        ("zz", []),
        ("", []),
    ],
)
def test_exact_beginnings_come_first_in_the_order_of_the_space(prefix: str, expected: list[str]) -> None:
    assert Completions(WORDS).of(prefix) == expected
    assert Completions(WordBlob.of(WORDS)).of(prefix) == expected


@given(
    some.lists(some.text("abAB ßſİıK", max_size=4), unique=True, max_size=40),
    some.text("abAB ßſİıK", max_size=3),
    some.integers(1, 9),
)
def test_it_answers_as_a_look_at_every_word_does(words: list[str], prefix: str, count: int) -> None:
    assert Completions(words).of(prefix, count) == slow(words, prefix, count)


@given(some.lists(some.text(max_size=4), unique=True, max_size=30), some.text(max_size=2))
def test_any_text_is_a_word_and_any_text_is_a_question(words: list[str], prefix: str) -> None:
    assert Completions(words).of(prefix) == slow(words, prefix)


def test_at_most_eight_are_shown() -> None:
    assert Completions([f"word{row}" for row in range(100)]).of("w") == [f"word{row}" for row in range(8)]


class Counted(list[str]):
    """Words that count how often they are read through."""

    passes = 0

    def __iter__(self) -> Iterator[str]:
        self.passes += 1
        time.sleep(0.05)
        return super().__iter__()


def test_many_first_questions_build_one_index() -> None:
    words = Counted(WORDS)
    completions = Completions(words)
    answers: list[list[str]] = []
    threads = [threading.Thread(target=lambda: answers.append(completions.of("th"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert words.passes == 1
    assert answers == [["the", "theta", "then", "The", "THEN"]] * 8


def test_one_vocabulary_has_one_index_while_a_session_shows_it() -> None:
    published: Registry[Completions] = Registry()
    words = list(WORDS)
    first, second = (published.publish(Completions(words), str(id(words))) for _ in range(2))
    assert published.get(first) is published.get(second)
    published.release(first)
    assert published.get(second) is not None
    published.release(second)
    assert len(published) == 0


# ---- the route


def ask(path: str, query: str = "", method: str = "GET") -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of one request to the routes."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": []}
    with ThreadPoolExecutor(1) as pool:  # the browser tests keep a loop running in this thread
        pool.submit(lambda: asyncio.run(Router(ROUTES)(scope, receive, send))).result()
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:])


@pytest.fixture
def token() -> Iterator[str]:
    tokens = route.vocabularies()
    made = tokens.publish(Completions([*WORDS, "half \ud800"]))
    yield made
    tokens.release(made)


@pytest.mark.parametrize("base", ["/", "/teaching/", "/a/b/"])
def test_the_route_answers_under_any_base(token: str, base: str) -> None:
    status, headers, body = ask(f"{base}words/{token}", "q=th")
    assert status == 200
    assert json.loads(body) == ["the", "theta", "then", "The", "THEN"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "private"
    assert headers["content-type"] == "application/json"


def test_odd_questions(token: str) -> None:
    assert json.loads(ask(f"/words/{token}")[2]) == []
    assert json.loads(ask(f"/words/{token}", "q=half")[2]) == ["half \ud800"]
    assert json.loads(ask(f"/words/{token}", "q=%ff%00")[2]) == []
    assert json.loads(ask(f"/words/{token}", "q=" + "x" * 100_000)[2]) == []


def test_a_question_is_capped(token: str) -> None:
    long = "y" * (LONGEST_QUERY + 50)
    made = route.vocabularies().publish(Completions([long]))
    assert json.loads(ask(f"/words/{made}", "q=" + long)[2]) == [long]
    assert json.loads(ask(f"/words/{made}", "q=" + "y" * LONGEST_QUERY + "z")[2]) == [long]
    route.vocabularies().release(made)


def test_without_the_token_there_is_nothing(token: str) -> None:
    assert ask("/words/guess", "q=th")[0] == 404
    assert ask(f"/words/{token}", "q=th", "POST")[0] == 405
    route.vocabularies().release(token)
    assert ask(f"/words/{token}", "q=th")[0] == 404


def test_the_route_does_not_hold_up_the_event_loop() -> None:
    assert not inspect.iscoroutinefunction(route._answer)  # Starlette then calls it in a thread


# ---- tokens


def test_a_token_is_long_random_and_ends() -> None:
    tokens: Registry[str] = Registry()
    made = {tokens.publish("x") for _ in range(100)}
    assert len(made) == len(tokens) == 100
    assert min(map(len, made)) >= 22
    one = made.pop()
    tokens.release(one)
    tokens.release(one)
    assert tokens.get(one) is None


def test_a_live_object_outlives_a_reload() -> None:
    first = live("test object", object)
    assert live("test object", object) is first
    assert importlib.reload(registry).live("test object", object) is first


def script() -> None:
    import streamlit as st

    from pages._shared.controls.completions import publish_words
    from pages._shared.controls.wordbox import wordbox

    if "words" not in st.session_state:
        st.session_state["words"] = ["a", "b"]
    token = publish_words(st.session_state["words"])
    typed = wordbox("Word", value="a", token=token, key="word")
    st.text(f"{token} {typed}")


def test_one_session_has_one_token_for_one_vocabulary() -> None:
    app = AppTest.from_function(script, default_timeout=30).run()
    assert not app.exception
    token, typed = app.text[0].value.split()
    assert typed == "None"
    assert app.run().text[0].value.split()[0] == token
    other = AppTest.from_function(script, default_timeout=30).run()
    assert other.text[0].value.split()[0] != token
    app.session_state["words"] = ["c"]
    assert app.run().text[0].value.split()[0] != token


# ---- speed


@pytest.mark.slow
@pytest.mark.parametrize("kind", [list, WordBlob.of])
def test_400_000_words_answer_at_once(kind: Any) -> None:
    rng = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    weights = 1 / np.arange(3, 29)
    drawn = rng.choice(letters, (600_000, 9), p=weights / weights.sum())
    lengths = rng.integers(3, 10, 600_000)
    texts = dict.fromkeys("".join(row[:length]) for row, length in zip(drawn, lengths, strict=True))
    words = kind([word.capitalize() if row % 5 == 0 else word for row, word in enumerate(texts)][:400_000])
    completions = Completions(words)
    start = time.perf_counter()
    completions.of("a")
    built = time.perf_counter() - start
    prefixes = ["e", "E", "t", "th", "the", "q", "xz", "Ze", "ta", "zzzz"]
    slowest = max(min(timeit.repeat(partial(completions.of, prefix), number=1, repeat=3)) for prefix in prefixes)
    print(f"{len(words):,} words: index {built:.2f} s, slowest answer {1000 * slowest:.1f} ms")
    assert built < 3  # under 1 s on an idle machine
    assert slowest < 0.03
