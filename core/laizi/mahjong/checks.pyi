"""One hand judged in full: C functions only, see `laizi.mahjong.columns`."""

__pyx_capi__: dict[str, object]
