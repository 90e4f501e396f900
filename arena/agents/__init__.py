"""Agents: the arena as tools of the Model Context Protocol, over one owner's rights.

table         a seat at a table: a person's session (arena.person) in words and JSON
account       an owner's key, bots and tables
owners        the accounts of a server that is reached over HTTP
tools         the tools, as an agent reads them
server        the server by the official SDK: tools, resources and prompts
"""
