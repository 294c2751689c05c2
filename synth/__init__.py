"""Seed -> Sample: draws instruments whose truth is known."""
