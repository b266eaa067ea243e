"""Callers as a handler sees them, for calls outside any server."""


class Leaving:
    """A caller who is gone at the third look."""

    looks = 0

    def is_active(self) -> bool:
        self.looks += 1
        return self.looks < 3

    def time_remaining(self) -> float:
        return 5.0
