"""The command that starts the program of a build, inside the sandbox."""

import shutil
import sys
from collections.abc import Collection
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from arena.builds.build import Build
from arena.builds.errors import BuildRefusedError
from arena.builds.manifest import Manifest, Package, Protocol, canonical_name
from arena.processes import module_command
from arena.settings import read_settings

ALWAYS_THERE: Final = ("numpy", "onnxruntime")
"""The packages that every hosted bot may import, in addition to the SDK."""


def command_of(build: Build) -> list[str]:
    """Return the command that starts a build's program in its folder.

    Raises BuildRefusedError if this machine lacks what the program needs.
    """
    manifest = build.manifest
    others = map(canonical_name, read_settings().hosted_packages or ())
    require_packages(manifest.packages, (*ALWAYS_THERE, *others))
    program = _program(manifest)
    if manifest.protocol is Protocol.LINES:
        return [
            *module_command("arena", "bridge"),
            *("--games", ",".join(manifest.games)),
            *("--max-matches", str(manifest.matches_at_once)),
            *("--", *program),
        ]
    return program


def require_packages(packages: Collection[Package], allowed: Collection[str]) -> None:
    """Raise BuildRefusedError if a package is not allowed, or is installed in another version."""
    for package in packages:
        there = _installed(package.name) if package.name in allowed else None
        if there is None:
            raise BuildRefusedError(
                f"This arena has no package {package.name} for bots; it has {_listed(allowed)}. "
                "Ask the operator for others."
            )
        try:
            fits = SpecifierSet(package.versions).contains(there, prereleases=True)
        except InvalidSpecifier as error:
            raise BuildRefusedError(
                f"bot.toml: {package.name} {package.versions} names no versions as pip does, "
                "such as >=1.20,<2 or ~=1.20."
            ) from error
        if not fits:
            raise BuildRefusedError(
                f"The build needs {package.name} {package.versions}; this arena has {there}."
            )


def _listed(names: Collection[str]) -> str:
    found = ((name, _installed(name)) for name in names)
    return ", ".join(f"{name} {there}" for name, there in found if there is not None)


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _program(manifest: Manifest) -> list[str]:
    first, *rest = manifest.command
    if first in ("python", "python3"):
        return [sys.executable, *rest]
    if first == "node":
        node = shutil.which("node")
        if node is None:
            raise BuildRefusedError("This arena's workers have no Node: ask the operator.")
        return [str(Path(node).resolve()), *rest]
    if first.endswith(".py") and not rest and manifest.protocol is Protocol.GRPC:
        return module_command("arena.local.programs.python_file", first)
    if first.endswith(".py"):
        return [sys.executable, first, *rest]
    return [f"./{first}", *rest]
