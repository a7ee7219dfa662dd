// Starts `narratoria serve --mcp`, for clients that speak HTTP.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

export async function serve(program, folder, home, ...more) {
  const env = {
    ...process.env,
    NARRATORIA_HOME: home, NARRATORIA_OFFLINE: "1", NARRATORIA_PREMISE: "none",
  };
  const args = ["serve", "--mcp", "--port", "0", "--no-open", "--format", "json", ...more];
  const child = spawn(program, args, { env, cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const [line] = await Promise.race([
    once(createInterface(child.stdout), "line"),
    ended.then(([code]) => { throw new Error(`the server has ended with ${code}`); }),
  ]);
  const { url, tokenFile } = JSON.parse(line).mcp;
  const token = readFileSync(tokenFile, "utf8").trim();
  return {
    url,
    token,
    async stop() {
      child.kill("SIGINT");
      const [code] = await ended;
      if (code !== 0) throw new Error(`the server has ended with ${code}`);
    },
  };
}
