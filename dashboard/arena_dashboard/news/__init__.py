"""Notices to open pages that something is new, and limits on the streams that carry them."""
