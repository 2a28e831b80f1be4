"""A keychain in memory, for keyring."""

from __future__ import annotations

from keyring.backend import KeyringBackend


class Vault(KeyringBackend):
    """Keeps passwords until the end."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self.kept.pop((service, username), None)
