use std::path::Path;

use narratoria_skills::{Ceiling, Grant};

use super::{PLAN_SETTINGS, UserConfig, parse_policy};

#[track_caller]
fn check(text: &str, expect: &str) {
    let found = match UserConfig::parse(text, Path::new("/kept/config.toml")) {
        Ok(UserConfig { model, download, .. }) => {
            let model = model.map_or_else(|| "-".to_owned(), |model| model.to_string());
            format!("{model} {download}")
        }
        Err(error) => {
            let hint = error.hint().map(|hint| format!("; hint: {hint}"));
            format!("{error}{}", hint.unwrap_or_default())
        }
    };
    assert_eq!(found, expect);
}

#[test]
fn every_key_is_optional() {
    check("", "- true");
    check("# nothing\n[model]\n", "- true");
    check("[model]\ndownload = false", "- false");
    check("model.use = \"a/b/c.gguf\"", "a/b/c.gguf true");
    check("model = { use = \"./c.gguf\" }", "/kept/c.gguf true");
}

#[test]
fn a_relative_path_begins_at_the_folder_of_the_file() {
    check("[model]\nuse = \"./c.gguf\"", "/kept/c.gguf true");
    check("[model]\nuse = \"/m/c.gguf\"", "/m/c.gguf true");
}

#[test]
fn an_error_names_its_line() {
    check(
        "\n[model]\n\ndowload = true",
        "line 4: there is no key `dowload`; hint: did you mean `download`?",
    );
    check(
        "[voice]",
        "line 1: there is no key `voice`; hint: the keys are `model`, `limits`, `grants`, `packages`, `log`, `generation`, `story`, `plan`",
    );
    check(
        "[model]\nthreads = 4",
        "line 2: there is no key `threads`; hint: the keys are `use`, `download`, `embedding`, `server-hosts`, `words-ms`",
    );
    check("[model]\nuse = 7", "line 2: `use = 7`: invalid type: integer `7`, expected a string");
    check(
        "[model]\ndownload = \"no\"",
        "line 2: `download = \"no\"`: invalid type: string \"no\", expected a boolean",
    );
    check("model = 3", "line 1: `model = 3`: invalid type: integer `3`, expected a table");
    check(
        "[model]\nuse = \"phi\"",
        "line 2: `model.use`: `phi` is neither `owner/repo/file.gguf`, nor a path, nor a short name; \
         hint: did you mean `phi-3.5-mini`?",
    );
}

#[test]
fn text_that_is_not_toml_is_refused_with_its_line() {
    check(
        "[model]\nuse = \n",
        "line 2: it is not TOML: string values must be quoted, expected literal string",
    );
    check("[model]\nuse = \"a\"\nuse = \"b\"", "line 3: it is not TOML: duplicate key");
}

#[track_caller]
fn check_plan(text: &str, expect: &str) {
    let found = match UserConfig::parse(text, Path::new("/kept/config.toml")) {
        Ok(UserConfig { plan, .. }) => {
            let set = PLAN_SETTINGS.iter().filter_map(|row| Some((row, plan.get(row.setting)?)));
            set.map(|(row, value)| format!("{}={value}", row.key())).collect::<Vec<_>>().join(" ")
        }
        Err(error) => {
            let hint = error.hint().map(|hint| format!("; hint: {hint}"));
            format!("{error}{}", hint.unwrap_or_default())
        }
    };
    assert_eq!(found, expect);
}

#[test]
fn the_settings_of_a_turn_are_the_keys_of_a_table() {
    check_plan("", "");
    check_plan("[plan]\nslots = 2\ntimeout-ms = 90_000", "timeout-ms=90000 slots=2");
    check_plan("plan.grace-ms = 0\nplan.attempts = \"3\"", "attempts=3 grace-ms=0");
    check_plan("[plan]\nearly = false\nrepair = \"on\"", "early=0 repair=1");
    check_plan("[plan]\nearly = 0", "line 2: `plan.early` is `0`, it must be `on` or `off`");
    check_plan(
        "[plan]\n\ntimeout = 1",
        "line 3: there is no key `timeout`; hint: did you mean `timeout-ms`?",
    );
    for value in ["0", "3600001", "-1", "1.5", "true", "\"soon\"", "[1]", "99999999999"] {
        check_plan(
            &format!("[plan]\ntimeout-ms = {value}"),
            &format!(
                "line 2: `plan.timeout-ms` is `{}`, it must be a whole number from 1 to 3600000",
                value.trim_matches('"')
            ),
        );
    }
}

/// S4 "recent_scenes_count", "include_overall_summary": as keys of the configuration.
#[test]
fn what_a_planner_of_ticks_reads_has_two_keys() {
    let read = |text: &str| {
        let config = UserConfig::parse(text, Path::new("/kept/config.toml")).unwrap();
        (config.context.recent_scenes, config.context.overall_summary)
    };
    assert_eq!(read(""), (3, true));
    assert_eq!(read("[generation]\nrecent_scenes_count = 5"), (5, true));
    assert_eq!(read("[generation]\ninclude_overall_summary = false"), (3, false));
}

#[test]
fn the_level_of_the_log_is_a_level_or_a_filter() {
    let check = |value: &str| {
        let text = format!("[log]\nlevel = {value}");
        match UserConfig::parse(&text, Path::new("/kept/config.toml")) {
            Ok(UserConfig { log_level, .. }) => log_level.unwrap(),
            Err(error) => error.to_string(),
        }
    };
    assert_eq!(check("\"debug\""), "debug");
    assert_eq!(check("\"warn,narratoria=trace\""), "warn,narratoria=trace");
    for wrong in ["", "loud", "=,=", "narratoria=loud"] {
        let error = check(&format!("{wrong:?}"));
        let beginning = format!("line 2: `log.level` is `{wrong}`, it must be");
        assert!(error.starts_with(&beginning), "{error}");
    }
}

/// A page shows tables of `config.toml`, or of a policy, that can be written there.
#[test]
fn the_tables_that_pages_show_are_read() {
    let path = Path::new("/kept/config.toml");
    for page in ["checking", "limits", "models", "ticks", "writing-skills"] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/{page}.md"));
        let text = std::fs::read_to_string(file).unwrap();
        let blocks: Vec<&str> = text.split("```toml\n").skip(1).collect();
        assert_eq!(blocks.len(), 1, "{page}");
        let block = blocks[0].split("```").next().unwrap();
        if let Err(error) = UserConfig::parse(block, path) {
            panic!("{page}: {error}\n{block}");
        }
        if page == "checking" {
            assert!(parse_policy(block, path).is_ok(), "{block}");
        }
    }
}

