"""A running service over the demo, for all tests.

The program is the one of the variable GANNET, or the debug build of the
repository.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Iterator

import pytest

from gannet_client import Gannet

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = Path(os.environ.get("GANNET", ROOT / "target/debug/gannet")).resolve()

CONFIGURATION = """\
server:
  requests_per_minute: 0
feedback:
  enabled: true
deliveries:
  news:
    feed: {}
    for_users: true
"""


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store with the demo."""
    folder = tmp_path_factory.mktemp("gannet")
    subprocess.run([PROGRAM, "quickstart"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="session")
def api_key(folder: Path) -> str:
    """A key with which one may search and not write."""
    command = [str(PROGRAM), "keys", "create", "reader", "--scope", "search", "--format", "json"]
    created = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE)
    return str(json.loads(created.stdout)["key"])


@pytest.fixture(scope="session")
def url(folder: Path) -> Iterator[str]:
    """The address of a service over that store."""
    # Tests ask faster than people.
    (folder / "config.yml").write_text(CONFIGURATION)
    command = [str(PROGRAM), "serve", "--port", "0"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as service:
        assert service.stdout is not None
        try:
            yield address(service.stdout)
        finally:
            service.terminate()


def address(lines: Iterator[str]) -> str:
    """The address that the service prints once it listens."""
    seen = []
    for line in lines:
        seen.append(line)
        found = re.search(r"listening on (http\S*)", line)
        if found:
            return found[1].rstrip("/")
    raise AssertionError("the service did not start:\n" + "".join(seen))


@pytest.fixture(scope="session")
def gannet(url: str) -> Gannet:
    """A client of the service."""
    return Gannet(url)
