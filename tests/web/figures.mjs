// Measures the page and its server, and prints a table. On a machine that does something else it measures that.
//
//   usage: node figures.mjs --program FILE [--stories N] [--turns N] [--many N] [--long N] [--samples N]
//                                              [--pause MS] [--without-browser]
//
// Players read before they say the next thing: each waits between nothing and twice the pause, 2,000 ms by default. Without a pause
// the stories want more than the machine has; `--many` turns of each, 160 by default, say how many it plays in a second, and whether
// the servers grow.
//
// The stories, 64 by default, are played at once; a server has at most as many in play as PLAYS_MAX says, so there is one server for
// each 8 of them.
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { option } from "./arguments.mjs";
import { startBrowser, Visitor } from "./browser.mjs";
import { startFake } from "./fake-server.mjs";
import { turnOf } from "./player.mjs";
import { ApiClient, startProgram } from "./program.mjs";

/** See docs/limits.md, "The page". */
const PLAYS_MAX = 8;

/** What a player says, in turn. */
const SENTENCES = ["look around", "wait", "go out", "go in", "look around", "i"];

const program = option("--program");
const [stories, turns, many, long, samples, pause] = [
  ["--stories", 64],
  ["--turns", 20],
  ["--many", 160],
  ["--long", 3000],
  ["--samples", 20],
  ["--pause", 2000],
].map(([name, count]) => Number(option(name, count)));
if (!program) {
  console.error("usage: node figures.mjs --program FILE [--stories N] [--turns N] [--many N] [--long N] [--samples N] [--pause MS] [--without-browser]");
  process.exit(2);
}

const row = (figure, value) => console.log(`| ${figure} | ${value} |`);
const ms = (number) => `${number < 10 ? number.toFixed(1) : Math.round(number)} ms`;
const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** The value below which this share of the values lies. */
function quantile(values, share) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The memory of a process, as far as it is not shared with files. */
function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kib = /^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? /^VmRSS:\s+(\d+)/m.exec(status)[1];
  return Number(kib) * 1024;
}

async function page(url) {
  const browser = await startBrowser();
  const paints = [];
  let bytes = 0;
  for (let nth = 0; nth < samples; nth += 1) {
    // A context has no files of an earlier one.
    const visitor = await Visitor.open(browser);
    await visitor.page.goto(url);
    await visitor.page.waitForSelector(".campaign");
    // What was painted is known a frame later.
    await visitor.page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0);
    const found = await visitor.page.evaluate(() => ({
      paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime,
      bytes: [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
        .filter(({ name }) => !name.includes("/api/"))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    }));
    paints.push(found.paint);
    bytes = found.bytes;
    await visitor.close();
  }
  row("first paint of the start page, median", ms(quantile(paints, 0.5)));
  row("first paint, slowest", ms(quantile(paints, 1)));
  row("the page, compressed", `${bytes} bytes`);
  await firstSentence(browser);
  await updates(browser);
  await longStory(browser);
  await browser.close();
}

/** From the start of the program in a home of its own, by way of the page and a click on a campaign, to the text of the story. */
async function firstSentence(browser) {
  const times = [];
  for (let nth = 0; nth < Math.min(samples, 5); nth += 1) {
    const visitor = await Visitor.open(browser);
    const begun = performance.now();
    const server = await startProgram(program);
    await visitor.page.goto(server.url);
    await visitor.page.getByRole("button", { name: "Begin The Last Reading" }).click();
    await visitor.page.waitForSelector(".turn > p");
    times.push(performance.now() - begun);
    await visitor.close();
    await server.stop();
  }
  row("from the start of the program to the first sentence of a story in the browser, median", ms(quantile(times, 0.5)));
}

/** From the moment at which a server makes an update until its text stands in the page, in the frame that shows it. */
async function updates(browser) {
  const fake = await startFake({ pace: 2 });
  const visitor = await Visitor.open(browser);
  await visitor.page.goto(`${fake.url}#/story/night`);
  await visitor.page.waitForSelector(".turn");
  const story = fake.stories.get("night");
  const turn = story.turns + 1;
  story.update({ type: "turn.started", turn, prompt: "a sentence that takes long" });
  await visitor.page.waitForSelector(".turn.running");
  const times = [];
  for (let nth = 0; nth < samples; nth += 1) {
    const word = `word-${nth}-`;
    const shown = visitor.page.evaluate(
      (word) =>
        new Promise((resolve) => {
          const look = () => {
            if (document.querySelector(".transcript").textContent.includes(word)) resolve(performance.timeOrigin + performance.now());
            else requestAnimationFrame(look);
          };
          look();
        }),
      word,
    );
    await visitor.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    const made = performance.timeOrigin + performance.now();
    story.update({ type: "narration.delta", turn, text: `${word} ` });
    times.push((await shown) - made);
  }
  row("an update is visible after it was made, median", ms(quantile(times, 0.5)));
  row("an update is visible, slowest", ms(quantile(times, 1)));
  await visitor.close();
  fake.stop();
}

