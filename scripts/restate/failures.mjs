// The failures of tests/hosting, tried on Restate, and what a turn costs; docs/why-postgresql.md says what we make of it. Installs the
// server and the SDK from npm into DIR, without running scripts of packages. Listens on free ports of this machine.
//
//   usage: failures.mjs DIR [PART OF A NAME...]        all of it takes some ten minutes on two busy cores
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
const [dir, ...wanted] = process.argv.slice(2);
mkdirSync(dir, { recursive: true });
copyFileSync(new URL("story.mjs", import.meta.url), path.join(dir, "story.mjs"));
const [packages, binary] = [["@restatedev/restate-server@1.7.12", "@restatedev/restate-sdk@1.17.2"],
  path.join(dir, "node_modules/@restatedev/restate-server-linux-x64/bin/restate-server")];
if (!existsSync(binary)) execFileSync("npm", ["install", "--prefix", dir, "--no-audit", "--ignore-scripts", "--silent", ...packages]);

const work = mkdtempSync(path.join(tmpdir(), "restate-failures-"));
const [data, effects, running] = [path.join(work, "data"), path.join(work, "effects"), new Set()];
writeFileSync(effects, "");
const since = (moment) => `${((performance.now() - moment) / 1000).toFixed(1)} s`;
const untilTrue = async (is) => (await is()) || sleep(20).then(() => untilTrue(is));
const freePort = () => new Promise((done) => {
  const server = net.createServer().listen(0, "127.0.0.1", () => server.close(done.bind(null, server.address().port)));
});
const [ingress, admin, fabric, entry] = [await freePort(), await freePort(), await freePort(), await freePort()];

function start(command, args, env) {
  const child = spawn(command, args.map(String), { env: { ...process.env, ...env }, stdio: "ignore" });
  running.add(child);
  const ended = new Promise((done) => child.on("exit", () => (running.delete(child), done())));
  child.end = (signal) => (child.kill(signal), ended);
  return child;
}
async function startServer() {
  const server = start(binary, ["--listen-mode", "tcp", "--bind-ip", "127.0.0.1", "--base-dir", data, "--node-name", "one"], {
    RESTATE_INGRESS__BIND_PORT: ingress, RESTATE_ADMIN__BIND_PORT: admin, RESTATE_BIND_PORT: fabric, RESTATE_DISABLE_TELEMETRY: "true",
  });
  const began = performance.now();
  await untilTrue(async () => (await fetch(`http://127.0.0.1:${ingress}/restate/health`).catch(() => ({}))).ok);
  return Object.assign(server, { took: performance.now() - began });
}

async function startService(version = "1") {
  const port = await freePort();
  const service = start(process.execPath, [path.join(dir, "story.mjs"), port, version, process.env.STATE ?? "lazy"], { EFFECTS: effects });
  await untilTrue(() => new Promise((done) => net.connect(port, "127.0.0.1", function () { done(this.destroy()); }).on("error", () => done())));
  return Object.assign(service, { port });
}

// What Restate calls: an address behind which another service may stand in, as a balancer has it.
let behind;
net.createServer((from) => {
  const to = net.connect(behind.port, "127.0.0.1");
  from.pipe(to).pipe(from);
  for (const [one, other] of [[from, to], [to, from]]) one.on("error", () => other.destroy()).on("close", () => other.destroy());
}).listen(entry, "127.0.0.1");

async function ask(port, at, body, headers, signal) {
  const options = { method: "POST", body: body && JSON.stringify(body), headers: { "content-type": "application/json", ...headers }, signal };
  const answer = await fetch(`http://127.0.0.1:${port}/${at}`, options);
  if (!answer.ok) throw new Error(`${answer.status} ${(await answer.text()).slice(0, 200)}`);
  return answer.json();
}
const register = (port) => ask(admin, "deployments", { uri: `http://127.0.0.1:${port}` });
const query = async (sql) => (await ask(admin, "query", { query: sql }, { accept: "application/json" })).rows;
const turn = (story, request, more, signal) =>
  ask(ingress, `story/${story}/turn`, { request, line: "{}", ...more }, { "idempotency-key": request }, signal);
