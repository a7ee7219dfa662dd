// A server for the development of the page: speaks its API with a story that was recorded, so that neither cargo nor a
// story is needed. Serves src/serve/page as it lies there.
//
//   usage: node fake-server.mjs [PORT] [--pace MS] [--no-session]
//
// Beside the API: POST /fake/cut cuts all streams, /fake/restart forgets all events as a new server would, /fake/page
// pretends another version of the page, /fake/forget forgets the session, /fake/password asks for one, /fake/player makes this
// browser the player again.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { option } from "./arguments.mjs";
import { FakeStory } from "./fake-story.mjs";

const PAGE = new URL("../../src/serve/page/", import.meta.url);
const TYPES = { html: "text/html; charset=utf-8", css: "text/css", js: "text/javascript", svg: "image/svg+xml" };
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const CAMPAIGNS = [
  ["every-last-spoon", "Every Last Spoon", "An island of paper-makers is to be sold at noon tomorrow. You are the clerk who has to write down everything on it first.", "Comedy of manners with a mystery in it", 2.5],
  ["her-worship", "Her Worship Dorothea", "Upper Wimble has elected a goose. She must open a bridge by five, in chain and good order, and you are the deputy clerk.", "comedy", 1],
  ["last-reading", "The Last Reading", "For ninety-one years somebody on Hollin Moor has written down the weather at six. Tomorrow a mast will do it. This evening the book is yours.", "slice of life", 1],
  ["little-saltby", "The Small Hours of Little Saltby", "Somebody moves the figures in the model village at night, and what they show comes true of the town.", "mystery", 1],
].map(([name, title, description, genre, playtimeHours]) => ({ name, title, description, genre, playtimeHours, version: "1.0.0", origin: "program" }));

// One has none, and that of another one is not there.
for (const campaign of CAMPAIGNS) campaign.cover = campaign.name === "her-worship" ? null : { file: "art/cover.png", alt: `A picture of ${campaign.title}.` };
const COVERS = ["every-last-spoon", "last-reading"];

const SKILLS = [
  ["world", "The places, things and people of the story."],
  ["dice-roller", "Rolls dice for anything whose outcome is uncertain."],
  ["storyteller", "Tells what comes of the steps of a plan."],
].map(([name, description]) => ({
  name,
  version: "0.1.0",
  description,
  origin: "built-in",
  grants: name === "storyteller" ? ["llm"] : [],
  scripts: [{ name: "main", toolPath: `${name}/main`, description, timeout: 5000, limits: { fuel: 1e8, memoryBytes: 16777216 } }],
}));

const PASSWORD = "nine lanterns";

const PORTRAIT = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" fill="#c9d8d2"/><circle cx="50" cy="40" r="20" fill="#8a6b52"/><path d="M15 100c0-30 15-38 35-38s35 8 35 38z" fill="#3b5a63"/></svg>`;

