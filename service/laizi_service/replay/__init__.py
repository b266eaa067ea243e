"""Replaying logs: rows of requests from a file of any size, answered in chunks, with results that survive a crash."""
