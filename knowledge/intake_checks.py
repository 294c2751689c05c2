"""What an article must not hold to be taken in: tables without header, formulas that cannot be computed."""

from __future__ import annotations

from knowledge.arithmetic import FormulaError, parse_formula
from knowledge.articles import Article
from knowledge.chunks import build_chunks
from knowledge.curves import defined_span, load_curve, undefined_at
from knowledge.facts import FormulaFact
from knowledge.formula_text import FormulaText, find_bad_formulas
from knowledge.intake_types import IntakeError
from knowledge.sentences import parse_table, split_blocks
from knowledge.structured import Findings, find_facts

TABLE_TOLERANCE = 0.005


def check_article(article: Article) -> None:
    """Raise IntakeError, with the place in the file, for the first thing that keeps an article out."""
    for section in article.sections:
        for block in split_blocks(section.text):
            place = _place(article, section.text_line + block.line)
            if block.kind == "table" and parse_table(block.text) is None:
                first = block.text.splitlines()[0][:60]
                raise IntakeError(place, f"the table {first!r} has no header row with a rule below it")
            bad = find_bad_formulas(block.text)
            if bad:
                raise IntakeError(place, f"`{bad[0].text}` is no formula that can be computed: {bad[0].reason}")
    chunks = build_chunks(article)
    findings = find_facts(chunks)
    lines = {chunk.id: chunk.line for chunk in chunks}
    for fact in findings.formulas:
        reason = formula_fault(fact, findings)
        if reason:
            raise IntakeError(_place(article, lines[fact.chunk]), reason)


def formula_fault(fact: FormulaFact, findings: Findings) -> str | None:
    """Why a formula cannot give a value over the whole range that its manual declares, or None."""
    spans = {(span.low, span.high) for span in findings.angle_ranges}
    try:
        curve = load_curve(fact.expression, fact.points, fact.text)
    except FormulaError as error:
        return str(error)
    # Without a declared range a root has its natural one; a pole within it is a fault all the same.
    span = spans.pop() if len(spans) == 1 else defined_span(curve)
    if span is None:
        return f"`{fact.text}` has no value at any angle: it divides by zero or takes the root of less than zero"
    angle = undefined_at(curve, *span)
    if angle is None:
        return None
    return f"`{fact.text}` has no value near {angle:g} degrees: it divides by zero or takes the root of less than zero"


def table_fault(table: FormulaText, findings: Findings) -> str | None:
    """Why a table of points does not fit the formula written beside it for the same quantity, or None."""
    for fact in findings.formulas:
        if fact.points or fact.variable != table.variable or fact.quantity != table.quantity:
            continue
        try:
            curve = parse_formula(fact.expression)
            gaps = [(abs(curve.evaluate({"pointer_angle": angle}) - value), angle) for angle, value in table.points]
        except FormulaError:
            continue
        span = max(value for _, value in table.points) - min(value for _, value in table.points)
        gap, angle = max(gaps)
        # A table rounds; more than a two hundredth of its span is another curve.
        if gap > TABLE_TOLERANCE * span:
            return f"at {angle:g} degrees the table differs from `{fact.text}` by {gap:g}; which of them holds?"
    return None


def _place(article: Article, line: int) -> str:
    page = article.page_at(line)
    return f"page {page}" if page is not None else f"line {line}"
