"""Requests with JSON over a connection that stays open."""

import http.client
import json
import socket
import time
import urllib.parse


class Connection:
    """A connection to an address such as `http://127.0.0.1:8085`."""

    def __init__(self, address, headers=None):
        self.http = http.client.HTTPConnection(urllib.parse.urlsplit(address).netloc, timeout=600)
        self.headers = {"content-type": "application/json", **(headers or {})}

    def send(self, method, path, body=None):
        """The answer, as text."""
        if isinstance(body, dict):
            body = json.dumps(body)
        self.http.request(method, path, body and body.encode(), self.headers)
        answer = self.http.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{path}: {answer.status} {text[:500]!r}")
        return text

    def post(self, path, body):
        """The answer to an object of JSON, as one."""
        return json.loads(self.send("POST", path, body))


def wait_for(ready, server, seconds=600):
    """Waits until `ready` gives something, and gives it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if server.poll() is not None:
            raise RuntimeError(f"the server ended with {server.returncode}")
        try:
            if value := ready():
                return value
        except (OSError, RuntimeError):
            pass
        time.sleep(0.1)
    raise RuntimeError("the server does not answer")


def free_port():
    """A port that is free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
