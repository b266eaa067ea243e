"""Does a play have this reading? In plain loops, for every option and number of cards."""
