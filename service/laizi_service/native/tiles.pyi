"""Tiles of requests and answers: C functions only, see ``tiles.pxd``."""

__pyx_capi__: dict[str, object]
