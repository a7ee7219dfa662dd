// Serves one GGUF file with node-llama-cpp in OpenAI's protocol, on loopback, as far as the program asks: `/v1/models` and
// `/v1/chat/completions`, streamed or whole, with `response_format`. It gives no probabilities of tokens, because
// the protocol makes them optional: the program must do without.
//
//   node server.mjs MODEL.gguf PORT THREADS

import http from "node:http";
import path from "node:path";
import { LlamaChat, LlamaLogLevel, getLlama } from "node-llama-cpp";

const CONTEXT_TOKENS = 4096;

const [file, port, threads] = process.argv.slice(2);
const name = path.basename(file, ".gguf");
const llama = await getLlama({
  gpu: false,
  build: "never",
  skipDownload: true,
  maxThreads: Number(threads),
  logLevel: LlamaLogLevel.error,
});
const model = await llama.loadModel({ modelPath: file });
const context = await model.createContext({ contextSize: CONTEXT_TOKENS });
const chat = new LlamaChat({ contextSequence: context.getSequence() });

// One context writes one text at a time.
let last = Promise.resolve();

function oneAfterTheOther(work) {
  last = last.then(work, work);
  return last;
}

function history(messages) {
  return messages.map(({ role, content }) =>
    role === "assistant" ? { type: "model", response: [content] } : { type: role, text: content },
  );
}

// node-llama-cpp knows a part of JSON Schema: `oneOf` but not `anyOf`, and values of `enum` that are no lists. It ignores the
// bounds of numbers, patterns and optional items; the program checks what comes.
function translated(schema) {
  const { anyOf, enum: values, $defs, properties, prefixItems, items, ...rest } = schema;
  const all = (schemas) => schemas?.map(translated);
  const named = (schemas) =>
    schemas && Object.fromEntries(Object.entries(schemas).map(([name, inner]) => [name, translated(inner)]));
  return {
    ...rest,
    ...(values ? { oneOf: values.map(literal) } : {}),
    ...(anyOf ? { oneOf: all(anyOf) } : {}),
    $defs: named($defs),
    properties: named(properties),
    prefixItems: all(prefixItems),
    items: items ? translated(items) : undefined,
  };
}

function literal(value) {
  if (!Array.isArray(value)) return { const: value };
  return { type: "array", prefixItems: value.map(literal), minItems: value.length, maxItems: value.length };
}

async function write(body, signal, onText) {
  const schema = body.response_format?.json_schema?.schema;
  const grammar = schema && (await llama.createGrammarForJsonSchema(translated(schema)));
  const before = chat.sequence.tokenMeter.getState();
  const { metadata } = await chat.generateResponse(history(body.messages), {
    grammar,
    signal,
    maxTokens: body.max_tokens,
    temperature: body.temperature,
    seed: body.seed,
    onTextChunk: onText,
  });
  // What stands in the context of the text before needs no reading.
  const { usedInputTokens: read, usedOutputTokens: written } = chat.sequence.tokenMeter.diff(before);
  const prompt = Math.max(read, chat.sequence.contextTokens.length - written);
  return {
    finish_reason: metadata.stopReason === "maxTokens" ? "length" : "stop",
    usage: {
      prompt_tokens: prompt,
      completion_tokens: written,
      prompt_tokens_details: { cached_tokens: prompt - read },
    },
  };
}

async function complete(body, response) {
  const abort = new AbortController();
  response.on("close", () => abort.abort());
  const send = (document) => response.write(`data: ${JSON.stringify(document)}\n\n`);
  let text = "";
  if (body.stream) response.writeHead(200, { "content-type": "text/event-stream" });
  const onText = (piece) => {
    text += piece;
    if (body.stream) send({ choices: [{ index: 0, delta: { content: piece }, finish_reason: null }] });
  };
  const { finish_reason, usage } = await oneAfterTheOther(() => write(body, abort.signal, onText));
  if (!body.stream) {
    const message = { role: "assistant", content: text };
    return document(response, 200, { choices: [{ index: 0, message, finish_reason }], usage });
  }
  send({ choices: [{ index: 0, delta: {}, finish_reason }] });
  if (body.stream_options?.include_usage) send({ choices: [], usage });
  response.end("data: [DONE]\n\n");
}

function document(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function answer(request, response) {
  const route = `${request.method} ${request.url}`;
  if (route === "GET /v1/models") {
    return document(response, 200, { object: "list", data: [{ id: name, object: "model", max_model_len: CONTEXT_TOKENS }] });
  }
  if (route === "POST /v1/chat/completions") {
    const parts = [];
    for await (const part of request) parts.push(part);
    return complete(JSON.parse(Buffer.concat(parts)), response);
  }
  return document(response, 404, { error: { message: `no ${route}` } });
}

const server = http.createServer((request, response) =>
  answer(request, response).catch((error) => {
    if (response.destroyed) return;
    if (response.headersSent) response.end(`data: ${JSON.stringify({ error: { message: String(error) } })}\n\n`);
    else document(response, 500, { error: { message: String(error) } });
  }),
);
server.listen(Number(port), "127.0.0.1");
