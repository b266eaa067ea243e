"""Counts that a fifth copy would help: C functions only, see `laizi.mahjong.kernel`."""

__pyx_capi__: dict[str, object]
