"""Where models run: half precision on a GPU and single on a CPU; probes made of rules alone load no model at all."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from rag.local_model import _precision

RULES = """
import sys
from eval.anchors_relevance import score_anchors
from eval.coverage import score_coverage
from eval.fci import score_answer
from eval.mvfu import SHIPPED_LIBRARY, read_library
from eval.retrieval import Passage
passage = Passage(text="The rated pressure of the pump is 4 MPa.", title="Pump")
assert score_answer("The rated pressure of the pump is 4 MPa.", [passage.text]).fci == 1
assert score_answer("泵的额定压力为5MPa。", ["泵的额定压力为4MPa。"]).fci == 0
assert score_anchors("Which rated pressure has the pump?", [passage]).score.value > 0.5
score_coverage("Which rated pressure has the pump?", [passage], read_library(SHIPPED_LIBRARY))
loaded = [name for name in ("transformers", "sentence_transformers", "faiss", "onnxruntime") if name in sys.modules]
assert not loaded, loaded
if "torch" in sys.modules:  # the parser's library takes it where it is there; it must not wake a GPU
    assert not sys.modules["torch"].cuda.is_initialized()
"""


def test_probes_made_of_rules_load_no_model_and_wake_no_gpu() -> None:
    done = subprocess.run([sys.executable, "-c", RULES], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("bfloat", [True, False])
def test_half_precision_is_for_a_gpu(monkeypatch: pytest.MonkeyPatch, bfloat: bool) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda *_: bfloat)
    assert _precision("cuda") == (torch.bfloat16 if bfloat else torch.float16)
    assert _precision("cpu") == torch.float32


def test_alignment_in_half_precision_is_that_of_single() -> None:
    import torch

    from eval.attention import AttentionProbe
    from rag.local_model import Loaded
    from tests.eval import test_attention as attention

    tokenizer: Any = attention.tokenizer.__wrapped__()  # type: ignore[attr-defined]
    scores = []
    for precision in (torch.float32, torch.bfloat16):
        model = attention.tiny_llama().to(precision)
        scores.append(AttentionProbe(Loaded(tokenizer, model)).score(attention.QUESTION, attention.ANSWER, attention.SOURCES))
    single, half = scores
    assert half.mean.n == single.mean.n > 0
    assert half.mean.value == pytest.approx(single.mean.value, abs=0.05)
