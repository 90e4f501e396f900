"""A build hook that puts the bill of materials into the wheel, as PEP 770 says."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BILL = "dist/bluff-arena.cdx.json"
"""Written by `make release`: what uv.lock has for the package with all its extras."""


class BillOfMaterials(BuildHookInterface):
    """Adds BILL to the directory sboms of the wheel's metadata."""

    def initialize(self, _version: str, build_data: dict[str, Any]) -> None:
        """Add the file before the wheel is built."""
        build_data["sbom_files"].append(BILL)
