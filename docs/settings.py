"""Writes docs/settings.md, the table of the service's settings, from where they are declared."""

from __future__ import annotations

from pathlib import Path

from laizi_service.settings import Setting, Settings

PAGE = Path(__file__).with_suffix(".md")
HEAD = """# Settings of the service

Written by `make docs` from `service/laizi_service/settings.py`. A setting comes from the flag, else from the variable,
else it has its default. `laizi serve --print-config` prints what is in force and where each value comes from. Sizes are
in bytes, times in seconds; a port of 0 takes any free one. How clients get in is
[another table](operations.md#who-is-let-in).

| flag | variable | default | allowed | |
|---|---|---|---|---|
"""


def page() -> str:
    """The text of the page."""
    return HEAD + "".join(map(_row, Settings.describe()))


def _row(setting: Setting) -> str:
    default = f"`{setting.default}`" if setting.default != "" else ""
    doc = setting.doc.replace("|", "\\|")
    return f"| `{setting.flag}` | `{setting.variable}` | {default} | {_allowed(setting)} | {doc} |\n"


def _allowed(setting: Setting) -> str:
    if setting.choices:
        return ", ".join(f"`{choice}`" for choice in setting.choices)
    if setting.low is None or setting.high is None:
        return "text"
    return f"{setting.low:,g} to {setting.high:,.10g}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
