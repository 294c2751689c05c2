"""Both bases: built, saved, loaded; the stem's ImageNet weights; clear errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from transformers import DonutSwinConfig, DonutSwinModel, MBartConfig, MBartForCausalLM, VisionEncoderDecoderModel

from vision.donut import (
    CARD_FILE,
    CONFIG_FILE,
    MODEL_FILE,
    DonutConfig,
    DonutError,
    build_from_donut,
    build_small,
    load,
    load_card,
    save,
)
from vision.generate import generate
from vision.stem import EfficientNetStem, load_pretrained
from vision.tokens import decode
from vision.vocabulary import (
    VOCABULARY,
)

TINY = DonutConfig(
    image_size=64, hidden_size=32, encoder_layers=1, decoder_layers=1, feed_forward=32, encoder_heads=2, decoder_heads=2
)


@pytest.fixture(scope="module")
def tiny_donut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Donut in a folder, as a hub would give it: Swin encoder, MBart decoder, another vocabulary."""
    torch.manual_seed(0)
    encoder = DonutSwinModel(
        DonutSwinConfig(image_size=[64, 64], patch_size=4, embed_dim=8, depths=[1, 1], num_heads=[1, 2], window_size=4)
    )
    decoder = MBartForCausalLM(
        MBartConfig(
            vocab_size=99,
            d_model=16,
            decoder_layers=1,
            decoder_attention_heads=2,
            decoder_ffn_dim=16,
            max_position_embeddings=128,
            is_decoder=True,
            add_cross_attention=True,
            is_encoder_decoder=False,
        )
    )
    folder = tmp_path_factory.mktemp("donut")
    VisionEncoderDecoderModel(encoder=encoder, decoder=decoder).save_pretrained(folder)
    return folder


def test_the_stem_carries_imagenet_weights_and_keeps_its_statistics() -> None:
    stem = EfficientNetStem()
    before = stem._bn0.running_mean.clone()
    load_pretrained(stem)
    assert not torch.equal(before, stem._bn0.running_mean)
    learned = stem._bn0.running_mean.clone()
    stem.train()
    features = stem(torch.randn(2, 3, 64, 96))
    assert torch.equal(learned, stem._bn0.running_mean)
    assert [tuple(f.shape) for f in features] == [(2, 24, 16, 24), (2, 40, 8, 12), (2, 112, 4, 6)]


def test_frozen_blocks_get_no_gradient_and_the_rest_does() -> None:
    model = build_small(TINY).train()
    model.donut.encoder.config.frozen_blocks = 3
    model.encode(torch.randn(1, 3, 64, 64)).last_hidden_state.sum().backward()
    stem = model.donut.encoder.stem
    assert stem._conv_stem.weight.grad is None
    assert stem._blocks[10]._project_conv.weight.grad is not None


def test_any_image_size_gives_maps_of_its_own_size() -> None:
    model = build_small(TINY).eval()
    with torch.inference_mode():
        dense = model.dense_maps(model.encode(torch.randn(1, 3, 96, 96)))
    assert dense.points.shape == (1, 4, 24, 24)
    assert dense.centers.shape == (1, 1, 12, 12)
    assert bool((dense.sides > 0).all())


def test_small_survives_saving_in_half_precision(tmp_path: Path) -> None:
    torch.manual_seed(1)
    model = build_small(TINY).eval()
    save(model, tmp_path, {"name": "tiny", "version": "1"})
    again = load(tmp_path)
    pixels = torch.randn(2, 3, 64, 64)
    with torch.inference_mode():
        first, second = model.encode(pixels), again.encode(pixels)
        assert torch.allclose(first.last_hidden_state, second.last_hidden_state, atol=0.05)
        ids = torch.tensor([[2, 40], [2, 41]])
        assert torch.allclose(model.decode(first, ids), again.decode(second, ids), atol=0.1)
    assert load_card(tmp_path)["name"] == "tiny"
    assert not list(tmp_path.glob("*.tmp"))


def test_a_donut_of_a_folder_speaks_the_gauge_vocabulary(tiny_donut: Path, tmp_path: Path) -> None:
    model = build_from_donut(str(tiny_donut)).eval()
    pixels = torch.randn(2, 3, 64, 64)
    with torch.inference_mode():
        encoded = model.encode(pixels)
        assert model.decode(encoded, torch.tensor([[2, 40], [2, 41]])).shape == (2, 2, len(VOCABULARY))
        assert model.dense_maps(encoded).points.shape[:2] == (2, 4)
    for sequence in generate(model, encoded, "read"):
        decode(sequence.ids)
    save(model, tmp_path, {})
    again = load(tmp_path)
    with torch.inference_mode():
        assert torch.allclose(again.encode(pixels).last_hidden_state, encoded.last_hidden_state, atol=0.05)


def test_a_missing_base_names_itself_and_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(DonutError, match=r"(?s)missing.*or a folder"):
        build_from_donut(str(tmp_path / "missing"))


def test_broken_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(DonutError, match=CONFIG_FILE):
        load(tmp_path)
    save(build_small(TINY), tmp_path, {})
    (tmp_path / MODEL_FILE).write_bytes(b"not safetensors at all")
    with pytest.raises(DonutError, match="safetensors"):
        load(tmp_path)


def test_weights_of_another_vocabulary_are_refused(tmp_path: Path) -> None:
    save(build_small(TINY), tmp_path, {})
    config = json.loads((tmp_path / CONFIG_FILE).read_text())
    config["gauge_donut"]["vocabulary"] = ["<pad>"]
    (tmp_path / CONFIG_FILE).write_text(json.dumps(config))
    with pytest.raises(DonutError, match="another vocabulary"):
        load(tmp_path)
    assert (tmp_path / CARD_FILE).is_file()
