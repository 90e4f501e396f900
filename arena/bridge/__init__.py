"""The bridge to a program that plays by lines of JSON (docs/stdio.md).

A bot by the SDK that asks the program, and the JSON Schemas of the lines.
"""
