"""All readings that a hand can make at once, for the rules of kickers and bodies that the presets have."""
