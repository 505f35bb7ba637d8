"""The log of the server, and the count of ended jobs for `/metrics`.

If `EMBEDVIZ_LOG` is *lines* or *json*, each event is one line or one JSON object, without any word, text, file name or
address of a visitor. Otherwise only warnings and errors appear, with Python's own tracebacks; these may quote input.
"""

import json
import logging
import os
import re
import sys
import traceback
from datetime import UTC, datetime
from typing import Any

from pages._server import health

VARIABLE = "EMBEDVIZ_LOG"
_FRAME = re.compile(r'^\s*File "(?:.*/)?([^"/]+)", line (\d+)', re.MULTILINE)
_KIND = re.compile(r"^([\w.]+)(?::|$)", re.MULTILINE)
_FRAMES = 8  # greatest number of traceback places in an event: the last ones


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """Return the fields of an event: time, level, message, further fields. An error adds its type and lines of code.

    The message of an exception is left out, because it may quote a visitor's input.
    """
    when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
    fields: dict[str, Any] = {"time": when, "level": record.levelname.lower(), "event": record.getMessage()}
    for name, value in getattr(record, "fields", {}).items():
        fields[name] = round(value, 3) if isinstance(value, float) else value
    if record.exc_info and record.exc_info[0]:
        frames = traceback.extract_tb(record.exc_info[2])[-_FRAMES:]
        fields["error"] = record.exc_info[0].__name__
        fields["at"] = [f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in frames]
    elif text := getattr(record, "job_traceback", ""):
        fields["error"] = (_KIND.findall(text) or [""])[-1]
        fields["at"] = [f"{file}:{line}" for file, line in _FRAME.findall(text)[-_FRAMES:]]
    return fields


class EventFormatter(logging.Formatter):
    """Writes an event as JSON, or as one line of text with fields `name=value`."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self.as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        """Return the event as one line."""
        fields = fields_of(record)
        if self.as_json:
            return json.dumps(fields)
        begin = f"{fields.pop('time')} {fields.pop('level')} {fields.pop('event')}"
        return " ".join([begin.replace("\n", " "), *(f"{name}={json.dumps(value)}" for name, value in fields.items())])


class JobCounter(logging.Handler):
    """Counts ended jobs by function and outcome, and sums their seconds by function."""

    def emit(self, record: logging.LogRecord) -> None:
        """Count the event if it is the end of a job."""
        fields = getattr(record, "fields", {})
        if "outcome" in fields:
            state = health.state()
            state.ended[fields["function"], fields["outcome"]] += 1
            state.seconds[fields["function"]] += fields["seconds"]


def begin() -> None:
    """Begin to write events as `EMBEDVIZ_LOG` says, and to count ended jobs. A second call replaces the handlers."""
    log = logging.getLogger("embedviz")
    for handler in [each for each in log.handlers if getattr(each, "of_the_server", False)]:
        log.removeHandler(handler)
    wanted = os.environ.get(VARIABLE, "")
    log.setLevel(logging.INFO)
    made: list[logging.Handler] = [JobCounter()]
    console = logging.StreamHandler(sys.stderr)
    if wanted in ("json", "lines"):
        console.setFormatter(EventFormatter(as_json=wanted == "json"))
        log.propagate = False
    else:
        console.setLevel(logging.WARNING)
    made.append(console)
    for handler in made:
        handler.of_the_server = True  # type: ignore[attr-defined]
        log.addHandler(handler)
