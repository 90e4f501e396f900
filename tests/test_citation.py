"""CITATION.cff and docs/cite.md: what reference managers read is valid and of this version."""

import subprocess
import sys
import tomllib
from pathlib import Path

from ruamel.yaml import YAML

ROOT = Path(__file__).parents[1]
CITATION = ROOT / "CITATION.cff"


def test_the_citation_is_valid_and_of_this_version() -> None:
    schema = "vendor.citation-file-format"
    checker = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema]
    done = subprocess.run([*checker, CITATION], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    said = YAML(typ="safe", pure=True).load(CITATION)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (said["version"], said["license"]) == (project["version"], project["license"])
    assert f"version = {{{project['version']}}}" in (ROOT / "docs" / "cite.md").read_text()
