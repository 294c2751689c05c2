"""Adapters: nothing at first, nothing for other rows, small, bound to their base, and better than the base after training."""

from __future__ import annotations

import copy
import json
import logging
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import DonutSwinConfig, DonutSwinModel

from tests.vision.test_training import draw
from vision.adapter import MAX_PARAMETERS, Adapter, AdapterError, adapted, adapted_stages, largest_rank, new_adapter
from vision.adapter_files import (
    ADAPTER_FILE,
    AdapterCard,
    AdapterFolder,
    HeldOutScore,
    folder_name,
    list_adapters,
    load_adapter,
    save_adapter,
    weights_sha256,
)
from vision.adapter_training import AdaptOptions, adapt, freeze, run_adapted
from vision.dataset import Pictures
from vision.donut import DonutConfig, GaugeDonut, build_small, save
from vision.fields import Weights

TINY = DonutConfig(
    image_size=64, hidden_size=32, encoder_layers=3, decoder_layers=1, feed_forward=32, encoder_heads=2, decoder_heads=2
)
SCORE = HeldOutScore(
    loss=1.0,
    needle_median_deg=3.0,
    needle_within_5_deg=0.5,
    points_error=0.01,
    class_accuracy=0.9,
    character_accuracy=0.7,
)


@pytest.fixture(scope="module")
def model() -> GaugeDonut:
    torch.manual_seed(0)
    return build_small(TINY).eval()


@pytest.fixture(scope="module")
def pixels() -> torch.Tensor:
    return torch.randn(5, 3, 64, 64, generator=torch.Generator().manual_seed(1))


def worked(model: GaugeDonut, seed: int = 2) -> Adapter:
    """An adapter that does change something."""
    adapter = new_adapter(model.donut.encoder)
    torch.manual_seed(seed)
    for parameter in adapter.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    return adapter.eval()


def make_card(
    model_id: str = "MODEL-B", base_sha256: str = "0" * 64, widths: tuple[int, ...] = (32, 32), rank: int = 64
) -> AdapterCard:
    return AdapterCard(
        instrument_model=model_id,
        base=Weights(name="small", version="1"),
        base_sha256=base_sha256,
        widths=widths,
        rank=rank,
        parameters=1,
        photos=38,
        held_out=12,
        steps=10,
        seconds=1.0,
        date="2026-12-01",
        before=SCORE,
        after=SCORE,
    )


def states(model: GaugeDonut, pixels: torch.Tensor, adapters: object = None) -> torch.Tensor:
    with torch.inference_mode():
        hidden = model.encode(pixels, adapters).last_hidden_state  # type: ignore[arg-type]
    assert hidden is not None
    return hidden


def test_a_fresh_adapter_changes_nothing(model: GaugeDonut, pixels: torch.Tensor) -> None:
    fresh = new_adapter(model.donut.encoder).eval()
    assert torch.equal(states(model, pixels, fresh), states(model, pixels))
    assert torch.equal(states(model, pixels, [fresh] * 5), states(model, pixels))


def test_other_rows_of_a_mixed_batch_are_the_base_bit_for_bit(model: GaugeDonut, pixels: torch.Tensor) -> None:
    first, second = worked(model), worked(model, seed=3)
    base, mixed = states(model, pixels), states(model, pixels, [None, first, None, second, first])
    for row in (0, 2):
        assert torch.equal(mixed[row], base[row])
    for row in (1, 3, 4):
        assert not torch.equal(mixed[row], base[row])
    # Each row got its own adapter's addition, and no other's.
    assert torch.equal(mixed[1], states(model, pixels, [None, first, None, None, None])[1])
    assert torch.allclose(mixed[3], states(model, pixels, second)[3], atol=1e-5)
    assert not torch.allclose(mixed[3], states(model, pixels, first)[3], atol=1e-3)


def test_dense_maps_of_other_rows_are_the_base_bit_for_bit(model: GaugeDonut, pixels: torch.Tensor) -> None:
    with torch.inference_mode():
        base = model.dense_maps(model.encode(pixels))
        mixed = model.dense_maps(model.encode(pixels, [worked(model), None, None, None, None]))
    assert torch.equal(base.points[1:], mixed.points[1:])
    assert not torch.equal(base.points[0], mixed.points[0])


def test_the_encoder_is_as_before_afterwards_even_after_an_error(model: GaugeDonut, pixels: torch.Tensor) -> None:
    base = states(model, pixels)
    with pytest.raises(AdapterError, match="do not fit a batch of 5"):
        states(model, pixels, [None] * 6 + [worked(model)])
    assert all("forward" not in stage.__dict__ for stage in adapted_stages(model.donut.encoder))
    assert torch.equal(states(model, pixels), base)
    outer = worked(model)
    with adapted(model.donut.encoder, outer):
        inside = states(model, pixels)
        states(model, pixels, worked(model, seed=4))
        assert torch.equal(states(model, pixels), inside)
    assert torch.equal(states(model, pixels), base)


