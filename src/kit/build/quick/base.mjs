// Runs the source that the host writes before a request, while its author works on it (`narratoria skill dev`).

function readExactly(stdin, length) {
  const bytes = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const part = stdin.blockingRead(BigInt(length - at));
    bytes.set(part, at);
    at += part.length;
  }
  return new TextDecoder().decode(bytes);
}

function load({ entry, modules }) {
  const loaded = new Map(Object.entries(HOST));
  const find = (path) => {
    if (!loaded.has(path)) {
      const exports = {};
      loaded.set(path, exports);
      new Function("__import", "__exports", modules[path])(find, exports);
    }
    return loaded.get(path);
  };
  return find(entry);
}

function say(event) {
  const line = new TextEncoder().encode(`${JSON.stringify({ version: "0", ...event })}\n`);
  const out = HOST[STDOUT].getStdout();
  // WASI takes 4096 bytes at a time.
  for (let at = 0; at < line.length; at += 4096) out.blockingWriteAndFlush(line.subarray(at, at + 4096));
}

// What the world exports.
export const run = {
  run() {
    let app;
    try {
      const stdin = HOST[STDIN].getStdin();
      const length = Number(readExactly(stdin, HEAD_BYTES));
      app = load(JSON.parse(readExactly(stdin, length)));
    } catch (error) {
      const errorCode = error instanceof SyntaxError ? "SOURCE_SYNTAX" : "SOURCE_NOT_LOADED";
      const errorMessage = `${error}`.slice(0, 2000);
      say({ type: "error", errorCode, errorMessage });
      say({ type: "done", ok: false, summary: errorMessage.slice(0, 200) });
      return;
    }
    app.run.run();
  },
};
