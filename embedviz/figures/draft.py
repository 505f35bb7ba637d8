"""A figure as plain numbers and texts. It is made in a millisecond, since Plotly checks it only once, at the end."""

from typing import Any


class Draft:
    """The traces and the layout of a figure. The methods that add to them have Plotly's names.

    Attributes:
        data: The traces, in the form of Plotly's JSON.
        layout: The layout, in the same form.
    """

    def __init__(self, layout: dict[str, Any]) -> None:
        self.data: list[dict[str, Any]] = []
        self.layout: dict[str, Any] = _merged({}, layout)

    def add_trace(self, kind: str, **trace: Any) -> None:
        """Add a trace of a Plotly type, such as "bar" or "scatter"."""
        self.data.append({"type": kind, **trace})

    def add_scatter(self, **trace: Any) -> None:
        """Add points or a line."""
        self.add_trace("scatter", **trace)

    def add_annotation(self, **text: Any) -> None:
        """Add a text."""
        self.layout.setdefault("annotations", []).append(text)

    def add_shape(self, **shape: Any) -> None:
        """Add a line or a rectangle."""
        self.layout.setdefault("shapes", []).append(shape)

    def update_layout(self, **parts: Any) -> None:
        """Set parts of the layout; settings that are not given stay."""
        self.layout = _merged(self.layout, parts)

    def figure(self) -> Any:
        """Return the Plotly figure.

        Raises:
            ValueError: A trace or the layout has a setting that Plotly does not know.
        """
        import plotly.graph_objects as go

        return go.Figure({"data": self.data, "layout": self.layout})


def _merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Return a new dict that merges two nested dicts; for a key in both, the value of `new` counts."""
    found = dict(old)
    for name, value in new.items():
        before = found.get(name)
        found[name] = _merged(before if isinstance(before, dict) else {}, value) if isinstance(value, dict) else value
    return found
