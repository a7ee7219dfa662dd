// Plays `narratoria mcp` and `narratoria serve --mcp` with the TypeScript SDK: typescript_client.mjs PROGRAM FOLDER
//
// FOLDER has the packages of npm, and is the place of a home. The client of today speaks the current revision of the protocol
// and verifies skills; the one of the version before it speaks an older revision. Neither takes tasks.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { mkdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { serve } from "./served.mjs";

const [program, folder] = process.argv.slice(2);
const require = createRequire(join(folder, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

const roll = {
  toolId: "roll", toolPath: "dice-roller/roll-dice", input: { formula: "1d20" }, requiresApproval: true,
};
const plan = { requestId: "6f1c1f9e-8d5e-4e9c-9a52-0d3f5a1b2c3d", tools: [roll] };

// A connection over HTTP, and its server.
async function served(Transport, ...more) {
  const server = await serve(program, folder, join(folder, "home-http"), ...more);
  const requestInit = { headers: { Authorization: `Bearer ${server.token}` } };
  return { server, transport: () => new Transport(new URL(server.url), { requestInit }) };
}

// Three turns, an approval and a denial over HTTP, and no connection without the token. `ask` sets what answers forms.
async function overHttp(Client, Transport, options, ask, story) {
  const lexical = await served(Transport, "--planner", "lexical");
  const client = new Client({ name: "test", version: "1" }, { ...options, capabilities: {} });
  await client.connect(lexical.transport());
  await play(client, story);
  await client.close();
  const stranger = new Client({ name: "test", version: "1" }, { ...options, capabilities: {} });
  await assert.rejects(stranger.connect(new Transport(new URL(lexical.server.url))));
  await lexical.server.stop();

  const scripted = await served(Transport, "--planner", `scripted:${scriptFile()}`);
  const player = new Client({ name: "test", version: "1" }, { ...options, capabilities: { elicitation: { form: {} } } });
  const approval = await approve(player, `${story}-dice`);
  ask(player, (request) => approval.answer(request));
  await player.connect(scripted.transport());
  await approval.run();
  await player.close();
  await scripted.server.stop();
}

function server(...more) {
  const env = {
    ...process.env,
    NARRATORIA_HOME: join(folder, "home-ts"), NARRATORIA_OFFLINE: "1", NARRATORIA_PREMISE: "none",
  };
  return { command: program, args: ["mcp", ...more], env, cwd: folder, stderr: "inherit" };
}

function told(result) {
  assert.ok(!result.isError, JSON.stringify(result));
  return result.structuredContent;
}

async function play(client, story) {
  const { tools } = await client.listTools();
  assert.ok(tools.some((tool) => tool.name === "story_turn"));
  const begun = told(await client.callTool({ name: "story_new", arguments: { campaign: "last-reading", name: story } }));
  assert.match(begun.told[0].narration, /The bus put you down/);
  let turns = 1;
  for (const text of ["go north", "look", "go south"]) {
    const turn = told(await client.callTool({ name: "story_turn", arguments: { story, text, after: turns } }));
    turns += 1;
    assert.equal(turn.turns, turns);
    assert.equal(turn.told.at(-1).prompt, text);
  }
  const { contents } = await client.readResource({ uri: `narratoria://stories/${story}/memory` });
  JSON.parse(contents[0].text);
}

async function approve(client, story) {
  const asked = [];
  const answers = [
    { action: "accept", content: { decision: "approve" } },
    { action: "decline" },
  ];
  return {
    answer(request) {
      asked.push(request.params.message);
      return answers[asked.length - 1];
    },
    async run() {
      await client.callTool({ name: "story_new", arguments: { premise: "none", name: story } });
      const plans = [];
      for (const text of ["I roll", "I roll again"]) {
        told(await client.callTool({ name: "story_turn", arguments: { story, text } }));
        const read = await client.callTool({ name: "story_read", arguments: { story, about: "plan" } });
        plans.push(JSON.stringify(told(read)));
      }
      assert.equal(asked.length, 2, asked.join());
      assert.match(asked[0], /dice-roller\/roll-dice/);
      assert.ok(!plans[0].includes('"denied"') && plans[1].includes('"denied"'), plans.join("\n"));
    },
  };
}

async function current() {
  const { Client } = await load("@modelcontextprotocol/client");
  const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");
  const { SkillsClient } = await load("@modelcontextprotocol/client/ext/skills");
  const versionNegotiation = { mode: { pin: "2026-07-28" } };
  const options = { versionNegotiation, capabilities: {} };
  const client = new Client({ name: "test", version: "1" }, options);
  await client.connect(new StdioClientTransport(server("--planner", "lexical", "--skills", skillsFolder())));
  await play(client, "ts");
  const skills = new SkillsClient(client);
  assert.ok(skills.supported);
  const { skills: entries } = await skills.list();
  const omens = entries.find((entry) => entry.frontmatter.name === "omens");
  assert.ok(omens && entries.length > 3, JSON.stringify(entries.map((entry) => entry.uri)));
  for (const entry of entries) {
    const file = await skills.read(entry);
    assert.ok(file.verified, entry.uri);
  }
  const moon = await skills.read(omens, "references/full moon.md");
  assert.equal(moon.text, "The moon is full.\n");
  await client.close();

  const player = new Client(
    { name: "test", version: "1" }, { versionNegotiation, capabilities: { elicitation: { form: {} } } },
  );
  const approval = await approve(player, "ts-dice");
  player.setRequestHandler("elicitation/create", (request) => approval.answer(request));
  await player.connect(new StdioClientTransport(server("--planner", `scripted:${scriptFile()}`)));
  await approval.run();
  await player.close();

  console.log("typescript sdk, 2026-07-28: three turns, verified skills, approvals");

  const { StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
  const ask = (it, answer) => it.setRequestHandler("elicitation/create", answer);
  await overHttp(Client, StreamableHTTPClientTransport, { versionNegotiation }, ask, "ts-http");
  console.log("typescript sdk, 2026-07-28, over HTTP: three turns, approvals, nothing without the token");
}

async function older() {
  const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
  const { ElicitRequestSchema } = await load("@modelcontextprotocol/sdk/types.js");
  const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} } });
  const approval = await approve(client, "ts-older-dice");
  client.setRequestHandler(ElicitRequestSchema, async (request) => approval.answer(request));
  await client.connect(new StdioClientTransport(server("--planner", `scripted:${scriptFile()}`)));
  await approval.run();
  await client.close();
  const player = new Client({ name: "test", version: "1" });
  await player.connect(new StdioClientTransport(server("--planner", "lexical")));
  await play(player, "ts-older");
  await player.close();
  console.log("typescript sdk, version 1: three turns, approvals");

  const { StreamableHTTPClientTransport } = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const ask = (it, answer) => it.setRequestHandler(ElicitRequestSchema, async (request) => answer(request));
  await overHttp(Client, StreamableHTTPClientTransport, {}, ask, "ts-older-http");
  console.log("typescript sdk, version 1, over HTTP: three turns, approvals, nothing without the token");
}

function scriptFile() {
  const file = join(folder, "script-ts.json");
  writeFileSync(file, JSON.stringify([plan, plan, plan]));
  return file;
}

function skillsFolder() {
  const skills = join(folder, "skills");
  mkdirSync(join(skills, "omens/references"), { recursive: true });
  const skill = "---\nname: omens\ndescription: \"Reads omens: the moon, birds.\"\nlicense: MIT\n---\nLook at the moon.\n";
  writeFileSync(join(skills, "omens/SKILL.md"), skill);
  writeFileSync(join(skills, "omens/references/full moon.md"), "The moon is full.\n");
  return skills;
}

await current();
await older();
