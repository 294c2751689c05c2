"""The Donut: vision encoder and MBart decoder with the gauge vocabulary and dense heads.

Two bases share tokens, losses and training: `small`, a hybrid encoder with a pretrained convolutional stem, and
any Donut of a hub or a folder (`naver-clova-ix/donut-base`), whose decoder gets the gauge vocabulary. A model is
a folder: `model.safetensors`, `config.json` and `card.json`, which says how it was made and what it scores.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from transformers import MBartConfig, MBartForCausalLM, VisionEncoderDecoderModel

from vision.adapter import AdapterChoice, adapted
from vision.dense import DenseHeads, DenseOutput, Located
from vision.encoder import HybridEncoder, HybridEncoderConfig, HybridEncoderOutput
from vision.fields import Contract
from vision.stem import STRIDE_4_CHANNELS, STRIDE_8_CHANNELS
from vision.vocabulary import (
    END_ID,
    PAD_ID,
    READ_ID,
    VOCABULARY,
)

SMALL = "small"
MODEL_FILE, CONFIG_FILE, CARD_FILE = "model.safetensors", "config.json", "card.json"
SHIPPED = Path(__file__).parent / "weights"


class DonutError(RuntimeError):
    """A model that cannot be built, loaded or saved."""


class DonutConfig(Contract):
    """Shape of a Donut. `base` is `small`, or a hub id or folder of a Donut to start from.

    `print_heads`: maps for printed units and rows of digits, which weights of before 2026-12 do not have.
    `pretrained_stem` False starts the stem untrained too, for comparison.
    """

    base: str = SMALL
    image_size: int = 384
    hidden_size: int = 256
    encoder_layers: int = 3
    encoder_heads: int = 4
    decoder_layers: int = 2
    decoder_heads: int = 8
    feed_forward: int = 768
    dense_width: int = 96
    print_heads: bool = True
    pretrained_stem: bool = True
    max_tokens: int = 128
    vocabulary: tuple[str, ...] = VOCABULARY


class GaugeDonut(nn.Module):
    """pixel_values (B, 3, S, S) in [-1, 1] -> token logits and dense maps."""

    def __init__(self, config: DonutConfig, donut: VisionEncoderDecoderModel) -> None:
        super().__init__()
        self.config = config
        self.donut = donut
        self.reads_in_half = False
        """Whether encoder and decoder read in half the bits, as pays on a GPU; places are computed in single precision."""
        hybrid = config.base == SMALL
        self.dense = DenseHeads(
            donut.config.encoder.hidden_size,
            STRIDE_8_CHANNELS if hybrid else 0,
            STRIDE_4_CHANNELS if hybrid else 0,
            config.dense_width,
            config.print_heads,
        )

    def encode(self, pixel_values: Tensor, adapters: AdapterChoice = None) -> HybridEncoderOutput:
        """Run the encoder and give its output as token sequence and as maps, whatever the base.

        `adapters`: one for each row (None for the base alone), or one for all rows.
        """
        with adapted(self.donut.encoder, adapters), self.precision(pixel_values.device):
            output = self.donut.encoder(pixel_values=pixel_values)
        if isinstance(output, HybridEncoderOutput):
            return output.single() if self.reads_in_half else output
        hidden = output.last_hidden_state  # (B, N, C)
        hidden = hidden.float() if self.reads_in_half else hidden
        tall = (pixel_values.shape[-2] / pixel_values.shape[-1]) ** 0.5
        rows, columns = (max(1, int(hidden.shape[1] ** 0.5 * stretch + 1e-6)) for stretch in (tall, 1 / tall))
        # A ViT puts a token that stands for no patch before the others.
        patches = hidden[:, hidden.shape[1] - rows * columns :]
        grid = patches.transpose(1, 2).reshape(hidden.shape[0], -1, rows, columns)
        return HybridEncoderOutput(last_hidden_state=hidden, grid=grid)

    def precision(self, device: torch.device) -> AbstractContextManager[object]:
        """In what encoder and decoder compute: mixed with bfloat16 where the model is to; else as the caller has it."""
        return torch.autocast(device.type, torch.bfloat16) if self.reads_in_half else nullcontext()

    def dense_maps(self, encoded: HybridEncoderOutput) -> DenseOutput:
        assert encoded.grid is not None
        return self.dense(encoded.grid, encoded.stride_8, encoded.stride_4)  # type: ignore[no-any-return]

    def located_maps(self, encoded: HybridEncoderOutput) -> Located:
        """The maps of the locate task alone, in a third of the time of all."""
        assert encoded.grid is not None
        return self.dense.located(self.dense.coarse(encoded.grid, encoded.stride_8))

    def decode(self, encoded: HybridEncoderOutput, token_ids: Tensor) -> Tensor:
        """Teacher-forced token logits. token_ids (B, T) -> (B, T, V)."""
        hidden = encoded.last_hidden_state
        if hasattr(self.donut, "enc_to_dec_proj"):
            hidden = self.donut.enc_to_dec_proj(hidden)
        with self.precision(token_ids.device):
            output = self.donut.decoder(input_ids=token_ids, encoder_hidden_states=hidden, use_cache=False)
        logits: Tensor = output.logits
        return logits

    @property
    def parameters_count(self) -> int:
        return sum(parameter.numel() for parameter in self.parameters())


def decoder_config(config: DonutConfig) -> MBartConfig:
    """An MBart decoder of the gauge vocabulary, as wide as `hidden_size`."""
    return MBartConfig(
        vocab_size=len(config.vocabulary),
        d_model=config.hidden_size,
        decoder_layers=config.decoder_layers,
        decoder_attention_heads=config.decoder_heads,
        decoder_ffn_dim=config.feed_forward,
        max_position_embeddings=config.max_tokens,
        is_decoder=True,
        add_cross_attention=True,
        is_encoder_decoder=False,
        dropout=0.0,
        attention_dropout=0.0,
        scale_embedding=True,
        add_final_layer_norm=True,
        pad_token_id=PAD_ID,
        bos_token_id=READ_ID,
        eos_token_id=END_ID,
        decoder_start_token_id=READ_ID,
        forced_eos_token_id=None,
    )


def _empty_small(config: DonutConfig) -> GaugeDonut:
    encoder = HybridEncoder(
        HybridEncoderConfig(
            hidden_size=config.hidden_size,
            num_hidden_layers=config.encoder_layers,
            num_attention_heads=config.encoder_heads,
            intermediate_size=config.feed_forward,
            image_size=(config.image_size, config.image_size),
        )
    )
    return GaugeDonut(config, VisionEncoderDecoderModel(encoder=encoder, decoder=MBartForCausalLM(decoder_config(config))))


def build_small(config: DonutConfig | None = None) -> GaugeDonut:
    """A fresh `small` Donut: ImageNet stem, everything else untrained."""
    model = _empty_small(config or DonutConfig())
    if model.config.pretrained_stem:
        model.donut.encoder.load_pretrained_stem()
    else:
        model.donut.encoder.stem.learns_statistics = True
    return model


def build_from_donut(base: str, config: DonutConfig | None = None) -> GaugeDonut:
    """A Donut of a hub or a folder with the gauge vocabulary in place of its own.

    Characters keep the embedding of the base's own piece where its tokenizer has one; other tokens start at the
    mean embedding. Raises DonutError where `base` cannot be loaded.
    """
    try:
        donut = VisionEncoderDecoderModel.from_pretrained(base)
    except (OSError, ValueError) as error:
        raise DonutError(f"cannot load the Donut {base!r}: {error}; give a hub id that is reachable, or a folder") from error
    _replace_vocabulary(donut, _pieces(base))
    shape = config or DonutConfig()
    width = int(donut.config.decoder.d_model)
    return GaugeDonut(shape.model_copy(update={"base": base, "hidden_size": width}), donut)


def _pieces(base: str) -> Mapping[str, int]:
    """The base tokenizer's vocabulary; empty where there is none."""
    from transformers import AutoTokenizer

    try:
        vocabulary: Mapping[str, int] = AutoTokenizer.from_pretrained(base).get_vocab()
    except (OSError, ValueError, KeyError, ImportError):
        return {}
    return vocabulary


def _replace_vocabulary(donut: VisionEncoderDecoderModel, pieces: Mapping[str, int]) -> None:
    decoder = donut.decoder
    old = decoder.get_input_embeddings().weight.detach()
    new = old.mean(0, keepdim=True).repeat(len(VOCABULARY), 1) + 0.02 * old.std() * torch.randn(len(VOCABULARY), old.shape[1])
    for index, token in enumerate(VOCABULARY):
        piece = pieces.get(token, pieces.get("▁" + token))
        if piece is not None and piece < len(old):
            new[index] = old[piece]
    decoder.resize_token_embeddings(len(VOCABULARY))
    decoder.get_input_embeddings().weight.data.copy_(new)
    decoder.tie_weights()
    for config in (donut.config.decoder, decoder.config):
        config.vocab_size = len(VOCABULARY)
        config.pad_token_id, config.bos_token_id, config.eos_token_id = PAD_ID, READ_ID, END_ID
        config.decoder_start_token_id, config.forced_eos_token_id = READ_ID, None


def save(model: GaugeDonut, folder: Path, card: Mapping[str, Any], *, half: bool = True) -> None:
    """Write weights (half precision by default), configuration and card; the weights appear last and whole."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors: dict[str, Tensor] = {}
    seen: set[int] = set()
    for name, tensor in model.state_dict().items():
        if tensor.data_ptr() in seen and tensor.numel() > 1:  # tied: the output layer is the embedding
            continue
        seen.add(tensor.data_ptr())
        tensors[name] = (
            tensor.detach().to("cpu", torch.float16 if half and tensor.is_floating_point() else tensor.dtype).contiguous()
        )
    config: dict[str, Any] = {"gauge_donut": model.config.model_dump(mode="json")}
    if model.config.base != SMALL:
        config["donut"] = model.donut.config.to_dict()
    (folder / CONFIG_FILE).write_text(json.dumps(config, indent=1, default=str), encoding="utf-8")
    (folder / CARD_FILE).write_text(json.dumps(dict(card), indent=2, ensure_ascii=False), encoding="utf-8")
    temporary = folder / (MODEL_FILE + ".tmp")
    save_file(tensors, temporary, metadata={"format": "pt"})
    temporary.replace(folder / MODEL_FILE)


def load(folder: Path) -> GaugeDonut:
    """The model of a folder, in evaluation mode and single precision. Raises DonutError naming what is missing."""
    try:
        raw = json.loads((folder / CONFIG_FILE).read_text(encoding="utf-8"))
        config = DonutConfig.model_validate(raw["gauge_donut"])
    except FileNotFoundError as error:
        raise DonutError(f"{folder} holds no model: {error.filename} is missing") from error
    except (KeyError, ValueError) as error:
        raise DonutError(f"{folder / CONFIG_FILE} is not a model configuration: {error}") from error
    if config.vocabulary != VOCABULARY:
        raise DonutError(f"{folder} was trained with another vocabulary; train it anew or use the version that made it")
    model = _empty_small(config) if config.base == SMALL else _empty_donut(config, raw["donut"])
    try:
        state = load_file(folder / MODEL_FILE)
    except (OSError, ValueError) as error:
        raise DonutError(f"cannot read {folder / MODEL_FILE}: {error}") from error
    except Exception as error:  # safetensors raises its own untyped error on a broken file
        raise DonutError(f"{folder / MODEL_FILE} is not a safetensors file: {error}") from error
    missing, unexpected = model.load_state_dict(
        {name: tensor.float() if tensor.is_floating_point() else tensor for name, tensor in state.items()}, strict=False
    )
    tied = [name for name in missing if not name.endswith(("lm_head.weight", "embed_tokens.weight"))]
    if tied or unexpected:
        raise DonutError(f"{folder / MODEL_FILE} does not fit its configuration: missing {tied[:3]}, unexpected {unexpected[:3]}")
    model.donut.decoder.tie_weights()
    return model.eval()


def _empty_donut(config: DonutConfig, donut_config: Mapping[str, Any]) -> GaugeDonut:
    from transformers import VisionEncoderDecoderConfig

    return GaugeDonut(config, VisionEncoderDecoderModel(VisionEncoderDecoderConfig.from_dict(dict(donut_config))))


def load_card(folder: Path) -> dict[str, Any]:
    """The model card beside the weights; empty where there is none."""
    path = folder / CARD_FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
