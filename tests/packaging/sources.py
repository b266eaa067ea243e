"""The files of this project, as git sees them: what is ignored does not exist."""

import subprocess
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
PACKAGES = {"laizi": "core", "laizi_service": "service", "laizi_bench": "benchmarks"}


def project_files() -> list[PurePosixPath]:
    """Every file that is tracked or could be added, relative to ROOT."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    names = (PurePosixPath(name) for name in listed.split("\0") if name)
    return sorted(name for name in names if (ROOT / name).is_file())


def proto_files() -> list[PurePosixPath]:
    """The files of the contract; examples bring others."""
    return [name for name in project_files() if name.is_relative_to("proto") and name.suffix == ".proto"]


def package_files() -> dict[PurePosixPath, PurePosixPath]:
    """The files of the three packages: path in a wheel → path in the project."""
    return {
        name.relative_to(root): name
        for name in project_files()
        for package, root in PACKAGES.items()
        if name.is_relative_to(f"{root}/{package}")
    }
