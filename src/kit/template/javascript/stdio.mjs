// stdin and stdout of a script, which only a component has.

import { getStdin } from "wasi:cli/stdin@0.2.0";
import { getStdout } from "wasi:cli/stdout@0.2.0";

import { answer, REQUEST_BYTES_MAX } from "./wire.mjs";

/**
 * Answers the request on stdin.
 * @param {import("./wire.mjs").Skill} skill
 */
export function serve(skill) {
  const stdin = getStdin();
  const out = getStdout();
  const emit = (/** @type {string} */ line) => writeAll(out, new TextEncoder().encode(line));
  // An answer follows behind the end of the request.
  answer(readAll(stdin), skill, emit, () => readAll(stdin));
}

/** @param {import("wasi:io/streams@0.2.0").InputStream} stdin */
function readAll(stdin) {
  const parts = [];
  let length = 0;
  while (length <= REQUEST_BYTES_MAX) {
    let part;
    try {
      part = stdin.blockingRead(65536n);
    } catch (error) {
      if (/** @type {HostError} */ (error).payload?.tag === "closed") break;
      throw error;
    }
    parts.push(part);
    length += part.length;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * @param {import("wasi:io/streams@0.2.0").OutputStream} out
 * @param {Uint8Array} bytes
 */
function writeAll(out, bytes) {
  // WASI takes 4096 bytes at a time.
  for (let at = 0; at < bytes.length; at += 4096) {
    out.blockingWriteAndFlush(bytes.subarray(at, at + 4096));
  }
}