def test_adapters_stay_below_their_limit() -> None:
    small = build_small(DonutConfig())
    adapter = new_adapter(small.donut.encoder)
    assert adapter.parameters_count == 2 * (2 * 256 * 64 + 64 + 256)
    assert adapter.parameters_count < MAX_PARAMETERS
    wide = Adapter((1024, 1024))
    assert 90_000 < wide.parameters_count < MAX_PARAMETERS
    assert all(len(list(stage.children())) == 2 for stage in adapter.stages)
    with pytest.raises(AdapterError, match="does not lie in 1"):
        Adapter((1024, 1024), largest_rank((1024, 1024)) + 1)


def test_the_last_two_stages_of_a_swin_are_adapted() -> None:
    torch.manual_seed(0)
    config = DonutSwinConfig(image_size=64, patch_size=4, embed_dim=8, depths=[1, 1, 1], num_heads=[1, 2, 2], window_size=4)
    encoder = DonutSwinModel(config).eval()
    stages = adapted_stages(encoder)
    assert [stage is own for stage, own in zip(stages, encoder.encoder.layers[-2:], strict=True)] == [True, True]
    adapter = new_adapter(encoder)
    for parameter in adapter.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    pixels = torch.randn(3, 3, 64, 64)
    with torch.inference_mode():
        base = encoder(pixel_values=pixels).last_hidden_state
        with adapted(encoder, [None, adapter, None]):
            mixed = encoder(pixel_values=pixels).last_hidden_state
    assert torch.equal(mixed[[0, 2]], base[[0, 2]])
    assert not torch.equal(mixed[1], base[1])


def test_an_encoder_without_stages_is_refused() -> None:
    with pytest.raises(AdapterError, match="Linear has no stages"):
        adapted_stages(torch.nn.Linear(2, 2))


@pytest.mark.parametrize(
    "model_id", ["XYZ-2000", "../../etc/passwd", "a/b\\c", ".hidden", "..", "压力表 7", "C:\\x", "nul\0byte", "x" * 120]
)
def test_any_model_id_is_one_plain_folder(model_id: str, tmp_path: Path) -> None:
    name = folder_name(model_id)
    assert name.isascii()
    assert Path(name).name == name
    assert not name.startswith(".")
    assert (tmp_path / name).resolve().parent == tmp_path.resolve()


def test_ids_differ_by_more_than_case_and_spaces() -> None:
    assert folder_name(" xyz-2000") == folder_name("XYZ-2000")
    assert folder_name("XYZ-2000") != folder_name("XYZ_2000")
    for bad in ("", "  ", "x" * 121):
        with pytest.raises(AdapterError, match="is no instrument model id"):
            folder_name(bad)


