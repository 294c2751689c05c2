"""The deployment files: what they name exists, what they promise is checked by the tools that will read them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from serve.settings import Settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "serve" / "deploy"
CONTAINER = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
UNIT = (DEPLOY / "gauge.service").read_text(encoding="utf-8")
NGINX = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
GUIDE = (DEPLOY / "README.md").read_text(encoding="utf-8")


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed here")
    return found


def test_the_image_holds_every_room_and_only_what_exists() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+)$", CONTAINER, re.MULTILINE)
    sources = [word for line in copied for word in line.split()[:-1]]
    assert {"vision", "synth", "knowledge", "rag", "eval", "serve"} <= set(sources)
    assert all((ROOT / source).exists() for source in sources)


def test_the_image_does_not_run_as_root_and_is_watched() -> None:
    last = CONTAINER.rsplit("FROM ", 1)[1]
    assert re.search(r"^USER 10001:10001$", last, re.MULTILINE)
    assert "HEALTHCHECK" in last
    assert re.search(r"^VOLUME /var/lib/gauge$", last, re.MULTILINE)
    assert 'ENTRYPOINT ["gauge"]' in last
    assert last.index("USER ") > last.index("RUN "), "nothing is installed as that user"


def test_the_image_and_set_up_take_the_same_torch() -> None:
    wanted = re.search(r"^TORCH=(\S+)$", (ROOT / ".ci" / "setup").read_text(encoding="utf-8"), re.MULTILINE)
    assert wanted is not None
    assert f"ARG TORCH={wanted[1]}\n" in CONTAINER


@pytest.mark.parametrize("text", [CONTAINER, UNIT, NGINX, GUIDE], ids=["Containerfile", "gauge.service", "nginx.conf", "README"])
def test_settings_that_are_named_exist(text: str) -> None:
    for name in set(re.findall(r"GAUGE_(\w+)", text)):
        assert name.lower() in Settings.model_fields, name


def test_the_units_patience_covers_what_was_taken() -> None:
    stop = re.search(r"^TimeoutStopSec=(\d+)$", UNIT, re.MULTILINE)
    assert stop is not None
    assert int(stop[1]) > Settings.model_fields["request_timeout_s"].default + 5
    assert f"--stop-timeout {stop[1]}" in GUIDE
    proxy = re.search(r"proxy_read_timeout (\d+)s", NGINX)
    assert proxy is not None
    assert int(proxy[1]) > Settings.model_fields["request_timeout_s"].default


def test_the_proxy_takes_what_the_server_takes() -> None:
    size = re.search(r"client_max_body_size (\d+)m", NGINX)
    assert size is not None
    assert int(size[1]) == Settings.model_fields["max_request_mib"].default


def test_the_guides_commands_are_the_programs() -> None:
    from typer.testing import CliRunner

    from serve.cli import app

    for words in (["serve"], ["keys", "create"], ["keys", "list"], ["backup"]):
        assert CliRunner().invoke(app, [*words, "--help"]).exit_code == 0
        assert " ".join(words) in GUIDE + UNIT


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    analyze = tool("systemd-analyze")
    unit = tmp_path / "gauge.service"
    unit.write_text(UNIT.replace("/opt/gauge/.venv/bin/gauge", shutil.which("true") or "/bin/true"), encoding="utf-8")
    done = subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "gauge.service" not in done.stderr, done.stderr


def test_systemd_calls_the_unit_well_confined() -> None:
    analyze = tool("systemd-analyze")
    command = [analyze, "security", "--offline=true", "--threshold=20", str(DEPLOY / "gauge.service")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout[-400:]


def test_nginx_takes_the_example(tmp_path: Path) -> None:
    nginx, openssl = tool("nginx"), tool("openssl")
    key, certificate = tmp_path / "privkey.pem", tmp_path / "fullchain.pem"
    make = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=gauge"]
    subprocess.run([*make, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True, timeout=60)
    site = NGINX.replace("/etc/ssl/gauge", str(tmp_path))
    whole = f"pid {tmp_path}/nginx.pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{site}\n}}\n"
    (tmp_path / "nginx.conf").write_text(whole, encoding="utf-8")
    done = subprocess.run(
        [nginx, "-t", "-c", str(tmp_path / "nginx.conf")], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
