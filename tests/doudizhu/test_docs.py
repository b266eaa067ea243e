"""The table of options in docs/doudizhu.md is what the schema and the presets say.

``python -m tests.doudizhu.test_docs`` writes it anew.
"""

import json
from pathlib import Path

from laizi import rules

PAGE = Path(__file__).parents[2] / "docs" / "doudizhu.md"
BEGIN, END = "<!-- options: written by tests/doudizhu/test_docs.py -->\n", "<!-- end of options -->\n"
SHOWN = ("wild.", "kick.", "seq.", "bomb.", "read.", "play.")


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value).replace('"', "")


def option_table() -> str:
    presets = {name: rules.load(name).options() for name in rules.presets("doudizhu")}
    lines = ["| option | default | other presets |", "|---|---|---|"]
    for option in rules.options("doudizhu"):
        if not option.name.startswith(SHOWN):
            continue
        others = [
            f"{name} {_text(values[option.name])}"
            for name, values in presets.items()
            if values[option.name] != option.default
        ]
        lines.append(f"| `{option.name}` | {_text(option.default)} | {'; '.join(others) or '–'} |")
    return "\n".join(lines) + "\n"


def test_the_table_of_options_is_up_to_date():
    page = PAGE.read_text(encoding="utf-8")
    assert page[page.index(BEGIN) + len(BEGIN) : page.index(END)] == option_table()


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    start, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    PAGE.write_text(page[:start] + option_table() + page[end:], encoding="utf-8")
