// A server of models for the service over several domains: a chat model that
// says one sentence word by word, and an embedding model that never answers
// questions, as a partner's server does that hangs. Prints its address.

import { createServer } from "node:http";

const DIMENSION = 8;

createServer((request, response) => {
  let body = "";
  request.on("data", (part) => { body += part; });
  request.on("end", () => (request.url.endsWith("/embeddings") ? embed(JSON.parse(body).input, response) : chat(body, response)));
}).listen(0, "127.0.0.1", function () { console.log(`http://127.0.0.1:${this.address().port}/v1`); });

/** Entries have a title above their text; a question is one line. */
function embed(input, response) {
  const texts = [].concat(input);
  if (!texts.every((text) => text.includes("\n"))) return;
  const data = texts.map((_, index) => ({ index, embedding: Array.from({ length: DIMENSION }, (_, at) => 1 + index * at) }));
  response.end(JSON.stringify({ data }));
}

function chat(body, response) {
  const [id] = body.match(/SKY-\d+/) || ["SKY-0164"];
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (choice) => response.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
  for (const word of `CAV1 trips correlate with a worn flow switch. [#${id}]`.split(" ")) send({ delta: { content: `${word} ` } });
  send({ delta: {}, finish_reason: "stop" });
  response.end("data: [DONE]\n\n");
}
