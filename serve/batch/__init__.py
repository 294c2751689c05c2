"""Many photos at once: found, read by several processes or machines, journalled, and written as one table."""
