"""What some photos of a new instrument model bring: the base reader before and after its adapter, and others untouched.

The case of `eval.lettering`: MODEL-B looks like MODEL-A, with finer print, a thinner needle and LED light.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import torch

from eval.lettering import TwinName, draw_twin
from eval.readings import ReaderProtocol, evaluate_dataset
from eval.score import EvalError, Share
from vision.adapter import Adapter
from vision.adapter_files import HeldOutScore, save_adapter, weights_sha256
from vision.adapter_training import OPTIONS, AdaptOptions, adapt, exact_view, instrument_of, score_views
from vision.dataset import Example, Pictures
from vision.donut import GaugeDonut, load
from vision.fields import Contract, PhotoReading
from vision.reader import Reader
from vision.targets import ChoiceTable, collate
from vision.weights_folder import weights_folder, weights_identity

MODEL_A: TwinName = "MODEL-A"
MODEL_B: TwinName = "MODEL-B"
TRAIN_SEED, TEST_SEED = 77, 1_000_000_002


class Values(Contract):
    """Values that the reader states: of all pictures' dials those right, and of those stated those right."""

    right_of_all: Share
    right_of_stated: Share


class AdaptationResult(Contract):
    """The case in numbers. `before` and `after` are of `tested` pictures of model B, `model_a` the base on model A.

    `untouched` of `others` random close-ups that share their batches with rows of model B came out bit-identical.
    """

    photos: int
    tested: int
    parameters: int
    seconds: float
    model_a: HeldOutScore
    before: HeldOutScore
    after: HeldOutScore
    others: int
    untouched: int
    values_before: Values | None
    values_after: Values | None


def measure_adaptation(
    out: Path,
    others: Path,
    *,
    date: str,
    weights: str | Path | None = None,
    photos: int = 50,
    tested: int = 200,
    read: int = 0,
    options: AdaptOptions = OPTIONS,
) -> AdaptationResult:
    """Draw both models below `out`, adapt the base to `photos` pictures of model B, and score `tested` further ones.

    `others` is a dataset folder of other instruments, of which up to `tested` must come out bit-identical; `read` pictures
    of model B go through the whole reader before and after (0 for none). The adapter lies below `out/adapters`. As with
    `gauge adapt` a quarter of the `photos` is held out; the pictures that judge here are apart from all of them. Raises
    EvalError for counts that are too small.
    """
    if photos < 12 or tested < 1 or read > tested:
        raise EvalError(f"photos {photos} (at least 12), tested {tested}, read {read} (at most tested) do not fit")
    folder = weights_folder(weights)
    model = load(folder)
    taught = draw_twin(out / f"model_b_{photos}", MODEL_B, seed=TRAIN_SEED, count=photos)
    b_folder = draw_twin(out / f"model_b_test_{tested}", MODEL_B, seed=TEST_SEED, count=tested)
    a_folder = draw_twin(out / f"model_a_test_{tested}", MODEL_A, seed=TEST_SEED, count=tested)
    b_views, a_views = exact_views(b_folder, model), exact_views(a_folder, model)
    table = ChoiceTable()
    before = score_views(model, None, b_views, table)
    result = adapt(model, Pictures([taught]), MODEL_B, options)
    card = result.card(MODEL_B, weights_identity(folder), weights_sha256(folder), date)
    save_adapter(result.adapter, card, out / "adapters")
    other_views = exact_views(others, model, limit=tested)
    return AdaptationResult(
        photos=photos,
        tested=len(b_views),
        parameters=card.parameters,
        seconds=card.seconds,
        model_a=score_views(model, None, a_views, table),
        before=before,
        after=score_views(model, result.adapter, b_views, table),
        others=len(other_views),
        untouched=count_untouched(model, result.adapter, other_views, b_views),
        values_before=_values(b_folder, Reader.load(folder), read) if read else None,
        values_after=_values(b_folder, _GivenModel(Reader.load(folder, adapters=out / "adapters")), read) if read else None,
    )


def exact_views(folder: Path, model: GaugeDonut, limit: int | None = None) -> list[Example]:
    """The read view of each picture's main instrument that can be read."""
    pictures = Pictures([folder])
    usable = [index for index in range(len(pictures)) if instrument_of(pictures.truth(index), "") is not None]
    return [exact_view(pictures, index, "", model.config.image_size) for index in usable[:limit]]


@torch.inference_mode()
def count_untouched(
    model: GaugeDonut, adapter: Adapter, others: Sequence[Example], adapted_ones: Sequence[Example], batch_size: int = 8
) -> int:
    """How many of `others` are encoded bit for bit as by the base, in batches where every second row has the adapter."""
    same = 0
    table = ChoiceTable()
    for start in range(0, len(others), batch_size // 2):
        plain = others[start : start + batch_size // 2]
        mixed = [one for pair in zip(plain, adapted_ones[: len(plain)], strict=False) for one in pair]
        pixels = collate([one.image for one in mixed], [one.target for one in mixed], table).pixel_values
        base = model.encode(pixels)
        both = model.encode(pixels, [None if row % 2 == 0 else adapter for row in range(len(mixed))])
        assert base.last_hidden_state is not None
        assert both.last_hidden_state is not None
        if bool((base.last_hidden_state[1] == both.last_hidden_state[1]).all()):
            raise EvalError("the adapter changed nothing: the comparison would say nothing")
        dense_base, dense_both = model.dense_maps(base), model.dense_maps(both)
        for row in range(0, len(mixed), 2):
            pairs = [(base.last_hidden_state, both.last_hidden_state), (dense_base.points, dense_both.points)]
            same += all(torch.equal(first[row], second[row]) for first, second in pairs)
    return same


class _GivenModel:
    """A reader that is told the instrument's model."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader

    def read_photos(self, paths: Sequence[Path]) -> Iterator[PhotoReading]:
        return self.reader.read_photos(paths, model=MODEL_B)


def _values(folder: Path, reader: ReaderProtocol, read: int) -> Values:
    value = evaluate_dataset(folder, reader, limit=read).main.value
    return Values(right_of_all=value.right, right_of_stated=value.answered_right)
