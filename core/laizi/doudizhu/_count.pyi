"""How many plays of a hand have one reading."""
