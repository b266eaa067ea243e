"""Masks of main ranks, written as codes."""
