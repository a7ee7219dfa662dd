// The update stream of a real evening, as `narratoria run --format json` printed it.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const RECORDED = new URL("fixtures/evening.jsonl.gz", import.meta.url);

/** The updates, in order. */
export function readRecording() {
  const lines = gunzipSync(readFileSync(RECORDED)).toString().split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}
