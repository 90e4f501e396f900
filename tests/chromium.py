"""The program of the browser that tests, benchmarks and pictures of pages start."""

import shutil

# A page opens in the shell with an eighth of the work: no window stands around it.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = next(filter(None, map(shutil.which, PROGRAMS)), None)
"""Its path; None where it is not installed."""
