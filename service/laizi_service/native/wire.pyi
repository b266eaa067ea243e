"""The bytes of protobuf messages, read and written by the tables of the generated descriptors.

The reader knows messages of ordinary shape, as every generated class writes them: known fields alone, each once, the
elements of a repeated field next to each other, numbers in as few bytes as they need. Of anything else it says that it
does not know it, and then the generated classes decide. It does not look whether a string is UTF-8: whoever uses one
compares it with strings that are, or checks it.

The rest is for other compiled modules: see ``wire.pxd``.
"""

from google.protobuf.descriptor import Descriptor

def varint(number: int) -> bytes:
    """A number from 0 to 2^64 - 1 as protobuf writes it. Raises OverflowError outside that."""

class Envelope:
    """The messages of a stream: an id, and exactly one of several messages."""

    def __init__(self, request: Descriptor, response: Descriptor, id_field: str) -> None:
        """Take the two message types, and the name that the id has in both."""

    def split(self, data: bytes) -> tuple[int, int, bytes] | None:
        """The id of a request, the number of the field that is set, and the bytes in it; None for a message of any
        other shape. The bytes may be of no message."""

    def wrap(self, id: int, number: int, inner: bytes) -> bytes:
        """The message that has an id and, in the field of a number, a message."""
