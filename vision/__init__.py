"""Photo -> Reading: a Donut reads instruments into gauge fields, with evidence and confidence."""
