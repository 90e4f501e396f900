"""Streamlit is configured as we say, whatever lies in the folder, the home and the environment."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from streamlit import config

ASKED = """
import json, sys
from pathlib import Path
from arena_dashboard.serving import configuration
configuration.use_ours("127.0.0.1", 8765, Path("/secrets.toml"))
from streamlit import config
found = {key: option.value for key, option in config._config_options.items()}
found["files"] = config.get_config_files("secrets.toml")
print(json.dumps(found, default=str))
"""


def options(folder: Path, **environment: str) -> dict[str, Any]:
    """All options of Streamlit, in a folder and an environment."""
    kept = {name: one for name, one in os.environ.items() if not name.startswith("STREAMLIT_")}
    done = subprocess.run(
        [sys.executable, "-P", "-c", ASKED],
        cwd=folder,
        env=kept | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    # By chance, in every start another.
    assert len(found.pop("server.cookieSecret")) == 64
    return found


def other(option: Any) -> Any:
    """Another value than an option's own."""
    if isinstance(option.value, bool):
        return not option.value
    if option.type is bool:
        return True
    if option.type in (int, float) or isinstance(option.value, int | float):
        return (option.value or 0) + 7
    if option.multiple or isinstance(option.value, list):
        return ["/other"]
    return "other"


@pytest.fixture
def elsewhere(tmp_path: Path) -> dict[str, str]:
    """A folder and a home full of other values, and such an environment."""
    named = {key: other(one) for key, one in config._config_options_template.items()}
    sections: dict[str, list[str]] = {}
    for key, value in named.items():
        section, _, name = key.rpartition(".")
        sections.setdefault(section, []).append(f"{name} = {json.dumps(value)}")
    text = "\n".join(f"[{section}]\n" + "\n".join(lines) for section, lines in sections.items())
    for place in (tmp_path, tmp_path / "home"):
        (place / ".streamlit").mkdir(parents=True)
        (place / ".streamlit/config.toml").write_text(text)
        (place / ".streamlit/secrets.toml").write_text('[auth]\nclient_id = "other"\n')
    variables = {
        config._config_options_template[key].env_var: str(value) for key, value in named.items()
    }
    return variables | {"HOME": str(tmp_path / "home")}


@pytest.mark.slow
def test_no_option_is_taken_from_the_surroundings(
    tmp_path: Path, elsewhere: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    empty = tmp_path_factory.mktemp("empty")
    clean = options(empty, HOME=str(empty))
    assert len(clean) > 100
    assert options(tmp_path, **elsewhere) == clean


def test_what_bounds_a_visitor_is_ours(tmp_path: Path) -> None:
    found = options(tmp_path)
    assert found["server.baseUrlPath"] == "" and found["server.port"] == 8765
    assert found["secrets.files"] == ["/secrets.toml"] and found["files"] == []
    assert found["client.allowedOrigins"] == []
    assert found["browser.gatherUsageStats"] is False
    assert found["server.maxUploadSize"] == 100
    assert found["server.maxMessageSize"] == 32
    assert found["server.maxWidgetStateSize"] == 1
    assert found["server.disconnectedSessionTTL"] == 60
    assert found["server.enableCORS"] is True and found["server.enableXsrfProtection"] is True
    assert found["server.enableAgentApi"] is False and found["global.developmentMode"] is False