// As a page does: the same request until there is an answer.
const turnUntilAnswered = (story, id, more) => turn(story, id, more).catch(() => sleep(20).then(() => turnUntilAnswered(story, id, more)));
const ids = (letter, count) => Array.from({ length: count }, (_, n) => `${letter}${n}`);
const effectsOf = (id) => readFileSync(effects, "utf8").split("\n").filter((line) => line === id).length;
const judged = async (story, requests) => {
  const is = (await ask(ingress, `story/${story}/log`)).join() === requests.join() ? "each once, in order" : "WRONG";
  return `${requests.length} turns, ${is}; ${requests.filter((id) => effectsOf(id) > 1).length} effects twice`;
};

const tests = {
  async "one request fifty times at once"() {
    const answers = await Promise.all(ids("", 50).map(() => turn("fifty", "only", { ms: 20 })));
    return `${await judged("fifty", ["only"])}; ${new Set(answers.map((it) => it.ordinal)).size} answer`;
  },
  async "service killed in a turn"() {
    let longest = 0;
    for (const [n, id] of ids("k", 12).entries()) {
      const asked = turnUntilAnswered("killed", id, { ms: 80 });
      await sleep(10 + 7 * n);
      await behind.end("SIGKILL");
      const began = performance.now();
      behind = await startService();
      await asked;
      longest = Math.max(longest, performance.now() - began);
    }
    return `${await judged("killed", ids("k", 12))}; the longest waited ${longest.toFixed(0)} ms after the kill`;
  },
  async "Restate killed during commits"() {
    let longest = 0;
    const playing = ids("f", 200).reduce((last, id) => last.then(() => turnUntilAnswered("falls", id)), Promise.resolve());
    for (let fall = 0; fall < 8; fall++) {
      await sleep(150);
      await server.end("SIGKILL");
      server = await startServer();
      longest = Math.max(longest, server.took);
    }
    await playing;
    return `8 kills: ${await judged("falls", ids("f", 200))}; it answers again after ${longest.toFixed(0)} ms at most`;
  },
  async "an answer is lost"() {
    for (const [n, id] of ids("l", 60).entries()) {
      if (n % 2 === 0) await turn("lost", id, {}, AbortSignal.timeout(1 + (n % 12))).catch(() => {});
      await turnUntilAnswered("lost", id);
    }
    return judged("lost", ids("l", 60));
  },
  async "histories of four clients, with two kills of the service"() {
    const history = [];
    const clients = Promise.all(ids("h", 4).map(async (client) => {
      for (const request of ids(`${client}-`, 60)) {
        const asked = performance.now();
        const { ordinal } = await turnUntilAnswered("history", request);
        history.push({ request, ordinal, asked, answered: performance.now() });
      }
    }));
    for (let kill = 0; kill < 2; kill++) {
      await sleep(200);
      await behind.end("SIGKILL");
      behind = await startService();
    }
    await clients;
    let latest = history.sort((one, other) => one.ordinal - other.ordinal)[0].asked;
    const isInOrder = history.every((it) => it.answered >= (latest = Math.max(latest, it.asked)));
    return `${await judged("history", history.map((it) => it.request))}; ${isInOrder ? "linearisable" : "WRONG order"}`;
  },
  async "a service stands still in a turn, and another takes its address"() {
    const [sleeper, began] = [behind, performance.now()];
    const asked = turnUntilAnswered("zombie", "z0", { ms: 500 });
    await untilTrue(() => effectsOf("z0"));
    sleeper.kill("SIGSTOP");
    behind = await startService();
    const neighbour = await turn("neighbour", "n0").then(() => since(began));
    await asked;
    const took = since(began);
    sleeper.kill("SIGCONT");
    await turn("zombie", "z1");
    await sleep(1000).then(() => sleeper.end("SIGKILL"));
    return `answered after ${took}, a turn of another story after ${neighbour}; ${await judged("zombie", ids("z", 2))}`;
  },
  async "a backup is put back"() {
    for (const [from, to, before] of [[data, `${data}-kept`, ["b0", "b1"]], [`${data}-kept`, data, ["b2", "b3"]]]) {
      for (const id of before) await turn("backup", id);
      await server.end("SIGTERM");
      rmSync(to, { recursive: true, force: true });
      cpSync(from, to, { recursive: true });
      server = await startServer();
    }
    return `b2 and b3 are lost, and b3 again is played as turn ${(await turn("backup", "b3")).ordinal}: nothing notices`;
  },
};

