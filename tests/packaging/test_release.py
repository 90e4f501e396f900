"""`make release` builds what an index takes."""

import json
import subprocess
import tomllib
from zipfile import ZipFile

from tests.packaging.environments import ROOT


def test_a_release_is_checked_and_says_what_it_was_locked_with() -> None:
    done = subprocess.run(["make", "release"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("installs and starts.") == 2
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (wheel,) = (ROOT / "dist/release").glob("*.whl")
    with ZipFile(wheel) as archive:
        (bill,) = (name for name in archive.namelist() if ".dist-info/sboms/" in name)
        said = json.loads(archive.read(bill))
    assert said["metadata"]["component"]["version"] == project["version"]
    known = {component["name"] for component in said["components"]}
    assert {"grpcio", "streamlit", "numba"} <= known
    assert "pytest" not in known
