"""Cameras: pictures taken on a schedule become readings that are held against what an instrument can do."""
