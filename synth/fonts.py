"""The fonts of the artwork: files out of Python packages under OFL, Apache or Bitstream-like terms.

Fonts are looked up without importing their packages. All of them must be there: a missing font would change
pictures silently, and the same seed must give the same bytes everywhere.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from synth.errors import FontError

PACKAGES: dict[str, tuple[str, str]] = {
    "Roboto-Regular.ttf": ("font_roboto", "font-roboto"),
    "Roboto-Medium.ttf": ("font_roboto", "font-roboto"),
    "Roboto-Bold.ttf": ("font_roboto", "font-roboto"),
    "SourceSansPro-Regular.ttf": ("font_source_sans_pro", "font-source-sans-pro"),
    "SourceSansPro-Semibold.ttf": ("font_source_sans_pro", "font-source-sans-pro"),
    "SourceSansPro-Bold.ttf": ("font_source_sans_pro", "font-source-sans-pro"),
    "SourceSerifPro-Regular.ttf": ("font_source_serif_pro", "font-source-serif-pro"),
    "SourceSerifPro-Bold.ttf": ("font_source_serif_pro", "font-source-serif-pro"),
    "HankenGrotesk-Regular.otf": ("font_hanken_grotesk", "font-hanken-grotesk"),
    "HankenGrotesk-SemiBold.otf": ("font_hanken_grotesk", "font-hanken-grotesk"),
    "Manrope-Medium.ttf": ("font_manrope", "font-manrope"),
    "Manrope-Bold.ttf": ("font_manrope", "font-manrope"),
    "FjallaOne-Regular.ttf": ("font_fjallaone", "font-fjallaone"),
    "Lato-Regular.ttf": ("font_lato", "font-lato"),
    "Lato-Bold.ttf": ("font_lato", "font-lato"),
    "Caladea-Regular.ttf": ("font_caladea", "font-caladea"),
    "Caladea-Bold.ttf": ("font_caladea", "font-caladea"),
    "RedHatDisplay-Medium.ttf": ("font_rhd", "font-rhd"),
    "RedHatDisplay-SemiBold.ttf": ("font_rhd", "font-rhd"),
    "RedHatDisplay-ExtraBold.ttf": ("font_rhd", "font-rhd"),
    "FredokaOne-Regular.ttf": ("font_fredoka_one", "font-fredoka-one"),
    "Intuitive.ttf": ("font_intuitive", "font-intuitive"),
    "AmaticSC-Bold.ttf": ("font_amatic_sc", "font-amatic-sc"),
    "NotoSansCJKtc-Regular.otf": ("cvttf_NotoSansCJK_Regular", "cvttf-notosanscjk-regular"),
    "NotoSansCJKtc-Bold.otf": ("cvttf_NotoSansCJK_Bold", "cvttf-notosanscjk-bold"),
    "DejaVuSans.ttf": ("matplotlib", "matplotlib"),
    "DejaVuSans-Bold.ttf": ("matplotlib", "matplotlib"),
    "DejaVuSerif.ttf": ("matplotlib", "matplotlib"),
    "DejaVuSans-Oblique.ttf": ("matplotlib", "matplotlib"),
    "DejaVuSansMono.ttf": ("matplotlib", "matplotlib"),
    "DejaVuSansMono-Bold.ttf": ("matplotlib", "matplotlib"),
}
"""File name -> (module that carries it, package to install)."""

CHINESE = ("NotoSansCJKtc-Regular.otf", "NotoSansCJKtc-Bold.otf")
HAND = ("Intuitive.ttf", "AmaticSC-Bold.ttf")
"""Hand-written looks: figures on stickers and serial numbers scratched or penned in."""
MONO = ("DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf")
SERIF = tuple(n for n in PACKAGES if any(k in n for k in ("Serif", "Caladea")))
ROUNDED = ("FredokaOne-Regular.ttf",)
GEOMETRIC = ("RedHatDisplay-Medium.ttf", "RedHatDisplay-SemiBold.ttf", "RedHatDisplay-ExtraBold.ttf")
"""Circular capitals, as transformer instruments are lettered."""
_OTHER = (*CHINESE, *HAND, *MONO, *SERIF, *ROUNDED, "DejaVuSans-Oblique.ttf")
_HEAVY = ("Bold.", "SemiBold", "Semibold", "ExtraBold", "Fjalla")
SANS = tuple(n for n in PACKAGES if n not in _OTHER and not any(k in n for k in _HEAVY if k != "Fjalla"))
BOLD = tuple(n for n in PACKAGES if n not in _OTHER and any(k in n for k in _HEAVY))
SYMBOL_SAFE = "DejaVuSans.ttf"
"""The font that has every sign the artwork uses (superscripts, subscripts, the degree sign)."""
_MEASURE_SIZE = 100.0


@lru_cache(maxsize=64)
def font_path(name: str) -> Path:
    """Path of a font file. Raises FontError naming the package to install where it is missing."""
    if name not in PACKAGES:
        raise FontError(f"unknown font {name!r}; known fonts: {', '.join(PACKAGES)}")
    module, package = PACKAGES[name]
    found = find_spec(module)
    places = list(found.submodule_search_locations or []) if found is not None else []
    for place in places:
        paths = sorted(Path(place).rglob(name))
        if paths:
            return paths[0]
    raise FontError(f"font {name!r} is not installed: the artwork needs it, install it with `pip install {package}`")


def check_fonts() -> None:
    """Raise FontError for the first font that is missing; a factory calls it before it starts."""
    for name in PACKAGES:
        font_path(name)


@lru_cache(maxsize=64)
def typeface(name: str) -> Any:
    """The skia typeface of a font file; read once in a process."""
    import skia

    # An empty manager reads the file alone: the default one would scan the system's fonts and print its complaints.
    return skia.FontMgr.New_Custom_Empty().makeFromFile(str(font_path(name)), 0)


@lru_cache(maxsize=8192)
def has_signs(name: str, text: str) -> bool:
    """Whether a font carries every letter of a text."""
    return all(glyph != 0 for glyph in typeface(name).unicharsToGlyphs([ord(c) for c in text]))


@lru_cache(maxsize=8192)
def font_for(text: str, name: str) -> str:
    """The font itself where it has every sign of a text, else the first of the fallbacks that has."""
    chinese = CHINESE[1] if name in BOLD else CHINESE[0]
    for candidate in (name, SYMBOL_SAFE, chinese):
        if has_signs(candidate, text):
            return candidate
    return SYMBOL_SAFE


@lru_cache(maxsize=1024)
def _measure(name: str) -> tuple[Any, float]:
    import skia

    font = skia.Font(typeface(name), _MEASURE_SIZE)
    font.setSubpixel(True)
    font.setLinearMetrics(True)
    font.setHinting(skia.FontHinting.kNone)
    return font, float(font.getMetrics().fCapHeight) / _MEASURE_SIZE


@lru_cache(maxsize=16384)
def advance(text: str, name: str) -> float:
    """Width of a text as a fraction of its font size, as it is drawn (in a fallback where the font lacks a sign)."""
    return float(_measure(font_for(text, name))[0].measureText(text)) / _MEASURE_SIZE


def cap_height(name: str) -> float:
    """Height of capitals as a fraction of the font size."""
    return _measure(name)[1]
