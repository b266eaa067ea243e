"""What the tiles of one suit can be completed to: C functions only, see `laizi.mahjong.solver`."""

__pyx_capi__: dict[str, object]
