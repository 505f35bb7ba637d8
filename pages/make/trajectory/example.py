"""The example of the page Replay: a small training that a server runs once."""

from dataclasses import replace

from embedviz.catalog import Recipe
from pages._shared.results import cache, work
from pages._shared.sources import uploads
from pages._shared.sources.current import View

_ROOM = 2**24  # bytes to reserve for its folder


def example_view(view: View) -> View | None:
    """Return a view of the example's space. While the space is trained, show the progress and return None.

    Raises:
        SpaceError: There is no room for the folder of the space.
    """
    token = uploads.token_of("replay example")
    folder = uploads.folder_of(token) / "space"
    if not (folder / "card.json").is_file():
        uploads.make_room(_ROOM, token)
        task = work.run(
            "example",
            "embedviz.training.example:train_example",
            str(folder),
            key=f"{token}|{uploads.making(token)}",
            wait=1.0,
            title="Training the example",
        )
        if not (folder / "card.json").is_file():
            work.show(task, "Training the example. This takes a few seconds.")
            return None
    uploads.visit(token, listed=False)
    recipe = Recipe("upload", token)
    key = cache.key_of(str(recipe))
    return replace(view, recipe=recipe, key=key, space=cache.space(key))
