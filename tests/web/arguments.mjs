// The options of a command line.

/** The value behind an option; `otherwise` where the option is not there. */
export function option(name, otherwise = null) {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : (process.argv[at + 1] ?? otherwise);
}
