"""All plays of a hand with one reading, every choice of kickers and wilds; each once."""