#[track_caller]
fn check_policy(text: &str, expect: &str) {
    let found = match UserConfig::parse(text, Path::new("/kept/config.toml")) {
        Ok(UserConfig { host_policy: it, .. }) => {
            let refused: Vec<String> =
                it.refused.iter().map(|(key, line)| format!("{}@{line}", key.as_str())).collect();
            let hosts = it
                .hosts
                .map(|it| (it.line, it.only.iter().map(ToString::to_string).collect::<Vec<_>>()));
            let env = it.env.map(|it| (it.line, it.only));
            let number = |it: Option<Ceiling<u64>>| it.map(|it| it.most);
            format!(
                "{:?} {:?} {:?} {:?} {refused:?} {hosts:?} {env:?}",
                it.timeout.map(|it| it.most),
                number(it.fuel),
                number(it.memory_bytes),
                number(it.stdout_bytes)
            )
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(found, expect);
}

#[test]
fn limits_and_grants_are_optional() {
    check_policy("", "None None None None [] None None");
    check_policy(
        "[limits]\ntimeout-ms = 2000\nfuel = 7\nmemory-mib = 2\nstdout-bytes = 9",
        "Some(2s) Some(7) Some(2097152) Some(9) [] None None",
    );
    check_policy(
        "[grants]\nstore = true\ndata = false\nllm = false\nhttp = [\"a.example\", \"127.0.0.1:81\"]\nenv = []",
        r#"None None None None ["llm@4", "data@3"] Some((5, ["a.example", "127.0.0.1:81"])) Some((6, []))"#,
    );
    check_policy("[grants]\nhttp = false", r#"None None None None ["http@2"] None None"#);
}

#[test]
fn a_wrong_limit_or_grant_is_refused_with_its_line() {
    check_policy("[limits]\nfule = 1", "line 2: there is no key `fule`");
    for (number, found) in [
        ("0", "invalid value: integer `0`"),
        ("-1", "invalid value: integer `-1`"),
        ("1.5", "invalid type: floating point `1.5`"),
        ("\"1\"", "invalid type: string \"1\""),
    ] {
        check_policy(
            &format!("[limits]\n\nfuel = {number}"),
            &format!("line 3: `fuel = {number}`: {found}, expected a whole number of at least 1"),
        );
    }
    check_policy("limits = 1", "line 1: `limits = 1`: invalid type: integer `1`, expected a table");
    check_policy("[grants]\nstor = false", "line 2: there is no key `stor`");
    check_policy(
        "[grants]\nstore = [\"a\"]",
        "line 2: `store = [\"a\"]`: invalid type: sequence, expected a boolean",
    );
    check_policy(
        "[grants]\nenv = [1]",
        "line 2: `env = [1]`: invalid type: integer `1`, expected a string",
    );
    check_policy(
        "[grants]\nhttp = [\"127.1\"]",
        "line 2: `grants.http`: `127.1` ends as an address does, but is none; write it as four numbers",
    );
}

/// The same tables stand in `config.toml` and in a file of `--policy`.
#[test]
fn a_policy_says_which_packages_are_used_and_a_file_of_its_own_holds_nothing_else() {
    let text = "[packages]\nnames = [\"acme-*\"]\nlicenses = [\"MIT\"]\npriority = 60\n";
    let policies = [
        UserConfig::parse(text, Path::new("it")).map(|config| config.host_policy),
        parse_policy(text, Path::new("it")),
    ];
    for policy in policies {
        let policy = policy.unwrap();
        let lists = [policy.names, policy.licenses].map(|list| list.unwrap());
        assert_eq!(lists.each_ref().map(|list| list.line), [2, 3]);
        assert_eq!(lists.map(|list| list.only.concat()), ["acme-*", "MIT"]);
        assert_eq!(policy.priority, Some(Ceiling { line: 4, most: 60 }));
    }
    let error = |text| parse_policy(text, Path::new("it")).unwrap_err().to_string();
    assert_eq!(error("[model]\nuse = \"x\""), "line 1: there is no key `model`");
    assert_eq!(error("[packages]\n\nlicences = []"), "line 3: there is no key `licences`");
}

#[test]
fn every_grant_has_a_key() {
    for grant in Grant::ALL {
        let text = format!("[grants]\n{} = false", grant.as_str());
        let config = UserConfig::parse(&text, Path::new("config.toml")).unwrap();
        assert_eq!(config.host_policy.refused, [(grant, 2)].into());
    }
}

/// A character of two bytes lies across the 80th byte.
#[test]
fn a_long_line_at_fault_is_cut() {
    let line = format!("fuel = \"{}\"", "é".repeat(1000));
    let text = format!("[limits]\n{line}");
    let error = UserConfig::parse(&text, Path::new("config.toml")).unwrap_err().to_string();
    let shown: String = line.chars().take(80).collect();
    assert!(error.starts_with(&format!("line 2: `{shown}…`: invalid type: ")), "{error}");
}

#[test]
fn other_hosts_are_those_that_the_file_names() {
    let check = |text: &str, expect: Result<&[&str], &str>| {
        let found = UserConfig::parse(text, Path::new("/kept/config.toml"));
        let found = found.map(|config| config.server_hosts).map_err(|error| error.to_string());
        let expect = expect.map(|hosts| hosts.iter().map(|host| (*host).to_owned()).collect());
        assert_eq!(found, expect.map_err(str::to_owned), "{text}");
    };
    check("", Ok(&[]));
    check("[model]\nserver-hosts = [\"box.local\", \"10.0.0.2\"]", Ok(&["box.local", "10.0.0.2"]));
    check("[model]\nuse = \"http://box.local:8080/m\"", Ok(&["box.local"]));
    let wrong = "line 2: `model.server-hosts` has `box.local:8080`, which is no name of a host and no IP address";
    check("[model]\nserver-hosts = [\"box.local:8080\"]", Err(wrong));
    let server = "line 2: `model.embedding` is a server, and only a model file gives texts vectors";
    check("[model]\nembedding = \"http://127.0.0.1:8080\"", Err(server));
}
