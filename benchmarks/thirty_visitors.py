"""Thirty visitors at once on the map: milliseconds from a word chosen to the server's whole answer.

The visitors speak Streamlit's own protocol over loopback, without browsers, so that the figures are the server's. Each
chooses a word every two seconds or so, for half a minute.
"""

import asyncio
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

VISITORS, CLICKS, PAUSE = 30, 12, 2.0


async def answered(socket: websockets.ClientConnection) -> None:
    """Waits for the end of one run of the script."""
    async for raw in socket:
        message = ForwardMsg()
        message.ParseFromString(raw)
        if message.WhichOneof("type") == "script_finished":
            return


async def choose(socket: websockets.ClientConnection, word: str) -> float:
    """Milliseconds until the map with this word has been sent."""
    message = BackMsg()
    message.rerun_script.query_string = f"word={word}"
    message.rerun_script.page_name = "map"
    start = time.perf_counter()
    await socket.send(message.SerializeToString())
    await answered(socket)
    return (time.perf_counter() - start) * 1000


async def visit(address: str, words: list[str], seed: int) -> list[float]:
    """One visitor: arrives, then chooses words with pauses."""
    chance = random.Random(seed)
    await asyncio.sleep(chance.uniform(0, PAUSE))
    async with websockets.connect(address, subprotocols=["streamlit"], max_size=None) as socket:
        await choose(socket, "king")
        times = []
        for _ in range(CLICKS):
            await asyncio.sleep(chance.uniform(0.5, 1.5) * PAUSE)
            times.append(await choose(socket, chance.choice(words)))
        return times


async def crowd(address: str, visitors: int, words: list[str]) -> list[float]:
    """The times of all visitors together."""
    found = await asyncio.gather(*(visit(address, words, seed) for seed in range(visitors)))
    return [each for times in found for each in times]


def main() -> None:
    words = catalog.open_space("builtin").words[1000:6000]
    with tempfile.TemporaryDirectory() as scratch, served(ROOT / "app.py", Path(scratch) / "log") as server:
        address = server.address.replace("http", "ws") + "/_stcore/stream"
        time.sleep(3)
        for visitors in (1, VISITORS):
            times = sorted(asyncio.run(crowd(address, visitors, words)))
            p95 = times[int(0.95 * len(times))]
            print(
                f"{visitors} visitors, {len(times)} clicks: median {statistics.median(times):.0f} ms, p95 {p95:.0f} ms"
            )


if __name__ == "__main__":
    main()
