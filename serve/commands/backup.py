"""`gauge backup` and `gauge restore`."""

from __future__ import annotations

import json
from pathlib import Path

from serve.backup.home import back_up, restore
from serve.settings import load_settings


def write_backup(path: Path, *, as_json: bool) -> str:
    """Write a backup, and say what is in it. Raises StoreError, OSError."""
    kept = back_up(load_settings(), path)
    manifest = kept.manifest
    if as_json:
        head = manifest.model_dump(mode="json", exclude={"members"})
        return json.dumps({**head, "file": str(path), "files": len(manifest.members), "size_bytes": kept.size_bytes})
    return f"{path}: {len(manifest.members)} files, {kept.size_bytes / 2**20:.1f} MiB, of {manifest.made_at}"


def read_backup(path: Path, *, replace: bool, as_json: bool) -> str:
    """Restore a backup, and say of when it was. Raises StoreError, OSError."""
    settings = load_settings()
    manifest = restore(settings, path, replace=replace)
    if as_json:
        head = manifest.model_dump(mode="json", exclude={"members"})
        return json.dumps({**head, "home": str(settings.home), "files": len(manifest.members)})
    return f"{settings.home} is as it was at {manifest.made_at}: {len(manifest.members)} files, every one checked"
