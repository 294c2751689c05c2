"""One request on one page: what was seen, asked, found, sent and said, from one stored execution."""
