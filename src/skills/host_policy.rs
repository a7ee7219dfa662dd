//! The user's limits on packages, which no manifest can exceed. Pure.
//!
//! A lower limit applies silently: the package still runs, with less. So does the refusal of an optional grant. Any other
//! refused grant removes the package, because a script without a grant that it relies on would fail in the middle of a
//! story.

use std::{collections::BTreeMap, time::Duration};

use super::{
    HttpHost,
    catalog::Skill,
    grant::{Grant, Grants},
    manifest::MANIFEST_FILE,
    problem::{Problem, Severity},
};

/// The only values that may be granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowList<T> {
    /// The policy file's line with this list.
    pub line: usize,
    pub only: Vec<T>,
}

/// The user's limits, each for one attempt; none by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostPolicy {
    /// The file that holds the policy, for messages.
    pub file: String,
    pub timeout: Option<Duration>,
    pub fuel: Option<u64>,
    pub memory_bytes: Option<u64>,
    pub stdout_bytes: Option<u64>,
    /// The wait before the first retry of a skill that names none.
    pub backoff: Option<Duration>,
    /// Grants that no package gets, with the line that refuses each.
    pub refused: BTreeMap<Grant, usize>,
    /// The hosts that may be granted; one without a port stands for all of its ports.
    pub hosts: Option<AllowList<HttpHost>>,
    /// The environment variables that may be granted.
    pub env: Option<AllowList<String>>,
}

/// A grant that a script asks for and the policy refuses.
struct RefusedGrant {
    grant: Grant,
    /// The refused host or variable; `None` if the whole grant is refused.
    name: Option<String>,
    /// The line that refuses it.
    line: usize,
}

impl HostPolicy {
    /// Lowers a skill's limits, withholds refused grants that are optional, and returns a problem for each other refused
    /// grant. A skill with such a problem must not run.
    pub fn apply(&self, skill: &mut Skill) -> Vec<Problem> {
        let mut problems = Vec::new();
        if let Some(backoff) = self.backoff.filter(|_| !skill.names_backoff) {
            skill.retry.backoff = backoff;
        }
        for (idx, script) in skill.scripts.iter_mut().enumerate() {
            let lower = |limit: &mut u64, most: Option<u64>| {
                *limit = most.map_or(*limit, |most| most.min(*limit));
            };
            lower(&mut script.limits.fuel, self.fuel);
            lower(&mut script.limits.memory_bytes, self.memory_bytes);
            lower(&mut script.limits.stdout_bytes, self.stdout_bytes);
            script.timeout = self.timeout.map_or(script.timeout, |most| most.min(script.timeout));
            for RefusedGrant { grant, name, line } in self.refused_grants(&script.grants) {
                if script.grants.optional.contains(&grant) {
                    match name {
                        None => script.grants.withhold(grant),
                        Some(name) => script.grants.withhold_name(grant, &name),
                    }
                    continue;
                }
                let file = &self.file;
                let what = match name {
                    None => format!("the grant `{}`", grant.as_str()),
                    Some(name) if grant == Grant::Http => format!("the host `{name}`"),
                    Some(name) => format!("the variable `{name}`"),
                };
                problems.push(Problem {
                    package: skill.name.clone(),
                    file: Some(MANIFEST_FILE.to_owned()),
                    field: Some(format!("/scripts/{idx}/grants/{}", grant.as_str())),
                    what: format!(
                        "asks for {what}, which line {line} of `{file}` does not allow (`{}` in `[grants]`)",
                        grant.as_str()
                    ),
                    severity: Severity::Skipped,
                });
            }
        }
        problems
    }

    /// The line that keeps a variable from every package, if one does. It holds for grants and for settings alike.
    pub fn line_that_refuses_variable(&self, name: &str) -> Option<usize> {
        let whole = self.refused.get(&Grant::Env).copied();
        let listed =
            self.env.as_ref().filter(|allowed| !allowed.only.iter().any(|one| one == name));
        whole.or_else(|| listed.map(|allowed| allowed.line))
    }

