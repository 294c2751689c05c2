"""HTTP: the application, its routes, problems and limits."""
