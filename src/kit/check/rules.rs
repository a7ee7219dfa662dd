//! Every rule of a check with its level, its reason and its help. `docs/checking.md` shows them.

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingLevel {
    /// Worth knowing; never fails a check.
    Note,
    /// Fails a strict check.
    Warning,
    /// Fails any check.
    Error,
}

impl FindingLevel {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            FindingLevel::Note => "note",
            FindingLevel::Warning => "warning",
            FindingLevel::Error => "error",
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Stable: `group/what-is-wrong`.
    pub id: &'static str,
    /// The usual level. A strict check raises warnings, and some checks pick a level for one case.
    pub level: FindingLevel,
    /// The reason for the rule, a sentence.
    pub why: &'static str,
    /// Advice for the author, a sentence without its full stop.
    pub help: &'static str,
}

impl Rule {
    /// The part of the id before the `/`.
    pub fn group(&self) -> &'static str {
        self.id.split('/').next().unwrap_or(self.id)
    }

    pub fn find(id: &str) -> Option<&'static Rule> {
        RULES.iter().copied().find(|rule| rule.id == id)
    }
}

macro_rules! rules {
    ($($name:ident, $id:literal, $level:ident, $why:literal, $help:literal;)*) => {
        $(pub(super) static $name: Rule =
            Rule { id: $id, level: FindingLevel::$level, why: $why, help: $help };)*

        /// Every rule, by group.
        pub static RULES: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    PACKAGE_UNREADABLE, "package/unreadable", Error,
        "What cannot be opened cannot be loaded by any host.",
        "name a folder that can be read";
    PACKAGE_NOT_RUN, "package/not-run", Note,
        "A package that cannot be loaded is not run, so its examples and its behaviour are not known.",
        "mend the errors and check again";

    CHECK_TIME_BUDGET, "check/time-budget", Error,
        "A part that was not checked may hide any fault.",
        "give the check more time with `--time-budget SECONDS`, or make the scripts faster";
    CHECK_TOO_MANY, "check/too-many", Error,
        "A report with thousands of findings helps nobody, and the missing ones may be errors.",
        "correct these findings first, then check again";

    MANIFEST_MISSING, "manifest/missing", Error,
        "`skill.json` is what makes a folder a package.",
        "write a `skill.json`, or begin with `narratoria skill new`";
    MANIFEST_JSON, "manifest/json", Error,
        "A manifest that is not JSON says nothing.",
        "mend the text at the line that is named";
    MANIFEST_SCHEMA, "manifest/schema", Error,
        "The host refuses a manifest that does not keep its contract, so that a typo is not silence.",
        "see `contracts/skill-manifest.schema.json`";
    MANIFEST_NAME, "manifest/name", Error,
        "Plans, stores and stories know a skill by its folder.",
        "give the folder and `name` the same name";
    MANIFEST_REQUIRES, "manifest/requires", Error,
        "A package that needs another program than the player's is not loaded.",
        "write the versions that it was tried with, such as `\">=0.1\"`, or check it with such a program";
    MANIFEST_TRIGGER, "manifest/trigger", Error,
        "A trigger that cannot fire or fill its input is dead text for the planner without a model.",
        "mend the phrase, the pattern or the placeholder";
    MANIFEST_NO_LICENSE, "manifest/no-license", Warning,
        "Nobody may pass on what has no licence.",
        "add `\"license\"` with an SPDX expression such as `MIT`";
    MANIFEST_NO_AUTHOR, "manifest/no-author", Note,
        "Whoever finds a fault wants to tell somebody.",
        "add `\"author\"`";
    MANIFEST_NO_HOMEPAGE, "manifest/no-homepage", Note,
        "Whoever wants to know more has to look somewhere.",
        "add `\"homepage\"` with an address";

    SKILL_MD_MISSING, "skill-md/missing", Error,
        "Planners read the behavioural prompt to know when to use a skill.",
        "write a `SKILL.md` with front matter and a prompt";
    SKILL_MD_PROMPT_ONLY, "skill-md/prompt-only", Warning,
        "A package without `SKILL.md` works here and is no Agent Skill anywhere else.",
        "rename `prompt.md` to `SKILL.md` and put `name` and `description` in front of it";
    SKILL_MD_FRONT_MATTER, "skill-md/front-matter", Error,
        "Agent Skills begin with YAML between two lines of `---`.",
        "open the file with `---`, `name: …`, `description: …`, `---`";
    SKILL_MD_UNKNOWN_KEY, "skill-md/unknown-key", Error,
        "Agent Skills know six keys; any other is an error to every reader of them.",
        "put it under `metadata`, as text";
    SKILL_MD_NAME, "skill-md/name", Error,
        "Agent Skills are known by their folder.",
        "give the folder and `name` the same name";
    SKILL_MD_LENGTH, "skill-md/length", Error,
        "Agent Skills bound `name` (64), `description` (1024) and `compatibility` (500), and none may be empty.",
        "say it shorter, or say it at all";
    SKILL_MD_ALLOWED_TOOLS, "skill-md/allowed-tools", Warning,
        "Agent Skills want `allowed-tools` as one text of words; other readers refuse a list.",
        "write the words into one line, with blanks between them";
    SKILL_MD_TOO_LONG, "skill-md/too-long", Warning,
        "Every plan carries the prompt, and Agent Skills keep it under 500 lines.",
        "move what is rarely needed into other files";

    FILES_LINK_OUT, "files/link-out", Error,
        "A link that leads out of the package shows other files on every machine, or none.",
        "put the file itself into the package";
    FILES_LINK, "files/link", Warning,
        "Archives of packages hold no links.",
        "put a copy in its place";
    FILES_ODD, "files/odd", Error,
        "Pipes, sockets, devices and names that are not UTF-8 have no place in a package.",
        "take it away";
    FILES_NATIVE, "files/native", Error,
        "Native code has no sandbox; no host runs it, and no reader can trust a package that carries it.",
        "take it away; scripts are WebAssembly components";
    FILES_SCRIPT, "files/script", Error,
        "A script that a system runs has no sandbox; no host runs it, and a player may do so by a click.",
        "take it away, or keep it in `src`; scripts are WebAssembly components";
    FILES_NAME, "files/name", Error,
        "Players have other systems: a name that one of them cannot hold is a file that is not there.",
        "rename it, with letters, digits, `-`, `_` and `.`";
    FILES_UNUSED_COMPONENT, "files/unused-component", Warning,
        "A component that no script names is never run.",
        "name it in `scripts`, or take it away";
    FILES_UNUSED_SCHEMA, "files/unused-schema", Warning,
        "A schema that nothing names checks nothing.",
        "name it as `inputSchema` or `outputSchema`, or take it away";
    FILES_IGNORED, "files/ignored", Warning,
        "Only the files `examples/*.json` are examples.",
        "end its name with `.json` and put it directly into `examples`";
    FILES_MISNAMED, "files/misnamed", Warning,
        "A file whose name is nearly the right one is not read.",
        "give it the name that is meant";
    FILES_CASE, "files/case", Warning,
        "Two names that differ by case alone are one file on some machines.",
        "rename one of them";
    FILES_TOO_MANY, "files/too-many", Error,
        "A package of thousands of files is a mistake, such as a folder that was left in it.",
        "take away what the skill does not need";

    CONFIG_SCHEMA, "config/schema", Error,
        "A form is made of the config schema, so it may only say what a form can show.",
        "see `contracts/config-schema.meta.json`";
    CONFIG_VALUES, "config/values", Error,
        "A `config.json` that does not meet its schema keeps the skill from being loaded.",
        "mend the value, or take `config.json` out of the package";
    CONFIG_SECRET, "config/secret", Error,
        "A secret that is written into a package is known to everybody who has the package; the host does not use it.",
        "take it out, change the secret, and set it with `narratoria skill config`";
    CONFIG_UNSET, "config/unset", Note,
        "The check runs without a player, and so without the settings that only a player can have.",
        "write examples that do not need the setting, or give it a default";
    CONFIG_VARIABLE, "config/variable", Warning,
        "Only a player's own settings read environment variables; in a package `${VARIABLE}` is text.",
        "name the variable in `env` of `config-schema.json`, which tells the player about it";

    COMPONENT_MISSING, "component/missing", Error,
        "A script without its component cannot run.",
        "build it with `narratoria skill build`, or mend `path`";
    COMPONENT_INVALID, "component/invalid", Error,
        "Scripts are WebAssembly components that the host can compile within its bounds.",
        "build it for `wasm32-wasip2`";
    COMPONENT_NO_RUN, "component/no-run", Error,
        "A script is started by its export `wasi:cli/run`.",
        "build a command, not a library";
    IMPORTS_NOT_GRANTED, "imports/not-granted", Error,
        "A component gets what its manifest asks for, so that a reader of the manifest knows what it can do.",
        "grant it in that script's `grants`, or do without the import";
    IMPORTS_NOT_OFFERED, "imports/not-offered", Error,
        "The host cannot give what it does not have.",
        "import a version that `contracts/wit` describes";
    GRANTS_UNUSED, "grants/unused", Warning,
        "A grant that the component cannot use frightens players for nothing.",
        "take it out of `grants`";

    SCHEMA_MISSING, "schema/missing", Error,
        "A script's input must be known before it runs.",
        "write the file, or mend `inputSchema` or `outputSchema`";
    SCHEMA_INVALID, "schema/invalid", Error,
        "Plans are checked against the schema; one that is none checks nothing.",
        "write JSON Schema 2020-12 with `\"type\": \"object\"`, without references to other files";
    SCHEMA_NOT_DESCRIBED, "schema/not-described", Warning,
        "A script that answers `describe` proves that its schemas are those of its code.",
        "answer the operation `describe` with `{inputSchema, outputSchema}`; the SDK does it for you";
    SCHEMA_DIFFERS, "schema/differs", Error,
        "The planner goes by the file, the script by its code; where they differ plans fail.",
        "write the file anew from the code, with the SDK `UPDATE_SCHEMAS=1 cargo test`";

    EXAMPLE_SCHEMA, "example/schema", Error,
        "The host refuses an example that does not keep its contract.",
        "see `contracts/skill-example.schema.json`";
    EXAMPLE_UNKNOWN_SCRIPT, "example/unknown-script", Error,
        "An example of a script that does not exist shows nothing.",
        "name a script of `skill.json`";
    EXAMPLE_INPUT, "example/input", Error,
        "An example whose input the script's schema refuses can never be played.",
        "mend the input or the schema";
    EXAMPLE_NONE, "example/none", Warning,
        "Examples are what planners learn from and what this check runs.",
        "add `examples/<name>.json` for it";
    EXAMPLE_REFUSED, "example/refused", Error,
        "The host stopped the script or could not understand it, in a case that its author chose.",
        "run it with `narratoria skill test` and look at what it said";
    EXAMPLE_DIFFERS, "example/differs", Error,
        "An example is a promise.",
        "mend the script, or say in `expect` what really comes out";
    EXAMPLE_OUTPUT, "example/output", Error,
        "Other steps read the output by its schema.",
        "mend the output or the output schema";
    EXAMPLE_EVENT, "example/event", Error,
        "A front end can show choices and put questions only as the contract says.",
        "see `contracts/event.schema.json` and `contracts/ask.schema.json`";
    EXAMPLE_ASSET, "example/asset", Error,
        "An asset that is not there, or not a file of the asset folder, is not kept.",
        "write the file into `/assets` before it is announced, with the grant `assets`";

    HOSTILE_TRAP, "hostile/trap", Error,
        "A script that crashes on bad input tells the player nothing, and costs retries.",
        "check the input and answer `done` with `ok: false` and an `error`";
    HOSTILE_HANG, "hostile/hang", Error,
        "A script that goes on until it is stopped holds up the story.",
        "bound the work by the input, and refuse what is too much";
    HOSTILE_EXIT, "hostile/exit", Error,
        "A failure status is a failure whatever was said.",
        "exit with 0 and say it with `done`";
    HOSTILE_PROTOCOL, "hostile/protocol", Error,
        "What breaks the protocol is thrown away, and the player is told of a broken skill.",
        "answer every request with exactly one `done`, last";
    HOSTILE_MEMORY, "hostile/memory", Warning,
        "The host stops it, but a large request should be refused and not be fatal.",
        "bound what is read, or raise `limits.memoryMiB`";
    HOSTILE_SILENT, "hostile/silent", Warning,
        "A failure without a word helps neither player nor planner.",
        "say `error` with a code and a message before `done`, or give `done` a `summary`";
    HOSTILE_GARBAGE, "hostile/garbage", Warning,
        "Bytes that are no request were taken for one, so a fault on the way would go unseen.",
        "refuse what cannot be read";
    HOSTILE_ACCEPTED, "hostile/accepted", Note,
        "The host never lets such an input through, but the schema and the code disagree.",
        "check in the script what the schema says, or loosen the schema";

    REPEAT_DIFFERS, "repeat/differs", Error,
        "The same request and seed must give the same answer, or no story can be replayed.",
        "take all chance from the seed, and nothing from clocks, addresses or files' times";
    LIMITS_TIGHT, "limits/tight", Warning,
        "An example that uses more than half of a limit leaves no room for a slower machine or a longer input; above nine tenths it is an error.",
        "raise the limit in `skill.json`, or do less";
    LIMITS_FAR_MORE, "limits/far-more", Note,
        "A limit above the host's default that no example comes near asks players for trust that it does not need.",
        "lower it, or add an example that needs it";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::RULES;

    #[test]
    fn every_rule_has_an_id_of_its_own_and_sentences_that_can_be_joined() {
        let ids: BTreeSet<&str> = RULES.iter().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), RULES.len());
        for rule in RULES {
            assert_eq!(rule.id.matches('/').count(), 1, "{}", rule.id);
            assert!(rule.why.ends_with('.') && !rule.help.ends_with('.'), "{}", rule.id);
        }
    }
}
