"""The command that starts the program of a build, inside the sandbox."""

import shutil
import sys
from pathlib import Path

from arena.builds import Build, BuildRefusedError, Protocol
from arena.builds.manifest import Manifest
from arena.processes import module_command


def command_of(build: Build) -> list[str]:
    """Return the command that starts a build's program in its folder.

    Raises BuildRefusedError if this machine lacks what the program needs.
    """
    manifest = build.manifest
    program = _program(manifest)
    if manifest.protocol is Protocol.LINES:
        return [
            *module_command("arena", "bridge"),
            *("--games", ",".join(manifest.games)),
            *("--max-matches", str(manifest.matches_at_once)),
            *("--", *program),
        ]
    return program


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
