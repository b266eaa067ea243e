"""Which readings a hand has: C functions only, see `laizi.mahjong.solver`."""

__pyx_capi__: dict[str, object]
