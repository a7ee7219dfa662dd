// A hosted story as Restate would keep it: a virtual object for each story, a turn as an exclusive handler, the changes and the head as
// its state. A step with an effect outside appends the name of its request to the file in EFFECTS.
import * as restate from "@restatedev/restate-sdk";
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

// The SDK asks for it, and Node before 22 has it not.
Promise.withResolvers ??= (it = {}) => Object.assign(it, { promise: new Promise((resolve, reject) => Object.assign(it, { resolve, reject })) });
const [port, version, state] = process.argv.slice(2);
const digest = (text) => createHash("sha256").update(text).digest("hex");

async function turn(ctx, { request, line, ms, onlyState }) {
  // Another version of the program has another first step.
  if (version !== "1") await ctx.run("look", () => version);
  const effect = async () => {
    appendFileSync(process.env.EFFECTS, `${request}\n`);
    await sleep(ms ?? 0);
  };
  if (!onlyState) await ctx.run("step", effect);
  const head = (await ctx.get("head")) ?? { ordinal: 0, digest: "" };
  const next = { ordinal: head.ordinal + 1, digest: digest(head.digest + request + line) };
  ctx.set(`change-${next.ordinal}`, { request, line });
  ctx.set("head", next);
  return next;
}

async function log(ctx) {
  const requests = [];
  for (let change; (change = await ctx.get(`change-${requests.length + 1}`)); ) requests.push(change.request);
  return requests;
}

const handlers = { turn, log: restate.handlers.object.shared(log) };
const story = restate.object({ name: "story", handlers, options: { enableLazyState: state !== "eager" } });
await restate.serve({ services: [story], port: Number(port) });
