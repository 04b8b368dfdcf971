"""Requests over HTTP with the standard library."""

from __future__ import annotations

import json
from http.client import HTTPException, HTTPResponse
from typing import IO, Any, Mapping, Optional
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from .errors import GannetError, Problem, Unreachable


class NoRedirects(HTTPRedirectHandler):
    """Follows no redirect: the key would be sent to wherever it leads."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> None:
        return None


class Transport:
    """Sends requests to one service. Threads can share it."""

    def __init__(self, url: str, api_key: Optional[str], timeout: float) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"url: must begin with http:// or https://, is {url!r}")
        self._url = url.rstrip("/")
        self._headers = {"accept": "application/json", "user-agent": "gannet-client"}
        if api_key:
            self._headers["authorization"] = f"Bearer {api_key}"
        self._timeout = timeout
        self._opener = build_opener(NoRedirects)

    def json(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Any:
        """Sends a request; returns the JSON of the answer."""
        with self.open(method, path, query=query, body=body, headers=headers) as response:
            try:
                return json.load(response)
            except (ValueError, OSError, HTTPException) as error:
                raise Unreachable(f"{self._url}{path}: no valid JSON: {error}") from error

    def open(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> HTTPResponse:
        """Sends a request; returns the response, whose body is not read yet.

        Raises `Problem` for a status that is no success, and `Unreachable`
        when there is no answer.
        """
        url = f"{self._url}{path}" + (f"?{urlencode(query)}" if query else "")
        data = None if body is None else json.dumps(body).encode()
        request = Request(url, data, {**self._headers, **(headers or {})}, method=method)
        if data is not None:
            request.add_header("content-type", "application/json")
        try:
            response = self._opener.open(request, timeout=self._timeout)
        except HTTPError as error:
            with error:
                raise problem_of(error) from None
        except (URLError, OSError, HTTPException) as error:
            raise Unreachable(f"{self._url}: {getattr(error, 'reason', error)}") from error
        assert isinstance(response, HTTPResponse)  # of http and https
        return response


def problem_of(error: HTTPError) -> GannetError:
    """The problem that an answer holds."""
    try:
        document = json.load(error)
    except (ValueError, OSError, HTTPException):
        document = None
    if not isinstance(document, dict) or "code" not in document:
        # A proxy in front of the service answers in its own form.
        return Unreachable(f"{error.url}: {error.code} {error.reason}")
    return problem(document, retry_after(error))


def problem(document: Mapping[str, Any], seconds: Optional[float] = None) -> Problem:
    """A problem from its JSON."""
    return Problem(
        document["status"],
        document["code"],
        document["detail"],
        document.get("request_id", ""),
        seconds,
    )


def retry_after(error: HTTPError) -> Optional[float]:
    """The seconds of the header `Retry-After`."""
    try:
        return float(error.headers.get("retry-after", ""))
    except ValueError:
        return None
