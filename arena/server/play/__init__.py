"""A match among connected bots, from offer to transcript, and the streams that bots play over."""
