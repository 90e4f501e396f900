"""The Croissant metadata (1.0, JSON-LD) of a data set: docs.mlcommons.org/croissant."""

from collections.abc import Sequence
from datetime import datetime
from importlib.metadata import version
from typing import Any, Final

from arena.commands.dataset.card import TITLE, by_game, described
from arena.commands.dataset.files import DataFile
from arena.commands.dataset.pyarrow_module import pyarrow_modules
from arena.commands.dataset.rows import columns_of
from arena.games import GAMES

_CONTEXT: Final = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant(files: Sequence[DataFile], at: datetime) -> dict[str, Any]:
    """Return the metadata of a data set made at a time."""
    games = by_game(files)
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": TITLE,
        "description": "Decisions of bots in games of bluff, a row for each.",
        "version": version("bluff-arena"),
        "datePublished": at.isoformat(timespec="seconds"),
        "citeAs": "Bluff Arena, see CITATION.cff of its source.",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": one.name,
                "name": one.name,
                "contentUrl": one.name,
                "contentSize": f"{one.size} B",
                "encodingFormat": "application/x-parquet",
                "sha256": one.sha256,
            }
            for found in games.values()
            for one in found
        ],
        "recordSet": [
            _records(game, one.name, number, len(found))
            for game, found in games.items()
            for number, one in enumerate(found)
        ],
    }


def _records(game: str, file: str, number: int, files: int) -> dict[str, Any]:
    name = game if files == 1 else f"{game}-{number}"
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"Decisions in {GAMES[game].title}, of {file}.",
        "field": [_field(name, one, file) for one in columns_of(game).schema],
    }


def _field(records: str, column: Any, file: str) -> dict[str, Any]:
    pyarrow, _ = pyarrow_modules()
    kind, repeated = column.type, False
    while pyarrow.types.is_list(kind):
        kind, repeated = kind.value_type, True
    return {
        "@type": "cr:Field",
        "@id": f"{records}/{column.name}",
        "name": column.name,
        "description": described(column),
        "dataType": _data_type(kind),
        **({"repeated": True} if repeated else {}),
        "source": {"fileObject": {"@id": file}, "extract": {"column": column.name}},
    }


def _data_type(kind: Any) -> str:
    pyarrow, _ = pyarrow_modules()
    of = pyarrow.types
    tests = {
        "sc:Integer": of.is_integer,
        "sc:Float": of.is_floating,
        "sc:Boolean": of.is_boolean,
        "sc:DateTime": of.is_timestamp,
    }
    return next((name for name, holds in tests.items() if holds(kind)), "sc:Text")