export function startFake({ port = 0, pace = 6, session = false } = {}) {
  let run = Date.now().toString(36);
  let page = "page-1";
  let isKnown = !session;
  let hasPassword = false;
  /** The story of the link that this browser has opened. */
  let watched = null;
  const links = [];
  const stories = new Map();
  const requests = new Map();
  const streams = new Set();

  const newStory = (name, turns = 0, title) => {
    const story = new FakeStory(name, { run, pace, title });
    story.fillTo(turns);
    stories.set(name, story);
    return story;
  };
  newStory("long-evening", 10_000, "A long evening");
  newStory("night", 12);

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      fail(response, 500, "failed", String(error.stack));
    });
  });

  async function answer(request, response) {
    const url = new URL(request.url, "http://localhost");
    const parts = url.pathname.split("/").filter(Boolean).map(decodeURIComponent);
    if (parts[0] === "fake") return fake(parts[1], response);
    if (parts[0] !== "api") return file(parts[0] === "assets" ? parts[1] : (parts[0] ?? "index.html"), response);
    const body = ["POST", "PUT"].includes(request.method) ? await read(request) : null;
    if (parts[1] === "session") return ofSession(request.method, body, response);
    if (parts[1] === "about") {
      const stories = watched ? { stories: [watched] } : {};
      return json(response, 200, { program: "narratoria", version: "0.9.0", api: 1, page, mayPlay: !watched, password: hasPassword, ...stories });
    }
    if (!isKnown) return fail(response, 401, "no-session", "this browser has no session");
    const isReadable = parts[2] === watched && (!parts[3] || parts[3] === "events" || parts[4] === "told");
    if (watched && !isReadable) return fail(response, 403, "read-only", "the link shows one story, and changes nothing");
    if (parts[1] === "campaigns" && parts[3] === "cover") return cover(parts[2], response);
    if (parts[1] === "campaigns") return json(response, 200, { campaigns: CAMPAIGNS });
    if (parts[1] === "skills") return json(response, 200, { skills: SKILLS });
    if (parts[1] === "imports") {
      const made = { campaign: "last-reading", notes: [`${url.searchParams.get("file")}: the picture was kept`, "`depth` has no place in a campaign and is kept in the folder `cards`"] };
      return json(response, 201, made);
    }
    if (parts[1] !== "stories") return fail(response, 404, "not-found", "there is no such address");
    if (!parts[2]) return request.method === "POST" ? create(JSON.parse(body), response) : list(response);
    const story = stories.get(parts[2]);
    if (!story) return fail(response, 404, "not-found", `there is no story \`${parts[2]}\``);
    return ofStory(story, parts.slice(3), { request, response, url, body });
  }

  function ofSession(method, body, response) {
    if (method === "DELETE") {
      isKnown = false;
      return end(response, 204);
    }
    const { password, link } = JSON.parse(body);
    const found = links.find((one) => one.path === `/#r=${link}`);
    if (password !== undefined && password !== PASSWORD) return fail(response, 401, "no-session", "the password is wrong");
    if (link !== undefined && !found) return fail(response, 401, "no-session", "the link does not hold, or holds no longer");
    isKnown = true;
    if (!found) return end(response, 204);
    watched = found.story;
    return json(response, 200, { story: watched });
  }

  function ofLinks(story, id, method, response) {
    if (method === "GET") return json(response, 200, { links: links.filter((link) => link.story === story.name) });
    if (method === "POST") {
      links.push({ id: `link${links.length}`, path: `/#r=key${links.length}`, story: story.name });
      return json(response, 201, links.at(-1));
    }
    links.splice(links.findIndex((link) => link.id === id), 1);
    return end(response, 204);
  }

  function list(response) {
    const all = [...stories.values()].map((story, at) => ({
      name: story.name,
      title: story.title,
      turns: story.turns,
      lastPlayedAt: new Date(Date.now() - 3_600_000 * (30 * (stories.size - at) - 29)).toISOString(),
      bytes: 1000,
    }));
    json(response, 200, { stories: all.reverse(), storiesLeftOff: 0 });
  }

  function create({ requestId, campaign, premise }, response) {
    if (!requests.has(requestId)) {
      let name = campaign ?? premise.toLowerCase().replace(/[^a-z]+/g, "-").slice(0, 30);
      while (stories.has(name)) name += "-2";
      const story = newStory(name);
      story.ready = false;
      story.say(story.title);
      requests.set(requestId, name);
    }
    json(response, 201, { story: requests.get(requestId) });
  }

  async function ofStory(story, [what, id], { request, response, url, body }) {
    switch (what) {
      case undefined:
        return json(response, 200, story.snapshot());
      case "events":
        return follow(story, request, response, url);
      case "lines": {
        const { requestId, after, text } = JSON.parse(body);
        if (story.accepted.has(requestId)) return json(response, 202, { accepted: true });
        if (!story.ready) return fail(response, 409, "busy", "a turn runs");
        if (after !== story.turns) return fail(response, 409, "moved", `the story has ${story.turns} turns, not ${after}`);
        story.accepted.set(requestId, true);
        story.say(text);
        return json(response, 202, { accepted: true });
      }
      case "decisions":
        return story.decide(JSON.parse(body)) ? end(response, 204) : fail(response, 409, "conflict", "that was decided already");
      case "reviewing":
        story.reviewing = JSON.parse(body).on;
        return end(response, 204);
      case "reviews":
        return story.command(JSON.parse(body).command) ? end(response, 204) : fail(response, 409, "conflict", "no plan waits");
      case "stop":
        story.stop();
        return end(response, 202);
      case "documents": {
        const document = story.document(id, url.searchParams);
        return document ? json(response, 200, document) : fail(response, 404, "not-found", `there is no ${id} yet`);
      }
      case "links":
        return ofLinks(story, id, request.method, response);
      case "assets":
        response.writeHead(200, { "Content-Type": "image/svg+xml", "Content-Disposition": "attachment" });
        return response.end(PORTRAIT);
      case "export":
        response.writeHead(200, { "Content-Type": "text/plain", "Content-Disposition": "attachment; filename=story.txt" });
        return response.end(story.line().map((node) => node.narration).join("\n\n"));
      default:
        return fail(response, 404, "not-found", "there is no such address");
    }
  }

  function follow(story, request, response, url) {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    const write = ({ id, type, data }) => response.write(`id: ${id}\nevent: ${type}\ndata: ${data}\n\n`);
    const [ofRun, , seq] = (request.headers["last-event-id"] ?? url.searchParams.get("from") ?? "").split(".");
    const first = story.events[0]?.seq ?? story.seq + 1;
    if (ofRun === run && Number(seq) >= first - 1) {
      for (const event of story.events) if (event.seq > Number(seq)) write(event);
    } else {
      write({ id: `${run}.${story.turns}.${story.seq}`, type: "snapshot", data: JSON.stringify(story.snapshot()) });
    }
    story.followers.add(write);
    streams.add(response);
    const ping = setInterval(() => response.write(": ping\n\n"), 5000);
    response.on("close", () => {
      clearInterval(ping);
      story.followers.delete(write);
      streams.delete(response);
    });
  }

  function fake(what, response) {
    if (what === "restart") {
      run = `${Date.now().toString(36)}x`;
      for (const story of stories.values()) Object.assign(story, { run, events: [], seq: 0 });
    }
    if (what === "page") page = "page-2";
    if (what === "forget" || what === "password") isKnown = false;
    if (what === "password") hasPassword = true;
    if (what === "player") [isKnown, hasPassword, watched] = [true, false, null];
    if (what === "cut" || what === "restart" || what === "page" || what === "forget") {
      for (const stream of streams) stream.destroy();
    }
    end(response, 204);
  }

  async function cover(campaign, response) {
    if (!COVERS.includes(campaign)) return fail(response, 404, "not-found", "the campaign has no picture");
    const bytes = await readFile(new URL(`../../campaigns/${campaign}/art/cover.png`, import.meta.url));
    response.writeHead(200, { "Content-Type": "image/png", "Cache-Control": "no-store" });
    response.end(bytes);
  }

  async function file(name, response) {
    const type = TYPES[name.split(".").at(-1)];
    try {
      const bytes = await readFile(fileURLToPath(new URL(name, PAGE)));
      response.writeHead(200, { "Content-Type": type, "Content-Security-Policy": POLICY, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
      response.end(bytes);
    } catch {
      fail(response, 404, "not-found", `there is no file ${name}`);
    }
  }

  return new Promise((resolve) => {
    server.listen(port, "127.0.0.1", () => {
      const stop = () => {
        server.closeAllConnections();
        server.close();
      };
      resolve({ url: `http://127.0.0.1:${server.address().port}/`, stories, stop });
    });
  });
}

function json(response, status, value) {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(value));
}

function end(response, status) {
  response.writeHead(status);
  response.end();
}

function fail(response, status, kind, message) {
  json(response, status, { error: { kind, message, hints: [] } });
}

async function read(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await startFake({
    port: Number(process.argv[2]) || 8700,
    pace: Number(option("--pace", 6)),
    session: process.argv.includes("--no-session"),
  });
  console.log(url);
}
