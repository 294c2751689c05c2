"""The source documents' claims for `gauge bench probes`: what they are measured with comes from the settings."""

from __future__ import annotations

from tqdm import tqdm

from eval.mvfu import SHIPPED_LIBRARY, read_library
from eval.reproductions.claims import Claim
from eval.reproductions.run import Parts, ReproductionOptions, reproduce, reproduce_llm
from eval.score_cache import FILE, ScoreCache
from knowledge.embedder import load_embedder
from serve.library import build_judge, open_knowledge
from serve.settings import Settings

ANSWERS = "reproductions"


def reproduce_claims(settings: Settings, count: int, llm_count: int) -> tuple[Claim, ...]:
    """The claims over `count` questions without a language model and over `llm_count` with the packaged one; 0 leaves them out.

    The model's answers are kept for a day below the home, so that a rerun asks for none twice.
    """
    kb = open_knowledge(settings)
    try:
        embedder = load_embedder(settings.embedder)
        parts = Parts(kb, settings.home, embedder, read_library(SHIPPED_LIBRARY), build_judge(settings))
        options = ReproductionOptions(count=max(count, 1), llm_count=max(llm_count, 1))
        claims = list(tqdm(reproduce(parts, options), desc="claims", unit="claim")) if count else []
        if llm_count:
            claims += _of_model(parts, settings, options)
    finally:
        kb.close()
    return tuple(claims)


def _of_model(parts: Parts, settings: Settings, options: ReproductionOptions) -> list[Claim]:
    from rag.local_model import load_model
    from rag.packaged import load_packaged

    folder = load_packaged(settings.home.resolve())
    kept = ScoreCache(settings.home / ANSWERS / FILE, folder.name)
    return list(reproduce_llm(parts, load_model(str(folder)), folder.name, options, kept))
