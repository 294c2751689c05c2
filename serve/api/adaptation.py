"""Teaching the reader an instrument model from uploaded photos: kept in a folder of the job, learned by a process of its own."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from fastapi import UploadFile
from pydantic import TypeAdapter, ValidationError

from serve.api.inspecting import shown_name
from serve.api.job_folders import making, new_place
from serve.api.parts import Parts
from serve.api.runner import Control, JobFailed, JobStopped
from serve.settings import child_environment
from serve.store.errors import RefusedError
from serve.store.jobs import Job
from serve.store.tenants import tenant_home
from vision.adapter import AdapterError
from vision.adapter_files import folder_name
from vision.adapter_labels import COLUMNS, LABELS_NAME
from vision.photos import display_name

KIND = "adapt"
FOLDER = "adaptation"
MAX_PHOTOS = 1000
CHECK_S = 0.5
KEPT_S = 7 * 86400.0
"""How long photos lie for a job that never comes to its end."""
LAST_WORDS = 20
"""Lines of the training's output that are kept with the job."""
_ROWS: TypeAdapter[list[dict[str, str | float | int | bool | None]]] = TypeAdapter(
    list[dict[str, str | float | int | bool | None]]
)


def queue_adaptation(parts: Parts, tenant: str, model: str, files: Sequence[UploadFile], labels: str | None) -> Job:
    """Keep the photos and put the job into the queue. Blocks.

    Labels are a file `labels.csv` among the uploads, or JSON: a list of one object a photo. Raises RefusedError where they
    are missing, name a photo that was not sent, or the model's id cannot be kept.
    """
    if display_name(model) != model:
        raise RefusedError(f"{model!r} is no name of a model: it has characters that cannot be shown")
    try:
        folder_name(model)
    except AdapterError as error:
        raise RefusedError(str(error)) from error
    if not 1 <= len(files) <= MAX_PHOTOS + 1:
        raise RefusedError(f"{len(files)} files in one request; send 1 to {MAX_PHOTOS} photos")
    place = new_place(tenant_home(parts.store.home, tenant) / FOLDER, KEPT_S)
    with making(place, "the photos"):
        _keep(place, files, labels)
        return parts.store.jobs.add(
            tenant, KIND, {"model": model, "folder": place.name, "photos": len(list(place.iterdir())) - 1}
        )


def _keep(place: Path, files: Sequence[UploadFile], labels: str | None) -> None:
    for one in files:
        name = shown_name(one.filename)
        path = place / name
        if name.startswith(".") or "/" in name or path.exists():
            raise RefusedError(f"two photos are called {name!r}, or it is no name for a file; labels name photos by file name")
        with path.open("wb") as file:
            shutil.copyfileobj(one.file, file)
    if labels is not None:
        if (place / LABELS_NAME).exists():
            raise RefusedError(f"labels were sent twice: as {LABELS_NAME} and as JSON")
        (place / LABELS_NAME).write_text(_table(labels), encoding="utf-8")
    if not (place / LABELS_NAME).is_file():
        raise RefusedError(
            f"no labels: send a file {LABELS_NAME} or the field `labels` with a JSON list, columns {', '.join(COLUMNS)}"
        )
    missing = sorted(name for name in _named(place / LABELS_NAME) if not (place / name).is_file())
    if missing:
        raise RefusedError(f"{len(missing)} photos named by the labels were not sent, the first is {missing[0][:80]!r}")


def _table(labels: str) -> str:
    """JSON rows as the CSV that training reads."""
    try:
        rows = _ROWS.validate_json(labels)
    except ValidationError as error:
        raise RefusedError(f"labels must be a JSON list of one object a photo: {error.errors()[0]['msg']}") from error
    names = list(dict.fromkeys(name for row in rows for name in row))
    unknown = [name for name in names if name not in COLUMNS]
    if unknown or "file_name" not in names:
        what = f"{unknown[0][:40]!r} is not known" if unknown else "`file_name` is missing"
        raise RefusedError(f"labels: {what}; there are {', '.join(COLUMNS)}")
    text = io.StringIO()
    table = csv.DictWriter(text, names, restval="")
    table.writeheader()
    table.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _named(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            for row in csv.DictReader(lines):
                if name := (row.get("file_name") or "").strip():
                    yield name
    except (UnicodeDecodeError, csv.Error) as error:
        raise RefusedError(f"{LABELS_NAME} cannot be read: {error}") from error


def adapt(parts: Parts, job: Job, control: Control) -> Mapping[str, Any]:
    """Do an adaptation: its own process, so that reading goes on beside it and it can be stopped. Its photos go afterwards."""
    home = tenant_home(parts.store.home, job.tenant)
    place = home / FOLDER / str(job.payload["folder"])
    if not place.is_dir():
        raise JobFailed("the photos of this job are gone")
    command = [sys.executable, "-m", "serve.cli", "adapt", "--photos", str(place)]
    if parts.settings.weights is not None:
        command += ["--weights", parts.settings.weights]
    command += ["--", str(job.payload["model"])]  # A model called `--weights=...` is a model and no option.
    # The tenant's home gets the adapter; the rest of the settings is the server's own, from the same environment.
    environment = child_environment(
        {"GAUGE_HOME": str(home.resolve()), "GAUGE_DEVICE": parts.settings.device, "OMP_NUM_THREADS": "1"}
    )
    with tempfile.TemporaryFile() as said:
        code = _run(command, environment, said, control)
        lines = _last_lines(said, place)
    if code is None:
        raise JobStopped
    shutil.rmtree(place, ignore_errors=True)
    text = "\n".join(lines)
    if code != 0 and not any(line.startswith("Not stored") for line in lines):
        raise JobFailed(lines[-1].removeprefix("gauge: ") if lines else f"the training ended with code {code}")
    parts.service_of(job.tenant).reload_adapters()
    return {"model": job.payload["model"], "stored": code == 0, "text": text}


def _run(command: Sequence[str], environment: Mapping[str, str], said: IO[bytes], control: Control) -> int | None:
    """The exit code, None where the job had to stop first."""
    began = time.monotonic()
    with subprocess.Popen(command, env=dict(environment), stdout=said, stderr=subprocess.STDOUT) as process:  # noqa: S603 - a list
        try:
            while process.poll() is None:
                control.report({"seconds": round(time.monotonic() - began)})
                time.sleep(CHECK_S)
        except JobStopped:
            return None
        finally:
            if process.poll() is None:
                process.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(10)
                process.kill()
    return process.returncode


def _last_lines(said: IO[bytes], place: Path) -> list[str]:
    """What the training said last, without progress bars and without where its photos lay."""
    said.seek(max(0, said.seek(0, os.SEEK_END) - 20_000))
    text = said.read().decode("utf-8", "replace").replace(f"{place}/", "").replace(str(place), "the photos")
    lines = [line.rsplit("\r", 1)[-1].strip() for line in text.splitlines()]
    return [line for line in lines if line and "Stored in" not in line and "it/s" not in line and "s/it" not in line][
        -LAST_WORDS:
    ]
