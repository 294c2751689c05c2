"""Text -> Hits: instrument manuals as searchable, versioned chunks."""
