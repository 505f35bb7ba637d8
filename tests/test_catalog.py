import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedviz import catalog
from embedviz.catalog import Recipe, RecipeError
from embedviz.core import folders


@pytest.fixture(autouse=True)
def nothing_opened(own_folders, monkeypatch):
    """Folders of this test alone, and no file that another test has opened."""
    monkeypatch.delenv(catalog.OPENED, raising=False)


@pytest.mark.parametrize(
    "address", ["builtin", "saved:my vectors", "upload:abcdefgh12345678", "opened:glove.6B", "builtin~center"]
)
def test_an_address_is_its_recipe(address):
    assert str(Recipe.parse(address)) == address
    assert Recipe.parse(str(Recipe.parse(address))) == Recipe.parse(address)
    assert hash(Recipe.parse(address)) == hash(Recipe.parse(address))


@pytest.mark.parametrize(
    "address",
    [
        "",
        "nowhere",
        "builtin:x",
        "saved:",
        "saved:../secret",
        "saved:a/b",
        "saved:a\\b",
        "saved:.hidden",
        "saved:" + "a" * 81,
        "upload:short",
        "upload:../../../../etc/passwd",
        "file:/etc/passwd",
        "builtin~nothing",
        "builtin~center(k=3)",
        "builtin~(",
        "builtin~__import__('os')",
        "saved:a\x00b",
    ],
)
def test_what_names_no_space_is_a_sentence(address):
    with pytest.raises(RecipeError) as caught:
        Recipe.parse(address)
    assert str(caught.value).endswith(".")


@given(st.text(max_size=60))
def test_any_text_is_a_recipe_or_a_sentence(text):
    try:
        recipe = Recipe.parse(text)
    except RecipeError:
        return
    assert Recipe.parse(str(recipe)) == recipe
    if recipe.kind != "builtin":
        folder = catalog.folder_of(recipe).resolve()
        roots = (folders.saved_root().resolve(), catalog.uploads_root().resolve())
        assert any(folder.is_relative_to(root) for root in roots)


def visible():
    """The listed spaces apart from those of the shelf."""
    return [entry for entry in catalog.entries() if entry.recipe.kind != "shelf"]


def test_save_rename_delete(space):
    recipe = catalog.save(space, "  my   vectors ")
    assert str(recipe) == "saved:my vectors"
    assert [str(entry.recipe) for entry in visible()] == ["builtin", "saved:my vectors"]
    assert catalog.open_space(recipe).words[3] == "w3"
    renamed = catalog.rename(recipe, "other")
    with pytest.raises(RecipeError, match="There is no saved space called “my vectors”"):
        catalog.open_space(recipe)
    catalog.delete(renamed)
    assert [entry.recipe.kind for entry in visible()] == ["builtin"]
    assert list(folders.saved_root().iterdir()) == []


def test_a_folder_backed_space_is_copied(space, tmp_path):
    opened = space.save(tmp_path / "elsewhere")
    recipe = catalog.save(opened, "copy")
    assert catalog.open_space(recipe).folder == (folders.saved_root() / "copy").resolve()


def test_names_are_taken_once(space):
    catalog.save(space, "one")
    catalog.save(space, "two")
    with pytest.raises(RecipeError, match="already"):
        catalog.save(space, "one")
    with pytest.raises(RecipeError, match="already"):
        catalog.rename(Recipe("saved", "two"), "one")


def test_only_saved_spaces_can_be_changed():
    with pytest.raises(RecipeError, match="Only a saved space"):
        catalog.delete(Recipe())
    with pytest.raises(RecipeError, match="A name has"):
        catalog.valid_name("../x")


def test_the_built_in_space_with_a_correction():
    assert catalog.open_space("builtin~center").origin.name == "MiniLM input words, centered"


def test_what_the_server_was_started_with(space, tmp_path, monkeypatch):
    space.save(tmp_path / "given")
    monkeypatch.setenv(catalog.OPENED, str(tmp_path / "given"))
    assert len(catalog.open_space("opened:given")) == 200
    with pytest.raises(RecipeError, match="not started with"):
        catalog.open_space("opened:other")


def test_uploads_are_gone_when_they_are_gone():
    with pytest.raises(RecipeError, match="Upload the file or train again"):
        catalog.open_space("upload:abcdefgh12345678")


def test_another_space_under_the_same_name_has_another_stamp(space):
    recipe = catalog.save(space, "one")
    before = catalog.stamp(recipe)
    catalog.delete(recipe)
    with pytest.raises(RecipeError, match="no saved space"):
        catalog.stamp(recipe)
    catalog.save(space.take([1, 2]), "one")
    assert catalog.stamp(recipe) != before
    assert catalog.stamp(Recipe()) == ""


def test_a_damaged_folder_is_not_listed(space):
    folder = catalog.folder_of(catalog.save(space, "bad"))
    (folder / "words.npy").write_bytes(b"x")
    assert [entry.title for entry in visible()] == ["MiniLM input words"]


@given(st.text(max_size=100))
def test_a_clean_name_is_a_valid_name(text):
    name = catalog.clean_name(text)
    assert catalog.valid_name(name) == name
