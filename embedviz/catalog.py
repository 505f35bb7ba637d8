"""The catalog of spaces: recipes, their addresses, and the list of available spaces.

An address is `builtin`, `shelf:NAME`, `saved:NAME`, `upload:TOKEN`, `opened:NAME` or `synthetic:KIND`, followed by any
corrections: `builtin~center`, `saved:my vectors~whiten(components=50)`, `synthetic:noise(n=500,d=50)~unit`. No other
address is valid, so no address can reach another file.
"""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from embedviz.core.builtin import builtin_space, cached_space
from embedviz.core.folders import check_writable, saved_root, stamp_of
from embedviz.core.options import OptionError, check, choose, parse_settings
from embedviz.core.progress import Report
from embedviz.core.recipe import Recipe as Recipe
from embedviz.core.recipe import spell
from embedviz.core.space import SpaceError, VectorSpace, folder_size, folder_writer, open_folder, read_card
from embedviz.geometry.corrections import CORRECTIONS, corrected
from embedviz.shelf import shelf, shipped_space
from embedviz.synthetic import spelled, synthetic_space

KINDS = ("builtin", "shelf", "saved", "upload", "opened", "synthetic")
MOST_CORRECTIONS = 4
TOKEN = re.compile(r"[A-Za-z0-9_-]{16,64}")
"""Pattern of an upload's token. Whoever has the token may see the upload."""
OPENED = "EMBEDVIZ_OPENED"  # environment variable: folder of the space that the server was started with
_NAME = re.compile(r"[^\W_][\w .+-]{0,79}")
_STEP = re.compile(r"([a-z_-]+)(?:\(([^()]*)\))?")


class RecipeError(SpaceError):
    """An address names no space, a space no longer exists, or a name cannot be used; the message says what is wrong."""


def parse(address: str) -> Recipe:
    """Return the recipe of an address.

    Raises:
        RecipeError: The address is not valid.
    """
    source, *steps = address.split("~")
    kind, colon, name = source.partition(":")
    if kind == "synthetic" and colon:
        name = _parse_synthetic(name).name
    elif kind == "shelf" and colon and name not in shelf():
        raise RecipeError(f"There is no space “{name[:80]}” on the shelf. There are: {', '.join(shelf())}.")
    elif kind not in KINDS or bool(colon) != (kind != "builtin") or (colon and not _allowed(kind, name)):
        raise RecipeError(
            f"“{address[:80]}” names no space. An address is builtin, shelf:NAME, saved:NAME, upload:TOKEN or "
            "synthetic:KIND(option=value)."
        )
    if len(steps) > MOST_CORRECTIONS:
        raise RecipeError(f"{len(steps)} corrections were asked for; at most {MOST_CORRECTIONS} are made in a row.")
    return Recipe(kind, name, tuple(_parse_correction(step) for step in steps))


def synthetic(kind: str, options: Mapping[str, Any]) -> Recipe:
    """Return the recipe (how to get a space) of a made-up space with these options.

    Raises:
        OptionError: There is no such kind, or an option is out of range.
    """
    return Recipe("synthetic", spell(kind, spelled(kind, options)))


def _allowed(kind: str, name: str) -> bool:
    return bool((TOKEN if kind == "upload" else _NAME).fullmatch(name))