// Random hexadecimal digits compress by half, as lines do.
const text = (bytes) => Array.from({ length: bytes / 8 }, () => Math.random().toString(16).slice(2, 10).padEnd(8, "0")).join("");
const disk = () => Number(execFileSync("du", ["-sb", data]).toString().split("\t")[0]) / 1000;
const memory = () => Math.round(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))[1] / 1024);
// Milliseconds of a core, in ticks of ten.
const coreTime = ({ pid }) => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ").slice(11, 13).reduce((sum, ticks) => sum + ticks * 10, 0);
for (const [clients, bytes, turns, onlyState] of [[1, 6000, 200, true], [1, 6000, 200, false], [1, 47000, 300, true], [8, 47000, 400, true], [32, 47000, 800, true]])
  tests[`measure: ${clients} clients, ${bytes} bytes, ${onlyState ? "state only" : "one step"}`] = async () => {
    const [times, before, worked, began] = [[], disk(), [server, behind].map(coreTime), performance.now()];
    await Promise.all(ids(`m${bytes}${onlyState}${clients}-`, clients).map(async (story) => {
      for (const id of ids(`${story}-`, turns / clients)) {
        const [line, asked] = [text(bytes), performance.now()];
        await turn(story, id, { line, onlyState });
        times.push(performance.now() - asked);
      }
    }));
    const at = (part, of) => of.sort((one, other) => one - other)[Math.floor(of.length * part)].toFixed(0);
    const [rate, last] = [(turns * 1000) / (performance.now() - began), at(0.5, times.slice(-50))];
    const each = [server, behind].map((one, n) => ((coreTime(one) - worked[n]) / turns).toFixed(1));
    return `${rate.toFixed(0)} turns a second, p50 ${at(0.5, times)} ms, p95 ${at(0.95, times)} ms, of the last 50 ${last} ms; a turn takes ${each[0]} ms ` +
      `of a core in Restate and ${each[1]} in the service, ${((disk() - before) / turns).toFixed(0)} kB of disk; server ${memory()} MiB`;
  };
// It leaves another version in charge, so it is the last one.
tests["a new version comes while a turn of the old one is open"] = async () => {
  const old = await startService();
  await register(old.port);
  turnUntilAnswered("upgrade", "u0", { ms: 5000 });
  await untilTrue(() => effectsOf("u0"));
  await old.end("SIGKILL");
  await register((await startService("2")).port);
  const waits = await turn("upgrade", "u1", {}, AbortSignal.timeout(15_000)).then(() => "plays", () => "plays nothing for 15 s");
  await turn("upgrade-other", "u2");
  const [{ id }] = await query("SELECT id FROM sys_invocation WHERE target_service_key = 'upgrade' AND pinned_deployment_id IS NOT NULL");
  const of = async () => (await query(`SELECT status, last_failure FROM sys_invocation WHERE id = '${id}'`))[0];
  const change = (what) => fetch(`http://127.0.0.1:${admin}/invocations/${id}/${what}`, { method: "PATCH" });
  await change("pause").then(() => untilTrue(async () => (await of()).status === "paused"));
  await change("resume?deployment=latest").then(() => sleep(10_000));
  const { status, last_failure: why } = await of();
  return `its story ${waits}, others play; moved to the new one by hand it is ${status}: ${why?.split("\n")[0]}`;
};

let [server, wrong] = [await startServer(), 0];
behind = await startService();
await register(entry);
console.log(`server: started in ${server.took.toFixed(0)} ms, ${memory()} MiB`);
for (const [name, test] of Object.entries(tests)) {
  if (wanted.length && !wanted.some((part) => name.includes(part))) continue;
  const began = performance.now();
  const found = await test().catch((error) => `WRONG ${error.stack}`);
  wrong += found.includes("WRONG");
  console.log(`${name} (${since(began)}): ${found}`);
}
running.forEach((child) => child.kill("SIGKILL"));
rmSync(work, { recursive: true, force: true });
process.exit(wrong ? 1 : 0);
