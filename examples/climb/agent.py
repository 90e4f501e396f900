"""A scripted "agent": instead of thinking, it takes a better house bot in each round.

    arena ladder-climb "python examples/climb/agent.py" --rounds 3 --matches 80

The arguments name the bots, the one of the first round first.
"""

import json
import os
import shutil
import sys
from pathlib import Path

from arena.builds import unpack
from arena.builds.house import house_build

bots = sys.argv[1:] or ["timid", "honest", "cfr"]
number = int(os.environ["ARENA_ROUND"])
result = Path("feedback/result.json")
if result.exists():
    print("The last attempt:", json.loads(result.read_text()))
name = bots[min(number, len(bots)) - 1]
print(f"Round {number}: {name} is to beat {os.environ['ARENA_RUNG']}.")
shutil.rmtree("bot")
Path("bot").mkdir()
unpack(house_build(name), Path("bot"))
