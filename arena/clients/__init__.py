"""Clients of the referee's services other than play, for commands and pages."""
