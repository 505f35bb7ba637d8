"""How many wrong passwords each host gave within the last minute."""

import time
from collections import OrderedDict

MOST = 10
"""Number of wrong passwords in a minute after which a host must wait."""
_MINUTE, _MOST_HOSTS = 60.0, 10_000  # seconds; greatest number of hosts remembered, the latest


class WrongTries:
    """The times at which each host gave a wrong password."""

    def __init__(self) -> None:
        self._times: OrderedDict[str, list[float]] = OrderedDict()

    def add(self, host: str) -> None:
        """Record that a host gave a wrong password now."""
        self._times.setdefault(host, []).append(time.monotonic())
        if len(self._times) > _MOST_HOSTS:
            self._times.popitem(last=False)

    def too_many(self, host: str) -> bool:
        """Return whether this host must wait before its next try; forget its tries older than a minute."""
        recent = [each for each in self._times.pop(host, []) if time.monotonic() - each < _MINUTE]
        if recent:
            self._times[host] = recent
        return len(recent) >= MOST
