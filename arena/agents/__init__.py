"""Agents: the arena as tools of the Model Context Protocol, over one owner's rights.

table         a seat at a table: a person's session (arena.person) in words and JSON
account       an owner's key, bots and tables
owners        the accounts of a server that is reached over HTTP
visitors      the address of each request, and the limit of wrong keys from an address
documents     the pages of the documentation
tools         the tools, as an agent reads them
bot_tools     the tools by which it enters programs
trials        programs on this machine, checked and compared in the sandbox
server        the server by the official SDK: tools, resources and prompts
"""
