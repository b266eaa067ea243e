"""Hand evaluation for Chinese wildcard (癞子) card and mahjong games."""

__version__ = "0.1.0"
