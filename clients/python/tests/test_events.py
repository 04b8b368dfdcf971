"""Events of a stream, and times, in every form that they may have."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from gannet_client import Unreachable
from gannet_client.documents import time
from gannet_client.events import events


def test_heartbeats_and_other_fields_are_left_out() -> None:
    lines = [b": heartbeat\n", b"\n", b"id: 0\r\n", b"event: token\r\n", b"retry: 10\r\n"]
    lines += [b'data: {"text":\r\n', b'data:"\xc3\xa9"}\r\n', b"\r\n", b"id: 1\n", b"data: {}\n"]
    found = list(events(lines))
    assert [(one.number, one.name, one.data) for one in found] == [(0, "token", {"text": "é"})]


def test_data_that_is_not_an_object_is_refused() -> None:
    with pytest.raises(Unreachable, match="token"):
        list(events([b"event: token\n", b"data: [1]\n", b"\n"]))


@pytest.mark.parametrize(
    ("text", "microsecond", "hours"),
    [
        ("2025-04-15T10:30:00Z", 0, 0),
        ("2025-04-15T10:30:00.5+02:00", 500_000, 2),
        ("2025-04-15T10:30:00.123456789+02:00", 123_456, 2),
    ],
)
def test_times_are_read(text: str, microsecond: int, hours: int) -> None:
    zone = timezone(timedelta(hours=hours))
    assert time(text) == datetime(2025, 4, 15, 10, 30, 0, microsecond, tzinfo=zone)
