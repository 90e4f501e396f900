"""Uploads: the form, what becomes of them, and how much memory they may take."""
