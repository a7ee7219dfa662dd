import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { EventParser } = await page("sse.js");

const STREAM = 'id: r.1.1\nevent: update\ndata: {"a":\ndata: 1}\n\n: ping\n\nid: r.1.2\r\nevent: ready\r\ndata: {}\r\n\r\ndata: plain\n\n';
const EVENTS = [
  { id: "r.1.1", type: "update", data: '{"a":\n1}' },
  { id: "r.1.2", type: "ready", data: "{}" },
  { id: "r.1.2", type: "message", data: "plain" },
];

test("events are read wherever the text is cut", () => {
  for (let size = 1; size <= STREAM.length; size += 1) {
    const parser = new EventParser();
    const found = [];
    for (let at = 0; at < STREAM.length; at += size) found.push(...parser.push(STREAM.slice(at, at + size)));
    assert.deepEqual(found, EVENTS, `pieces of ${size}`);
  }
});

test("a comment and an event without data are no events", () => {
  assert.deepEqual(new EventParser().push(": ping\n\nevent: update\n\nid: 3\n\n"), []);
});

test("an event without its empty line is not whole", () => {
  assert.deepEqual(new EventParser().push("data: half\n"), []);
});
