// Writes the modules of a script as one JSON document to stdout, each as the body of a function, for a base that runs
// them; nothing but `{}` for a script that a base cannot run. Its last arguments are the path of componentize-js, whose
// parser it uses, and the script.
import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { posix } from "node:path";
import { pathToFileURL } from "node:url";

const [tool, entry] = process.argv.slice(-2);

// What a function body cannot hold.
class Unsupported extends Error {}

async function parserOf(tool) {
  try {
    const parser = await import(pathToFileURL(createRequire(realpathSync(tool)).resolve("oxc-parser")));
    return parser.parseSync ?? parser.default.parseSync;
  } catch {
    throw new Unsupported("another version of componentize-js");
  }
}

let parseSync;
const modules = {};
const imports = new Set();
const open = [];

function read(path) {
  if (open.includes(path)) throw new Unsupported("modules import each other");
  if (path in modules) return;
  const text = readFileSync(path, "utf8");
  const parsed = parseSync(path, text);
  if (parsed.errors.length > 0) {
    const error = parsed.errors[0];
    console.error(error.codeframe ?? `${path}: ${error.message}`);
    process.exit(1);
  }
  if (parsed.module.dynamicImports.length > 0 || parsed.module.importMetas.length > 0 || /\bawait\b/.test(text)) {
    throw new Unsupported("it imports or waits while it runs");
  }
  open.push(path);
  modules[path] = body(path, text, parsed.program.body);
  open.pop();
}

function body(path, text, statements) {
  const before = ['"use strict";'];
  let code = text;
  // The lines stay where they are, so that messages name the right ones.
  const blank = ({ start, end }) => {
    code = code.slice(0, start) + code.slice(start, end).replace(/[^\n]/g, " ") + code.slice(end);
  };
  const give = (name, local) => {
    before.push(`Object.defineProperty(__exports, ${JSON.stringify(name)}, { enumerable: true, get: () => ${local} });`);
  };
  for (const one of statements) {
    if (one.type === "ImportDeclaration") {
      before.push(...one.specifiers.map((wanted) => bind(wanted, source(path, one.source.value))));
      if (one.specifiers.length === 0) before.push(`${source(path, one.source.value)};`);
      blank(one);
    } else if (one.type === "ExportNamedDeclaration" && one.source === null) {
      for (const { local, exported } of one.specifiers) give(exported.name ?? exported.value, local.name);
      if (one.declaration === null) {
        blank(one);
        continue;
      }
      const declared = one.declaration.declarations ?? [one.declaration];
      for (const { id } of declared) {
        if (id.type !== "Identifier") throw new Unsupported("an export without a name of its own");
        give(id.name, id.name);
      }
      blank({ start: one.start, end: one.declaration.start });
    } else if (one.type.startsWith("Export")) {
      throw new Unsupported("this form of export");
    }
  }
  return `${before.join(" ")} ${code}`;
}

function source(path, name) {
  if (name.startsWith(".")) {
    const wanted = posix.join(posix.dirname(path), name);
    read(wanted);
    return `__import(${JSON.stringify(wanted)})`;
  }
  // Services of the host have a namespace; a package of npm is not in the component.
  if (!name.includes(":")) throw new Unsupported("a module that is no file");
  imports.add(name);
  return `__import(${JSON.stringify(name)})`;
}

function bind(wanted, from) {
  const local = wanted.local.name;
  if (wanted.type === "ImportNamespaceSpecifier") return `const ${local} = ${from};`;
  const name = wanted.type === "ImportDefaultSpecifier" ? "default" : wanted.imported.name ?? wanted.imported.value;
  return `const { ${JSON.stringify(name)}: ${local} } = ${from};`;
}

try {
  parseSync = await parserOf(tool);
  read(entry);
  console.log(JSON.stringify({ imports: [...imports].sort(), bundle: { entry, modules } }));
} catch (error) {
  if (!(error instanceof Unsupported)) throw error;
  console.log("{}");
}
