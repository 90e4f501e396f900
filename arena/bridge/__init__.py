"""The bridge to a program that plays by lines of JSON (docs/stdio.md).

It holds an SDK bot that asks the program, and the JSON Schemas of the lines.
"""
