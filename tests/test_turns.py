"""A test that must run alone runs while no other does, and is not kept waiting for ever."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.turns import Turns


class Diary:
    """What each process was doing, by one of its own `Turns`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running = 0
        self.most_beside = 0
        self.beside_alone: list[int] = []

    def work(self, tests: list[bool]) -> None:
        turns = Turns(self.folder / "running", self.folder / "next")
        for alone in tests:
            with turns.turn(alone=alone):
                self.running += 1
                self.most_beside = max(self.most_beside, self.running)
                if alone:
                    time.sleep(0.005)
                    self.beside_alone.append(self.running)
                else:
                    time.sleep(0.001)
                self.running -= 1


def test_nothing_runs_beside_a_test_that_must_run_alone(tmp_path: Path) -> None:
    diary = Diary(tmp_path)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(diary.work, [[False] * 60, [False, True] * 10, [False] * 60]))
    assert diary.beside_alone == [1] * 10
    assert diary.most_beside > 1
