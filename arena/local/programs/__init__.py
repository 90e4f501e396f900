"""Matches among programs in any language, at a referee in this process: no server, no database."""
