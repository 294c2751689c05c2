"""HTTP, command line and page: the only door to the street."""
