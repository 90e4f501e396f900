"""Commands about ratings: the leaderboard, its history, ratings of a file of results."""
