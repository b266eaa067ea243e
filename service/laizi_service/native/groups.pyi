"""The groups of a decomposition, as bytes: C functions only, see ``groups.pxd``."""

__pyx_capi__: dict[str, object]
