"""Thirty visitors at once, and one beside two busy jobs: milliseconds from a click to the server's whole answer.

The visitors speak Streamlit's own protocol over loopback, without browsers, so that the figures are the server's. They
arrive within two seconds, then each chooses a word, or another analogy, every two seconds or so, for half a minute;
then all ask for the same small t-SNE map, and all train on the same text. A job is over for a visitor when the page,
asked for again every three seconds, offers no *Cancel*, *Stop* or *Leave*.
"""

import asyncio
import itertools
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from embedviz import catalog
from tests.browser.server import ROOT, Server, served

VISITORS, CLICKS, PAUSE, LOOK, COMPUTED, SMALL = 30, 12, 2.0, 3.0, 4_000, 1_000
ENDING = {"Cancel", "Stop and keep", "Leave"}
"""Buttons of a page that waits for a job."""


class Visitor:
    """One session.

    Attributes:
        buttons: The buttons of the last answer by their label.
        query: The address after the last answer: a page may change it.
    """

    def __init__(self, socket: websockets.ClientConnection) -> None:
        self._socket = socket
        self.buttons: dict[str, str] = {}
        self.query = ""

    async def ask(self, page: str, query: str, press: str = "") -> float:
        """Milliseconds until the page of this address has been sent; `press` is the label of a button."""
        message = BackMsg()
        message.rerun_script.query_string = query
        message.rerun_script.page_name = page
        if press:
            message.rerun_script.widget_states.widgets.add(id=self.buttons[press], trigger_value=True)
        start = time.perf_counter()
        await self._socket.send(message.SerializeToString())
        self.buttons, self.query = {}, query
        async for raw in self._socket:
            message = ForwardMsg()
            message.ParseFromString(raw)
            element = message.delta.new_element
            if element.WhichOneof("type") == "button":
                self.buttons[element.button.label] = element.button.id
            if message.WhichOneof("type") == "page_info_changed":
                self.query = message.page_info_changed.query_string
            if (
                message.WhichOneof("type") == "script_finished"
                and message.script_finished == message.FINISHED_SUCCESSFULLY
            ):
                break
        return (time.perf_counter() - start) * 1000

    async def wait(self, page: str) -> None:
        """Ask for the page until no job is waited for."""
        while ENDING & set(self.buttons):
            await asyncio.sleep(LOOK)
            await self.ask(page, self.query)


Visit = Callable[[Visitor, random.Random], Awaitable[list[float]]]


async def crowd(server: Server, visitors: int, visit: Visit) -> list[list[float]]:
    """The times of each visitor, who arrives within two seconds."""
    address = server.address.replace("http", "ws") + "/_stcore/stream"

    async def one(seed: int) -> list[float]:
        chance = random.Random(seed)
        await asyncio.sleep(chance.uniform(0, PAUSE))
        async with websockets.connect(address, subprotocols=["streamlit"], max_size=None) as socket:
            return await visit(Visitor(socket), chance)

    return list(await asyncio.gather(*map(one, range(visitors))))


def clicks(page: str, query: Callable[[random.Random], str]) -> Visit:
    """A visit: arrival, then clicks with pauses."""

    async def visit(visitor: Visitor, chance: random.Random) -> list[float]:
        times = [await visitor.ask(page, query(chance))]
        for _ in range(CLICKS):
            await asyncio.sleep(chance.uniform(0.5, 1.5) * PAUSE)
            times.append(await visitor.ask(page, query(chance)))
        return times

    return visit


async def with_memory(server: Server, visitors: int, visit: Visit) -> tuple[list[list[float]], int]:
    """The times of each visitor, and the most bytes of memory that the server's process held meanwhile."""
    process, most = psutil.Process(server.process.pid), 0
    visits = asyncio.create_task(crowd(server, visitors, visit))
    while not visits.done():
        most = max(most, process.memory_info().rss)
        await asyncio.wait([visits], timeout=0.5)
    return visits.result(), most


def job(page: str, query: str, press: str = "") -> Visit:
    """A visit that waits for one job; all visitors ask for the same."""

    async def visit(visitor: Visitor, chance: random.Random) -> list[float]:
        start = time.perf_counter()
        await visitor.ask(page, query)
        if press:
            await visitor.wait(page)
            await visitor.ask(page, visitor.query, press)
        await visitor.wait(page)
        return [(time.perf_counter() - start) * 1000]

    return visit


async def compute(visitor: Visitor, chance: random.Random) -> list[float]:
    """Keeps one job busy: a t-SNE map, and another before it can be done."""
    for number in itertools.count(chance.randrange(2**16)):
        await visitor.ask("map", f"method=tsne&sample_n={COMPUTED}&tsne_seed={number}")
        await asyncio.sleep(PAUSE)
    return []


async def beside(server: Server, visit: Visit) -> list[list[float]]:
    """The times of one visitor while two others compute."""
    busy = asyncio.create_task(crowd(server, 2, compute))
    await asyncio.sleep(3 * PAUSE)
    times = await crowd(server, 1, visit)
    busy.cancel()
    return times


def result(what: str, times: list[float]) -> None:
    """Prints the median, the 95th percentile and the longest."""
    ordered = sorted(times)
    median, p95 = statistics.median(ordered), ordered[int(0.95 * len(ordered))]
    print(
        f"{what}, {len(ordered)} times: median {median:.0f} ms, p95 {p95:.0f} ms, longest {ordered[-1]:.0f} ms",
        flush=True,
    )


def measure(server: Server, what: str, visitors: int, visit: Visit) -> int:
    """Prints the times of the first pages and of the clicks after them; the most memory of the server's process."""
    found, most = asyncio.run(with_memory(server, visitors, visit))
    title = f"{what}, {visitors} visitor{'s' * (visitors > 1)}"
    result(f"{title}, first page", [times[0] for times in found])
    if any(len(times) > 1 for times in found):
        result(f"{title}, click", [each for times in found for each in times[1:]])
    return most


def main() -> None:
    words = catalog.open_space("builtin").words[1000:6000]
    choose = clicks("map", lambda chance: f"word={chance.choice(words)}")
    solve = clicks("analogy", lambda chance: "formula={}%20-%20{}%20%2B%20{}".format(*chance.sample(words, 3)))
    look = clicks("neighbors", lambda chance: f"word={chance.choice(words)}")
    small, train = f"the same t-SNE of {SMALL:,} words", "the same training"
    with tempfile.TemporaryDirectory() as scratch, served(ROOT / "app.py", Path(scratch) / "log") as server:
        time.sleep(3)
        alone = measure(server, "map", 1, choose)
        many = max(measure(server, title, VISITORS, visit) for title, visit in (("map", choose), ("analogy", solve)))
        more = (many - alone) / (VISITORS - 1) / 1e6
        print(f"memory of the server: {alone / 1e6:.0f} MB with one visitor, {more:.1f} MB for each further one")
        measure(server, small, VISITORS, job("map", f"method=tsne&sample_n={SMALL}&tsne_seed=7"))
        measure(server, train, VISITORS, job("train", "", "Train"))
        measure(server, "neighbors", 1, look)
        found = asyncio.run(beside(server, look))
        result("neighbors, 1 visitor beside two busy jobs, click", [each for times in found for each in times[1:]])


if __name__ == "__main__":
    main()
