"""Which readings a hand has: C functions only, see `laizi.mahjong.solver`."""
