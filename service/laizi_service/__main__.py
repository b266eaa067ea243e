"""The script ``laizi``, and ``python -m laizi_service``: the command line, or one line that says what it lacks."""

from __future__ import annotations

import sys
from typing import Final

__all__ = ["main"]

_OURS: Final = {"laizi", "laizi_bench", "laizi_service"}
_CLI_ONLY: Final = {"matplotlib", "rich"}


def main() -> None:
    """Run the command line. Where an extra of the distribution is missing, say which, with exit code 1."""
    try:
        from laizi_service.cli import main as command_line

        command_line()
    except ModuleNotFoundError as error:
        top = (error.name or "").partition(".")[0]
        if not top or top in _OURS:
            raise
        extra = "cli" if top in _CLI_ONLY else "service"
        sys.exit(f"laizi: the Python module {error.name} is not installed; it comes with: pip install 'laizi[{extra}]'")


if __name__ == "__main__":
    main()
