"""Asks Gannet with the official client of OpenAI's interface.

Usage: chat.py URL, URL ending with `/v1`, over a store that `gannet quickstart`
made. With a second argument `key`, the service needs a key and the client has
none; with `rate`, the service answers one request a minute. Exits with 1 at the first expectation that is not met.
"""

import base64
import struct
import sys

import openai

QUESTION = "why was the flow switch replaced?"


def expect(is_met, what):
    if not is_met:
        sys.exit(f"not met: {what}")


def refused(kind, status, code, call, param=None):
    """Expects the client's own exception of this kind."""
    try:
        call()
    except openai.APIStatusError as error:
        expect(type(error) is kind, f"{kind.__name__}: {error!r}")
        expect(error.status_code == status, f"status {status}: {error!r}")
        expect(error.code == code, f"code {code}: {error.code}")
        expect(error.param == param, f"param {param}: {error.param}")
        expect(error.type and error.request_id, f"type and request id: {error!r}")
        expect(error.body["message"], f"a message: {error.body}")
        return
    expect(False, f"{kind.__name__} is raised")


def without_a_key(url):
    client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
    refused(openai.AuthenticationError, 401, "invalid_api_key", client.models.list)


def too_often(url):
    client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
    client.models.list()
    refused(openai.RateLimitError, 429, "rate_limit_exceeded", client.models.list)


def check_errors(client, messages):
    chat, embed = client.chat.completions.create, client.embeddings.create
    unknown = lambda **more: lambda: chat(model="no-such", messages=messages, **more)
    refused(openai.NotFoundError, 404, "model_not_found", unknown(), "model")
    refused(openai.NotFoundError, 404, "model_not_found", unknown(stream=True), "model")
    refused(openai.NotFoundError, 404, "model_not_found", lambda: client.models.retrieve("no-such"), "model")
    refused(openai.NotFoundError, 404, "model_not_found", lambda: embed(model="no-such", input="x"), "model")
    system = [{"role": "system", "content": "x"}]
    refused(openai.BadRequestError, 400, "invalid_request", lambda: chat(model="rag", messages=system), "messages")
    refused(openai.BadRequestError, 400, "invalid_request", lambda: embed(model="builtin", input=[]), "input")


def check_embeddings(client):
    # The client asks for base64 unless it is told otherwise, and decodes it.
    texts = {"model": "builtin", "input": ["pump", "leak"]}
    vectors = [one.embedding for one in client.embeddings.create(**texts).data]
    expect([len(vector) for vector in vectors] == [384, 384], "texts are embedded")
    plain = [one.embedding for one in client.embeddings.create(**texts, encoding_format="float").data]
    single = lambda vector: [struct.unpack("<f", struct.pack("<f", value))[0] for value in vector]
    expect([single(vector) for vector in plain] == vectors, "both encodings have the same numbers")
    raw = client.embeddings.with_raw_response.create(**texts, encoding_format="base64")
    coded = raw.http_response.json()["data"][0]["embedding"]
    expect(len(base64.b64decode(coded)) == 4 * 384, "base64 holds four bytes a number")


def main(url):
    client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
    models = [model.id for model in client.models.list()]
    expect("rag" in models, f"pipelines are models: {models}")

    messages = [{"role": "user", "content": QUESTION}]
    whole = client.chat.completions.create(model="rag", messages=messages)
    answer = whole.choices[0].message.content
    expect("[#SKY-" in answer, f"the answer is cited: {answer}")
    expect(whole.choices[0].finish_reason == "stop", "the answer ends")

    chunks = list(client.chat.completions.create(model="rag", messages=messages, stream=True))
    pieces = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    expect("".join(pieces) == answer, f"the stream has the same answer: {pieces}")
    expect(any(chunk.choices and chunk.choices[0].finish_reason == "stop" for chunk in chunks), "the stream ends")

    expect(client.models.retrieve("rag").id == "rag", "a model can be looked up")
    check_embeddings(client)
    check_errors(client, messages)
    print(f"{len(models)} models, {len(chunks)} chunks, all expectations met")


CASES = {"key": without_a_key, "rate": too_often}
CASES.get(sys.argv[2] if len(sys.argv) > 2 else None, main)(sys.argv[1])
