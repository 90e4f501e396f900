"""The wheel, built once, and environments that hold it."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.packaging.environments import (
    CLAIMED,
    Environment,
    install,
    interpreter,
    uv_succeeds,
)


@pytest.fixture(scope="session")
def place() -> Iterator[Path]:
    """A directory that is removed afterwards: pytest would keep gigabytes of environments.

    Others may enter it, because Postgres, if started by root, runs as nobody.
    """
    with tempfile.TemporaryDirectory(prefix="arena-packaging-") as directory:
        path = Path(directory)
        path.chmod(0o711)
        yield path


@pytest.fixture(scope="session")
def built(place: Path) -> Path:
    """The directory of the sdist, and of the wheel built from it."""
    uv_succeeds("build", "--quiet", "--out-dir", place / "dist")
    return place / "dist"


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found


Installer = Callable[[str, str], Environment]


@pytest.fixture(scope="session")
def installed(place: Path, wheel: Path) -> Installer:
    """The environment with an extra ("" for none) on a Python; made when it is first asked for."""
    made: dict[tuple[str, str], Environment] = {}

    def environment(extra: str, version: str) -> Environment:
        if (extra, version) not in made:
            python = interpreter(version)
            assert python
            # Whoever writes a bot with the plain package has a type checker.
            besides = () if extra else ("mypy",)
            folder = place / f"{extra or 'plain'}-{version}"
            made[extra, version] = install(folder, wheel.as_uri(), extra, python, *besides)
        return made[extra, version]

    return environment


def newest() -> str:
    """The newest installed Python of those that the package names."""
    return next(version for version in reversed(CLAIMED) if interpreter(version))


@pytest.fixture(scope="session", params=["oldest", "newest"])
def version(request: pytest.FixtureRequest) -> str:
    """The oldest Python that the package names, and the newest of them that is installed here."""
    if request.param == "newest":
        return newest()
    oldest = CLAIMED[0]
    if interpreter(oldest) is None:
        pytest.skip(f"Python {oldest} is not installed")
    if oldest == newest():
        pytest.skip(f"of the Pythons that the package names only {oldest} is installed")
    return oldest
