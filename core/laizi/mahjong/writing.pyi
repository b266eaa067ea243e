"""Readings written out: C functions only, see `laizi.mahjong.solver`."""

__pyx_capi__: dict[str, object]
