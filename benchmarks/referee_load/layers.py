"""What the referee calls and allocates for a decision, by layer.

The calls of the event loop's thread are counted by cProfile in the real referee, while eight bots
with 32 matches each play. The machine's other load changes counts by a few hundredths: the fewer
decisions a second, the more of the work done once a second falls on each. Own times are those under
the profiler, which slows calls more than other code: use them only to compare layers.

Allocations are counted in a second run, if there is a C compiler: cProfile then reads the number of
calls of malloc, calloc and realloc in this thread instead of the time. Python's own allocator is
off, but not its free lists: an object that comes from these is not counted.

COUNTS_FILE=FILE [COUNTS=allocations] python -m benchmarks.referee_load.layers serve …

This is the `arena` command, whose calls are counted between two signals: SIGUSR1 begins the count
in the main thread, which runs the event loop; SIGUSR2 ends it and writes what was counted to FILE.
"""

import cProfile
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sysconfig
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatch
from pathlib import Path, PurePath
from types import CodeType, MappingProxyType
from typing import Any, Final

import arena
from benchmarks.referee_load.stage import measure, referee
from benchmarks.tables import Table

COUNTED: Final = "benchmarks.referee_load.layers"
"""The program whose calls are counted."""
FILE: Final = "COUNTS_FILE"
"""The environment variable with the path to which COUNTED writes."""
WHAT: Final = "COUNTS"
ALLOCATIONS: Final = "allocations"
"""The value of the environment variable WHAT with which COUNTED counts allocations."""
MATCHES: Final = 32
SECONDS: Final = 8.0
WARM_UP: Final = 4.0

LAYERS: Final[Mapping[str, str]] = {
    "server/play/play_stream.py": "stream",
    "server/play/play_service.py": "stream",
    "server/play/outbox.py": "stream",
    "server/limits": "stream",
    "server/requests": "stream",
    "server/play/session.py": "session",
    "server/play/remote_player.py": "session",
    "server/play/lobby.py": "session",
    "server/play/seat_clocks.py": "clock",
    "server/play/alarm.py": "clock",
    "match/clock.py": "clock",
    "server/play": "match",
    "match/flow.py": "match",
    "match/faults.py": "match",
    "match/rebuild.py": "match",
    "match/result.py": "match",
    "match": "transcript",
    "codec/transcript.py": "transcript",
    "codec/kept.py": "transcript",
    "server/results/signing.py": "transcript",
    "signatures.py": "transcript",
    "codec/turns.py": "view",
    "codec/encoded.py": "view",
    "codec/fields.py": "view",
    "codec/spectating.py": "view",
    "codec": "codec",
    "games/*/kit/codec.py": "codec",
    "games/*/kit": "luck",
    "games": "rules",
    "randomness.py": "rules",
    "lab/luck": "luck",
    "server/results": "record",
    "server/failover": "record",
    "database": "record",
    "records.py": "record",
    "identifiers.py": "record",
    "server/ladder": "tables",
    "scheduling": "tables",
    "server/boards": "boards",
    "rating": "boards",
    "server": "other rooms",
    "v1": "protobuf",
}
"""The layer of each module, by the first pattern that its path or a folder above it matches; paths
are relative to the package `arena`."""

LIBRARIES: Final[Mapping[str, str]] = {
    "asyncio": "event loop",
    "uvloop": "event loop",
    "grpc": "gRPC",
    "google": "protobuf",
    "sqlalchemy": "record",
    "asyncpg": "record",
    "psycopg": "record",
}
"""The layer of packages of others; the rest of them is `OTHERS`."""
OTHERS: Final = "libraries"
NONE: Final = "no layer"
"""The layer of modules of ours that LAYERS does not name."""

_PACKAGE: Final = PurePath(arena.__file__).parent
_INSTALLED: Final = [PurePath(sysconfig.get_path(name)) for name in ("platlib", "stdlib")]
DECISION: Final = "server/failover/match_snapshots.py:MatchSnapshot.add"
"""The function that is called once for each answer, by compiled rules and by those in Python."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Sums over all decisions of a count, by layer."""

    decisions: int
    calls: dict[str, int]
    """Calls of functions in Python, resumed generators and coroutines included."""
    builtins: dict[str, int]
    """Calls of functions in C, by the layer of the caller."""
    seconds: dict[str, float]
    """The time in the layer's own code and in the functions in C that it calls."""
    functions: dict[str, int]
    """Calls in Python by function, as `FILE:NAME`."""


def layer_of(file: str) -> str:
    """Return the layer of a module by the path of its file."""
    path = PurePath(file)
    if path.is_relative_to(_PACKAGE):
        inner = path.relative_to(_PACKAGE).as_posix()
        for pattern, layer in LAYERS.items():
            if fnmatch(inner, pattern) or fnmatch(inner, f"{pattern}/*"):
                return layer
        return NONE
    for folder in _INSTALLED:
        if path.is_relative_to(folder):
            return LIBRARIES.get(path.relative_to(folder).parts[0], OTHERS)
    return OTHERS


