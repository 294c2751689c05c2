"""Pages: upload, reports, history, accuracy; rendered here, in English and Chinese."""
