"""Answers -> Scorecard: accuracy per instrument model and faithfulness of the report."""
