"""A copy of an open file is there when it is needed, and for this process alone."""

import os
from pathlib import Path

from arena.server.limits.spare_file import SpareFile


def test_a_copy_is_of_the_file_whoever_closes_it_and_no_program_inherits_it(tmp_path: Path) -> None:
    spare = SpareFile()
    tmp_path.joinpath("it").write_text("what it says")
    for _ in range(2):
        file = os.open(tmp_path / "it", os.O_RDONLY)
        with spare.copy_of(file) as copy:
            os.close(file)
            assert os.pread(copy, 100, 0) == b"what it says"
            assert not os.get_inheritable(copy)
        assert os.pread(copy, 100, 0) == b""
        assert not os.get_inheritable(copy)
