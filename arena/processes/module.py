"""The runner of a module of ours as a program, so that no other file can shadow a module.

It is run as a script by `arena.processes.module_command`, never imported:

    python -P module.py FOLDER[:FOLDER…] MODULE [ARGUMENT…]

Python's own option -m would search for modules first in the working directory and the folders of
PYTHONPATH. Here the FOLDERs come last.
"""

import os
import sys

if __name__ == "__main__":
    _, named, module, *arguments = sys.argv
    folders = named.split(os.pathsep)
    sys.path = [folder for folder in sys.path if folder not in folders] + folders
    sys.argv = [module, *arguments]
    from runpy import run_module

    run_module(module, run_name="__main__", alter_sys=True)
