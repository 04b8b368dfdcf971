"""Asks Gannet with the official client of OpenAI's interface.

Usage: chat.py URL, URL ending with `/v1`, over a store that `gannet quickstart`
made. Exits with 1 at the first expectation that is not met.
"""

import sys

import openai

QUESTION = "why was the flow switch replaced?"


def expect(is_met, what):
    if not is_met:
        sys.exit(f"not met: {what}")


def main(url):
    client = openai.OpenAI(base_url=url, api_key="none")
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

    vectors = client.embeddings.create(model="builtin", input=["pump", "leak"]).data
    expect([len(vector.embedding) for vector in vectors] == [384, 384], "texts are embedded")

    try:
        client.chat.completions.create(model="no-such", messages=messages)
        expect(False, "an unknown model is refused")
    except openai.BadRequestError as error:
        expect("no-such" in error.response.text, f"the error names it: {error.response.text}")
    print(f"{len(models)} models, {len(chunks)} chunks, all expectations met")


main(sys.argv[1])
