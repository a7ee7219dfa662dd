import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./page.mjs";

const { StoryStream, pauseBefore } = await page("stream.js");

/** An answer whose body is these pieces, and then the end. */
function answer(status, pieces = []) {
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  return { status, ok: status === 200, body };
}

async function follow(answers) {
  const seen = { events: [], states: [], refused: [], asked: [] };
  const stream = new StoryStream(
    "/events",
    {
      event: (event) => seen.events.push(event),
      state: (state) => {
        seen.states.push(state);
        if (state === "waiting") (seen.asked.length < answers.length ? stream.retryNow() : stream.close());
      },
      refused: (status) => seen.refused.push(status),
    },
    async (address, { headers }) => {
      seen.asked.push(headers["Last-Event-ID"] ?? null);
      const next = answers[seen.asked.length - 1];
      if (next instanceof Error) throw next;
      return next;
    },
  );
  // The pause begins after the state is reported, so it is ended in the next moment.
  const wake = setInterval(() => stream.retryNow(), 1);
  await stream.run();
  clearInterval(wake);
  return seen;
}

test("a cut connection is made again with the id of the last event", async () => {
  const seen = await follow([
    answer(200, ['id: r.1.1\nevent: ready\ndata: {"turns":1}\n\n', "id: r.1.2\nevent: upd"]),
    new Error("no network"),
    answer(200, ['id: r.1.2\nevent: notice\ndata: {"text":"hi"}\n\n']),
  ]);
  assert.deepEqual(seen.asked.slice(0, 3), [null, "r.1.1", "r.1.1"]);
  assert.deepEqual(seen.events.map(({ type, data }) => [type, data]), [
    ["ready", { turns: 1 }],
    ["notice", { text: "hi" }],
  ]);
});

test("an unknown session ends the attempts", async () => {
  const seen = await follow([answer(401)]);
  assert.deepEqual(seen.refused, [401]);
  assert.equal(seen.asked.length, 1);
});

test("what the server says against a connection is reported, and it tries again", async () => {
  const refusal = { status: 409, ok: false, json: async () => ({ error: { message: "another program plays it" } }) };
  const whys = [];
  const stream = new StoryStream(
    "/events",
    {
      event: () => stream.close(),
      state: (state, why) => state === "waiting" && whys.push(why),
      refused: () => {},
    },
    async () => (whys.length === 0 ? refusal : answer(200, ['data: {"a":1}\n\n'])),
  );
  const wake = setInterval(() => stream.retryNow(), 1);
  await stream.run();
  clearInterval(wake);
  assert.deepEqual(whys, ["another program plays it"]);
});

test("a device that wakes makes a silent connection again", async () => {
  let asked = 0;
  const stream = new StoryStream(
    "/events",
    { event: () => stream.close(), state: (state) => state === "waiting" && setTimeout(() => stream.retryNow()), refused: () => {} },
    async (address, { signal }) => {
      asked += 1;
      if (asked === 2) return answer(200, ['data: {"a":1}\n\n']);
      const body = new ReadableStream({
        start(controller) {
          signal.addEventListener("abort", () => controller.error(new Error("aborted")));
        },
      });
      setTimeout(() => stream.retryNow(Date.now() + 1000), 1);
      setTimeout(() => stream.retryNow(Date.now() + 60_000), 5);
      return { status: 200, ok: true, body };
    },
  );
  await stream.run();
  assert.equal(asked, 2);
});

test("data that is no JSON is passed over", async () => {
  const seen = await follow([answer(200, ["data: {\n\n", 'data: {"a":1}\n\n'])]);
  assert.deepEqual(seen.events.map(({ data }) => data), [{ a: 1 }]);
});

test("pauses double to a limit and differ between pages", () => {
  assert.equal(pauseBefore(1, 0.5), 500);
  assert.equal(pauseBefore(3, 0.5), 2000);
  assert.equal(pauseBefore(30, 0.5), 15_000);
  assert.equal(pauseBefore(1, 0), 375);
  assert.ok(pauseBefore(1, 0.999) < 626);
});