def test_what_is_saved_is_what_is_loaded(model: GaugeDonut, tmp_path: Path) -> None:
    adapter = worked(model)
    folder = save_adapter(adapter, make_card(), tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == [ADAPTER_FILE, "card.json"]
    loaded, card = load_adapter(folder, "0" * 64)
    assert card == make_card()
    assert all(torch.equal(a, b) for a, b in zip(adapter.state_dict().values(), loaded.state_dict().values(), strict=True))
    assert [c.instrument_model for c in list_adapters(tmp_path)] == ["MODEL-B"]


def test_an_adapter_of_another_base_is_refused(model: GaugeDonut, tmp_path: Path) -> None:
    folder = save_adapter(worked(model), make_card(), tmp_path)
    with pytest.raises(AdapterError, match=r"made for small 1 \(0{12}\), not for these weights \(1{12}\)"):
        load_adapter(folder, "1" * 64)


def test_damaged_adapters_are_refused(model: GaugeDonut, tmp_path: Path) -> None:
    folder = save_adapter(worked(model), make_card(), tmp_path)
    tensors = load_file(folder / ADAPTER_FILE)
    save_file({name: tensor[..., :1].contiguous() for name, tensor in tensors.items()}, folder / ADAPTER_FILE)
    with pytest.raises(AdapterError, match="not the adapter that its card describes"):
        load_adapter(folder, "0" * 64)
    (folder / ADAPTER_FILE).write_bytes(b"no tensors")
    with pytest.raises(AdapterError, match="not the adapter that its card describes"):
        load_adapter(folder, "0" * 64)
    (folder / ADAPTER_FILE).unlink()
    with pytest.raises(AdapterError, match="is missing"):
        load_adapter(folder, "0" * 64)
    (folder / "card.json").write_text(json.dumps({"instrument_model": "x"}))
    with pytest.raises(AdapterError, match="is not an adapter's card"):
        load_adapter(folder, "0" * 64)


def test_a_folder_of_adapters_finds_by_id_and_goes_on_without(
    model: GaugeDonut, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    save_adapter(worked(model), make_card("MODEL-B"), tmp_path)
    save_adapter(worked(model), make_card("OLD", base_sha256="1" * 64), tmp_path)
    folder = AdapterFolder(tmp_path, "0" * 64)
    assert folder.find("model-b") is folder.find("MODEL-B") is not None
    assert folder.find("unknown") is None
    assert folder.find("") is None
    with caplog.at_level(logging.WARNING):
        assert folder.find("OLD") is None
        assert folder.find("OLD") is None
    assert sum("made for small 1" in record.message for record in caplog.records) == 1
    assert folder.models() == ["MODEL-B"]
    assert AdapterFolder(tmp_path / "missing", "0" * 64).models() == []


def test_own_adapters_go_before_those_of_others_and_new_ones_are_found_when_told(model: GaugeDonut, tmp_path: Path) -> None:
    house, mine = tmp_path / "house", tmp_path / "mine"
    for name in ("MODEL-A", "MODEL-B"):
        save_adapter(worked(model), make_card(name), house)
    others = AdapterFolder(house, "0" * 64)
    folder = AdapterFolder(mine, "0" * 64, others=others)
    assert folder.find("MODEL-A") is others.find("MODEL-A") is not None
    save_adapter(worked(model, seed=3), make_card("MODEL-A"), mine)
    assert folder.find("MODEL-A") is others.find("MODEL-A")
    folder.forget()
    assert folder.find("MODEL-A") is not others.find("MODEL-A")
    assert folder.find("MODEL-B") is others.find("MODEL-B")
    assert folder.models() == ["MODEL-A", "MODEL-B"]


def test_the_hash_of_a_base_is_that_of_its_file(model: GaugeDonut, tmp_path: Path) -> None:
    save(model, tmp_path / "a", {})
    save(worked_base(), tmp_path / "b", {})
    assert weights_sha256(tmp_path / "a") != weights_sha256(tmp_path / "b")
    with pytest.raises(AdapterError, match="cannot read the base"):
        weights_sha256(tmp_path)


def worked_base() -> GaugeDonut:
    torch.manual_seed(9)
    return build_small(TINY)


@torch.no_grad()
def test_the_frozen_part_and_the_rest_make_the_whole(model: GaugeDonut, pixels: torch.Tensor) -> None:
    adapter, encoder = worked(model), model.donut.encoder
    frozen = freeze(encoder, pixels, torch.device("cpu"), batch_size=2)
    again = run_adapted(encoder, adapter, frozen, side=4)
    whole = model.encode(pixels, adapter)
    assert again.last_hidden_state is not None
    assert whole.last_hidden_state is not None
    assert torch.allclose(again.last_hidden_state, whole.last_hidden_state, atol=0.03)  # kept in half precision
    assert again.grid is not None
    assert whole.grid is not None
    assert again.grid.shape == whole.grid.shape
    assert not encoder.layers.layers[-2]._forward_pre_hooks


def test_some_photos_make_an_adapter_and_leave_the_base(model: GaugeDonut, pixels: torch.Tensor, tmp_path: Path) -> None:
    model = copy.deepcopy(model)
    with torch.no_grad():  # an untrained decoder hardly listens to the encoder: make it
        for parameter in model.donut.decoder.parameters():
            parameter.mul_(6.0 if parameter.dim() > 1 else 1.0)
    base = states(model, pixels)
    pictures = Pictures([draw(tmp_path / "data", 30)])
    result = adapt(model, pictures, "MODEL-B", AdaptOptions(steps=30, views=2, batch_size=8, lr=1e-2))
    assert (result.photos, result.held_out, result.steps) == (22, 8, 30)  # the empty picture does not count
    assert sum(result.losses[-5:]) < sum(result.losses[:5]) - 5 * 0.3
    assert result.after.loss < result.before.loss - 0.3
    assert torch.equal(states(model, pixels), base)
    assert all(parameter.requires_grad and parameter.grad is None for parameter in model.parameters())
    assert not torch.equal(states(model, pixels, result.adapter), base)


def test_the_same_photos_make_the_same_adapter(model: GaugeDonut, tmp_path: Path) -> None:
    pictures = Pictures([draw(tmp_path / "data", 14)])
    options = AdaptOptions(steps=3, views=1, batch_size=4)
    first, again = (adapt(model, pictures, "B", options).adapter.state_dict() for _ in range(2))
    assert all(torch.equal(first[name], again[name]) for name in first)


def test_too_few_photos_are_refused(model: GaugeDonut, tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match="5 of 6 photos show an instrument of 'B'"):
        adapt(model, Pictures([draw(tmp_path / "data", 5)]), "B")


def test_an_adapter_helps_if_the_loss_falls_and_no_field_is_lost(model: GaugeDonut, tmp_path: Path) -> None:
    pictures = Pictures([draw(tmp_path / "data", 12)])
    result = adapt(model, pictures, "B", AdaptOptions(steps=1, views=1, batch_size=4, lr=0.0))
    assert not result.helps  # nothing was learned: nothing is better
    better = SCORE.model_copy(update={"loss": 0.9})
    assert result._replace(before=SCORE, after=better).helps
    assert not result._replace(before=SCORE, after=better.model_copy(update={"needle_within_5_deg": 0.4})).helps
    assert not result._replace(before=SCORE, after=SCORE).helps
