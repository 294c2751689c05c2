"""Backup and restore: all that the service keeps, in one file that says what is in it."""
