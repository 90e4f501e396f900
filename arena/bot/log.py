"""The log of a bot program."""

import logging


def set_up_log(*, verbose: bool) -> None:
    """Print the log to stderr; unless `verbose`, print the traceback of an error only once."""
    logging.basicConfig(
        level=logging.DEBUG if verbose else logging.INFO,
        format="%(asctime)s %(levelname)-7s %(message)s",
        datefmt="%H:%M:%S",
    )
    if not verbose:
        logging.getLogger("arena.bot").addFilter(OneTraceback())


class OneTraceback(logging.Filter):
    """A log filter that omits the traceback of an error at a line where one was already logged.

    A bot that fails at one turn usually fails at the next ones, too, and its tracebacks would fill
    a log of limited size.
    """

    def __init__(self) -> None:
        super().__init__()
        self._told: set[tuple[str, int, type[BaseException]]] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Shorten a record whose error was already logged at the same line; always return true."""
        if record.exc_info is None or record.exc_info[1] is None:
            return True
        error, trace = record.exc_info[1:]
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        if trace is None:
            return True
        file, line = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        where = file, line, type(error)
        if where in self._told:
            record.msg = (
                f"{record.getMessage()} {type(error).__name__} at {file}:{line} again: {error}"
            )
            record.args, record.exc_info = (), None
        self._told.add(where)
        return True
