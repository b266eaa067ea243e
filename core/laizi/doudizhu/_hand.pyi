"""Does a hand hold a play with this reading? In plain loops, for every option."""
