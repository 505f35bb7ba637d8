"""Every test of a page runs the app as `tests.visit` prepares it."""

import tests.visit  # noqa: F401
