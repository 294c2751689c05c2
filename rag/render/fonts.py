"""Fonts of the PDF report, from packages under free licences: Latin, Chinese, and a wide one for all else.

The Chinese font has PostScript outlines, which the PDF library does not take: the characters in use are cut out and
converted, about a millisecond each.
"""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from rag.errors import RenderError


class FontFile(NamedTuple):
    """A font inside an installed package, and the distribution to install where it is missing."""

    package: str
    path: str
    distribution: str

    def find(self) -> Path:
        """The font's file. Raises RenderError saying what to install."""
        spec = importlib.util.find_spec(self.package)
        for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
            found = Path(folder) / self.path
            if found.is_file():
                return found
        raise RenderError(f"the font {self.path} for PDF reports is missing: pip install {self.distribution}")


LATIN = FontFile("font_source_sans_pro", "files/SourceSansPro-Regular.ttf", "font-source-sans-pro==0.0.1")
LATIN_BOLD = FontFile("font_source_sans_pro", "files/SourceSansPro-Semibold.ttf", "font-source-sans-pro==0.0.1")
CHINESE = FontFile("cvttf_NotoSansCJK_Regular", "NotoSansCJKtc-Regular.otf", "cvttf-notosanscjk-regular==1.0")
CHINESE_BOLD = FontFile("cvttf_NotoSansCJK_Bold", "NotoSansCJKtc-Bold.otf", "cvttf-notosanscjk-bold==1.0")
WIDE = FontFile("matplotlib", "mpl-data/fonts/ttf/DejaVuSans.ttf", "matplotlib")


@lru_cache(maxsize=8)
def covered(font: FontFile) -> frozenset[int]:
    """Code points that a font has a glyph for."""
    return frozenset(_open(font).getBestCmap())


@lru_cache(maxsize=8)
def _open(font: FontFile) -> Any:
    from fontTools.ttLib import TTFont

    return TTFont(font.find(), lazy=True)


def cut_font(font: FontFile, characters: Iterable[str], name: str) -> io.BytesIO:
    """A TrueType font `name` with these characters of `font`, in the shapes of simplified Chinese where it has them."""
    from fontTools.fontBuilder import FontBuilder

    source = _open(font)
    cmap, forms = source.getBestCmap(), _simplified_forms(font)
    chosen = {ord(one): forms.get(cmap[ord(one)], cmap[ord(one)]) for one in characters if ord(one) in cmap}
    order = [".notdef", *sorted(set(chosen.values()) - {".notdef"})]
    glyph_set = source.getGlyphSet()
    outlines = {glyph: _outline(glyph_set, glyph) for glyph in order}
    builder = FontBuilder(source["head"].unitsPerEm, isTTF=True)
    builder.setupGlyphOrder(order)
    builder.setupCharacterMap(chosen)
    builder.setupGlyf(outlines)
    # Setting up the outlines has measured them: where a glyph's ink begins is part of its metrics.
    builder.setupHorizontalMetrics({glyph: (glyph_set[glyph].width, getattr(outlines[glyph], "xMin", 0)) for glyph in order})
    builder.setupHorizontalHeader(ascent=source["hhea"].ascent, descent=source["hhea"].descent)
    builder.setupNameTable({"familyName": name, "styleName": "Regular", "psName": name})
    builder.setupOS2(sTypoAscender=source["hhea"].ascent, sTypoDescender=source["hhea"].descent)
    builder.setupPost()
    # The same characters, the same bytes: no moment is written into the file.
    builder.updateHead(created=0, modified=0)
    builder.font.recalcTimestamp = False
    cut = io.BytesIO()
    builder.save(cut)
    cut.seek(0)
    return cut


def _outline(glyph_set: Any, glyph: str) -> Any:
    from fontTools.pens.cu2quPen import Cu2QuPen
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    pen = TTGlyphPen(None)
    glyph_set[glyph].draw(Cu2QuPen(pen, max_err=1.0, reverse_direction=True))
    return pen.glyph()


@lru_cache(maxsize=4)
def _simplified_forms(font: FontFile) -> dict[str, str]:
    """Glyphs of a pan-CJK font that look otherwise in simplified Chinese; empty where the font tells none apart."""
    table = _open(font).get("GSUB")
    forms: dict[str, str] = {}
    for record in table.table.ScriptList.ScriptRecord if table is not None else ():
        for language in record.Script.LangSysRecord:
            if record.ScriptTag == "hani" and language.LangSysTag == "ZHS ":
                forms |= _substitutions(table.table, language.LangSys.FeatureIndex)
    return forms


def _substitutions(gsub: Any, features: Sequence[int]) -> dict[str, str]:
    found: dict[str, str] = {}
    for feature in (gsub.FeatureList.FeatureRecord[index] for index in features):
        for lookup in feature.Feature.LookupListIndex if feature.FeatureTag == "locl" else ():
            for part in gsub.LookupList.Lookup[lookup].SubTable:
                # An extension wraps the substitution proper.
                found |= getattr(getattr(part, "ExtSubTable", part), "mapping", {})
    return found
