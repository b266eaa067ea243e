"""The table of options in docs/mahjong.md says what the presets say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from laizi import rules

PAGE = Path(__file__).parents[2] / "docs" / "mahjong.md"
GROUPS = (
    "tiles.",
    "wild.",
    "waits.",
    "down.",
    "claim.",
    "hu.",
    "score.small",
    "score.big",
    "score.combine",
    "score.hard",
)


def written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return " ".join(map(str, value)) or "-"
    if isinstance(value, dict):
        return " ".join(f"{key}→{made}" for key, made in value.items()) or "-"
    return str(value)


def table() -> str:
    names = ("honghu", "honghu_koukou", "honghu_formula", "enshi", "enshi_simple", "hongzhong", "guangdong_gui")
    presets = [rules.load(name).options() for name in names]
    default = rules.custom("mahjong", {}).options()
    keys = [key for key in dict.fromkeys(key for of in presets for key in of) if key.startswith(GROUPS)]
    declared = [option.name for option in rules.options("mahjong")]
    lines = ["| option | default | " + " | ".join(names) + " |", "|---" * (len(names) + 2) + "|"]
    for key in sorted(
        keys, key=lambda key: next(i for i, name in enumerate(declared) if f"{name}.".startswith(key + "."))
    ):
        usual = written(default.get(key, next((o.default for o in rules.options("mahjong") if o.name == key), "off")))
        row = [written(of[key]) if key in of else "" for of in presets]
        lines.append(f"| `{key}` | {usual} | " + " | ".join("=" if one == usual else one for one in row) + " |")
    return "\n".join(lines) + "\n"


def test_the_table_of_options_is_that_of_the_presets() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.endswith(table()), f"write this at the end of {PAGE.name}:\n\n{table()}"