async function longStory(browser) {
  const fake = await startFake({ pace: 2 });
  const opened = [];
  let nodes = 0;
  for (let nth = 0; nth < Math.min(samples, 5); nth += 1) {
    const visitor = await Visitor.open(browser);
    const begun = performance.now();
    await visitor.page.goto(`${fake.url}#/story/long-evening`);
    await turnOf(visitor.page, 10_000).waitFor();
    opened.push(performance.now() - begun);
    for (let at = 0; at < 10; at += 1) {
      await visitor.page.locator(".scroller").evaluate((element) => {
        element.scrollTop = 0;
      });
      await visitor.page.waitForTimeout(100);
    }
    nodes = Math.max(nodes, await visitor.page.evaluate(() => document.querySelectorAll(".transcript *").length));
    await visitor.close();
  }
  row("a story of 10,000 turns is open, median", ms(quantile(opened, 0.5)));
  row("elements of its text after scrolling back", String(nodes));
  fake.stop();
}

/** Plays a story: the time of each turn, from the sentence until the story waits for the next one. */
async function playStory(client, name, count, { onTurn = () => {}, pauses = () => 0 } = {}) {
  await client.ask("POST", "/api/stories", { requestId: `create-${name}`, campaign: "last-reading", name });
  const events = client.events(name);
  const ready = async () => {
    for (;;) {
      const { value, done } = await events.next();
      if (done) throw new Error(`${name}: the stream ended`);
      if (value.type === "closed") throw new Error(`${name}: ${JSON.stringify(value.data)}`);
      if (value.type === "ready") return value.data.turns;
      if (value.type === "snapshot" && value.data.ready) return value.data.turns;
    }
  };
  let after = await ready();
  const times = [];
  for (let nth = 0; nth < count; nth += 1) {
    await setTimeout(pauses());
    const begun = performance.now();
    const text = SENTENCES[nth % SENTENCES.length];
    await client.ask("POST", `/api/stories/${name}/lines`, { requestId: `${name}-${nth}`, after, text });
    after = await ready();
    times.push(performance.now() - begun);
    onTurn(nth + 1);
  }
  await events.return();
  return times;
}

async function alone() {
  const server = await startProgram(program);
  const times = await playStory(await ApiClient.open(server.url), "alone", turns);
  await server.stop();
  const median = quantile(times, 0.5);
  row("a turn of one story alone, median", ms(median));
  return median;
}

/** The memory of a server in which one story goes on and on. */
async function evening() {
  const server = await startProgram(program);
  let early = 0;
  const onTurn = (nth) => {
    if (nth === Math.ceil(long / 10)) early = memoryOf(server.pid);
  };
  await playStory(await ApiClient.open(server.url), "evening", long, { onTurn });
  row(`memory of a server after ${Math.ceil(long / 10)} turns of one story`, mib(early));
  row(`after ${long}`, mib(memoryOf(server.pid)));
  await server.stop();
}

/** So many turns of all stories at once, on as many servers as they need: their times, how long all took, and the servers' memory. */
async function together(count, pauses) {
  const servers = await Promise.all(Array.from({ length: Math.ceil(stories / PLAYS_MAX) }, () => startProgram(program)));
  const clients = await Promise.all(servers.map(({ url }) => ApiClient.open(url)));
  const memory = () => servers.reduce((sum, { pid }) => sum + memoryOf(pid), 0);
  let [begun, started, played, third] = [0, 0, 0, 0];
  const onTurn = (nth) => {
    if (nth === 1 && ++begun === stories) started = performance.now();
    if (++played === Math.ceil((stories * count) / 3)) third = memory();
  };
  const play = (nth) => playStory(clients[nth % clients.length], `story-${nth}`, count, { onTurn, pauses });
  const times = (await Promise.all(Array.from({ length: stories }, (_, nth) => play(nth)))).flat();
  const took = performance.now() - started;
  const end = memory();
  await Promise.all(servers.map((server) => server.stop()));
  return { times, took, third, end, servers: servers.length };
}

async function crowd(median) {
  const calm = await together(turns, () => Math.random() * 2 * pause);
  const slow = quantile(calm.times, 0.99);
  row(`a turn of ${stories} stories at once, ${pause} ms apart, median`, ms(quantile(calm.times, 0.5)));
  row("their 99th percentile", ms(slow));
  row("against the median of one alone", `${(slow / median).toFixed(2)} times`);
  const busy = await together(many, () => 0);
  row(`a turn of ${stories} stories at once without a pause, median`, ms(quantile(busy.times, 0.5)));
  row("of them in a second", ((stories * (many - 1)) / (busy.took / 1000)).toFixed(0));
  row(`memory of the ${busy.servers} servers after a third of ${stories * many} turns`, mib(busy.third));
  row("at their end", mib(busy.end));
}

console.log("| figure | value |\n|---|---|");
if (!process.argv.includes("--without-browser")) {
  const server = await startProgram(program);
  await page(server.url);
  await server.stop();
}
const median = await alone();
await evening();
await crowd(median);
