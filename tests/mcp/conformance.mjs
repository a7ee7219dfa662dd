// Runs the protocol's own tests of servers against `narratoria serve --mcp`: conformance.mjs PROGRAM FOLDER
//
// FOLDER has the packages of npm, and is the place of a home. The tests send no token and know their server by its address, so a
// proxy on this machine adds the token and gives the address.

import { execFile } from "node:child_process";
import { createServer, request } from "node:http";
import { join } from "node:path";

import { serve } from "./served.mjs";

const [program, folder] = process.argv.slice(2);
const suite = join(folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js");

// What a server has to do that has none of the tools, resources and prompts of the tests' own example.
const scenarios = {
  "2025-06-18": ["server-initialize", "server-session-lifecycle", "ping", "tools-list", "resources-list"],
  "2025-11-25": [
    "server-initialize", "server-session-lifecycle", "ping", "tools-list", "server-sse-multiple-streams",
    "resources-list", "dns-rebinding-protection",
  ],
  "2026-07-28": [
    "server-stateless", "tools-list", "server-sse-multiple-streams", "resources-list",
    "sep-2164-resource-not-found", "dns-rebinding-protection", "caching", "http-header-validation",
    "input-required-result-unsupported-methods",
  ],
};

// Checks that cannot be made of this server, because it has none of what they call.
const untestable = {
  // It wants tools of the tests' own example, of which each does one thing that a server may not do.
  "server-stateless": [
    "ServerRejectsUndeclaredCapability", "MissingCapabilityHttp400", "HttpServerNoIndependentRequestsOnStream",
    "ServerNoLogWithoutLogLevel",
  ],
  // There are no prompts.
  caching: ["PromptsListCachingHints"],
};

async function proxy(server) {
  const to = new URL(server.url);
  const proxied = createServer((asked, answer) => {
    const own = `${asked.socket.localAddress}:${asked.socket.localPort}`;
    const headers = { ...asked.headers, authorization: `Bearer ${server.token}` };
    // Another name, and the origin of another page, are part of a test.
    for (const name of ["host", "origin"]) {
      const value = headers[name]?.replace("localhost:", "127.0.0.1:");
      if (value?.endsWith(own)) headers[name] = value.replace(own, to.host);
    }
    const passed = request({
      host: to.hostname, port: to.port, path: asked.url, method: asked.method, headers, setHost: false,
    });
    passed.on("response", (response) => {
      answer.writeHead(response.statusCode, response.headers);
      answer.flushHeaders();
      response.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    answer.on("close", () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise((done) => proxied.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${proxied.address().port}/mcp`, close: () => proxied.close() };
}

function run(...args) {
  return new Promise((done) => {
    execFile(process.execPath, [suite, ...args], { cwd: folder, timeout: 120_000 }, (error, stdout, stderr) => {
      const text = `${stdout}${stderr}`;
      const failed = [...(text.split("=== Failed Checks ===")[1] ?? "").matchAll(/^  - (\w+): /gm)].map(([, name]) => name);
      done({ failed: error && !failed.length ? ["the run"] : failed, text });
    });
  });
}

const server = await serve(program, folder, join(folder, "home-conformance"), "--planner", "lexical");
const front = await proxy(server);
let failures = 0;
for (const [revision, names] of Object.entries(scenarios)) {
  const passed = [];
  for (const name of names) {
    const { failed, text } = await run("server", "--url", front.url, "--scenario", name, "--spec-version", revision);
    const expected = untestable[name] ?? [];
    if (failed.toString() === expected.toString()) {
      passed.push(expected.length ? `${name} (but for ${expected.length})` : name);
    } else {
      failures += 1;
      console.log(`conformance: ${name} of ${revision} fails: ${failed.join(", ") || "nothing, and it should"}\n${text}`);
    }
  }
  console.log(`conformance, ${revision}: ${passed.join(", ")}`);
}
front.close();
await server.stop();
process.exit(failures ? 1 : 0);
