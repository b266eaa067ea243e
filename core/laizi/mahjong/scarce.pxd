from libc.stdint cimport uint8_t, uint32_t

cdef enum:
    SCARCE_SLOTS = 16384    # a power of two
    SCARCE_VECTORS = 256


# The counts of a suit that keep fewer tiles where no tile stands more than four times than where wilds may be further
# copies: a hash table from the suit key to what they keep then (as Table.kept). Only counts with four of a kind are in.
cdef struct Scarce:
    uint32_t key[SCARCE_SLOTS]      # plus one; 0 for an empty slot
    uint8_t vector[SCARCE_SLOTS]
    uint8_t kept[SCARCE_VECTORS][16]


cdef inline const uint8_t* scarce_kept(const Scarce* scarce, uint32_t key) noexcept nogil:
    """What these counts keep, or NULL where scarcity makes no difference."""
    cdef uint32_t slot = scarce_slot(key)
    while scarce.key[slot]:
        if scarce.key[slot] == key + 1:
            return scarce.kept[scarce.vector[slot]]
        slot = (slot + 1) & (SCARCE_SLOTS - 1)
    return NULL


cdef inline uint32_t scarce_slot(uint32_t key) noexcept nogil:
    return key * 2654435761u >> 18


cdef const Scarce* scarce_counts() except NULL
