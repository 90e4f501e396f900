"""The command line that the benchmarks share."""

import json
import sys
from argparse import SUPPRESS, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Sequence
from inspect import Parameter, signature
from typing import Any, get_args, get_origin


def command(main: Callable[..., None], **choices: Iterable[str]) -> None:
    """Call `main` with the options of the command line, which are the names of its parameters.

    A bool is a flag, a sequence takes several values, in one option or in several, and `*words` are
    positional. `choices` are the values that an option may have. The docstring of the module
    describes the program.
    """
    module = sys.modules[main.__module__]
    assert module.__spec__ is not None, "benchmarks are started by python -m"
    parser = ArgumentParser(
        prog=f"python -m {module.__spec__.name.removesuffix('.__main__')}",
        description=module.__doc__,
        formatter_class=RawDescriptionHelpFormatter,
    )
    words = ""
    for name, parameter in signature(main, eval_str=True).parameters.items():
        kind, several = parameter.annotation, get_origin(parameter.annotation) is Sequence
        given: dict[str, Any] = {
            "default": SUPPRESS,
            "type": next(iter(get_args(kind)), kind),  # of list[int] and of int | None it is int
            "choices": choices.get(name),
        }
        if parameter.kind is Parameter.VAR_POSITIONAL:
            words = name
            parser.add_argument(name, nargs="*", **given)
        elif kind is bool:
            parser.add_argument(f"--{name}", action="store_true")
        else:
            given |= {"action": "extend", "nargs": "+"} if several else {}
            option = f"--{name.replace('_', '-')}"
            parser.add_argument(option, help=f"default: {parameter.default}", **given)
    options = vars(parser.parse_args())
    main(*options.pop(words, ()), **options)


def words() -> list[Any]:
    """Return the words of the command line of a program that a benchmark starts.

    Words that are numbers or other JSON are parsed.
    """

    def read(word: str) -> Any:
        try:
            return json.loads(word)
        except ValueError:
            return word

    return [read(word) for word in sys.argv[1:]]
