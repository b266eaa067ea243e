"""Reflection that tells the JSON names of fields, too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import grpc
from google.protobuf.descriptor import Descriptor, FileDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import Default, DescriptorPool
from grpc_reflection.v1alpha import reflection

__all__ = ["SERVICE_NAME", "enable"]

SERVICE_NAME: str = reflection.SERVICE_NAME


def enable(services: Sequence[str], server: grpc.Server) -> None:
    """Let a server describe services, itself not included unless it is named."""
    reflection.enable_server_reflection(services, server, _with_json_names(services))


def _with_json_names(services: Iterable[str]) -> DescriptorPool:
    """Return the files of services, and what these import, with the JSON name of each field.

    The compiler leaves the names out of Python's descriptors. They follow from the fields' own names, but grpcurl asks
    the descriptor alone, and would print answers with ``rule_set`` in place of ``ruleSet``.
    """
    pool = DescriptorPool()
    added: set[str] = set()

    def add(file: FileDescriptor) -> None:
        if file.name in added:
            return
        added.add(file.name)
        for imported in file.dependencies:
            add(imported)
        copy = FileDescriptorProto()
        file.CopyToProto(copy)
        for message in copy.message_type:
            _name_fields(message, file.message_types_by_name[message.name])
        pool.AddSerializedFile(copy.SerializeToString())

    for service in services:
        add(Default().FindServiceByName(service).file)
    return pool


def _name_fields(message: DescriptorProto, descriptor: Descriptor) -> None:
    for field in message.field:
        field.json_name = descriptor.fields_by_name[field.name].json_name
    for nested in message.nested_type:
        _name_fields(nested, descriptor.nested_types_by_name[nested.name])
