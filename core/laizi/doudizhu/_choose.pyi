"""The cards with which a hand best makes one reading."""
