"""The Go code of the messages is what proto/ says."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.starters.languages import LANGUAGES

MODULE = "module=bluffarena.example/bot"


@pytest.mark.slow
def test_it_is_fresh(tmp_path: Path) -> None:
    go = LANGUAGES["go"]
    go.require()
    for plugin in (
        "google.golang.org/protobuf/cmd/protoc-gen-go",
        "google.golang.org/grpc/cmd/protoc-gen-go-grpc",
    ):
        go.run_to_end(f"go build -o bin/ {plugin}")
    folder = go.folder
    protoc = shutil.which("python", path=str(Path(sys.executable).parent))
    assert protoc is not None
    subprocess.run(
        [
            protoc, "-m", "grpc_tools.protoc", "-I", "proto",
            f"--plugin={folder / 'bin/protoc-gen-go'}",
            f"--plugin={folder / 'bin/protoc-gen-go-grpc'}",
            f"--go_out={tmp_path}", f"--go_opt={MODULE}",
            f"--go-grpc_out={tmp_path}", f"--go-grpc_opt={MODULE}",
            *sorted(f"proto/arena/v1/{file.name}" for file in folder.glob("proto/arena/v1/*")),
        ],
        cwd=folder,
        check=True,
    )  # fmt: skip
    written = {file.name: file.read_text() for file in (tmp_path / "arenav1").glob("*.go")}
    committed = {file.name: file.read_text() for file in (folder / "arenav1").glob("*.go")}
    assert written == committed, "write it again: sample_bots/go/README.md"
