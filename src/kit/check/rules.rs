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
        "No host can load a package that it cannot open.",
        "name a folder that can be read";
    PACKAGE_NOT_RUN, "package/not-run", Note,
        "A package that the host cannot load is not run, so nothing is known about its behaviour.",
        "correct the errors and check again";

    CHECK_TIME_BUDGET, "check/time-budget", Error,
        "A part that was not checked may hide any fault.",
        "give the check more time with `--time-budget SECONDS`, or make the scripts faster";
    CHECK_TOO_MANY, "check/too-many", Error,
        "No author reads thousands of findings, and the missing ones may be errors.",
        "correct these findings first, then check again";

    CHECK_WORKER_LOST, "check/worker-lost", Error,
        "A part of a check that ends its worker three times is not tried again, and nothing is known about it.",
        "check the package on one machine, without `--queue`, and look at memory and time";
    CHECK_NOT_REPEATABLE, "check/not-repeatable", Error,
        "Two workers have come to different results, so a story would differ from machine to machine.",
        "take all randomness from the seed, and nothing from clocks, addresses or times of files";

    MANIFEST_MISSING, "manifest/missing", Error,
        "A folder is a package only with a `skill.json`.",
        "write a `skill.json`, or begin with `narratoria skill new`";
    MANIFEST_JSON, "manifest/json", Error,
        "The host cannot read a manifest that is not JSON.",
        "correct the text at this line";
    MANIFEST_SCHEMA, "manifest/schema", Error,
        "The host refuses a manifest that breaks its contract, because a typing mistake must not go unnoticed.",
        "`narratoria schema skill-manifest` prints the contract";
    MANIFEST_NAME, "manifest/name", Error,
        "Plans, stores and stories identify a skill by its folder.",
        "give the folder and `name` the same name";
    MANIFEST_REQUIRES, "manifest/requires", Error,
        "A package that needs another program than the player's is not loaded.",
        "write the versions that it was tried with, such as `\">=0.1\"`, or check it with such a program";
    MANIFEST_CLAIMED, "manifest/claimed", Error,
        "Two skills that claim one part of the state are not loaded together, and the built-in ones always are.",
        "claim a part of your own, such as one named after the skill";
    MANIFEST_TRIGGER, "manifest/trigger", Error,
        "The planner without a model never uses a trigger that cannot fire or cannot fill its input.",
        "correct the phrase, the pattern or the placeholder";
    MANIFEST_TRIGGER_INPUT, "manifest/trigger-input", Warning,
        "The planner without a model drops a trigger whose input the script's schema refuses, so the script never starts.",
        "correct the `input` of the trigger, or the schema";
    MANIFEST_NO_LICENSE, "manifest/no-license", Warning,
        "Without a licence, players may not pass the package on.",
        "add `\"license\"` with an SPDX expression such as `MIT`";
    MANIFEST_NO_AUTHOR, "manifest/no-author", Note,
        "A player who finds a fault needs to know the author to report it.",
        "add `\"author\"`";
    MANIFEST_NO_HOMEPAGE, "manifest/no-homepage", Note,
        "A player who wants to know more needs a place to look.",
        "add `\"homepage\"` with an address";

    INSTALL_BUILT_IN_NAME, "install/built-in-name", Warning,
        "A package with the name of a built-in skill is used only after its player agreed to the replacement.",
        "give it another name, or say in its `README.md` that it replaces the built-in skill";
    INSTALL_PRIORITY, "install/priority", Warning,
        "A skill with a higher priority than the built-in ones is asked before all of them, and an installation warns of it.",
        "take a priority of at most 60, or leave it out";
    INSTALL_CAPABILITY, "install/capability", Warning,
        "Plans that ask for the capability run this skill in place of the built-in one, and an installation warns of it.",
        "give the capability a name of its own, or take a lower priority";
    INSTALL_TRIGGERS, "install/triggers", Warning,
        "A skill that answers what was not meant for it takes the story over, and an installation warns of it; for a part of the sentences, and for a fallback, this is a note.",
        "let phrases and patterns have the words that only this skill is about";
    INSTALL_LIMITS, "install/limits", Note,
        "An installation asks the player about each limit that is more than twice the usual one.",
        "ask for what the examples need";
    INSTALL_RUNS, "install/runs", Note,
        "An installation asks the player about each script of another skill that triggers run and that may do more than compute.",
        "do it in a script of this package, if that is possible";
    INSTALL_ODD_TEXT, "install/odd-text", Warning,
        "Characters that hide or turn text, and letters that look like others, show players something else than the text says.",
        "write it with the letters of one alphabet, and without invisible characters";

    POLICY_REFUSED, "policy/refused", Error,
        "The policy, `narratoria skill check --policy` or `config.toml`, does not allow such a package.",
        "ask for less, or change the line of the policy";
    POLICY_LOWERED, "policy/lowered", Error,
        "The policy, `narratoria skill check --policy` or `config.toml`, gives the package less than it asks for.",
        "ask for less, or change the line of the policy";

    SKILL_MD_MISSING, "skill-md/missing", Error,
        "Planners read the prompt to decide when to use a skill.",
        "write a `SKILL.md` with front matter and a prompt";
    SKILL_MD_PROMPT_ONLY, "skill-md/prompt-only", Warning,
        "A package without `SKILL.md` works only in this program; other programs do not recognise it as an Agent Skill.",
        "rename `prompt.md` to `SKILL.md` and put `name` and `description` in front of it";
    SKILL_MD_FRONT_MATTER, "skill-md/front-matter", Error,
        "Agent Skills begin with YAML between two lines of `---`.",
        "write `name: …` and `description: …` between two lines of `---`; a text with `: ` in it needs quotes, and `metadata` holds texts";
    SKILL_MD_UNKNOWN_KEY, "skill-md/unknown-key", Error,
        "The Agent Skills format has six keys, and its readers refuse any other.",
        "put it under `metadata`, as text";
    SKILL_MD_NAME, "skill-md/name", Error,
        "Other programs identify an Agent Skill by its folder.",
        "take lower case letters, digits and single hyphens, and give the folder and `name` the same name";
    SKILL_MD_LENGTH, "skill-md/length", Error,
        "The Agent Skills format limits `name` to 64 characters, `description` to 1024 and `compatibility` to 500; none may be empty.",
        "shorten the text, or write one if it is empty";
    SKILL_MD_ALLOWED_TOOLS, "skill-md/allowed-tools", Warning,
        "The Agent Skills format has `allowed-tools` as one text of words, and other readers refuse a list.",
        "write the words in one line, with spaces between them";
    SKILL_MD_TOO_LONG, "skill-md/too-long", Warning,
        "Every plan contains the prompt, and the Agent Skills format recommends fewer than 500 lines.",
        "move rarely needed parts into other files";
    SKILL_MD_TOO_LARGE, "skill-md/too-large", Error,
        "The host reads no prompt beyond 65,536 bytes, because every plan contains a part of it.",
        "move what is rarely needed into files of `references`";
    SKILL_MD_CUT_TEXT, "skill-md/cut-text", Warning,
        "YAML takes ` #` and the rest of its line for a remark, so every reader gets the text without them.",
        "put quotation marks around the text";
    SKILL_MD_CUT, "skill-md/cut", Warning,
        "All skills share the model's context, so a planner is sure to read only the first part of each prompt.",
        "put first what decides when and how to use the skill, and shorten the rest";

    FILES_LINK_OUT, "files/link-out", Error,
        "A link that leads out of the package shows different files on each machine, or none.",
        "put the file itself into the package";
    FILES_LINK, "files/link", Warning,
        "An archive of a package cannot contain links.",
        "replace the link by a copy of the file";
    FILES_ODD, "files/odd", Error,
        "A package consists of files and folders with UTF-8 names; pipes, sockets and devices cannot be packed.",
        "remove it";
    FILES_NATIVE, "files/native", Error,
        "Native code runs outside the sandbox. The host never runs it, and players cannot trust a package that contains it.",
        "remove it; scripts are WebAssembly components";
    FILES_SCRIPT, "files/script", Error,
        "A script that a system runs has no sandbox; no host runs it, and a player may do so by a click.",
        "take it away, or keep it in `src`; scripts are WebAssembly components";
    FILES_NAME, "files/name", Error,
        "Players have other systems: a name that one of them cannot hold is a file that is not there.",
        "rename it, with letters, digits, `-`, `_` and `.`";
    FILES_UNUSED_COMPONENT, "files/unused-component", Warning,
        "The host never runs a component that no script names.",
        "name it in `scripts`, or remove it";
    FILES_UNUSED_SCHEMA, "files/unused-schema", Warning,
        "The host never reads a schema that no script names.",
        "name it as `inputSchema` or `outputSchema`, or remove it";
    FILES_IGNORED, "files/ignored", Warning,
        "The host reads only `examples/*.json` as examples.",
        "end its name with `.json` and put it directly into `examples`";
    FILES_MISNAMED, "files/misnamed", Warning,
        "The host does not read a file whose name is only nearly right.",
        "rename it";
    FILES_CASE, "files/case", Warning,
        "On some machines two names that differ only in case are one file.",
        "rename one of them";
    FILES_TOO_MANY, "files/too-many", Error,
        "Thousands of files are usually a folder that was left in the package by mistake.",
        "remove what the skill does not need";

    CONFIG_SCHEMA, "config/schema", Error,
        "The host makes a form from the config schema, so the schema may use only what a form can show.",
        "`narratoria schema config-schema` prints the contract";
    CONFIG_VALUES, "config/values", Error,
        "The host does not load a skill whose `config.json` does not fit its schema.",
        "correct the value, or remove `config.json` from the package";
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
        "A script cannot run without its component.",
        "build it with `narratoria skill build`, or correct `path`";
    COMPONENT_INVALID, "component/invalid", Error,
        "A script must be a WebAssembly component that the host can compile within its limits.",
        "build it for `wasm32-wasip2`";
    COMPONENT_NO_RUN, "component/no-run", Error,
        "The host starts a script by its export `wasi:cli/run`.",
        "build a command, not a library";
    IMPORTS_NOT_GRANTED, "imports/not-granted", Error,
        "A component gets only what its manifest asks for, so the manifest tells players what the component can do.",
        "add it to the `grants` of this script, or remove the import";
    IMPORTS_NOT_OFFERED, "imports/not-offered", Error,
        "The host has no such interface.",
        "import a version that `contracts/wit` describes";
    GRANTS_UNUSED, "grants/unused", Warning,
        "A grant that the component cannot use alarms players without need.",
        "remove it from `grants`";
    GRANTS_NOT_OPTIONAL, "grants/not-optional", Error,
        "A player who refuses an optional grant was promised that the script works without it.",
        "handle the error of the refused service, or take `optional` out of the grant";

    SCHEMA_MISSING, "schema/missing", Error,
        "The host checks the input of a script before the script runs.",
        "write the file, or correct `inputSchema` or `outputSchema`";
    SCHEMA_INVALID, "schema/invalid", Error,
        "The host checks plans against the schema, so it must be valid.",
        "write JSON Schema 2020-12 with `\"type\": \"object\"`, without references to other files";
    SCHEMA_NOT_DESCRIBED, "schema/not-described", Warning,
        "A script that answers `describe` shows that its schema files agree with its code.",
        "answer the operation `describe` with `{inputSchema, outputSchema}`; the SDK does it for you";
    SCHEMA_DIFFERS, "schema/differs", Error,
        "The planner reads the schema file, the script follows its code; plans fail where the two differ.",
        "generate the file from the code again; with the SDK, `UPDATE_SCHEMAS=1 cargo test`";

    EXAMPLE_SCHEMA, "example/schema", Error,
        "The host refuses an example that breaks its contract.",
        "`narratoria schema skill-example` prints the contract";
    EXAMPLE_UNKNOWN_SCRIPT, "example/unknown-script", Error,
        "The host cannot run an example of a script that does not exist.",
        "name a script of `skill.json`";
    EXAMPLE_INPUT, "example/input", Error,
        "An input that the schema refuses never reaches the script.",
        "correct the input or the schema";
    EXAMPLE_NONE, "example/none", Warning,
        "Planners learn from examples, and this check runs them.",
        "add `examples/<name>.json` for it";
    EXAMPLE_STATE_NOT_TRIED, "example/state-not-tried", Note,
        "A part of the state that a script reads and no example has is first read in a player's story.",
        "give an example of the script a `state` with this part";
    EXAMPLE_REFUSED, "example/refused", Error,
        "The host stopped the script, or could not understand its output, in a case that its author chose.",
        "run `narratoria skill test` and read the output of the script";
    EXAMPLE_DIFFERS, "example/differs", Error,
        "Authors and planners rely on what an example promises.",
        "correct the script, or change `expect` to its real output: `narratoria skill test --update`";
    EXAMPLE_OUTPUT, "example/output", Error,
        "Later steps rely on the output schema.",
        "correct the output or the output schema";
    EXAMPLE_EVENT, "example/event", Error,
        "A front end can show choices and ask questions only in the form of the contract.",
        "`narratoria schema event` and `narratoria schema ask` print the contracts";
    EXAMPLE_ASSET, "example/asset", Error,
        "The host keeps an asset only if it is a file in the asset folder.",
        "write the file to `/assets` before you announce it; this needs the grant `assets`";

    MEANING_NOT_FOUND, "meaning/not-found", Warning,
        "A script that its own sentences do not find is not found by a player in other words either; with fewer than three sentences this is a note.",
        "give the script more examples and phrases that differ from one another, or a clearer description";
    MEANING_FALSE_ALARM, "meaning/false-alarm", Warning,
        "A script must not start for players who ask for nothing of the kind; up to two plain sentences in a hundred are a note.",
        "let descriptions, phrases and examples say what only this script does";

    HOSTILE_TRAP, "hostile/trap", Error,
        "A script that crashes on bad input tells the player nothing, and costs retries.",
        "check the input and answer `done` with `ok: false` and an `error`";
    HOSTILE_HANG, "hostile/hang", Error,
        "The story waits for a script until the host stops it.",
        "limit the work, and refuse input that would need more";
    HOSTILE_EXIT, "hostile/exit", Error,
        "The host takes a failure status for a failure, whatever the script has written.",
        "exit with 0 and report the failure with `done`";
    HOSTILE_PROTOCOL, "hostile/protocol", Error,
        "The host discards output that breaks the protocol and reports the skill as broken.",
        "answer every request with exactly one `done`, last";
    HOSTILE_MEMORY, "hostile/memory", Warning,
        "The host stops the script, but a script should refuse a large request itself.",
        "limit how much you read, or raise `limits.memoryMiB`";
    HOSTILE_SILENT, "hostile/silent", Warning,
        "Player and planner need a reason for each failure.",
        "write an `error` with a code and a message before `done`, or give `done` a `summary`";
    HOSTILE_GARBAGE, "hostile/garbage", Warning,
        "The script accepts bytes that are not a request, so a transmission fault would go unnoticed.",
        "refuse a request that cannot be read";
    HOSTILE_ACCEPTED, "hostile/accepted", Note,
        "The host never sends such an input, but the schema and the code disagree.",
        "check the input in the script as the schema says, or relax the schema";

    REPEAT_DIFFERS, "repeat/differs", Error,
        "A story can be replayed only if the same request and seed give the same answer.",
        "take all randomness from the seed, and nothing from clocks, addresses or times of files";
    LIMITS_TIGHT, "limits/tight", Warning,
        "An example that uses more than half of a limit leaves little room for a slower machine or a longer input; above nine tenths it is an error.",
        "raise the limit in `skill.json`, or do less";
    LIMITS_FAR_MORE, "limits/far-more", Note,
        "A limit far above the host's default and above every example asks players for trust without need.",
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
