// Files, through `wasi:filesystem`: JavaScript has none of its own here. A script sees only the folders that
// `skill.json` grants it, such as `/assets`. Nothing here is about any skill.

import { getDirectories } from "wasi:filesystem/preopens@0.2.0";

// Most bytes that are read or written at once.
const PIECE_BYTES = 65536;

/**
 * Writes a file, in place of the one that is there.
 * @param {string} path
 * @param {string | Uint8Array} content
 */
export function writeFile(path, content) {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const file = open(path, { create: true, truncate: true }, { write: true });
  for (let at = 0; at < bytes.length; ) {
    at += Number(file.write(bytes.subarray(at, at + PIECE_BYTES), BigInt(at)));
  }
}

/**
 * The bytes of a file.
 * @param {string} path
 */
export function readFile(path) {
  const file = open(path, {}, { read: true });
  /** @type {number[]} */
  const bytes = [];
  for (;;) {
    const [piece, isLast] = file.read(BigInt(PIECE_BYTES), BigInt(bytes.length));
    for (const byte of piece) bytes.push(byte);
    if (isLast || piece.length === 0) return Uint8Array.from(bytes);
  }
}

/**
 * The error's message names the path and the cause, such as `no-entry`.
 * @param {string} path
 * @param { { create?: boolean, truncate?: boolean } } openFlags
 * @param { { read?: boolean, write?: boolean } } flags
 */
function open(path, openFlags, flags) {
  const found = getDirectories().find(([, folder]) => path.startsWith(`${folder}/`));
  if (!found) throw new Error(`\`${path}\` is in no folder that the script may use`);
  const [folder, name] = found;
  try {
    return folder.openAt({}, path.slice(name.length + 1), openFlags, flags);
  } catch (error) {
    throw new Error(`\`${path}\`: ${/** @type {HostError} */ (error).payload ?? error}`);
  }
}
