"""Thirty visitors at once, and one beside two busy jobs: milliseconds from a word chosen to the server's whole answer.

The visitors speak Streamlit's own protocol over loopback, without browsers, so that the figures are the server's. Each
chooses a word every two seconds or so, for half a minute.
"""

import asyncio
import itertools
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from embedviz import catalog
from tests.browser.server import ROOT, served

VISITORS, CLICKS, PAUSE, COMPUTED = 30, 12, 2.0, 4_000


async def answered(socket: websockets.ClientConnection) -> None:
    """Waits for the end of one run of the script."""
    async for raw in socket:
        message = ForwardMsg()
        message.ParseFromString(raw)
        if message.WhichOneof("type") == "script_finished":
            return


async def ask(socket: websockets.ClientConnection, page: str, query: str) -> float:
    """Milliseconds until the page of this address has been sent."""
    message = BackMsg()
    message.rerun_script.query_string = query
    message.rerun_script.page_name = page
    start = time.perf_counter()
    await socket.send(message.SerializeToString())
    await answered(socket)
    return (time.perf_counter() - start) * 1000


async def visit(address: str, page: str, words: list[str], seed: int) -> list[float]:
    """One visitor: arrives, then chooses words with pauses."""
    chance = random.Random(seed)
    await asyncio.sleep(chance.uniform(0, PAUSE))
    async with websockets.connect(address, subprotocols=["streamlit"], max_size=None) as socket:
        await ask(socket, page, "word=king")
        times = []
        for _ in range(CLICKS):
            await asyncio.sleep(chance.uniform(0.5, 1.5) * PAUSE)
            times.append(await ask(socket, page, f"word={chance.choice(words)}"))
        return times


async def crowd(address: str, page: str, visitors: int, words: list[str]) -> list[float]:
    """The times of all visitors together."""
    found = await asyncio.gather(*(visit(address, page, words, seed) for seed in range(visitors)))
    return [each for times in found for each in times]


async def compute(address: str, seed: int) -> None:
    """Keeps one job busy: a t-SNE map, and another before it can be done."""
    async with websockets.connect(address, subprotocols=["streamlit"], max_size=None) as socket:
        for number in itertools.count():
            await ask(socket, "map", f"method=tsne&sample_n={COMPUTED}&tsne_seed={1000 * seed + number}")
            await asyncio.sleep(PAUSE)


async def beside(address: str, page: str, words: list[str]) -> list[float]:
    """The times of one visitor while two others compute."""
    busy = [asyncio.create_task(compute(address, seed)) for seed in (1, 2)]
    await asyncio.sleep(2 * PAUSE)
    times = await crowd(address, page, 1, words)
    for task in busy:
        task.cancel()
    return times


def result(what: str, times: list[float]) -> None:
    """Prints the median and the 95th percentile."""
    ordered = sorted(times)
    median, p95 = statistics.median(ordered), ordered[int(0.95 * len(ordered))]
    print(f"{what}, {len(ordered)} clicks: median {median:.0f} ms, p95 {p95:.0f} ms")


def main() -> None:
    words = catalog.open_space("builtin").words[1000:6000]
    with tempfile.TemporaryDirectory() as scratch, served(ROOT / "app.py", Path(scratch) / "log") as server:
        address = server.address.replace("http", "ws") + "/_stcore/stream"
        time.sleep(3)
        for visitors in (1, VISITORS):
            result(f"map, {visitors} visitors", asyncio.run(crowd(address, "map", visitors, words)))
        result("neighbors, 1 visitor", asyncio.run(crowd(address, "neighbors", 1, words)))
        result("neighbors, 1 visitor beside two busy jobs", asyncio.run(beside(address, "neighbors", words)))


if __name__ == "__main__":
    main()
