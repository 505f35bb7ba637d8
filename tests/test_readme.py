"""The Python of the README runs, and its commands exist."""

import re
from pathlib import Path

import pytest

from embedviz.cli import COMMANDS

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")


def test_the_python_of_the_readme_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(code, {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[0] == "1"
    assert "best match by chance:" in lines[5]
    assert len(lines[6]) > 20


def test_every_command_of_the_readme_exists():
    named = re.findall(r"^    embedviz (\w+)", README, re.MULTILINE)
    assert set(named) == {"open", "serve", *COMMANDS}


@pytest.mark.parametrize("link", re.findall(r"\]\(([\w/.]+)\)", README))
def test_every_file_that_the_readme_links_to_is_there(link):
    assert (Path(__file__).parent.parent / link).exists()
