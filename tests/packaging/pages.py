"""Opens every page on the arena's database, as JSON by page. Run in an installed environment."""

import json
import os
from pathlib import Path

from streamlit.testing.v1 import AppTest

import arena_dashboard
from arena.commands.database import database
from arena.settings import read_settings

APP = Path(arena_dashboard.__file__).with_name("streamlit_app.py")


def shown(page: Path) -> dict[str, object]:
    """The errors of a page, and all that is written on it."""
    app = AppTest.from_file(str(APP), default_timeout=60).run()
    app.switch_page(f"views/{page.name}").run()
    kinds = (app.title, app.info, app.warning, app.error, app.markdown, app.code)
    return {
        "errors": [str(error.value) for error in app.exception],
        "texts": [element.value for kind in kinds for element in kind],
        "html": [element.proto.body for element in app.get("html")],  # type: ignore[attr-defined]
        "tables": [
            element.proto.json  # type: ignore[attr-defined]
            for element in app.get("bidi_component")
        ],
    }


with database(read_settings()) as url:
    os.environ["ARENA_DATABASE_URL"] = url
    print(json.dumps({page.stem: shown(page) for page in APP.parent.glob("views/*.py")}))
