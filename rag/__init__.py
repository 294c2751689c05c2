"""Reading -> Report: queries, formulas, evidence and a report in which each sentence is cited."""
