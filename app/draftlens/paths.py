"""Where things are: what we ship and what we keep, in a source tree or a frozen bundle.

`DRAFTLENS_DATA_DIR` moves everything we keep below one folder; without it each kind goes where the platform wants it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import platformdirs

from draftlens.core.errors import UserError

DATA_DIR_VARIABLE = "DRAFTLENS_DATA_DIR"
_chosen: Path | None = None
_APP_NAME = "Draftlens" if sys.platform == "darwin" else "draftlens"


def resources() -> Path:
    """The folder of the files shipped with the program, such as icons and the demo drafter's layers."""
    bundle: str | None = getattr(sys, "_MEIPASS", None)
    if bundle is not None:
        return Path(bundle) / "resources"
    package = Path(__file__).resolve().parent
    installed = package / "resources"
    return installed if installed.is_dir() else package.parents[1] / "resources"


def data_dir() -> Path:
    """The root of what we keep. It need not exist yet; see `make_folder`."""
    return _chosen or default_data_dir()


def default_data_dir() -> Path:
    """Where that is unless a person chose another place."""
    return _override() or platformdirs.user_data_path(_APP_NAME, appauthor=False)


def choose_data_dir(folder: Path | None) -> None:
    """Keep chats, models and comparisons below this folder from now on; None is the default. Called once at a start."""
    global _chosen
    _chosen = folder


def models_dir() -> Path:
    """Models we imported ourselves; other programs' models stay where they are."""
    return data_dir() / "models"


def config_dir() -> Path:
    """The folder of the settings file."""
    override = _override()
    return override / "config" if override else platformdirs.user_config_path(_APP_NAME, appauthor=False)


def cache_dir() -> Path:
    """What may be deleted at any time without loss."""
    override = _override()
    return override / "cache" if override else platformdirs.user_cache_path(_APP_NAME, appauthor=False)


def logs_dir() -> Path:
    """The folder of the rotating log."""
    override = _override()
    return override / "logs" if override else platformdirs.user_log_path(_APP_NAME, appauthor=False)


def make_folder(path: Path) -> Path:
    """Create `path` and its parents; a folder that cannot be made is the user's to mend, not a traceback."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UserError(
            f"The folder {path} cannot be created: {reason}.",
            f"Choose another place with {DATA_DIR_VARIABLE}, or make the folder writable.",
        ) from error
    return path


def _override() -> Path | None:
    value = os.environ.get(DATA_DIR_VARIABLE, "").strip()
    return Path(value).expanduser().absolute() if value else None