def counted(entries: Iterable[Any]) -> Counted:
    """Return the sums of cProfile's entries.

    Functions in C and those that Python generates, such as the `__init__` of a dataclass, count in
    the layer of their caller.
    """
    calls, builtins, functions = Counter[str](), Counter[str](), Counter[str]()
    seconds: dict[str, float] = defaultdict(float)
    for entry in entries:
        if not _has_file(entry.code):
            continue
        layer, name = layer_of(entry.code.co_filename), _name(entry.code)
        calls[layer] += entry.callcount
        functions[name] += entry.callcount
        seconds[layer] += entry.inlinetime
        for called in entry.calls or ():
            if isinstance(called.code, str):
                builtins[layer] += called.callcount
            elif not _has_file(called.code):
                calls[layer] += called.callcount
                functions[f"{name} > {called.code.co_name}"] += called.callcount
            else:
                continue
            seconds[layer] += called.inlinetime
    sums: list[Mapping[str, Any]] = [calls, builtins, seconds, functions]
    return Counted(functions[DECISION], *map(dict, sums))


def allocated(entries: Iterable[Any]) -> Counted:
    """Return the sums of entries whose times are allocations; `seconds` are allocations.

    Between two readings the profiler itself allocates the number that was read, and a frame for
    each function in Python, which falls to the caller's part.
    """
    entries = list(entries)
    found = counted(entries)
    own = dict.fromkeys(found.calls, 0.0)
    generated = {entry.code: _own(entry) / entry.callcount for entry in entries}
    for entry in entries:
        if _has_file(entry.code):
            layer = layer_of(entry.code.co_filename)
            own[layer] += _own(entry)
            for called in entry.calls or ():
                if isinstance(called.code, str):
                    own[layer] += called.inlinetime - called.callcount
                elif not _has_file(called.code):
                    own[layer] += generated[called.code] * called.callcount
    return replace(found, seconds=own)


def _own(entry: Any) -> float:
    """Return the allocations of an entry without those of the profiler."""
    inner = entry.calls or ()
    readings = entry.callcount + sum(called.callcount for called in inner)
    frames = sum(called.callcount for called in inner if isinstance(called.code, CodeType))
    own: float = entry.inlinetime - readings - frames
    return own


def _has_file(code: CodeType | str) -> bool:
    return isinstance(code, CodeType) and not code.co_filename.startswith("<")


def _name(code: CodeType) -> str:
    path = PurePath(code.co_filename)
    for folder in (_PACKAGE, *_INSTALLED):
        if path.is_relative_to(folder):
            path = path.relative_to(folder)
            break
    return f"{path.as_posix()}:{code.co_qualname}"


def count_allocations(url: str, tokens: list[str]) -> Counted | None:
    """Count allocations as `count_calls` counts calls. None without a C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as home:
        library = f"{home}/allocations.so"
        source = Path(__file__).with_name("allocations.c")
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
        settings = {WHAT: ALLOCATIONS, "LD_PRELOAD": library, "PYTHONMALLOC": "malloc"}
        return count_calls(url, tokens, settings)


def count_calls(
    url: str, tokens: list[str], settings: Mapping[str, str] = MappingProxyType({})
) -> Counted:
    """Let bots with many matches each play, and count; the database must be migrated.

    `settings` are further variables of the environment.
    """
    with tempfile.TemporaryDirectory() as home, ThreadPoolExecutor(1) as threads:
        file = Path(home) / "counts.json"
        with referee(url, COUNTED, None, **{FILE: str(file)}, **settings) as (port, process):
            playing = ("players", "play", port, MATCHES, SECONDS, WARM_UP)
            played = threads.submit(measure, *playing, tokens=tokens)
            # Within the time that all play, whenever the clients' imports are done.
            time.sleep(WARM_UP + 1)
            process.send_signal(signal.SIGUSR1)
            time.sleep(SECONDS - 2)
            process.send_signal(signal.SIGUSR2)
            played.result()
        return Counted(**json.loads(file.read_text()))


def print_layers(table: Table, found: Counted, memory: Counted | None, most: int) -> None:
    """Print calls and allocations of a decision by layer, and the functions called most often."""
    total = sum(found.seconds.values()) / 100
    columns: dict[str, tuple[Mapping[str, float], float]] = {
        "calls in Python": (found.calls, found.decisions),
        "in C": (found.builtins, found.decisions),
        "% of the thread's own time": (found.seconds, total),
    }
    if memory is not None:
        columns["allocations"] = memory.seconds, memory.decisions
    order = dict.fromkeys([*LAYERS.values(), *LIBRARIES.values(), OTHERS, NONE])
    print(f"{found.decisions} decisions; for one of them:")
    for layer in (name for name in order if found.calls.get(name)):
        figures = {name: of.get(layer, 0) / per for name, (of, per) in columns.items()}
        table.add({"layer": layer}, figures)
    sums = {name: sum(of.values()) / per for name, (of, per) in columns.items()}
    table.add({"layer": "all"}, sums)
    for name, calls in Counter(found.functions).most_common(most):
        table.add({"function": name, "calls": calls / found.decisions})


def _count_between_signals() -> None:
    file = Path(os.environ[FILE])
    profile, sums = cProfile.Profile(), counted
    if os.environ.get(WHAT) == ALLOCATIONS:
        clock = ctypes.CDLL(None).allocations
        clock.restype = ctypes.c_long
        profile, sums = cProfile.Profile(clock, 1.0), allocated

    def end(_number: int, _frame: object) -> None:
        profile.disable()
        file.write_text(json.dumps(asdict(sums(profile.getstats()))))

    signal.signal(signal.SIGUSR1, lambda _number, _frame: profile.enable())
    signal.signal(signal.SIGUSR2, end)


if __name__ == "__main__":
    from arena.__main__ import main

    _count_between_signals()
    main()
