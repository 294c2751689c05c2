"""The composition root: the parts of the product, loaded once and shared by the command line and the server."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from knowledge.search import KnowledgeBase
from knowledge.timeline import Moment, parse_moment
from rag.formula import calibrate, replace_instruments
from rag.pipeline import Inspection, Pipeline, PipelineOptions, Run
from rag.trace import RequestFilter, new_request_id, request_context
from rag.trace_store import Retention, TraceStore
from rag.writer import Writer, build_writer
from serve.code_version import code_version
from serve.library import open_knowledge
from serve.records import record_use, report_at
from serve.scores import score_inspection
from serve.settings import Language, Settings, WriterName, load_settings
from serve.tenancy import ReaderProtocol, has_manuals, open_tenant_knowledge, tenant_reader
from vision.fields import InstrumentReading, PhotoReading, Weights
from vision.photos import PhotoError, display_name, load_photo

logger = logging.getLogger("gauge.service")

Source = Path | bytes


class Service:
    """Reads and inspects photos. Parts load on first use, once, whichever thread asks; safe to share between threads.

    `reader` and `knowledge` replace the parts that would be loaded from the settings. `as_of` asks the manuals as of a
    moment: what was in force then gives value and report.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        reader: ReaderProtocol | None = None,
        knowledge: KnowledgeBase | None = None,
        as_of: Moment | None = None,
    ) -> None:
        self.settings = settings
        self.as_of = as_of
        self._reader = reader
        self._knowledge = knowledge
        self.traces = TraceStore(settings.home, Retention(settings.trace_requests, settings.trace_days))
        self._writers: dict[WriterName, Writer] = {}
        self._loading = threading.RLock()
        self._reading = threading.Lock()
        self._tenants: dict[Path, TenantService] = {}

    @property
    def weights(self) -> Weights | None:
        """What the service reads with, None until it is loaded."""
        return self._reader.weights if self._reader is not None and self._knowledge is not None else None

    def for_home(self, home: Path) -> Service:
        """The service of a tenant whose traces, history, adapters and own manuals lie in `home`; itself for its own home."""
        if home == self.settings.home:
            return self
        with self._loading:
            if home not in self._tenants:
                self._tenants[home] = TenantService(self, home)
            return self._tenants[home]

    def reload_knowledge(self) -> KnowledgeBase:
        """The manuals as they lie on disk now, for all questions from now on; what is being asked is answered by the old ones."""
        fresh = self._open_knowledge()
        with self._loading:
            self._knowledge = fresh
        return fresh

    def reload_adapters(self) -> None:
        """Read with the adapters that lie on disk now."""
        with self._loading:
            adapters = getattr(self._reader, "adapters", None)
            if adapters is not None:
                adapters.forget()

    def _open_knowledge(self) -> KnowledgeBase:
        return open_knowledge(self.settings, self.as_of)

    def load(self) -> None:
        """Load all that a report needs, so that no request waits for it.

        Raises the parts' own errors where weights or manuals are missing or damaged.
        """
        _ = self.reader
        self.knowledge.search("pressure", k=1)  # The first question loads the embedder, which takes seconds.

    @property
    def reader(self) -> ReaderProtocol:
        """The reader, loaded once."""
        with self._loading:
            if self._reader is None:
                from vision.reader import Reader

                home = self.settings.home / "adapters"
                self._reader = Reader.load(self.settings.weights, device=self.settings.device, adapters=home)
            return self._reader

    @property
    def knowledge(self) -> KnowledgeBase:
        """The manuals, published below `home` where that is not done yet."""
        with self._loading:
            if self._knowledge is None:
                self._knowledge = self._open_knowledge()
            return self._knowledge

    def read_photos(
        self, sources: Sequence[Source], *, names: Sequence[str] | None = None, model: str | None = None
    ) -> Iterator[PhotoReading]:
        """One reading a photo, in order. Where an instrument's model is known, its manual's formula gives the value."""
        known_models, given = self._models(model)
        waiting = zip(sources, _names(sources, names), strict=True)
        while group := list(islice(waiting, self.reader.together)):
            for reading in self._read_group(group, given, known_models):
                yield replace_instruments(reading, tuple(self._calibrated(one) for one in reading.instruments))

    def inspect_photos(
        self,
        sources: Sequence[Source],
        *,
        names: Sequence[str] | None = None,
        model: str | None = None,
        writer: WriterName | None = None,
        language: Language | None = None,
        request_ids: Sequence[str] | None = None,
    ) -> Iterator[Inspection]:
        """One inspection a photo, in order; its report is None where the photo could not be opened."""
        runs = self.inspect_runs(sources, names=names, model=model, writer=writer, language=language, request_ids=request_ids)
        for run in runs:
            yield run.inspection

    def inspect_runs(
        self,
        sources: Sequence[Source],
        *,
        names: Sequence[str] | None = None,
        model: str | None = None,
        writer: WriterName | None = None,
        language: Language | None = None,
        request_ids: Sequence[str] | None = None,
        place: str | None = None,
    ) -> Iterator[Run]:
        """Like `inspect_photos`, each with the document that people read. Traces are kept below `home`.

        `place` names the instrument or the camera that the photos are from: values are then held against earlier ones.
        """
        pipeline = self._pipeline(writer or self.settings.writer, language or self.settings.language)
        ids = request_ids or [new_request_id() for _ in sources]
        known_models, given = self._models(model)
        for request_id, source, name in zip(ids, sources, _names(sources, names), strict=True):
            with request_context(request_id):
                reading = self._read_one(source, name, given, known_models)
                run = report_at(self.settings.home, place, pipeline, reading, request_id)
                run = run._replace(inspection=score_inspection(run.inspection, run.document))
                made_by = {"commit": code_version(), "embedder": self.knowledge.manifest.embedder}
                self.traces.record(run.trace.model_copy(update=made_by))
                if self.as_of is None:  # What was asked as of another day says nothing of the manuals' use today.
                    record_use(self.settings.home, run.inspection)
            yield run

    def _models(self, model: str | None) -> tuple[Sequence[str], str | None]:
        """All models that have a manual, and the given one in its manual's spelling."""
        return self.knowledge.models(), self.knowledge.canonical_model(model) or model if model else None

    def _read_group(self, group: Sequence[tuple[Source, str]], model: str | None, known: Sequence[str]) -> Iterator[PhotoReading]:
        """The readings of photos that are looked at together; a fault that ends them leaves the rest to be read one by one."""
        if len(group) > 1:
            sources, names = zip(*group, strict=True)
            readings = self.reader.read_photos(sources, names=names, model=model, known_models=known)
            while group and (reading := self._next_of(readings)) is not None:
                yield reading
                group = group[1:]
        for source, name in group:
            yield self._read_one(source, name, model, known)

    def _next_of(self, readings: Iterator[PhotoReading]) -> PhotoReading | None:
        """The next reading, with the reader for others between two; None where a fault of the reader ends them."""
        try:
            with self._reading:
                return next(readings)
        except Exception as error:
            logger.warning("the reader failed on photos that it looked at together (%s)", type(error).__name__)
            return None

    def _read_one(self, source: Source, name: str, model: str | None, known_models: Sequence[str]) -> PhotoReading:
        """The reading of one photo. A fault of the reader itself is an error of this photo and spares the rest."""
        try:
            with self._reading:  # A reader serves one thread at a time; reports may overlap.
                (reading,) = self.reader.read_photos([source], names=[name], model=model, known_models=known_models)
            return reading
        except Exception as error:
            logger.error("the reader failed on %s: %s", name, error, exc_info=self.settings.traceback)
            reason = f"the reader failed on it ({type(error).__name__}); please report this photo"
            return PhotoReading(photo=name, sha256=_hash(source), status="error", reason=reason, weights=self.reader.weights)

    def _calibrated(self, instrument: InstrumentReading) -> InstrumentReading:
        if instrument.instrument_model is None:
            return instrument
        facts = self.knowledge.facts(instrument.instrument_model, self.settings.language)
        return instrument if facts is None else calibrate(instrument, facts).reading

    def _pipeline(self, writer: WriterName, language: Language) -> Pipeline:
        return Pipeline(self.knowledge, self._writer(writer), PipelineOptions(language=language))

    def _writer(self, kind: WriterName) -> Writer:
        with self._loading:
            if kind not in self._writers:
                key = self.settings.llm_key.get_secret_value() if self.settings.llm_key else None
                self._writers[kind] = build_writer(
                    kind, home=self.settings.home, model=self.settings.llm_model, base_url=self.settings.llm_url, api_key=key
                )
            return self._writers[kind]


