"""What each decision of a recorded match was worth, and what it cost."""
