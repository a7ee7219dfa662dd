//! `[limits]` and `[grants]`: what packages have at most.

use std::time::Duration;

use narratoria_skills::{AllowList, Grant, HostPolicy, HttpHost};
use toml_edit::{Item, TableLike};

use super::{UserConfigError, entries, line_of, wrong_kind};

/// `[limits]`.
pub(super) fn limits(
    text: &str,
    table: &dyn TableLike,
    ceilings: &mut HostPolicy,
) -> Result<(), UserConfigError> {
    let known = ["timeout-ms", "fuel", "memory-mib", "stdout-bytes"];
    for (key, item) in entries(text, table, "limits.", &known)? {
        let number = item.as_integer().and_then(|number| u64::try_from(number).ok());
        let number = number.filter(|number| *number > 0).ok_or_else(|| {
            let expected = "a whole number of at least 1";
            wrong_kind(line_of(text, table, key), &format!("limits.{key}"), expected, item)
        })?;
        match key {
            "timeout-ms" => ceilings.timeout = Some(Duration::from_millis(number)),
            "fuel" => ceilings.fuel = Some(number),
            "memory-mib" => ceilings.memory_bytes = Some(number.saturating_mul(1 << 20)),
            _ => ceilings.stdout_bytes = Some(number),
        }
    }
    Ok(())
}

/// `[grants]`.
pub(super) fn grants(
    text: &str,
    table: &dyn TableLike,
    ceilings: &mut HostPolicy,
) -> Result<(), UserConfigError> {
    let known = Grant::ALL.map(Grant::as_str);
    for (key, item) in entries(text, table, "grants.", &known)? {
        let line = line_of(text, table, key);
        let Some(grant) = Grant::ALL.into_iter().find(|grant| grant.as_str() == key) else {
            continue;
        };
        let named = format!("grants.{key}");
        match (item.as_bool(), grant) {
            (Some(true), _) => {}
            (Some(false), _) => _ = ceilings.refused.insert(grant, line),
            (None, Grant::Http) => {
                let texts = texts(line, &named, item)?;
                let hosts =
                    texts.iter().map(|host| HttpHost::parse(host)).collect::<Result<_, _>>();
                let hosts = hosts.map_err(|why| UserConfigError::BadHost { line, why })?;
                ceilings.hosts = Some(AllowList { line, only: hosts });
            }
            (None, Grant::Env) => {
                ceilings.env = Some(AllowList { line, only: texts(line, &named, item)? });
            }
            (None, _) => return Err(wrong_kind(line, &named, "`true` or `false`", item)),
        }
    }
    Ok(())
}

fn texts(line: usize, named: &str, item: &Item) -> Result<Vec<String>, UserConfigError> {
    let wrong = || wrong_kind(line, named, "`true`, `false` or a list of texts", item);
    let array = item.as_array().ok_or_else(wrong)?;
    array.iter().map(|text| Ok(text.as_str().ok_or_else(wrong)?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::UserConfig;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let told = match UserConfig::parse(text, Path::new("/kept/config.toml")) {
            Ok(UserConfig { host_policy: it, .. }) => {
                let refused: Vec<String> = it
                    .refused
                    .iter()
                    .map(|(key, line)| format!("{}@{line}", key.as_str()))
                    .collect();
                let hosts = it.hosts.map(|it| {
                    (it.line, it.only.iter().map(ToString::to_string).collect::<Vec<_>>())
                });
                let env = it.env.map(|it| (it.line, it.only));
                format!(
                    "{:?} {:?} {:?} {:?} {refused:?} {hosts:?} {env:?}",
                    it.timeout, it.fuel, it.memory_bytes, it.stdout_bytes
                )
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(told, expect);
    }

    #[test]
    fn limits_and_grants_may_be_said_or_left_out() {
        check("", "None None None None [] None None");
        check(
            "[limits]\ntimeout-ms = 2000\nfuel = 7\nmemory-mib = 2\nstdout-bytes = 9",
            "Some(2s) Some(7) Some(2097152) Some(9) [] None None",
        );
        check(
            "[grants]\nstore = true\ndata = false\nllm = false\nhttp = [\"a.example\", \"127.0.0.1:81\"]\nenv = []",
            r#"None None None None ["llm@4", "data@3"] Some((5, ["a.example", "127.0.0.1:81"])) Some((6, []))"#,
        );
        check("[grants]\nhttp = false", r#"None None None None ["http@2"] None None"#);
    }

    #[test]
    fn what_is_no_limit_and_no_grant_is_told_with_its_line() {
        check("[limits]\nfule = 1", "line 2: there is no key `limits.fule`");
        for number in ["0", "-1", "1.5", "\"1\""] {
            let found = if number == "\"1\"" { "a text" } else { "a number" };
            check(
                &format!("[limits]\n\nfuel = {number}"),
                &format!(
                    "line 3: `limits.fuel` must be a whole number of at least 1, it is {found}"
                ),
            );
        }
        check("limits = 1", "line 1: `limits` must be a table, it is a number");
        check("[grants]\nstor = false", "line 2: there is no key `grants.stor`");
        check(
            "[grants]\nstore = [\"a\"]",
            "line 2: `grants.store` must be `true` or `false`, it is an array",
        );
        check(
            "[grants]\nenv = [1]",
            "line 2: `grants.env` must be `true`, `false` or a list of texts, it is an array",
        );
        check(
            "[grants]\nhttp = [\"127.1\"]",
            "line 2: `grants.http`: `127.1` ends as an address does, but is none; write it as four numbers",
        );
    }
}
