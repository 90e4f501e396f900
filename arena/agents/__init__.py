"""Agents: the arena as tools of the Model Context Protocol, over one owner's rights.

table         a seat at a table: a person's session (arena.person) in words and JSON
owner_tools   an owner's bots, uploads and results, as an agent reads them
server        the tools, resources and prompts by name
"""
