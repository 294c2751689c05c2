"""Intake: files of a user's own become articles of the knowledge base, or are refused with the place and the reason.

Markdown brings its front matter along. PDF, Word and CSV files have theirs in a side-car beside them
(`manual.pdf.toml`, `manual.toml`, or the same as `.yaml`), or it is given as options. One bad file spares the rest.

`<home>/corpus/` holds what was taken in: `documents/` the articles as Markdown, `sources/` the files themselves under
the hash of their content.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from knowledge.articles import Article, ArticleError, Language, parse_article, read_corpus, read_yaml
from knowledge.audit import audit
from knowledge.chunks import build_chunks
from knowledge.corpora import SHIPPED_CORPUS, user_corpus
from knowledge.intake_checks import check_article
from knowledge.intake_csv import CalibrationHead, convert_csv
from knowledge.intake_docx import convert_docx
from knowledge.intake_pdf import convert_pdf
from knowledge.intake_types import Added, Converted, IntakeError, IntakeReport, Refusal

SUFFIXES = (".md", ".markdown", ".pdf", ".docx", ".csv")
MAX_BYTES = 200 * 2**20
_SIDE_CARS = (".toml", ".yaml", ".yml")
_HEAD_KEYS = ("id", "title", "models", "kind", "language", "authority", "status", "version", "effective_date")


def add_files(home: Path, paths: Sequence[Path], options: Mapping[str, Any] | None = None) -> IntakeReport:
    """Take files and folders (all files of a known kind below them) into the user's corpus under `home`.

    `options` replace keys of every side-car. Nothing is published here. Raises OSError where the home cannot be written.
    """
    taken = {(a.id, a.version): a for folder in (SHIPPED_CORPUS, user_corpus(home)) for a in _articles(folder)}
    added: list[Added] = []
    unchanged: list[Added] = []
    refused: list[Refusal] = []
    for path in _files(paths):
        try:
            text, notes = article_text(path, options or {})
            article = parse_article(text, path.name)
            check_article(article)
        except IntakeError as error:
            refused.append(Refusal(file=str(path), place=error.place, reason=error.reason))
            continue
        except ArticleError as error:
            refused.append(Refusal(file=str(path), place="front matter", reason=str(error).removeprefix(f"{path.name}: ")))
            continue
        except OSError as error:
            refused.append(Refusal(file=str(path), place="", reason=error.strerror or str(error)))
            continue
        record = _record(path, article, notes)
        other = taken.get((article.id, article.version))
        if other is None:
            taken[article.id, article.version] = article
            _keep(home, path, article, text, record.sha256)
            added.append(record)
        elif other.body == article.body and other.model_dump(exclude=_VOLATILE) == article.model_dump(exclude=_VOLATILE):
            unchanged.append(record)
        else:
            reason = f"id {article.id!r} version {article.version!r} is already taken by {other.source}; give it a new version"
            refused.append(Refusal(file=str(path), place="front matter", reason=reason))
    return IntakeReport(added=tuple(added), unchanged=tuple(unchanged), refused=tuple(refused))


_VOLATILE = {"source", "body_line", "sections", "page_lines"}


def _articles(folder: Path) -> tuple[Article, ...]:
    return read_corpus(folder) if any(folder.glob("*.md")) else ()


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*") if p.suffix.lower() in SUFFIXES and p.is_file())
        else:
            yield path


def article_text(path: Path, options: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """A file as the text of an article, with notes about what was left out. Raises IntakeError, OSError."""
    kind = path.suffix.lower()
    if kind not in SUFFIXES:
        raise IntakeError("", f"is of no known kind; known: {', '.join(SUFFIXES)}")
    size = path.stat().st_size
    if size > MAX_BYTES or not size:
        raise IntakeError("", f"is {size} bytes large; 1 to {MAX_BYTES} can be taken in")
    if kind in (".md", ".markdown"):
        try:
            return path.read_text(encoding="utf-8"), ()
        except UnicodeDecodeError as error:
            raise IntakeError("", f"is not UTF-8 text: {error}") from error
    head = {**_side_car(path), **options}
    calibration = {key: head.pop(key) for key in tuple(CalibrationHead.model_fields) if key in head}
    head.setdefault("id", _slug(path.stem))
    language = head.get("language")
    if language not in ("en", "zh"):
        raise IntakeError("front matter", f"language is {language!r}; give 'en' or 'zh' in {path.name}.toml or as an option")
    converted = _converted(path, kind, language, str(head.get("title") or path.stem), calibration)
    head.setdefault("title", converted.title or path.stem)
    # A glyph that a PDF gives no character for comes as NUL, which is no text: the reader sees that something is missing.
    return f"---\n{_yaml(head)}---\n{converted.body.replace(chr(0), chr(0xFFFD))}", converted.notes


def _converted(path: Path, kind: str, language: Language, title: str, calibration: dict[str, Any]) -> Converted:
    if kind == ".csv":
        try:
            declared = CalibrationHead.model_validate(calibration)
        except ValidationError as error:
            faults = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']} (got {e['input']!r})" for e in error.errors())
            raise IntakeError("front matter", faults) from error
        return convert_csv(path, language, title, declared)
    if calibration:
        raise IntakeError("front matter", f"{', '.join(calibration)} belongs to calibration points in CSV, not to {kind}")
    return convert_pdf(path) if kind == ".pdf" else convert_docx(path)


def _side_car(path: Path) -> dict[str, Any]:
    for beside in (*(path.with_name(path.name + end) for end in _SIDE_CARS), *(path.with_suffix(end) for end in _SIDE_CARS)):
        if beside.is_file():
            try:
                text = beside.read_text(encoding="utf-8")
                head = tomllib.loads(text) if beside.suffix == ".toml" else read_yaml(text)
            except (yaml.YAMLError, ValueError, RecursionError) as error:  # TOML and UTF-8 errors are ValueErrors.
                raise IntakeError(f"side-car {beside.name}", f"does not parse: {str(error)[:300]}") from error
            if not isinstance(head, dict):
                raise IntakeError(f"side-car {beside.name}", f"must be keys and values, got {type(head).__name__}")
            return head
    return {}


def _yaml(head: Mapping[str, Any]) -> str:
    ordered = {key: head[key] for key in _HEAD_KEYS if key in head} | {k: v for k, v in head.items() if k not in _HEAD_KEYS}
    return yaml.safe_dump(ordered, allow_unicode=True, sort_keys=False)


def _slug(stem: str) -> str:
    slug = re.sub(r"[^a-z0-9._-]+", "-", stem.lower()).strip("-._")
    return slug or f"document-{hashlib.sha256(stem.encode()).hexdigest()[:8]}"


def _record(path: Path, article: Article, notes: Sequence[str]) -> Added:
    warnings = [f"line {fault.line}: {fault.kind}: {fault.detail}" for fault in audit([article])]
    return Added(
        file=str(path),
        document=article.id,
        version=article.version,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        chunks=len(build_chunks(article)),
        warnings=(*notes, *warnings),
    )


def _keep(home: Path, path: Path, article: Article, text: str, sha256: str) -> None:
    """The source first, then the article: an article whose source is missing never appears."""
    sources = home / "corpus" / "sources"
    _write(sources / f"{sha256}{path.suffix.lower()}.original", path.read_bytes())
    version = re.sub(r"[^A-Za-z0-9._-]+", "-", article.version)
    _write(user_corpus(home) / f"{article.id}@{version}.md", text.encode())


def _write(path: Path, content: bytes) -> None:
    """At once or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)
    with os.fdopen(handle, "wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    Path(name).replace(path)