    fn refused_grants(&self, grants: &Grants) -> Vec<RefusedGrant> {
        let whole = self.refused.iter().filter(|(grant, _)| grant.is_requested_in(grants));
        let mut refused: Vec<RefusedGrant> = whole
            .map(|(grant, line)| RefusedGrant { grant: *grant, name: None, line: *line })
            .collect();
        let named = |grant, name: &String, line: &usize| RefusedGrant {
            grant,
            name: Some(name.clone()),
            line: *line,
        };
        if let Some(AllowList { line, only }) = &self.hosts {
            let is_allowed = |text: &str| {
                HttpHost::parse(text).is_ok_and(|host| only.iter().any(|one| one.covers(&host)))
            };
            let hosts = grants.http.iter().filter(|host| !is_allowed(host));
            refused.extend(hosts.map(|host| named(Grant::Http, host, line)));
        }
        if let Some(AllowList { line, only }) = &self.env {
            let names = grants.env.iter().filter(|name| !only.contains(name));
            refused.extend(names.map(|name| named(Grant::Env, name, line)));
        }
        refused
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ScriptLimits;
    use crate::testing;

    fn skill(grants: Grants) -> Skill {
        let mut skill = testing::skill("dice", &["roll"]);
        skill.scripts[0].grants = grants;
        skill.scripts[0].limits = ScriptLimits { fuel: 100, memory_bytes: 100, stdout_bytes: 100 };
        skill
    }

    fn host_policy() -> HostPolicy {
        HostPolicy {
            file: "config.toml".to_owned(),
            refused: [(Grant::Data, 4), (Grant::Store, 3)].into(),
            hosts: Some(AllowList { line: 5, only: vec![HttpHost::parse("a.example").unwrap()] }),
            env: Some(AllowList { line: 6, only: vec!["LANG".to_owned()] }),
            ..HostPolicy::default()
        }
    }

    #[test]
    fn the_players_backoff_holds_where_a_skill_names_none() {
        let policy =
            HostPolicy { backoff: Some(Duration::from_millis(7)), ..HostPolicy::default() };
        for (names_backoff, expected) in [(false, 7), (true, 100)] {
            let mut skill = Skill { names_backoff, ..skill(Grants::default()) };
            assert!(policy.apply(&mut skill).is_empty());
            assert_eq!(skill.retry.backoff, Duration::from_millis(expected));
        }
    }

    fn problems_text(grants: Grants) -> String {
        let problems = host_policy().apply(&mut skill(grants));
        problems.iter().map(|problem| format!("{problem}\n")).collect()
    }

    #[test]
    fn limits_are_lowered_and_never_raised() {
        let mut skill = skill(Grants::default());
        let (before, timeout) = (skill.scripts[0].limits, skill.scripts[0].timeout);
        let high = HostPolicy {
            timeout: Some(Duration::from_secs(3_600)),
            fuel: Some(u64::MAX),
            memory_bytes: Some(u64::MAX),
            stdout_bytes: Some(u64::MAX),
            ..HostPolicy::default()
        };
        assert_eq!(high.apply(&mut skill), []);
        assert_eq!((skill.scripts[0].limits, skill.scripts[0].timeout), (before, timeout));
        let low = HostPolicy {
            timeout: Some(Duration::from_millis(7)),
            fuel: Some(8),
            memory_bytes: Some(9),
            stdout_bytes: Some(10),
            ..HostPolicy::default()
        };
        assert_eq!(low.apply(&mut skill), []);
        let script = &skill.scripts[0];
        let limits = (script.limits.fuel, script.limits.memory_bytes, script.limits.stdout_bytes);
        assert_eq!((script.timeout, limits), (Duration::from_millis(7), (8, 9, 10)));
    }

    /// `[grants] llm = false` must not cost the player the storyteller.
    #[test]
    fn a_refused_grant_that_is_optional_is_withheld_and_the_skill_stays() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let mut skill = skill(Grants {
            store: true,
            memory: true,
            http: texts(&["a.example", "b.example"]),
            env: texts(&["LANG", "TOKEN"]),
            optional: [Grant::Store, Grant::Memory, Grant::Http, Grant::Env].into(),
            ..Grants::default()
        });
        assert_eq!(host_policy().apply(&mut skill), []);
        let grants = &skill.scripts[0].grants;
        assert_eq!((grants.store, grants.memory), (false, true));
        assert_eq!((&grants.http, &grants.env), (&texts(&["a.example"]), &texts(&["LANG"])));
        assert_eq!(
            grants.withheld,
            [
                (Grant::Store, Vec::new()),
                (Grant::Http, texts(&["b.example"])),
                (Grant::Env, texts(&["TOKEN"])),
            ]
            .into()
        );
        let allowed = Grant::ALL.into_iter().filter(|grant| grants.allow_import(*grant));
        let allowed: Vec<&str> = allowed.map(Grant::as_str).collect();
        assert_eq!(allowed, ["store", "memory", "http", "env"]);
    }

    #[test]
    fn each_refused_grant_is_reported_with_the_line_that_refuses_it() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        assert_eq!(
            problems_text(Grants { llm: true, memory: true, assets: true, ..Grants::default() }),
            ""
        );
        let fine = Grants {
            http: texts(&["a.example", "a.example:8443"]),
            env: texts(&["LANG"]),
            ..Grants::default()
        };
        assert_eq!(problems_text(fine), "");
        insta::assert_snapshot!(
            problems_text(Grants {
                store: true,
                data: true,
                http: texts(&["a.example", "b.a.example"]),
                env: texts(&["LANG", "AWS_SECRET_ACCESS_KEY"]),
                ..Grants::default()
            }),
            @"
        package `dice`: skill.json: /scripts/0/grants/store: asks for the grant `store`, which line 3 of `config.toml` does not allow (`store` in `[grants]`)
        package `dice`: skill.json: /scripts/0/grants/data: asks for the grant `data`, which line 4 of `config.toml` does not allow (`data` in `[grants]`)
        package `dice`: skill.json: /scripts/0/grants/http: asks for the host `b.a.example`, which line 5 of `config.toml` does not allow (`http` in `[grants]`)
        package `dice`: skill.json: /scripts/0/grants/env: asks for the variable `AWS_SECRET_ACCESS_KEY`, which line 6 of `config.toml` does not allow (`env` in `[grants]`)
        "
        );
    }
}