def _parse_correction(step: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    match = _STEP.fullmatch(step)
    if match is None:
        raise RecipeError(f"“~{step[:80]}” is no correction. Write ~name or ~name(option=value).")
    try:
        name, options = match.group(1), _options(match.group(2))
        check(choose(CORRECTIONS, name, "correction"), options)
    except OptionError as error:
        raise RecipeError(str(error)) from None
    return name, tuple(sorted(options.items()))


def _parse_synthetic(text: str) -> Recipe:
    match = _STEP.fullmatch(text)
    if match is None:
        raise RecipeError(f"“{text[:80]}” is no made-up space. Write synthetic:KIND or synthetic:KIND(option=value).")
    try:
        return synthetic(match.group(1), _options(match.group(2)))
    except OptionError as error:
        raise RecipeError(str(error)) from None


def _options(inside: str | None) -> dict[str, str]:
    return parse_settings([part for part in (inside or "").split(",") if part.strip()])


def open_space(recipe: Recipe | str) -> VectorSpace:
    """Return the space of a recipe or an address.

    Raises:
        RecipeError: The address is not valid, or the space is gone.
        SpaceError: The folder of the space is damaged.
        OptionError: A correction cannot be applied to this space, for example because it would leave no dimension.
    """
    recipe = parse(recipe) if isinstance(recipe, str) else recipe
    if not recipe.corrections and recipe.kind != "synthetic":
        return _open_source(recipe)
    return _stored(recipe) if "EMBEDVIZ_UPLOADS" in os.environ else _corrected(recipe)


def prepare(address: str, *, report: Report | None = None) -> int:
    """Open the space of an address and return its number of rows.

    On a server this computes and stores a corrected or made-up space, so that the next visit opens it quickly.

    Raises:
        RecipeError, SpaceError, OptionError: As in `open_space`.
    """
    if report is not None:
        report(None, "the corrected rows are written")
    return len(open_space(address))


def with_corrections(space: VectorSpace, recipe: Recipe) -> VectorSpace:
    """Return the space after all corrections of the recipe have been applied to it, in their order.

    Raises:
        OptionError: A correction cannot be applied to this space.
    """
    for name, pairs in recipe.corrections:
        settings: dict[str, Any] = dict(pairs)
        space = corrected(space, name, **settings)
    return space


def _corrected(recipe: Recipe) -> VectorSpace:
    return with_corrections(_open_source(recipe), recipe)


def _stored(recipe: Recipe) -> VectorSpace:
    """Return a corrected or made-up space, opened from its folder in `uploads_root()`.

    If this folder does not exist yet, the space is computed and saved there first.

    Jobs in other processes open the folder by its path.
    """
    root = uploads_root() / (recipe.name if recipe.kind == "upload" else "corrected")
    folder = root / hashlib.sha256(f"{recipe}#{stamp(recipe)}".encode()).hexdigest()[:24]
    if not folder.exists():
        with suppress(FileExistsError):  # another visitor saved it meanwhile
            _corrected(recipe).save(folder)
        _keep_newest(root)
    with suppress(OSError):
        os.utime(folder)  # `_keep_newest` deletes the least recently used folders
    return open_folder(folder)


def _keep_newest(root: Path, most: int = 6) -> None:
    """Delete the least recently used computed spaces in `root`, so that at most `most` remain.

    An open memory map of a deleted file stays readable.
    """
    for folder in sorted(root.glob("?" * 24), key=_last_use)[:-most]:
        shutil.rmtree(folder, ignore_errors=True)


def _last_use(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0  # another process deleted it meanwhile


def _open_source(recipe: Recipe) -> VectorSpace:
    if recipe.kind == "builtin":
        return builtin_space()
    if recipe.kind == "shelf":
        return cached_space(f"shelf-{recipe.name}-{stamp(recipe)}", lambda: shipped_space(recipe.name))
    if recipe.kind == "synthetic":
        return _made_up(recipe)
    folder = folder_of(recipe)
    if not folder.is_dir():
        raise RecipeError(_gone(recipe))
    return open_folder(folder)


def _made_up(recipe: Recipe) -> VectorSpace:
    kind, _, inside = recipe.name.removesuffix(")").partition("(")
    settings: dict[str, Any] = _options(inside)
    try:
        return synthetic_space(kind, **settings)
    except OptionError as error:
        raise RecipeError(str(error)) from None


def _gone(recipe: Recipe) -> str:
    if recipe.kind == "upload":
        return (
            "This space is no longer here. Unsaved uploads and trainings are deleted one hour after their last "
            "visitor. Upload the file or train again."
        )
    if recipe.kind == "opened":
        return f"The program was not started with a space called “{recipe.name}”. Start it with: embedviz open FILE"
    return f"There is no saved space called “{recipe.name}”. It may have been renamed or deleted."


def folder_of(recipe: Recipe) -> Path:
    """Return the folder of a saved, uploaded or opened space. The folder need not exist.

    Raises:
        RecipeError: The recipe is of another kind: its space has no folder of its own.
    """
    if recipe.kind == "saved":
        return saved_root() / recipe.name
    if recipe.kind == "upload":
        return uploads_root() / recipe.name / "space"
    if recipe.kind == "opened":
        opened = opened_folder()
        return opened if opened is not None and clean_name(opened.name) == recipe.name else saved_root() / ".nothing"
    raise RecipeError("A built-in or made-up space has no folder of its own.")


def stamp(recipe: Recipe) -> str:
    """Return a stamp that changes when the space of a recipe is replaced; empty for a built-in or made-up space.

    Raises:
        RecipeError: The space is gone.
    """
    if recipe.kind == "shelf":
        return shelf()[recipe.name].sha256[:12]
    if not recipe.in_folder:
        return ""
    try:
        return stamp_of(folder_of(recipe) / "card.json")
    except OSError:
        raise RecipeError(_gone(recipe)) from None


def uploads_root() -> Path:
    """Return the folder of unsaved uploads: `$EMBEDVIZ_UPLOADS`, else a temporary folder of the current user."""
    if os.environ.get("EMBEDVIZ_UPLOADS"):
        return Path(os.environ["EMBEDVIZ_UPLOADS"])
    return Path(tempfile.gettempdir()) / f"embedviz-uploads-{os.getuid()}"


def opened_folder() -> Path | None:
    """Return the folder of the space that the server was started with; None if it was started without a space."""
    path = os.environ.get(OPENED)
    return Path(path) if path else None


class SpaceEntry(NamedTuple):
    """An available space: its recipe, title, size, bytes on disk, and description.

    The bytes on disk are 0 for a space that has no folder or file of its own.

    Attributes:
        card: The description of the space, such as its source and license, as JSON values.
    """

    recipe: Recipe
    title: str
    rows: int
    dimensions: int
    bytes: int
    card: Mapping[str, Any]


def entry(recipe: Recipe) -> SpaceEntry:
    """Return the title, size and description of the space of a recipe.

    For a space in a folder, bytes and description are those of the folder, also if the recipe has corrections.

    Raises:
        RecipeError, SpaceError, OptionError: As in `open_space`.
    """
    if recipe.kind == "shelf" and not recipe.corrections:
        return _on_shelf(recipe)
    space = open_space(recipe)
    folder = folder_of(recipe) if recipe.in_folder else None
    title = recipe.name if recipe.kind in ("saved", "opened") and not recipe.corrections else space.origin.name
    card = read_card(folder) if folder else {"origin": space.origin.card()}
    return SpaceEntry(recipe, title, len(space), space.dimensions, folder_size(folder) if folder else 0, card)


def _on_shelf(recipe: Recipe) -> SpaceEntry:
    row = shelf()[recipe.name]
    card: dict[str, Any] = {name: getattr(row, name) for name in ("about", "source", "url", "license", "good_for")}
    if row.subwords:
        card["subwords"] = True
    return SpaceEntry(recipe, row.title, row.rows, row.dimensions, row.bytes, card)


def entries() -> list[SpaceEntry]:
    """Return the spaces that every visitor may open, without damaged spaces.

    Their order: the built-in space, the space that the server was started with, the saved spaces, and the shelf (the
    published spaces that ship with the program).
    """
    recipes = [Recipe()]
    opened = opened_folder()
    if opened is not None:
        recipes.append(Recipe("opened", clean_name(opened.name)))
    root = saved_root()
    if root.is_dir():
        names = sorted(path.name for path in root.iterdir() if path.is_dir() and _NAME.fullmatch(path.name))
        recipes += [Recipe("saved", name) for name in names if (root / name / "card.json").is_file()]
    recipes += [Recipe("shelf", name) for name in shelf()]
    found = []
    for recipe in recipes:
        try:
            found.append(entry(recipe))
        except SpaceError:  # the folder is damaged: opening it by its address says why
            continue
    return found


def valid_name(name: str) -> str:
    """Return a name without superfluous blanks, after a check that a saved space may have this name.

    Raises:
        RecipeError: The name is empty or too long, has other characters than letters, digits, blanks and `_.+-`, or
            does not begin with a letter or digit.
    """
    tidy = " ".join(name.split())
    if not _NAME.fullmatch(tidy):
        raise RecipeError(
            "A name has 1 to 80 letters, digits, blanks, dots, hyphens or plus signs; the first is a letter or digit."
        )
    return tidy


def clean_name(text: str) -> str:
    """Return a valid name for a space, made from any text; “vectors” if no valid character is left.

    Characters other than letters, digits and `_ . + -` become blanks. The name has at most 80 characters.
    """
    tidy = " ".join(re.sub(r"[^\w .+-]", " ", text).split()).lstrip("_ .+-")[:80].rstrip()
    return tidy or "vectors"


def save(space: VectorSpace, name: str) -> Recipe:
    """Save a space under a name, and return its recipe.

    Raises:
        RecipeError: The name is not valid or is taken, or the server is read-only.
        FileExistsError: The name was taken while the space was being saved.
    """
    check_writable(RecipeError)
    recipe = Recipe("saved", valid_name(name))
    _free(recipe)
    if space.folder is not None:
        with folder_writer(folder_of(recipe)) as draft:
            shutil.copytree(space.folder, draft, dirs_exist_ok=True)
    else:
        space.save(folder_of(recipe))
    return recipe


def rename(recipe: Recipe, name: str) -> Recipe:
    """Rename a saved space and return its new recipe.

    Raises:
        RecipeError: The space is not a saved one or is gone, the name is not valid or is taken, or the server is
            read-only.
    """
    check_writable(RecipeError)
    folder = _saved_folder(recipe)
    renamed = Recipe("saved", valid_name(name))
    if renamed != recipe:
        _free(renamed)
        folder.rename(folder_of(renamed))
    return renamed


def delete(recipe: Recipe) -> None:
    """Delete a saved space, with its folder.

    Raises:
        RecipeError: The space is not a saved one or is gone, or the server is read-only.
    """
    check_writable(RecipeError)
    folder = _saved_folder(recipe)
    doomed = Path(tempfile.mkdtemp(prefix=".deleted-", dir=folder.parent))
    folder.rename(doomed / "space")  # removes it for everybody in one step; open memory maps stay readable
    shutil.rmtree(doomed, ignore_errors=True)


def _saved_folder(recipe: Recipe) -> Path:
    if recipe.kind != "saved":
        raise RecipeError("Only a saved space can be renamed or deleted.")
    folder = folder_of(recipe)
    if not folder.is_dir():
        raise RecipeError(_gone(recipe))
    return folder


def _free(recipe: Recipe) -> None:
    if folder_of(recipe).exists():
        raise RecipeError(
            f"There is a saved space called “{recipe.name}” already. Choose another name, or delete that one first."
        )
