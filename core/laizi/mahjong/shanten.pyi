"""Shanten: C functions only, see `laizi.mahjong.kernel`."""

__pyx_capi__: dict[str, object]
