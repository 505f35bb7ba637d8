"""What the library offers to cards: functions of the rooms that answer, printed by lines that compile."""

import ast
import builtins
import inspect
import shlex
from pathlib import Path

import typer.main

from embedviz import cli
from embedviz.core.call import find, offer
from embedviz.core.cards import ROOMS

ROOT = Path(__file__).parents[2]


def offers():
    """The import paths of all functions with the decorator `offered`."""
    for path in sorted((ROOT / "embedviz").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        for node in ast.parse(path.read_text("utf-8")).body:
            marks = [ast.unparse(each) for each in node.decorator_list] if isinstance(node, ast.FunctionDef) else []
            if any(mark.startswith("offered(") for mark in marks):
                yield f"{module}:{node.name}"


OFFERS = list(offers())


def test_there_are_offers():
    assert len(OFFERS) > 30


def test_an_offer_lies_in_a_room_that_answers():
    assert {path.split(".")[1].partition(":")[0] for path in OFFERS} <= {*ROOMS}
    assert [path for path in OFFERS if offer(path) is None] == []


def test_an_offer_has_a_name_and_lines_that_compile():
    for path in OFFERS:
        offered = offer(path)
        assert offered.lines, path
        compile("\n".join(offered.lines), path, "exec")
        names = [name.strip() for name in offered.name.split(",")]
        assert all(name.isidentifier() for name in names), path


def test_the_lines_of_an_offer_use_its_result_its_module_and_what_it_is_given():
    """`embedviz repeat` prints by them, and gives no more."""
    for path in OFFERS:
        offered = offer(path)
        names = list(ast.walk(ast.parse("\n".join(offered.lines))))
        used = {each.id for each in names if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}
        own = {each.id for each in names if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        given = {name.strip() for name in offered.name.split(",")} | {
            path.partition(":")[0].rpartition(".")[2],
            "space",
        }
        given |= set(inspect.signature(find(path)).parameters)
        assert used - own - given - set(dir(builtins)) == set(), path


def test_an_offer_takes_no_argument_that_the_pool_of_jobs_takes_itself():
    for path in OFFERS:
        parameters = inspect.signature(find(path)).parameters.values()
        given = {each.name for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY}
        assert not given & {"key", "owner", "private", "again", "long", "title"}, path


def test_a_command_of_an_offer_is_a_command():
    commands = typer.main.get_command(cli.app).commands
    with_command = [path for path in OFFERS if offer(path).command]
    assert with_command
    for path in with_command:
        words = shlex.split(offer(path).command)
        known = {flag for parameter in commands[words[0]].params for flag in parameter.opts}
        assert {word for word in words if word.startswith("-")} <= known, path
        names = set(inspect.signature(find(path)).parameters)
        assert {word.strip("{}") for word in words if word.startswith("{")} <= names, path
