"""Errors of the client."""

from __future__ import annotations

from typing import Optional


class GannetError(Exception):
    """An error of a request."""


class Unreachable(GannetError):
    """The service did not answer, or with something that it never sends."""


class Problem(GannetError):
    """The service refused the request, or failed (RFC 9457)."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        request_id: str = "",
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(f"{detail} ({status} {code})")
        #: The HTTP status.
        self.status = status
        #: Which problem it is; does not change between versions.
        self.code = code
        #: What is wrong and what to do, for a person.
        self.detail = detail
        #: The id of the request, as in the log of the service.
        self.request_id = request_id
        #: Seconds after which the request may be repeated.
        self.retry_after = retry_after
