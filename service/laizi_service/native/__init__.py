"""Answers made straight from the bytes of requests, for the requests of ordinary shape; see docs/operations.md."""
