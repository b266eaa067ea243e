"""The generated code of laizi.v1 and the versions that it runs on."""

import importlib
import re
import tomllib

import pytest

from tests.packaging.sources import ROOT, proto_files

PROTOS = [name.stem for name in proto_files()]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FLOORS = dict(re.findall(r"'([\w-]+)>=([\d.]+)", str(PROJECT["project"]["optional-dependencies"]["service"])))


@pytest.mark.parametrize("name", PROTOS)
def test_every_proto_file_is_a_module(name: str):
    messages = importlib.import_module(f"laizi.v1.{name}_pb2")
    assert messages.DESCRIPTOR.package == "laizi.v1"


@pytest.mark.parametrize("name", PROTOS)
def test_the_floor_of_the_runtime_is_the_version_of_the_generator(name: str):
    generated = (ROOT / f"core/laizi/v1/{name}_pb2.py").read_text(encoding="utf-8")
    (protobuf,) = re.findall(r"Protobuf Python Version: ([\d.]+)", generated)
    assert FLOORS["protobuf"] == protobuf
    stubs = importlib.import_module(f"laizi.v1.{name}_pb2_grpc")
    assert FLOORS["grpcio"] == stubs.GRPC_GENERATED_VERSION
