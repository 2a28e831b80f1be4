"""The access token of the hub: kept in the system's keychain, or taken read-only from where other tools have it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from draftlens.core.errors import UserError
from draftlens.library import hub_cache

KEYCHAIN = "the keychain"
_SERVICE, _ACCOUNT = "Draftlens", "Hugging Face token"


@dataclass(frozen=True)
class Token:
    """A token and where it comes from. It is shown as its last four characters and never logged."""

    value: str
    source: str

    @property
    def masked(self) -> str:
        """What a person is shown."""
        return f"…{self.value[-4:]}" if len(self.value) > 8 else "…"

    def __repr__(self) -> str:
        return f"Token({self.masked}, {self.source})"


def find() -> Token | None:
    """The token to use: our own from the keychain, else `HF_TOKEN`, else the token file; None if there is none."""
    kept = _from_keychain()
    if kept:
        return Token(kept, KEYCHAIN)
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        if value := os.environ.get(name, "").strip():
            return Token(value, name)
    path = token_file()
    try:
        value = path.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return None
    return Token(value, str(path)) if value else None


def token_file() -> Path:
    """Where other tools of the hub keep their token."""
    named = os.environ.get("HF_TOKEN_PATH", "").strip()
    return Path(named).expanduser() if named else hub_cache.home() / "token"


def keep(value: str) -> None:
    """Keep a token in the keychain.

    Raises:
        UserError: there is no keychain here, or it refuses.
    """
    value = value.strip()
    if not value or any(c.isspace() for c in value):
        raise UserError("A token is one word without spaces.", "Copy it again from the hub's settings page.")
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.set_password(_SERVICE, _ACCOUNT, value)
    except (KeyringError, RuntimeError, OSError) as error:
        raise UserError(
            "The token could not be kept: this system has no keychain that can be used.",
            "Set HF_TOKEN before starting Draftlens instead.",
        ) from error


def forget() -> None:
    """Remove our token from the keychain; those of other tools stay."""
    import keyring
    from keyring.errors import KeyringError

    try:
        keyring.delete_password(_SERVICE, _ACCOUNT)
    except (KeyringError, RuntimeError, OSError):
        # Nothing was kept, or there is no keychain: either way there is none of ours any more.
        return


def _from_keychain() -> str | None:
    import keyring
    from keyring.errors import KeyringError

    try:
        return keyring.get_password(_SERVICE, _ACCOUNT)
    except (KeyringError, RuntimeError, OSError):
        return None
