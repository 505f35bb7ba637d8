"""The sheets of Teach: the QR code is read as ISO/IEC 18004 says, not by the library that drew it."""

import re

import pytest

from pages._shared.app import network
from pages._shared.app.network import NetworkAddress
from pages.learn.pattern.sheets import TASKS
from tests.visit import html, opened

MASKS = (
    lambda i, j: (i + j) % 2,
    lambda i, j: i % 2,
    lambda i, j: j % 3,
    lambda i, j: (i + j) % 3,
    lambda i, j: (i // 2 + j // 3) % 2,
    lambda i, j: i * j % 2 + i * j % 3,
    lambda i, j: (i * j % 2 + i * j % 3) % 2,
    lambda i, j: ((i + j) % 2 + i * j % 3) % 2,
)


def modules(svg):
    """Return the dark modules of a drawn code without its margin, and its size."""
    border = 4
    path = re.search(r'class="qrline"[^>]* d="([^"]+)"', svg)[1]
    size = int(re.search(r'width="(\d+)"', svg)[1]) // int(re.search(r"scale\((\d+)\)", svg)[1]) - 2 * border
    dark, x, y = set(), 0.0, 0.0
    for command, one, other in re.findall(r"([Mmh])(-?[\d.]+)(?: (-?[\d.]+))?", path):
        if command == "h":
            dark |= {(int(y) - border, int(x) - border + step) for step in range(int(one))}
            x += float(one)
        else:
            x, y = (float(one), float(other)) if command == "M" else (x + float(one), y + float(other))
    return dark, size


def read(svg):
    """Return the text of a code of version 2 or 3 that holds bytes."""
    dark, size = modules(svg)
    assert size in (25, 29)
    form = [((8, place) in dark) ^ (place % 2 == 0) for place in range(5)]  # level and mask, after their own mask
    mask = MASKS[4 * form[2] + 2 * form[3] + form[4]]

    def reserved(i, j):
        corner = (i < 9 and j < 9) or (i < 9 and j >= size - 8) or (i >= size - 8 and j < 9)
        return corner or 6 in (i, j) or (abs(i - size + 7) < 3 and abs(j - size + 7) < 3)

    bits, upward = [], True
    for right in [*range(size - 1, 6, -2), *range(5, 0, -2)]:
        for i in range(size - 1, -1, -1) if upward else range(size):
            bits += [((i, j) in dark) ^ (not mask(i, j)) for j in (right, right - 1) if not reserved(i, j)]
        upward = not upward
    words = [bits[start : start + 8] for start in range(0, len(bits), 8)]
    if size == 29 and form[0]:  # levels Q and H of version 3 have two blocks, word by word in turn
        many = 17 if form[1] else 13
        words = words[: 2 * many : 2] + words[1 : 2 * many : 2]
    bits = [bit for word in words for bit in word]

    def number(start, length):
        return int("".join(str(int(bit)) for bit in bits[start : start + length]), 2)

    assert number(0, 4) == 4  # bytes
    return bytes(number(12 + 8 * place, 8) for place in range(number(4, 8))).decode()


@pytest.mark.parametrize(("sheet", "path"), [("class", "/learn"), ("near", "/learn?lesson=near")])
def test_the_code_of_a_sheet_is_the_address_for_others(monkeypatch, sheet, path):
    there = NetworkAddress("http://192.0.2.7:8501", True)
    monkeypatch.setattr(network, "network_address", lambda: there)
    test = opened("learn/teach.py", sheet=sheet)
    assert read(next(one.value for one in test.markdown if "<svg" in one.value)) == there.url + path
    if sheet in TASKS:
        assert all(task in html(test) for task in TASKS[sheet])


def test_the_name_of_a_class_is_printed_on_every_sheet_as_text():
    query = {"tab": "students", "class": "NLP <b>2</b>"}
    page = html(opened("learn/teach.py", **query))
    assert page.count('<p class="ev-group">NLP &lt;b&gt;2&lt;/b&gt;</p>') == len(TASKS)
    assert "<h2>NLP &lt;b&gt;2&lt;/b&gt;</h2>" in html(opened("learn/teach.py", **{**query, "tab": "class"}))
