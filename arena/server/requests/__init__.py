"""Requests as messages: parsed, refused with a status, and answered in pages."""
