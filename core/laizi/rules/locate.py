"""Where each key of a TOML text stands, which the standard library's reader does not tell."""

from __future__ import annotations

import re
import tomllib

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'', re.DOTALL)
_SCALAR = re.compile(r"[^,\]}#\n]+")


def locate(text: str) -> dict[str, tuple[int, int]]:
    """Dotted key → line and column, both from 1, of its first mention. The text must be valid TOML.

    >>> locate('a.b = 1\\n[c]\\nd = { "e.f" = 2 }')
    {'a': (1, 1), 'a.b': (1, 1), 'c': (2, 2), 'c.d': (3, 1), 'c.d.e.f': (3, 7)}
    """
    scanner = _Scanner(text)
    scanner.document()
    return {key: _line_and_column(text, offset) for key, offset in scanner.found.items()}


def _line_and_column(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self.found: dict[str, int] = {}

    def document(self) -> None:
        prefix = ""
        while self._skip():
            if self._text[self._at] == "[":
                self._at += 2 if self._text.startswith("[[", self._at) else 1
                prefix = self._key("")
                self._at = self._text.index("]", self._at) + 1
                self._at += self._text.startswith("]", self._at)
            else:
                self._pair(prefix)

    def _skip(self) -> bool:
        blank = _BLANK.match(self._text, self._at)
        if blank:
            self._at = blank.end()
        return self._at < len(self._text)

    def _pair(self, prefix: str) -> None:
        key = self._key(prefix)
        self._at += 1  # the equals sign
        self._value(key)

    def _key(self, prefix: str) -> str:
        """Reads a dotted key and the blanks behind it."""
        self._skip()
        start, key = self._at, prefix
        while True:
            bare = _BARE.match(self._text, self._at)
            part = bare or _STRING.match(self._text, self._at)
            if part is None:
                raise ValueError("no TOML")
            self._at = part.end()
            word = bare[0] if bare else tomllib.loads(f"key = {part[0]}")["key"]
            key = f"{key}.{word}" if key else word
            self.found.setdefault(key, start)
            self._skip()
            if not self._text.startswith(".", self._at):
                return key
            self._at += 1
            self._skip()

    def _value(self, key: str) -> None:
        self._skip()
        opening = self._text[self._at]
        if opening not in "{[":
            scalar = _STRING.match(self._text, self._at) or _SCALAR.match(self._text, self._at)
            self._at = scalar.end() if scalar else len(self._text)
            return
        closing = "}" if opening == "{" else "]"
        self._at += 1
        while self._skip() and self._text[self._at] != closing:
            if opening == "{":
                self._pair(key)
            else:
                self._value(key)
            self._skip()
            self._at += self._text.startswith(",", self._at)
        self._at += 1
