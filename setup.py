"""The build steps that pyproject.toml cannot state: wire code from proto/, and one extension for each .pyx file."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Command, Extension, setup
from setuptools.command.build import build

CORE = Path("core")
SERVICE = Path("service")
PROTO = Path("proto")
WIRE = Path("laizi", "v1")
WIRE_DOCSTRING = (
    '"""The wire contract of laizi.v1, generated from its .proto files. Needs the extra laizi[service]."""\n'
)

# Functions check their arguments once, at the Python boundary; below it no check is repeated.
CYTHON_DIRECTIVES = {
    "auto_pickle": False,
    "autotestdict": False,
    "boundscheck": False,
    "cdivision": True,
    "initializedcheck": False,
    "wraparound": False,
}


def protos() -> list[Path]:
    return sorted((PROTO / WIRE).glob("*.proto"))


def extensions() -> list[Extension]:
    return [
        Extension(
            ".".join(source.relative_to(root).with_suffix("").parts),
            [source.as_posix()],
            include_dirs=[CORE.as_posix(), SERVICE.as_posix()],
            # Debug information, which Python's own flags ask for, would be four fifths of a module.
            extra_compile_args=["-O3", "-g0"],
        )
        for root in (CORE, SERVICE)
        for source in sorted(root.rglob("*.pyx"))
    ]


class BuildWire(Command):
    """Generate laizi.v1 (messages, gRPC stubs and their types) from the .proto files.

    A sub-command of ``build`` with the interface of ``setuptools.command.build.SubCommand``. Unlike an error
    in an overridden ``build_py``, an error here also stops an editable install.
    """

    description = "generate the protobuf and gRPC modules of laizi.v1"
    user_options = [("inplace", "i", "generate into the source tree")]
    boolean_options = ["inplace"]

    def initialize_options(self) -> None:
        self.inplace = False
        self.editable_mode = False
        self.build_lib: str | None = None

    def finalize_options(self) -> None:
        self.set_undefined_options("build", ("build_lib", "build_lib"))

    def run(self) -> None:
        target = self._source_root() if self.inplace or self.editable_mode else Path(self.build_lib)
        # A module whose .proto is gone must not survive.
        shutil.rmtree(target / WIRE, ignore_errors=True)
        (target / WIRE).mkdir(parents=True)
        (target / WIRE / "__init__.py").write_text(WIRE_DOCSTRING, encoding="utf-8")
        if protos():
            self._generate(target)

    def _generate(self, target: Path) -> None:
        # The mypy plugins lie beside the interpreter when the build runs in an environment that is not activated.
        path = os.pathsep.join([os.environ.get("PATH", os.defpath), str(Path(sys.executable).parent)])
        subprocess.run(
            [
                *(sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={PROTO}"),
                *(f"--python_out={target}", f"--mypy_out=quiet:{target}"),
                *(f"--grpc_python_out={target}", f"--mypy_grpc_out=quiet,generate_concrete_servicer_stubs:{target}"),
                *map(str, protos()),
            ],
            check=True,
            env={**os.environ, "PATH": path},
        )

    @staticmethod
    def _source_root() -> Path:
        return CORE

    def _modules(self) -> list[Path]:
        suffixes = ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py", "_pb2_grpc.pyi")
        return [WIRE / "__init__.py", *(WIRE / f"{proto.stem}{suffix}" for proto in protos() for suffix in suffixes)]

    def get_source_files(self) -> list[str]:
        return [proto.as_posix() for proto in protos()]

    def get_outputs(self) -> list[str]:
        return [str(Path(self.build_lib, module)) for module in self._modules()]

    def get_output_mapping(self) -> dict[str, str]:
        if not self.editable_mode:
            return {}
        return {str(Path(self.build_lib, module)): str(CORE / module) for module in self._modules()}


class Build(build):
    """``build`` with the wire code, from an empty build folder: setuptools never removes a deleted module from it."""

    sub_commands = [("build_wire", None), *build.sub_commands]

    def run(self) -> None:
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


setup(
    cmdclass={"build": Build, "build_wire": BuildWire},
    ext_modules=extensions(),
    options={"build_ext": {"cython_c_in_temp": True, "cython_directives": CYTHON_DIRECTIVES}},
)
