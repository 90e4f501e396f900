"""Commands that run a referee, the dashboard and the sample bots."""
