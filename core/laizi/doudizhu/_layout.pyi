"""Which cards are the body of a play, and what each wild card stands for: without the interpreter."""

from collections.abc import Iterable

from laizi.doudizhu._read import Reader

def arrange(
    reader: Reader, code: int, naturals: int, wilds: int, ranks: Iterable[int] | None = None
) -> tuple[int, int, list[tuple[int, int]]]:
    """Arrange two words of cards as a reading that they have under the rules of a reader.

    Returns the natural cards of the body as a word; how many wild cards are in the body; and for each wild card, those
    of the body first, its place among all wild cards in rising order, and the rank that it stands for. Where several
    choices give the reading, wilds play their own rank where they can, and else the lowest rank that does. ``ranks``
    are all ranks that the wilds stand for, where the player said so. Wilds alone are what they show.
    """
