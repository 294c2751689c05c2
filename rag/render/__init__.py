"""A report's document in the formats that people open: Markdown, HTML, PDF."""
