"""The program of the browser that tests, benchmarks and pictures of pages start."""

import shutil

# The headless shell opens a page with an eighth of the work, as it has no window.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = next(filter(None, map(shutil.which, PROGRAMS)), None)
"""The path of the program; None if none is installed."""
