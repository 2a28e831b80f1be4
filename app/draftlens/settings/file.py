"""The settings file: read without ever failing, written whole, and what is not ours in it left alone."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from draftlens.core.errors import UserError
from draftlens.settings.keys import KEYS, Key, settings_from
from draftlens.settings.settings import Settings

FILE_NAME = "settings.toml"


@dataclass(frozen=True)
class Loaded:
    """The settings as read, and what there is to say: usually nothing."""

    settings: Settings
    problems: tuple[UserError, ...] = ()


class SettingsFile:
    """The file and the settings it was last known to hold.

    Owner: one thread, the window's; both methods wait for the disk, a few milliseconds.

    Invariants: the file is replaced as a whole or not at all. Only keys that changed are written, into the file as it
    is at that moment: unknown keys, other programs' sections, values we could not read and changes made by hand stay.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self._known = Settings()

    def load(self) -> Loaded:
        """Read the settings; a missing file means the defaults, a broken one is kept aside and said."""
        try:
            document, problems = self._document()
        except OSError as error:
            self._known = Settings()
            unreadable = UserError(
                f"The settings in {self.path} cannot be read: {error.strerror or error}.",
                "The defaults are used; make the file readable and start again.",
            )
            return Loaded(self._known, (unreadable,))
        settings, wrong = settings_from(document)
        self._known = settings
        return Loaded(settings, (*problems, *wrong))

    def save(self, settings: Settings) -> tuple[UserError, ...]:
        """Write what changed since the last load or save; return what there is to say about the file that was there.

        Raises:
            UserError: it cannot be written; the settings then count as changed until a later save succeeds.
        """
        try:
            document, problems = self._document()
            # Where nothing is left of the file, what it held must be written again as well.
            known = self._known if document else Settings()
            for key in KEYS:
                if key.of(settings) != key.of(known):
                    _put(document, key, key.of(settings))
            _replace(self.path, tomli_w.dumps(document))
        except OSError as error:
            raise UserError(
                f"The settings could not be saved in {self.path}: {error.strerror or error}.",
                "They hold until you quit; make the file writable or make room, then change one again.",
            ) from error
        self._known = settings
        return problems

    def _document(self) -> tuple[dict[str, Any], tuple[UserError, ...]]:
        try:
            return tomllib.loads(self.path.read_text(encoding="utf-8-sig")), ()
        except FileNotFoundError:
            return {}, ()
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            return {}, (self._keep_aside(str(error)),)

    def _keep_aside(self, reason: str) -> UserError:
        stamp = time.strftime("%Y-%m-%d-%H%M%S")
        kept = self.path.with_name(f"{self.path.stem}-kept-{stamp}.toml")
        number = 1
        while kept.exists():
            number += 1
            kept = self.path.with_name(f"{self.path.stem}-kept-{stamp}-{number}.toml")
        sentence = f"The settings file is broken ({reason}), so the defaults are used."
        try:
            self.path.replace(kept)
        except OSError as error:
            return UserError(sentence, f"It could not be kept aside: {error.strerror or error}. Mend {self.path}.")
        return UserError(sentence, f"Nothing was deleted: the file is kept as {kept.name} in {kept.parent}.")


def _put(document: dict[str, Any], key: Key, value: Any) -> None:
    section = document.get(key.section)
    if not isinstance(section, dict):
        section = document[key.section] = {}
    if value is None:
        section.pop(key.name, None)
    else:
        section[key.name] = _toml(value)


def _toml(value: Any) -> Any:
    """Return a value as TOML has it."""
    if isinstance(value, tuple):
        return [_toml(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return value


def _replace(path: Path, text: str) -> None:
    """Write a file beside the old one and put it in its place; a link keeps pointing where it does."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    fresh = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(OSError):
            fresh.chmod(target.stat().st_mode & 0o777)
        fresh.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise
