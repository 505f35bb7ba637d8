"""The limits of a server, and the table of them in the documents."""

from pathlib import Path

from embedviz.core import limits

OPERATING = Path(__file__).parents[2] / "docs" / "operating.md"


def test_the_documents_name_every_limit_with_its_value():
    table = OPERATING.read_text("utf-8").partition("## Limits")[2].partition("\n## ")[0]
    cells = " ".join(line.split(" | ")[1].strip("| ") for line in table.splitlines() if line.startswith("| "))
    written = {word.strip("(),").replace(",", "") for word in cells.split()}
    values = {f"{value:g}" if value < 1e6 else f"{value:.0f}" for name, value in vars(limits).items() if name.isupper()}
    assert values <= written
