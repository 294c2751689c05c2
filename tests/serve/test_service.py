"""The composition root: parts load once, on first use, whichever thread asks."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from knowledge.search import KnowledgeBase
from knowledge.timeline import MomentError
from serve.service import Service, open_service
from serve.settings import Settings, load_settings
from tests.serve.doubles import DoubleReader, HashEmbedder, picture_bytes
from vision.fields import PhotoReading


def test_defaults_suit_one_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load_settings()
    assert (settings.home, settings.weights, settings.device) == (Path(".gauge"), None, "cpu")
    assert (settings.writer, settings.language, settings.concurrency) == ("template", "en", 1)


def test_the_environment_overrides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAUGE_HOME", "/tmp/elsewhere")
    monkeypatch.setenv("GAUGE_CONCURRENCY", "3")
    monkeypatch.setenv("GAUGE_LLM_KEY", "hush")
    settings = load_settings()
    assert (settings.home, settings.concurrency) == (Path("/tmp/elsewhere"), 3)
    assert "hush" not in repr(settings)


@pytest.mark.parametrize(("name", "value"), [("CONCURRENCY", "0"), ("LANGUAGE", "fr"), ("MAX_REQUEST_MIB", "-1")])
def test_a_wrong_setting_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"GAUGE_{name}", value)
    with pytest.raises(ValidationError, match=name.lower()):
        load_settings()


def test_weights_of_the_command_line_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAUGE_WEIGHTS", "mine")
    assert open_service().settings.weights == "mine"
    assert open_service(weights="yours").settings.weights == "yours"


def test_nothing_loads_before_it_is_needed(tmp_path: Path) -> None:
    service = Service(Settings(home=tmp_path / "home"))
    assert service.weights is None
    assert not (tmp_path / "home").exists()


def test_parts_load_once_whichever_thread_asks(monkeypatch: pytest.MonkeyPatch, knowledge: KnowledgeBase) -> None:
    loads: list[int] = []

    def load(*_: Any, **__: Any) -> KnowledgeBase:
        loads.append(threading.get_ident())
        time.sleep(0.05)
        return knowledge

    monkeypatch.setattr(KnowledgeBase, "open", load)
    service = Service(Settings(), reader=DoubleReader())
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: service.knowledge, range(8)))
    assert len(loads) == 1
    assert all(one is knowledge for one in found)


def test_threads_share_a_service(service: Service) -> None:
    photo = picture_bytes()

    def inspect(_: int) -> float | None:
        (inspection,) = service.inspect_photos([photo], names=["a.png"], model="XYZ-2000")
        return inspection.reading.instruments[0].value

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(inspect, range(8))) == pytest.approx([60.0] * 8)


def test_a_fault_of_the_reader_spares_the_other_photos(service: Service, reader: DoubleReader, caplog: Any) -> None:
    reader.broken_on = "b"
    readings = list(service.read_photos([picture_bytes()] * 3, names=["a", "b", "c"]))
    assert [one.status for one in readings] == ["read", "error", "read"]
    assert readings[1].reason == "the reader failed on it (RuntimeError); please report this photo"
    assert readings[1].sha256 == readings[0].sha256
    assert "secret of the reader" in caplog.text


class WatchedReader(DoubleReader):
    """Notes how many threads are inside at the same time."""

    def __init__(self) -> None:
        super().__init__()
        self.inside = self.most = 0

    def read_one(self, *args: Any) -> PhotoReading:
        self.inside += 1
        self.most = max(self.most, self.inside)
        time.sleep(0.01)
        self.inside -= 1
        return super().read_one(*args)


def test_the_reader_serves_one_thread_at_a_time(service: Service) -> None:
    reader = WatchedReader()
    shared = Service(service.settings, reader=reader, knowledge=service.knowledge)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: list(shared.read_photos([picture_bytes()] * 2, names=["a", "b"])), range(4)))
    assert reader.most == 1


def test_read_and_inspect_give_the_same_value(service: Service) -> None:
    photo = picture_bytes()
    (reading,) = service.read_photos([photo], names=["a.png"], model="XYZ-2000")
    (inspection,) = service.inspect_photos([photo], names=["a.png"], model="XYZ-2000")
    assert reading.instruments == inspection.reading.instruments


def test_readings_come_one_by_one(service: Service, reader: DoubleReader) -> None:
    """The first reading is given out before the second photo is touched, so progress is real."""
    touched: list[str] = []
    original = reader.read_one

    def note(source: Any, name: str | None, model: str | None) -> PhotoReading:
        touched.append(str(name))
        return original(source, name, model)

    reader.read_one = note  # type: ignore[method-assign]
    readings = service.read_photos([picture_bytes(), picture_bytes()], names=["a", "b"])
    next(readings)
    assert touched == ["a"]


def test_request_ids_are_used_or_made(service: Service) -> None:
    photos = [picture_bytes(), b""]
    given = list(service.inspect_photos(photos, names=["a", "b"], request_ids=["one", "two"]))
    assert [one.request_id for one in given] == ["one", "two"]
    made = list(service.inspect_photos(photos, names=["a", "b"]))
    assert len({one.request_id for one in made}) == 2


def test_names_are_made_printable(service: Service) -> None:
    (reading,) = service.read_photos([picture_bytes()], names=["a\nb\x1b.png"])
    assert reading.photo == "a�b�.png"


def test_writers_are_built_once_with_the_settings(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[dict[str, Any]] = []

    def build(kind: str, **options: Any) -> object:
        from rag.writer import TemplateWriter

        built.append({"kind": kind, **options})
        return TemplateWriter()

    monkeypatch.setattr("serve.service.build_writer", build)
    changed = service.settings.model_copy(update={"llm_url": "http://127.0.0.1:1", "llm_model": "m", "llm_key": SecretStr("k")})
    other = Service(changed, reader=DoubleReader(), knowledge=service.knowledge)
    for _ in range(2):
        list(other.inspect_photos([picture_bytes()], names=["a"], writer="openai"))
    assert built == [{"kind": "openai", "home": changed.home, "model": "m", "base_url": "http://127.0.0.1:1", "api_key": "k"}]


def test_a_service_as_of_a_moment_asks_what_was_in_force_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from serve import library

    opened = library.KnowledgeBase.open
    monkeypatch.setattr(
        library.KnowledgeBase, "open", lambda home, **given: opened(home, **{**given, "embedder": HashEmbedder()})
    )
    monkeypatch.setenv("GAUGE_HOME", str(tmp_path / "home"))
    then, now = (open_service(moment=moment).knowledge.facts("XYZ-2000", "en") for moment in ("2022-05-01", None))
    assert then is not None
    assert now is not None
    assert (then.version, now.version) == ("1.0", "2.0")
    with pytest.raises(MomentError, match="'soon'"):
        open_service(moment="soon")
