"""One match among connected bots, from offer to transcript, and the streams they play over."""
