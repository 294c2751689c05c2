"""Training of the state reader: crops and their labels, directions, losses, a small run, and recipes that are wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch

from tests.vision.test_state_reader import lamp, selector
from vision.fields import GaugeFields
from vision.recipe import RecipeError
from vision.samples import InstrumentTruth, PhotoTruth, SampleError, SampleRecord, write_records
from vision.small_training import CHECKPOINT_FILE
from vision.state_data import (
    FRAME_SHARE,
    KEPT_BOX_PX,
    LAMP,
    MOST_LOOK_ALIKES,
    OTHER,
    SELECTOR,
    StateCases,
    StateExample,
    StateOptions,
    StateStream,
    cut_out,
    directions,
    example_of,
    jittered_view,
)
from vision.state_network import ANGLES, STATE_PX, StateNetwork, StateOutput, to_network
from vision.state_reader import MODEL_FILE, StateLook, StateReader, StateWeightsError, state_view
from vision.state_training import (
    StateRecipe,
    is_state_recipe,
    load_state_recipe,
    soft_directions,
    state_loss,
    train_states,
)
from vision.state_wear import StateJitter, worn_state

PLATE = (80.0, 80.0, 320.0, 320.0)


def marks_of(count: int, step_deg: float = 60.0) -> tuple[tuple[float, float], ...]:
    turns = [math.radians(180.0 - step_deg * (count - 1) / 2.0 + step_deg * index) for index in range(count)]
    return tuple((200.0 - 68.0 * math.sin(turn), 200.0 + 68.0 * math.cos(turn)) for turn in turns)


def dataset(folder: Path, copies: int = 1) -> Path:
    """Selectors at each of three positions and lamps of three colours, one picture each."""
    folder.mkdir(parents=True)
    records = []
    for copy in range(copies):
        for index, (rgb, color) in enumerate((((240, 35, 25), "red"), ((50, 215, 75), "green"), ((38, 12, 10), "off"))):
            fields = GaugeFields(kind="lamp", warning_light_color=color)  # type: ignore[arg-type]
            truth = InstrumentTruth(box=(40.0, 40.0, 160.0, 160.0), fields=fields)
            records.append(SampleRecord(file_name=f"l{copy}{index}.png", truth=PhotoTruth(instruments=(truth,))))
            cv2.imwrite(str(folder / f"l{copy}{index}.png"), np.ascontiguousarray(lamp(rgb)[..., ::-1]))
        for position in (1, 2, 3):
            fields = GaugeFields(kind="selector", mode_dial_position=position)
            truth = InstrumentTruth(box=PLATE, fields=fields, marks=marks_of(3))
            records.append(SampleRecord(file_name=f"s{copy}{position}.png", truth=PhotoTruth(instruments=(truth,))))
            cv2.imwrite(str(folder / f"s{copy}{position}.png"), np.ascontiguousarray(selector(position)[..., ::-1]))
    write_records(folder, records)
    return folder


def test_a_cut_out_keeps_the_box_its_frame_and_its_marks() -> None:
    picture = selector(2)
    part, box, marks = cut_out(picture, PLATE, marks_of(3))
    side = box[2] - box[0]
    assert side == pytest.approx(KEPT_BOX_PX, rel=0.02)
    assert part.shape[0] == pytest.approx(side * (1.0 + 2.0 * FRAME_SHARE), abs=3)
    for before, after in zip(marks_of(3), marks, strict=True):
        for axis in (0, 1):
            assert (after[axis] - box[axis]) / side == pytest.approx((before[axis] - PLATE[axis]) / 240.0, abs=0.01)
    small, kept, _ = cut_out(picture, (150.0, 150.0, 190.0, 190.0), ())
    assert small.shape[0] == pytest.approx(40 * (1.0 + 2.0 * FRAME_SHARE), abs=2)
    assert kept[2] - kept[0] == pytest.approx(40.0)
    edge, _, _ = cut_out(picture, (0.0, 0.0, 400.0, 400.0), ())
    assert min(edge.shape[:2]) > 100


def test_cases_are_labelled_and_the_marks_lie_where_the_knob_points(tmp_path: Path) -> None:
    cases = StateCases([dataset(tmp_path / "data")]).cases
    assert sorted(case.color for case in cases if case.kind == LAMP) == [0, 2, 3]
    chosen = [case for case in cases if case.kind == SELECTOR]
    assert [case.position for case in chosen] == [0, 1, 2]
    example = example_of(chosen[0], state_view(chosen[0].box))
    assert example.marks == pytest.approx((120.0, 180.0, 240.0), abs=1.0)
    assert example.crop.shape == (STATE_PX, STATE_PX, 3)
    assert all(case.color == case.position == -1 for case in cases if case.kind == OTHER)


def boxed(kind: str, box: tuple[float, float, float, float], **fields: object) -> InstrumentTruth:
    return InstrumentTruth(box=box, fields=GaugeFields.model_validate({"kind": kind} | fields))


def cases_of(tmp_path: Path, truth: PhotoTruth) -> list[tuple[float, float]]:
    """Sizes of the boxes of what is neither in one grey picture of 400 x 400 with this truth beside lamps and selectors."""
    folder = dataset(tmp_path / f"data{len(list(tmp_path.iterdir()))}")
    cv2.imwrite(str(folder / "grey.png"), np.full((400, 400, 3), 90, np.uint8))
    write_records(folder, [SampleRecord(file_name="grey.png", truth=truth)])
    plain = [case for case in StateCases([folder]).cases if case.kind == OTHER]
    return [(round(c.box[2] - c.box[0], 1), round(c.box[3] - c.box[1], 1)) for c in plain if (c.image == 90).all()]


def test_look_alikes_are_cases_of_neither_except_where_an_instrument_stands_before_them(tmp_path: Path) -> None:
    lamp_there = boxed("lamp", (100.0, 100.0, 160.0, 160.0), warning_light_color="red")
    free, hidden, behind = (300.0, 300.0, 341.0, 341.0), (105.0, 105.0, 158.0, 158.0), (60.0, 60.0, 200.0, 200.0)
    tiny = (10.0, 10.0, 19.0, 19.0)
    found = cases_of(tmp_path, PhotoTruth(instruments=(lamp_there,), look_alikes=(free, hidden, behind, tiny)))
    assert (41.0, 41.0) in found
    assert not {(53.0, 53.0), (120.0, 120.0), (9.0, 9.0)} & set(found)


def test_keys_on_a_device_are_cases_and_of_twenty_only_a_few(tmp_path: Path) -> None:
    device = boxed("digital", (20.0, 20.0, 380.0, 380.0), digital_readout="12")
    keys = tuple((30.0 + 16.0 * k, 300.0, 44.0 + 16.0 * k, 313.0) for k in range(20))
    found = cases_of(tmp_path, PhotoTruth(instruments=(device,), look_alikes=keys))
    assert found.count((14.0, 13.0)) == MOST_LOOK_ALIKES


def test_some_boxes_are_off_by_much_more() -> None:
    calm, wild = StateJitter(), StateJitter(wild_share=0.3, wild=3.0)
    spread = {}
    for name, jitter in (("calm", calm), ("wild", wild)):
        sides = [math.log(jittered_view(np.random.default_rng(seed), PLATE, jitter).side) for seed in range(300)]
        spread[name] = float(np.std(sides))
    assert spread["wild"] > 1.4 * spread["calm"]


def test_a_folder_without_lamps_or_selectors_and_a_lost_picture_are_named(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "metadata.jsonl").write_text("")
    with pytest.raises(SampleError, match="no lamps or no selectors"):
        StateCases([empty])
    data = dataset(tmp_path / "data")
    (data / "s01.png").write_bytes(b"")
    with pytest.raises(SampleError, match=r"s01\.png cannot be decoded"):
        StateCases([data])


def test_directions_turn_with_the_view() -> None:
    straight = directions(state_view(PLATE), marks_of(3))
    assert straight == pytest.approx((120.0, 180.0, 240.0), abs=0.1)
    turned = directions(state_view(PLATE, StateLook((0.0, 0.0), 1.0, 30.0)), marks_of(3))
    assert turned == pytest.approx((150.0, 210.0, 270.0), abs=0.1)


def test_soft_directions_are_one_at_their_place_and_go_round() -> None:
    assert not soft_directions([]).any()
    bins = soft_directions([0.0, 90.0])
    assert bins.shape == (ANGLES,)
    assert bins[0] == bins[ANGLES // 4] == pytest.approx(1.0)
    assert bins[1] == pytest.approx(bins[-1])
    assert bins[ANGLES // 2] < 1e-6


def test_boxes_and_light_vary_and_the_same_seed_gives_the_same(tmp_path: Path) -> None:
    cases = StateCases([dataset(tmp_path / "data")])
    first, again = (StateStream(cases, StateOptions(batch_size=16), 3).batch() for _ in range(2))
    assert all(np.array_equal(a.crop, b.crop) and a[1:] == b[1:] for a, b in zip(first, again, strict=True))
    other = StateStream(cases, StateOptions(batch_size=16), 4).batch()
    assert not all(np.array_equal(a.crop, b.crop) for a, b in zip(first, other, strict=True))
    views = [jittered_view(np.random.default_rng(seed), PLATE, StateJitter()) for seed in range(200)]
    sides = np.array([view.side for view in views])
    assert sides.std() / sides.mean() == pytest.approx(StateJitter().size, rel=0.35)
    away = np.array([view.center for view in views]) - 200.0
    assert np.abs(away).max() <= 3.0 * StateJitter().shift * 240.0 + 1e-6


def test_every_kind_of_wear_leaves_a_crop_of_the_same_shape() -> None:
    always = StateJitter(exposure_share=1, coarse_share=1, blur_share=1, noise_share=1, glare_share=1, cover_share=1)
    never = StateJitter(exposure_share=0, coarse_share=0, blur_share=0, noise_share=0, glare_share=0, cover_share=0)
    crop = np.ascontiguousarray(cv2.resize(selector(1), (STATE_PX, STATE_PX)))
    noise = np.random.default_rng(1).normal(0, 1, 1 << 18).astype(np.float32)
    for seed in range(20):
        worn = worn_state(np.random.default_rng(seed), crop, always, noise)
        assert worn.shape == crop.shape
        assert worn.dtype == np.uint8
        assert not np.array_equal(worn, crop)
    assert np.array_equal(worn_state(np.random.default_rng(0), crop, never, noise), crop)


def example(kind: int, color: int = -1, position: int = -1, marks: tuple[float, ...] = ()) -> StateExample:
    return StateExample(np.zeros((STATE_PX, STATE_PX, 3), np.uint8), kind, color, position, marks)


def output(count: int) -> StateOutput:
    sizes = (3, 4, 5, 5, ANGLES, ANGLES)
    return StateOutput(*(torch.zeros(count, size, requires_grad=True) for size in sizes))


def test_what_has_no_label_has_no_loss() -> None:
    """A crop that is neither teaches its kind alone; a lamp no position."""
    heads = output(2)
    state_loss(heads, [example(OTHER), example(LAMP, color=1)]).backward()  # type: ignore[no-untyped-call]
    assert heads.kind.grad is not None
    assert heads.kind.grad.abs().sum() > 0
    assert heads.color.grad is not None
    assert heads.color.grad[0].abs().sum() == 0
    assert heads.color.grad[1].abs().sum() > 0
    assert heads.position.grad is None or heads.position.grad.abs().sum() == 0
    assert heads.marks.grad is None


def test_the_loss_falls_as_the_right_answers_rise() -> None:
    chosen = example(SELECTOR, position=1, marks=(120.0, 180.0, 240.0))
    flat = state_loss(output(1), [chosen])
    heads = output(1)
    right = StateOutput(
        heads.kind + torch.eye(3)[SELECTOR] * 6,
        heads.color,
        heads.position + torch.eye(5)[1] * 6,
        heads.number + torch.eye(5)[2] * 6,
        heads.pointer + torch.from_numpy(soft_directions([180.0])) * 6,
        heads.marks + torch.from_numpy(soft_directions((120.0, 180.0, 240.0))) * 12 - 6,
    )
    assert state_loss(right, [chosen]).item() < 0.5 * flat.item()


def small_recipe(**changes: object) -> StateRecipe:
    return StateRecipe.model_validate({"name": "tiny", "data": (), "batch_size": 8, "warmup_steps": 2, "steps": 4} | changes)


def test_a_short_run_leaves_weights_a_card_and_a_log_and_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    data, out = dataset(tmp_path / "data"), tmp_path / "run"
    reader = train_states(small_recipe(), [data], [data], out)
    assert (reader.card["steps"], reader.card["samples"]) == (4, 32)
    assert set(reader.card["right"]) == {"kind", "color", "position"}
    assert reader.card["right"]["position"]["count"] == 3
    again = StateReader.load(out)
    assert again.card == json.loads(json.dumps(reader.card))
    further = train_states(small_recipe(steps=6), [data], [], out, resume=True)
    assert further.card["steps"] == 6
    assert further.card["minutes"] >= 0
    with pytest.raises(StateWeightsError, match="cannot be resumed from"):
        train_states(small_recipe(), [data], [], tmp_path / "nowhere", resume=True)
    (out / CHECKPOINT_FILE).write_bytes(b"no checkpoint")
    with pytest.raises(StateWeightsError, match=str(out)):
        train_states(small_recipe(), [data], [], out, resume=True)


def test_weights_to_begin_with_are_taken(tmp_path: Path) -> None:
    data = dataset(tmp_path / "data")
    train_states(small_recipe(), [data], [], tmp_path / "first")
    went_on = train_states(small_recipe(init=str(tmp_path / "first"), steps=1, lr=0.0), [data], [], tmp_path / "second")
    before = StateReader.load(tmp_path / "first").network.state_dict()["position.weight"]
    assert torch.allclose(went_on.network.state_dict()["position.weight"], before, atol=2e-3)
    assert (tmp_path / "second" / MODEL_FILE).is_file()


def test_frozen_first_layers_stay_and_the_others_learn(tmp_path: Path) -> None:
    data = dataset(tmp_path / "data")
    train_states(small_recipe(), [data], [], tmp_path / "first")
    train_states(small_recipe(init=str(tmp_path / "first"), near_frozen=True), [data], [], tmp_path / "second")
    before, after = (StateReader.load(tmp_path / name).network.state_dict() for name in ("first", "second"))
    moved = {name for name, tensor in after.items() if not torch.allclose(tensor, before[name], atol=1e-6)}
    assert moved
    assert not {name for name in moved if name.startswith("near.")}


def test_training_moves_towards_less_loss() -> None:
    torch.manual_seed(0)
    network = StateNetwork().train()
    examples = [
        StateExample(
            np.ascontiguousarray(cv2.resize(selector(p), (STATE_PX, STATE_PX))), SELECTOR, -1, p - 1, (120.0, 180.0, 240.0)
        )
        for p in (1, 2, 3)
    ]
    crops = to_network(torch.from_numpy(np.stack([one.crop for one in examples])))
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3)
    losses = []
    for _ in range(8):
        loss = state_loss(network(crops), examples)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.6 * losses[0]


def test_a_recipe_is_found_by_name_or_path_and_says_what_it_is(tmp_path: Path) -> None:
    shipped = load_state_recipe("states")
    assert shipped.name == "states"
    assert is_state_recipe("states")
    assert not is_state_recipe("digits")
    assert {part.recipe for part in shipped.data} == {"states_close", "states_scene"}
    assert all(part.seed + part.count < 10**9 for part in shipped.data)
    assert all(part.seed >= 10**9 for part in shipped.validation)
    path = tmp_path / "mine.toml"
    path.write_text('reader = "states"\nsteps = 3\ndata = []\n')
    assert is_state_recipe(str(path))
    assert load_state_recipe(str(path)).steps == 3
    further = load_state_recipe("states_further")
    assert (further.init, further.near_frozen) == ("shipped", True)
    drawn = [range(part.seed, part.seed + part.count) for recipe in (shipped, further) for part in recipe.data]
    assert not any(set(one) & set(other) for i, one in enumerate(drawn) for other in drawn[:i])
    for text in ('reader = "states"\nstep = 3\ndata = []\n', "steps = ", 'reader = "lines"\ndata = []\n'):
        path.write_text(text)
        with pytest.raises(RecipeError, match=r"mine\.toml"):
            load_state_recipe(str(path))
    assert not is_state_recipe(str(path))
    with pytest.raises(RecipeError, match="known ones: states, states_further"):
        load_state_recipe("none")