class TenantService(Service):
    """The service for one tenant: reader, writers and manuals are the house's, with the tenant's own adapters and manuals
    where there are any. Traces, history and use are kept in the tenant's home.
    """

    def __init__(self, house: Service, home: Path) -> None:
        # Own manuals are files of the tenant's home, whatever database the house has: one version there is the current one.
        super().__init__(house.settings.model_copy(update={"home": home, "database": None}))
        self._house = house
        self._reading = house._reading

    @property
    def weights(self) -> Weights | None:
        """What the house reads with."""
        return self._house.weights

    @property
    def reader(self) -> ReaderProtocol:
        """The house's reader, which asks the tenant's adapters first."""
        with self._loading:
            if self._reader is None:
                self._reader = tenant_reader(self._house.reader, self.settings.home / "adapters")
            return self._reader

    @property
    def knowledge(self) -> KnowledgeBase:
        """The tenant's manuals together with the house's, or the house's own where the tenant added none."""
        with self._loading:
            if self._knowledge is None:
                if not has_manuals(self.settings.home):
                    return self._house.knowledge
                self._knowledge = self._open_knowledge()
            return self._knowledge

    def reload_adapters(self) -> None:
        """Read with the adapters that lie on disk now: the next photo's reader is a view made afresh."""
        with self._loading:
            self._reader = None

    def _open_knowledge(self) -> KnowledgeBase:
        return open_tenant_knowledge(self.settings, self._house.settings.home)

    def _writer(self, kind: WriterName) -> Writer:
        return self._house._writer(kind)


def _names(sources: Sequence[Source], names: Sequence[str] | None) -> list[str]:
    """How the photos are called in readings and messages."""
    if names is None:
        names = [f"photo {n}" if isinstance(source, bytes) else str(source) for n, source in enumerate(sources, 1)]
    return [display_name(name) for name in names]


def _hash(source: Source) -> str | None:
    try:
        return load_photo(source).sha256
    except PhotoError as error:
        return error.sha256


def _handler() -> logging.Handler:
    """Log lines to stderr, each with the id of the request that it belongs to."""
    handler = logging.StreamHandler()
    handler.addFilter(RequestFilter())
    return handler


def open_service(settings: Settings | None = None, *, weights: str | None = None, moment: str | None = None) -> Service:
    """A service from the environment's settings; `weights` replaces the setting of that name.

    `moment` (ISO 8601) asks the manuals as of then. Raises MomentError where it is none. Nothing is loaded yet; libraries
    that would look for a model hub or print progress of their own are kept quiet.
    """
    settings = settings or load_settings()
    if weights is not None:
        settings = settings.model_copy(update={"weights": weights})
    logging.basicConfig(level=settings.log_level, format="%(levelname)s %(name)s%(request)s: %(message)s", handlers=[_handler()])
    return Service(settings, as_of=parse_moment(moment) if moment else None)
