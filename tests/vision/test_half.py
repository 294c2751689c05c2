"""Training in half the bits only where the processor has them: emulated bfloat16 is many times slower."""

from __future__ import annotations

import pytest
import torch

from vision import half


@pytest.mark.parametrize("there", [True, False])
def test_products_are_half_only_where_the_processor_has_it(monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    half.computes_in_half.cache_clear()
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: there)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
    try:
        with half.training_precision(torch.device("cpu")):
            product = torch.ones(2, 2) @ torch.ones(2, 2)
        assert product.dtype is (torch.bfloat16 if there else torch.float32)
        assert not half.computes_in_half("mps")
    finally:
        half.computes_in_half.cache_clear()
