"""Measurements of the laizi engine and service."""
