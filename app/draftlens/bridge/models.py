"""The models as the window sees them: what is installed, what the hub has, what is on its way, and which pairs go."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from draftlens.bridge.background import Background
from draftlens.bridge.checking import Checking
from draftlens.bridge.pairing import Pairing
from draftlens.bridge.trash import Trash
from draftlens.core.errors import UserError
from draftlens.library import (
    candidates,
    catalog,
    choice,
    content_hash,
    gguf_import,
    hub_cache,
    hub_token,
    memory,
    preflight,
    repair,
)
from draftlens.library.catalog import Catalog, Installed, Places
from draftlens.library.download import Download
from draftlens.library.downloads import Downloads
from draftlens.library.gguf_pack import Keep
from draftlens.library.hub import Found, Hub, Kind, Sort
from draftlens.library.manifest import Manifest
from draftlens.library.memory import Estimate, Fit
from draftlens.library.preflight import Preflight

WATCH_MS = 300
LOOK_MS = 250


class Models(QObject):
    """Owner: the window's thread. Nothing is asked of the hub before `search`, `look` or `fetch` is called."""

    changed = Signal()
    foundChanged = Signal()
    lookedChanged = Signal()
    downloadsChanged = Signal()
    importing = Signal(str, object)
    folderTaken = Signal(Path)
    taken = Signal(Path)
    troubled = Signal(str, object)

    def __init__(
        self,
        places: Callable[[], Places] | None = None,
        downloads: Downloads | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._places = places or catalog.default_places
        self.hub = Hub(hub_token.find)
        self.downloads = downloads or Downloads(self.hub)
        self.items: list[Installed] = []
        self.scanned = False
        self.context = memory.DEFAULT_CONTEXT
        self.limit = memory.limit()
        self.pairing = self.new_pairing()
        self.found: list[Found] | None = None
        self.searching = False
        self.search_problem: UserError | None = None
        self.looked: dict[str, Preflight | UserError] = {}
        self._judging: str | None = None
        self._estimates: dict[Path, Estimate] = {}
        self.checking = Checking(self)
        self.trash = Trash(self)
        self.trash.changed.connect(self.refresh)
        self.trash.troubled.connect(self.troubled)
        self._catalog = Catalog()
        self._looked_in: Places | None = None
        self._background = Background(self)
        self._watcher = QFileSystemWatcher(self)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(WATCH_MS)
        self._soon.timeout.connect(self.refresh)
        self._watcher.directoryChanged.connect(lambda _: self._soon.start())
        self._looking = QTimer(self)
        self._looking.setInterval(LOOK_MS)
        self._looking.timeout.connect(self._on_downloads)

    @property
    def cache(self) -> Path:
        """Where downloads go."""
        return self._places().hub

    def begin(self) -> None:
        """List what is there and take up unfinished downloads, paused; worth calling when the screen is first shown."""
        if not self.scanned:
            gguf_import.remove_leftovers()
            self.downloads.recover(self.cache)
            self.refresh()
            self.downloadsChanged.emit()

    def refresh(self) -> None:
        """Look at the disk again."""
        places, context, limit = self._places(), self.context, self.limit
        self._looked_in = places

        def look() -> tuple[list[Installed], dict[Path, Estimate], list[Path]]:
            items = self._catalog.scan(places)
            estimates = {item.path: candidates.pair_estimate(item, None, context, limit) for item in items}
            return items, estimates, catalog.watched(places)

        self._background.run("scan", look, self._take_scan, self._on_trouble)

    def new_pairing(self) -> Pairing:
        """A pair to choose, judged among the models that are here."""
        return Pairing(
            lambda target: candidates.for_target(target, list(self.items), self.context, self.limit),
            self._on_trouble,
            self,
        )

    def estimate(self, item: Installed, drafter: Installed | None = None) -> Estimate:
        """The memory that a model, or a pair, would take at the chosen context."""
        if drafter is None and item.path in self._estimates:
            return self._estimates[item.path]
        return candidates.pair_estimate(item, drafter, self.context, self.limit)

    def in_words(self, item: Installed) -> str:
        """The same as a sentence: "Needs 2.4 of 18 GB at 8,192 context"; a tight fit is said."""
        needed = self.estimate(item)
        fit = f", {needed.fit}" if needed.fit in (Fit.TIGHT, Fit.TOO_BIG) else ""
        return f"{candidates.in_words(needed, self.context, 'Needs')}{fit}."

    def search(self, text: str, kind: Kind, sort: Sort) -> None:
        """Ask the hub."""
        self.searching, self.search_problem = True, None
        self.foundChanged.emit()
        self._background.run(
            "search", lambda: self.hub.search(text, kind, sort), self._take_found, self._on_search_failed
        )

    def look(self, repo: str) -> None:
        """Judge a repository before it is fetched; one that could not be looked at is asked for again."""
        if isinstance(self.looked.get(repo), Preflight):
            self.lookedChanged.emit()
            return
        if repo == self._judging:
            return
        self._judging = repo
        failed = self.looked.pop(repo, None) is not None

        def keep(result: Preflight | UserError) -> None:
            self._judging = None
            self.looked[repo] = result
            self.lookedChanged.emit()

        self._background.run("look", lambda: preflight.look(self.hub, repo, self.context), keep, keep)
        if failed:
            self.lookedChanged.emit()

    def fetch(self, repo: str, gguf: str | None = None) -> None:
        """Download a repository that was looked at."""
        seen = self.looked.get(repo)
        if not isinstance(seen, Preflight):
            return
        try:
            wanted = choice.manifest_of(seen.listing, gguf)
            self.cache.mkdir(parents=True, exist_ok=True)
        except (UserError, OSError) as error:
            self._tell("The download could not begin", error)
            return
        self._add(wanted, self.cache)

    def _add(self, wanted: Manifest, cache: Path) -> None:
        self.downloads.add(wanted, cache)
        self._looking.start()
        self.downloadsChanged.emit()

    def fetch_again(self, item: Installed, names: tuple[str, ...]) -> None:
        """Fetch these damaged files of an installed model once more, and nothing else."""
        snapshot = repair.snapshot_of(item.path)
        if snapshot is None:
            return

        def begin(wanted: Manifest) -> None:
            content_hash.discard(snapshot, names)
            self.checking.forget()
            self._add(wanted, snapshot.parents[2])
            self.refresh()

        self._background.run(
            f"repair {item.path}",
            lambda: repair.wanted(self.hub, snapshot, names),
            begin,
            lambda error: self._tell(f"{item.name} could not be mended", error),
        )

    def resume(self, item: Download) -> None:
        """Go on with a download."""
        self.downloads.resume(item)
        self._looking.start()
        self.downloadsChanged.emit()

    def pause(self, item: Download) -> None:
        """Hold a download."""
        self.downloads.pause(item)
        self.downloadsChanged.emit()

    def cancel(self, item: Download) -> None:
        """Give up a download and delete its parts."""
        self._background.run(
            f"cancel {item.repo}", lambda: self.downloads.cancel(item), lambda _: self._on_downloads(), self._on_trouble
        )
        self.downloadsChanged.emit()

    def adopt(self, context: int, limit: int | None) -> None:
        """Reckon with another context or memory, None is the system's own; and look where the settings say now."""
        limit = limit or memory.limit()
        if (context, limit, self._places()) != (self.context, self.limit, self._looked_in):
            self.context, self.limit = context, limit
            self.looked.clear()
            self._judging = None
            if self._looked_in is not None:
                self.refresh()

    def take_folder(self, folder: Path) -> None:
        """Add a folder of models to the list; one that holds none is told."""

        def take(there: bool) -> None:
            if there:
                self.folderTaken.emit(folder)
                self.taken.emit(folder)
            else:
                step = "Choose a folder with a config.json and *.safetensors files, or one that holds such folders."
                self.troubled.emit(f"{folder.name} was not added", UserError(f"{folder} holds no model.", step))

        self._background.run(f"folder {folder}", lambda: catalog.holds_models(folder), take, self._on_trouble)

    def take_gguf(self, path: Path, keep: Keep = Keep.AUTO) -> None:
        """Import a GGUF file; its progress comes as `importing`, None at the end."""

        def report(sentence: str, fraction: float | None) -> None:
            self.importing.emit(f"{sentence}: {path.name}", fraction)

        def done(made: Path) -> None:
            self.importing.emit("", None)
            self.taken.emit(made)
            self.refresh()

        def failed(error: UserError) -> None:
            self.importing.emit("", None)
            self.troubled.emit(f"{path.name} was not imported", error)

        self._background.run(f"import {path}", lambda: gguf_import.import_file(path, None, keep, report), done, failed)

    def forget_download(self, item: Download) -> None:
        """Take a finished download off the list."""
        self.downloads.clear(item)
        self.downloadsChanged.emit()

    def free_space(self) -> int | None:
        """Bytes free on the disk that downloads go to."""
        return hub_cache.free_space(self.cache)

    def close(self) -> None:
        """The window closes: downloads stop, and what arrived stays."""
        self._looking.stop()
        self._soon.stop()
        self._background.close()
        self.pairing.close()
        self.checking.close()
        self.downloads.close()

    def _take_scan(self, result: tuple[list[Installed], dict[Path, Estimate], list[Path]]) -> None:
        self.items, self._estimates, folders = result
        self.scanned = True
        watched, wanted = set(self._watcher.directories()), {str(folder) for folder in folders}
        if gone := watched - wanted:
            self._watcher.removePaths(sorted(gone))
        if fresh := wanted - watched:
            failed = self._watcher.addPaths(sorted(fresh))
            if len(failed) < len(fresh):
                # What appeared between the look and the watch moved nothing that was watched: one more look finds it.
                self._soon.start()
        self.changed.emit()
        self.pairing.look_again(self.items)

    def _take_found(self, found: list[Found]) -> None:
        self.found, self.searching = found, False
        self.foundChanged.emit()

    def _on_search_failed(self, error: UserError) -> None:
        self.search_problem, self.searching = error, False
        self.foundChanged.emit()

    def _on_downloads(self) -> None:
        before = len(self.downloads.unfinished)
        self.downloads.step()
        active = any(item.state.active for item in self.downloads.items)
        if not active:
            self._looking.stop()
        self.downloadsChanged.emit()
        if not active or len(self.downloads.unfinished) != before:
            self._soon.start()

    def _on_trouble(self, error: UserError) -> None:
        self._tell("The models could not be read", error)

    def _tell(self, title: str, error: Exception) -> None:
        self.troubled.emit(title, error if isinstance(error, UserError) else UserError(f"{error}."))
