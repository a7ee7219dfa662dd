// Requests over HTTP, through `wasi:http`. The host checks each one against the grant `http` in `skill.json`, and limits
// their number, size and time. A redirect is an answer: it is not followed. Nothing here is about any skill.

import { handle } from "wasi:http/outgoing-handler@0.2.0";
import { Fields, OutgoingBody, OutgoingRequest } from "wasi:http/types@0.2.0";

// Most bytes that the host takes at once.
const WRITE_BYTES_MAX = 4096;

// Most bytes that are read at once.
const READ_BYTES = 65536n;

const METHODS = ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"];

// There is no answer: the host is not granted, is not reached, or breaks off.
export class FetchError extends Error {}

export const get = (/** @type {string} */ url) => send("GET", url);

/**
 * @param {string} url
 * @param {string} mediaType
 * @param {string | Uint8Array} body
 */
export const post = (url, mediaType, body) => send("POST", url, [["content-type", mediaType]], body);

/**
 * Makes a request and reads the whole answer. Names of its headers are in lower case.
 * @param {string} method
 * @param {string} url
 * @param {[string, string][]} headers
 * @param {string | Uint8Array} body
 */
export function send(method, url, headers = [], body = "") {
  const parts = /^(https?):\/\/([^/]+)(\/.*)?$/.exec(url);
  if (!parts || !METHODS.includes(method)) throw new FetchError(`\`${method} ${url}\` is no request`);
  const [, scheme, authority, path = "/"] = parts;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  try {
    const fields = new Fields();
    for (const [name, value] of headers) fields.append(name, new TextEncoder().encode(value));
    const request = new OutgoingRequest(fields);
    request.setMethod({ tag: method.toLowerCase() });
    request.setScheme({ tag: scheme.toUpperCase() });
    request.setAuthority(authority);
    request.setPathWithQuery(path);
    const content = bytes.length > 0 ? request.body() : undefined;
    const pending = handle(request, undefined);
    if (content) write(content, bytes);
    return receive(pending);
  } catch (error) {
    if (error instanceof FetchError) throw error;
    const { payload } = /** @type {HostError} */ (error);
    throw new FetchError(`there is no answer: ${payload?.tag ?? payload ?? error}`);
  }
}

/**
 * Writes all of it, or as much as is taken: the answer, or its error, says why nobody takes the rest.
 * @param {import("wasi:http/types@0.2.0").OutgoingBody} content
 * @param {Uint8Array} bytes
 */
function write(content, bytes) {
  const stream = content.write();
  try {
    for (let at = 0; at < bytes.length; at += WRITE_BYTES_MAX) {
      stream.blockingWriteAndFlush(bytes.subarray(at, at + WRITE_BYTES_MAX));
    }
  } catch {
    return;
  }
  // The stream is a part of the content.
  stream[Symbol.dispose]();
  OutgoingBody.finish(content, undefined);
}

/** @param {import("wasi:http/types@0.2.0").FutureIncomingResponse} pending */
function receive(pending) {
  pending.subscribe().block();
  // A result in a result; the outer one is an error only for a second `get`.
  const { val: arrived } = pending.get();
  if (arrived.tag === "err") throw new FetchError(`there is no answer: ${arrived.val.tag}`);
  const response = arrived.val;
  const status = response.status();
  const decode = (/** @type {Uint8Array} */ bytes) => new TextDecoder().decode(bytes);
  const headers = response.headers().entries().map(([name, value]) => [name.toLowerCase(), decode(value)]);
  const body = read(response.consume().stream());
  return { status, ok: status >= 200 && status < 300, headers, body, text: () => decode(body) };
}

/** @param {import("wasi:io/streams@0.2.0").InputStream} stream */
function read(stream) {
  const parts = [];
  let length = 0;
  for (;;) {
    try {
      const part = stream.blockingRead(READ_BYTES);
      parts.push(part);
      length += part.length;
    } catch (error) {
      if (/** @type {HostError} */ (error).payload?.tag !== "closed") throw error;
      break;
    }
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
