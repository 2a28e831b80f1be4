"""The models as the window sees them: what is installed, what the hub has, what is on its way, and which pairs go."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QFile, QFileSystemWatcher, QObject, QTimer, Signal

from draftlens.bridge.background import Background
from draftlens.core.errors import UserError
from draftlens.library import candidates, catalog, choice, gguf_import, hub_cache, hub_token, memory, preflight
from draftlens.library.candidates import Candidate
from draftlens.library.catalog import Catalog, Installed, Places
from draftlens.library.download import Download
from draftlens.library.downloads import Downloads
from draftlens.library.gguf_pack import Keep
from draftlens.library.hub import Found, Hub, Kind, Sort
from draftlens.library.memory import Estimate
from draftlens.library.preflight import Preflight

WATCH_MS = 300
LOOK_MS = 250


class Models(QObject):
    """Owner: the window's thread. Nothing is asked of the hub before `search`, `look` or `fetch` is called."""

    changed = Signal()
    pairsChanged = Signal()
    foundChanged = Signal()
    lookedChanged = Signal()
    downloadsChanged = Signal()
    importing = Signal(str, object)
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
        self.target: Installed | None = None
        self.drafter: Installed | None = None
        self.pairs: list[Candidate] = []
        self._suggests = True
        self.found: list[Found] | None = None
        self.searching = False
        self.search_problem: UserError | None = None
        self.looked: dict[str, Preflight | UserError] = {}
        self._estimates: dict[Path, Estimate] = {}
        self._trashed: list[tuple[Path, Path]] = []
        self._catalog = Catalog()
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

        def look() -> tuple[list[Installed], dict[Path, Estimate], list[Path]]:
            items = self._catalog.scan(places)
            estimates = {item.path: candidates.pair_estimate(item, None, context, limit) for item in items}
            return items, estimates, catalog.watched(places)

        self._background.run("scan", look, self._take_scan, self._on_trouble)

    def choose(self, target: Installed | None, drafter: Installed | None = None, *, suggest: bool = True) -> None:
        """Judge every model as drafter for a target, and choose one or suggest the first that fits."""
        self.target, self.drafter, self._suggests = target, drafter, suggest
        self.pairs = []
        if target is None:
            self.pairsChanged.emit()
            return
        items, context, limit = list(self.items), self.context, self.limit
        self._background.run(
            "pairs", lambda: candidates.for_target(target, items, context, limit), self._take_pairs, self._on_trouble
        )

    @property
    def pair(self) -> Candidate | None:
        """The verdict on the pair in view."""
        return next((c for c in self.pairs if self.drafter is not None and c.item.path == self.drafter.path), None)

    def estimate(self, item: Installed, drafter: Installed | None = None) -> Estimate:
        """The memory that a model, or a pair, would take at the chosen context."""
        if drafter is None and item.path in self._estimates:
            return self._estimates[item.path]
        return candidates.pair_estimate(item, drafter, self.context, self.limit)

    def search(self, text: str, kind: Kind, sort: Sort) -> None:
        """Ask the hub."""
        self.searching, self.search_problem = True, None
        self.foundChanged.emit()
        self._background.run(
            "search", lambda: self.hub.search(text, kind, sort), self._take_found, self._on_search_failed
        )

    def look(self, repo: str) -> None:
        """Judge a repository before it is fetched."""
        if repo in self.looked and isinstance(self.looked[repo], Preflight):
            self.lookedChanged.emit()
            return

        def keep(result: Preflight | UserError) -> None:
            self.looked[repo] = result
            self.lookedChanged.emit()

        self._background.run("look", lambda: preflight.look(self.hub, repo, self.context), keep, keep)

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
        self.downloads.add(wanted, self.cache)
        self._looking.start()
        self.downloadsChanged.emit()

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

    def take_gguf(self, path: Path, keep: Keep = Keep.AUTO) -> None:
        """Import a GGUF file; its progress comes as `importing`, None at the end."""

        def report(sentence: str, fraction: float | None) -> None:
            self.importing.emit(f"{sentence}: {path.name}", fraction)

        def done(_: object) -> None:
            self.importing.emit("", None)
            self.refresh()

        def failed(error: UserError) -> None:
            self.importing.emit("", None)
            self.troubled.emit(f"{path.name} was not imported", error)

        self._background.run(f"import {path}", lambda: gguf_import.import_file(path, None, keep, report), done, failed)

    def trash(self, item: Installed) -> bool:
        """Move a model to the trash; what another revision needs stays. Returns whether it is gone."""
        paths = hub_cache.removal(item.path) if hub_cache.repo_of_snapshot(item.path) else [item.path]
        moved: list[tuple[Path, Path]] = []
        for path in paths:
            file = QFile(str(path))
            if not file.moveToTrash():
                self._put_back(moved)
                self.troubled.emit(
                    f"{item.name} is still there",
                    UserError(f"{path} could not be moved to the trash.", "Remove it in the file manager."),
                )
                return False
            # Where the trash tells, the file is now named by its place there.
            if file.fileName() and Path(file.fileName()) != path:
                moved.append((path, Path(file.fileName())))
        self._trashed = moved
        self.refresh()
        return True

    @property
    def can_undo(self) -> bool:
        """Whether what was trashed last can be put back."""
        return bool(self._trashed)

    def undo_trash(self) -> None:
        """Put back what was trashed last."""
        moved, self._trashed = self._trashed, []
        self._put_back(moved)
        self.refresh()

    def forget_download(self, item: Download) -> None:
        """Take a finished download off the list."""
        self.downloads.clear(item)
        self.downloadsChanged.emit()

    def free_space(self) -> int | None:
        """Bytes free on the disk that downloads go to."""
        place = self.cache
        while not place.exists() and place != place.parent:
            place = place.parent
        try:
            return shutil.disk_usage(place).free
        except OSError:
            return None

    def close(self) -> None:
        """The window closes: downloads stop, and what arrived stays."""
        self._looking.stop()
        self._soon.stop()
        self._background.close()
        self.downloads.close()

    def _put_back(self, moved: list[tuple[Path, Path]]) -> None:
        for path, place in reversed(moved):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(place, path)
            except OSError as error:
                self._tell(f"{path.name} could not be put back", error)
                continue
            # The trash of other desktops keeps a note beside each thing; without the thing it means nothing.
            with contextlib.suppress(OSError):
                (place.parent.parent / "info" / f"{place.name}.trashinfo").unlink()

    def _take_scan(self, result: tuple[list[Installed], dict[Path, Estimate], list[Path]]) -> None:
        self.items, self._estimates, folders = result
        self.scanned = True
        watched, wanted = set(self._watcher.directories()), {str(folder) for folder in folders}
        if gone := watched - wanted:
            self._watcher.removePaths(sorted(gone))
        if fresh := wanted - watched:
            self._watcher.addPaths(sorted(fresh))
        there = {item.path: item for item in self.items}
        self.target = there.get(self.target.path) if self.target is not None else None
        self.drafter = there.get(self.drafter.path) if self.drafter is not None else None
        self.changed.emit()
        if self.target is not None:
            self.choose(self.target, self.drafter)

    def _take_pairs(self, pairs: list[Candidate]) -> None:
        self.pairs = pairs
        if self.drafter is None and self._suggests:
            self.drafter = next((c.item for c in pairs if c.ok), None)
        self.pairsChanged.emit()

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
