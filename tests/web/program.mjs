// Starts the program itself, with a home of its own that goes with it.
import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { EventParser } from "../../src/serve/page/sse.js";

/** `file` is the program; `args` go behind those of `serve`. Its folder is its working folder. */
export async function startProgram(file, { args = ["--planner", "lexical"], folder } = {}) {
  const home = folder ?? (await mkdtemp(join(tmpdir(), "narratoria-web-")));
  const child = spawn(resolve(file), ["serve", "--no-open", "--port", "0", "--format", "json", ...args], {
    cwd: home,
    env: { ...process.env, NARRATORIA_HOME: join(home, "kept"), NARRATORIA_OFFLINE: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(lines, "line"), once(child, "exit").then(() => [null])]);
  if (line === null) throw new Error(`${file} ended before it printed an address`);
  const ended = once(child, "exit");
  const end = async (signal) => {
    child.kill(signal);
    await ended;
  };
  return {
    url: JSON.parse(line).url,
    folder: home,
    pid: child.pid,
    /** As a power cut would; its home stays. */
    kill: () => end("SIGKILL"),
    async stop() {
      await end("SIGTERM");
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** A folder with plans that are told one after the other, and with a package that asks, if its component is given. */
export async function scriptedFolder(plans, asks) {
  const folder = await mkdtemp(join(tmpdir(), "narratoria-web-"));
  await writeFile(join(folder, "script.json"), JSON.stringify(plans));
  await mkdir(join(folder, "skills"));
  if (asks) await writeAskingPackage(join(folder, "skills", "gate"), asks);
  return folder;
}

async function writeAskingPackage(folder, component) {
  await mkdir(join(folder, "scripts"), { recursive: true });
  await mkdir(join(folder, "schemas"));
  await cp(component, join(folder, "scripts", "act.wasm"));
  await writeFile(join(folder, "schemas", "act.json"), '{"type": "object"}');
  await writeFile(join(folder, "SKILL.md"), "---\nname: gate\ndescription: Asks who comes.\n---\nAsks who comes.\n");
  const script = { name: "act", path: "scripts/act.wasm", description: "Asks who comes.", inputSchema: "schemas/act.json", timeout: 60_000 };
  const manifest = { name: "gate", displayName: "Gate", description: "Asks who comes.", version: "0.1.0", scripts: [script] };
  await writeFile(join(folder, "skill.json"), JSON.stringify(manifest));
}

/** A plan of these steps, in which the last one tells. */
export function planOf(...tools) {
  return { requestId: "6f1c1f9e-8d5e-4e9c-9a52-0d3f5a1b2c3d", tools };
}

/** A browser's side of the interface, without a browser. */
export class ApiClient {
  static async open(url) {
    const [base, token] = url.split("/#t=");
    const client = new ApiClient(base);
    const answer = await client.ask("POST", "/api/session", { token });
    client.cookie = answer.headers.getSetCookie()[0].split(";")[0];
    return client;
  }

  constructor(base) {
    this.base = base;
  }

  async ask(method, path, body) {
    const headers = { Origin: this.base, ...(this.cookie && { Cookie: this.cookie }) };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const answer = await fetch(this.base + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }

  async get(path) {
    return (await this.ask("GET", path)).json();
  }

  /** The events of a story, from now on: `{type, data}`. */
  async *events(story) {
    const answer = await this.ask("GET", `/api/stories/${encodeURIComponent(story)}/events`);
    const [parser, decoder] = [new EventParser(), new TextDecoder()];
    for await (const bytes of answer.body) {
      for (const { type, data } of parser.push(decoder.decode(bytes, { stream: true }))) {
        yield { type, data: JSON.parse(data) };
      }
    }
  }
}
