"""The fonts of the artwork: files out of Python packages under OFL, Apache or Bitstream-like terms.

Fonts are looked up without importing their packages. All of them must be there: a missing font would change
pictures silently, and the same seed must give the same bytes everywhere.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

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
    "DejaVuSans.ttf": ("matplotlib", "matplotlib"),
    "DejaVuSans-Bold.ttf": ("matplotlib", "matplotlib"),
    "DejaVuSerif.ttf": ("matplotlib", "matplotlib"),
}
"""File name -> (module that carries it, package to install)."""

SANS = tuple(n for n in PACKAGES if not any(k in n for k in ("Serif", "Caladea", "Bold.", "SemiBold", "Semibold")))
BOLD = tuple(
    n
    for n in PACKAGES
    if any(k in n for k in ("Bold.", "SemiBold", "Semibold", "Fjalla")) and not any(k in n for k in ("Serif", "Caladea"))
)
SERIF = tuple(n for n in PACKAGES if any(k in n for k in ("Serif", "Caladea")))
SYMBOL_SAFE = "DejaVuSans.ttf"
"""The font that has every sign the artwork uses (superscripts, subscripts, the degree sign)."""


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
