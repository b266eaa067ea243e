"""Messages whose columns are views into the bytes of a request, so that these lie in memory once."""

from types import SimpleNamespace

from google.protobuf.descriptor import Descriptor

class Views:
    """Reads messages of one type: columns and messages that have some, flags, enums, and other messages."""

    def __init__(self, descriptor: Descriptor) -> None:
        """Take the type. Raises TypeError for one that has fields of other kinds."""

    def read(self, data: bytes) -> SimpleNamespace | None:
        """The fields of a message by name; None for one that is left to the generated classes.

        Fields of bytes are memoryviews, empty where absent; messages that have such fields are namespaces, too; all
        other messages are of the generated classes.
        """
