"""Reads the output of several runs of pytest, and prints one closing line for all of them, such as
"==== 5 failed, 512 passed in 93.02s ====". Exit code 1 if no test was run.
"""

import re
import sys
from collections import Counter

CLOSING = re.compile(r"(?:=+ )?((?:\d+ [a-z]+(?:, )?)+|no tests ran) in ([\d.]+)s")
OUTCOMES = ("failed", "passed", "skipped", "xfailed", "xpassed", "warning", "error", "rerun")
"""All but "deselected": what one run leaves out is in another."""

counts: Counter[str] = Counter()
seconds = 0.0
for line in sys.stdin:
    if found := CLOSING.match(line):
        for count, outcome in re.findall(r"(\d+) ([a-z]+)", found[1]):
            counts[re.sub("s$", "", outcome)] += int(count)
        seconds += float(found[2])
told = [
    f"{counts[one]} {one}{'s' * (one in ('warning', 'error'))}" for one in OUTCOMES if counts[one]
]
print(f"==== {', '.join(told) or 'no tests ran'} in {seconds:.2f}s ====")
sys.exit(not counts["passed"] + counts["failed"])
