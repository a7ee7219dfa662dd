//! The user's limits on packages, which no manifest can exceed. Pure.
//!
//! A lower limit applies silently: the package still runs, with less. So does the refusal of an optional grant. Any other
//! breach of the policy removes the package, because a script without a grant that it relies on would fail in the middle of
//! a story. `skill check` reports every [`PolicyBreach`] with the line of the policy that decided.

use std::{collections::BTreeMap, fmt, time::Duration};

use super::{
    HttpHost,
    catalog::{PackageOrigin, Skill},
    grant::{Grant, Grants},
    manifest::{
        FUEL_DEFAULT, MANIFEST_FILE, MEMORY_BYTES_DEFAULT, PRIORITY_DEFAULT, STDOUT_BYTES_DEFAULT,
        TIMEOUT_DEFAULT,
    },
    problem::{Problem, Severity},
    signer_key::SignerKey,
};
use narratoria_protocol::millis;

/// The only values that are allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowList<T> {
    /// The policy file's line with this list.
    pub line: usize,
    pub only: Vec<T>,
}

/// The highest value that is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ceiling<T> {
    /// The policy file's line with this value.
    pub line: usize,
    pub most: T,
}

/// The user's limits, each for one attempt; none by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostPolicy {
    /// The file that holds the policy, for messages.
    pub file: String,
    pub timeout: Option<Ceiling<Duration>>,
    pub fuel: Option<Ceiling<u64>>,
    pub memory_bytes: Option<Ceiling<u64>>,
    pub stdout_bytes: Option<Ceiling<u64>>,
    /// The wait before the first retry of a skill that names none.
    pub backoff: Option<Duration>,
    /// Grants that no package gets, with the line that refuses each.
    pub refused: BTreeMap<Grant, usize>,
    /// The hosts that may be granted; one without a port stands for all of its ports.
    pub hosts: Option<AllowList<HttpHost>>,
    /// The environment variables that may be granted.
    pub env: Option<AllowList<String>>,
    /// The names that packages may have; `*` at the end stands for any end.
    pub names: Option<AllowList<String>>,
    /// The licences that packages may have, as in their manifests.
    pub licenses: Option<AllowList<String>>,
    /// The priority of packages.
    pub priority: Option<Ceiling<u8>>,
    /// The keys that packages may be signed with; one that is not signed is none of them.
    pub keys: Option<AllowList<SignerKey>>,
}

/// One thing that a package asks for and the policy does not allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyBreach {
    /// JSON pointer into the manifest.
    pub pointer: String,
    /// The file that holds the policy.
    pub file: String,
    /// The line that decided.
    pub line: usize,
    pub effect: PolicyEffect,
    /// What is asked for, as a predicate: "asks for the grant `store`".
    what: String,
    /// The key of the policy: "`store` in `[grants]`".
    key: String,
    grant: Option<RefusedGrant>,
}

/// What a breach means for a player with the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyEffect {
    /// The package is not used.
    Refused,
    /// The package is used, with less.
    Lowered,
}

/// A grant that a script asks for and the policy refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RefusedGrant {
    script_idx: usize,
    grant: Grant,
    /// The refused host or variable; `None` if the whole grant is refused.
    name: Option<String>,
}

impl fmt::Display for PolicyBreach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PolicyBreach { file, line, what, key, .. } = self;
        write!(f, "{what}, which line {line} of `{file}` does not allow ({key})")
    }
}

impl HostPolicy {
    /// Lowers a skill's limits, withholds refused grants that are optional, and returns a problem for each other breach.
    /// A skill with such a problem must not run.
    pub fn apply(&self, skill: &mut Skill) -> Vec<Problem> {
        if let Some(backoff) = self.backoff.filter(|_| !skill.names_backoff) {
            skill.retry.backoff = backoff;
        }
        let mut problems = Vec::new();
        for breach in self.breaches(skill) {
            if breach.effect == PolicyEffect::Refused {
                problems.push(Problem {
                    package: skill.name.clone(),
                    file: Some(MANIFEST_FILE.to_owned()),
                    field: Some(breach.pointer.clone()),
                    what: breach.to_string(),
                    severity: Severity::Skipped,
                });
            } else if let Some(RefusedGrant { script_idx, grant, name }) = breach.grant {
                let grants = &mut skill.scripts[script_idx].grants;
                match name {
                    None => grants.withhold(grant),
                    Some(name) => grants.withhold_name(grant, &name),
                }
            }
        }
        if skill.origin != PackageOrigin::BuiltIn {
            lower(&mut skill.priority, self.priority);
        }
        for script in &mut skill.scripts {
            lower(&mut script.limits.fuel, self.fuel);
            lower(&mut script.limits.memory_bytes, self.memory_bytes);
            lower(&mut script.limits.stdout_bytes, self.stdout_bytes);
            lower(&mut script.timeout, self.timeout);
        }
        problems
    }

    /// Everything that a skill asks for and the policy does not allow. A limit that its manifest leaves to the host is not
    /// asked for.
    pub fn breaches(&self, skill: &Skill) -> Vec<PolicyBreach> {
        let mut found = Vec::new();
        if skill.origin != PackageOrigin::BuiltIn {
            self.judge_package(skill, &mut found);
        }
        for (script_idx, script) in skill.scripts.iter().enumerate() {
            let at = |field: &str| format!("/scripts/{script_idx}/{field}");
            let mut judge = |field: &str, key: &str, value: u64, usual: u64, most| {
                if let Some(Ceiling { line, most }) = most
                    && value > most
                    && value != usual
                {
                    let what = format!("asks for {value}, more than {most}");
                    found.push(self.lowered(
                        at(field),
                        line,
                        what,
                        format!("`{key}` in `[limits]`"),
                    ));
                }
            };
            let limits = &script.limits;
            judge("limits/fuel", "fuel", limits.fuel, FUEL_DEFAULT, self.fuel);
            judge(
                "limits/stdoutBytes",
                "stdout-bytes",
                limits.stdout_bytes,
                STDOUT_BYTES_DEFAULT,
                self.stdout_bytes,
            );
            let mebibytes = |bytes: u64| bytes >> 20;
            judge(
                "limits/memoryMiB",
                "memory-mib",
                mebibytes(limits.memory_bytes),
                mebibytes(MEMORY_BYTES_DEFAULT),
                self.memory_bytes.map(|it| Ceiling { most: mebibytes(it.most), ..it }),
            );
            judge(
                "timeout",
                "timeout-ms",
                millis(script.timeout),
                millis(TIMEOUT_DEFAULT),
                self.timeout.map(|it| Ceiling { line: it.line, most: millis(it.most) }),
            );
            self.judge_grants(script_idx, &script.grants, &mut found);
        }
        found
    }

    /// The line that keeps a variable from every package, if one does. It holds for grants and for settings alike.
    pub fn line_that_refuses_variable(&self, name: &str) -> Option<usize> {
        let whole = self.refused.get(&Grant::Env).copied();
        let listed =
            self.env.as_ref().filter(|allowed| !allowed.only.iter().any(|one| one == name));
        whole.or_else(|| listed.map(|allowed| allowed.line))
    }

    /// Whether a package with this signer, or without one, may be used.
    pub fn signer_breach(&self, signer: Option<&SignerKey>) -> Option<PolicyBreach> {
        let AllowList { line, only } = self.keys.as_ref()?;
        let what = match signer {
            Some(key) if only.contains(key) => return None,
            Some(key) => format!("is signed by {key}"),
            None => "has no signature that the host has verified".to_owned(),
        };
        Some(self.package_refused("", *line, what, "keys"))
    }

    fn package_refused(&self, pointer: &str, line: usize, what: String, key: &str) -> PolicyBreach {
        PolicyBreach {
            effect: PolicyEffect::Refused,
            ..self.lowered(pointer.to_owned(), line, what, format!("`{key}` in `[packages]`"))
        }
    }

    /// Name, licence, priority and signer.
    fn judge_package(&self, skill: &Skill, found: &mut Vec<PolicyBreach>) {
        let refused =
            |pointer: &str, line, what, key: &str| self.package_refused(pointer, line, what, key);
        found.extend(self.signer_breach(skill.signer.as_ref()));
        if let Some(AllowList { line, only }) = &self.names
            && !only.iter().any(|pattern| matches_name(pattern, &skill.name))
        {
            let what = format!("has the name `{}`", skill.name);
            found.push(refused("/name", *line, what, "names"));
        }
        if let Some(AllowList { line, only }) = &self.licenses {
            match &skill.license {
                Some(license) if only.contains(license) => {}
                Some(license) => {
                    let what = format!("has the licence `{license}`");
                    found.push(refused("/license", *line, what, "licenses"));
                }
                None => found.push(refused("", *line, "names no licence".to_owned(), "licenses")),
            }
        }
        if let Some(Ceiling { line, most }) = self.priority
            && skill.priority > most
            && skill.priority != PRIORITY_DEFAULT
        {
            let what = format!("asks for the priority {}, more than {most}", skill.priority);
            let key = "`priority` in `[packages]`".to_owned();
            found.push(self.lowered("/priority".to_owned(), line, what, key));
        }
    }

    fn judge_grants(&self, script_idx: usize, grants: &Grants, found: &mut Vec<PolicyBreach>) {
        let mut refuse = |grant: Grant, name: Option<&String>, line: usize| {
            let what = match name {
                None => format!("the grant `{}`", grant.as_str()),
                Some(name) if grant == Grant::Http => format!("the host `{name}`"),
                Some(name) => format!("the variable `{name}`"),
            };
            let effect = match grants.optional.contains(&grant) {
                true => PolicyEffect::Lowered,
                false => PolicyEffect::Refused,
            };
            let pointer = format!("/scripts/{script_idx}/grants/{}", grant.as_str());
            let key = format!("`{}` in `[grants]`", grant.as_str());
            let grant = RefusedGrant { script_idx, grant, name: name.cloned() };
            found.push(PolicyBreach {
                effect,
                grant: Some(grant),
                ..self.lowered(pointer, line, format!("asks for {what}"), key)
            });
        };
        for (grant, line) in self.refused.iter().filter(|(it, _)| it.is_requested_in(grants)) {
            refuse(*grant, None, *line);
        }
        if let Some(AllowList { line, only }) = &self.hosts {
            let is_allowed = |text: &str| {
                HttpHost::parse(text).is_ok_and(|host| only.iter().any(|one| one.covers(&host)))
            };
            for host in grants.http.iter().filter(|host| !is_allowed(host)) {
                refuse(Grant::Http, Some(host), *line);
            }
        }
        if let Some(AllowList { line, only }) = &self.env {
            for name in grants.env.iter().filter(|name| !only.contains(name)) {
                refuse(Grant::Env, Some(name), *line);
            }
        }
    }

    fn lowered(&self, pointer: String, line: usize, what: String, key: String) -> PolicyBreach {
        let (file, effect) = (self.file.clone(), PolicyEffect::Lowered);
        PolicyBreach { pointer, file, line, effect, what, key, grant: None }
    }
}

fn lower<T: Ord + Copy>(limit: &mut T, most: Option<Ceiling<T>>) {
    *limit = most.map_or(*limit, |ceiling| ceiling.most.min(*limit));
}

/// Returns true if the pattern is the name, or ends with `*` and begins like it.
fn matches_name(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => pattern == name,
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

    #[expect(clippy::unnecessary_wraps, reason = "each field of a policy is an option")]
    fn ceiling<T>(most: T) -> Option<Ceiling<T>> {
        Some(Ceiling { line: 1, most })
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
            timeout: ceiling(Duration::from_secs(3_600)),
            fuel: ceiling(u64::MAX),
            memory_bytes: ceiling(u64::MAX),
            stdout_bytes: ceiling(u64::MAX),
            ..HostPolicy::default()
        };
        assert_eq!(high.apply(&mut skill), []);
        assert_eq!((skill.scripts[0].limits, skill.scripts[0].timeout), (before, timeout));
        let low = HostPolicy {
            timeout: ceiling(Duration::from_millis(7)),
            fuel: ceiling(8),
            memory_bytes: ceiling(9),
            stdout_bytes: ceiling(10),
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

    /// A package of a player, without a licence.
    fn package(name: &str) -> Skill {
        let origin = PackageOrigin::Folder(name.into());
        Skill { name: name.to_owned(), origin, ..skill(Grants::default()) }
    }

    fn package_policy() -> HostPolicy {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        HostPolicy {
            file: "policy.toml".to_owned(),
            names: Some(AllowList { line: 2, only: texts(&["acme-*", "dice"]) }),
            licenses: Some(AllowList { line: 3, only: texts(&["MIT"]) }),
            priority: Some(Ceiling { line: 4, most: 60 }),
            fuel: Some(Ceiling { line: 7, most: 30_000_000_000 }),
            timeout: Some(Ceiling { line: 8, most: Duration::from_secs(10) }),
            ..HostPolicy::default()
        }
    }

    /// A limit that the manifest leaves to the host is lowered, and nothing that the package asks for.
    #[test]
    fn every_breach_names_the_line_that_decided() {
        let mut asking = package("other");
        asking.priority = 90;
        asking.scripts[0].limits.fuel = 40_000_000_000;
        let shown: String =
            package_policy().breaches(&asking).iter().map(|it| format!("{it}\n")).collect();
        insta::assert_snapshot!(shown, @"
        has the name `other`, which line 2 of `policy.toml` does not allow (`names` in `[packages]`)
        names no licence, which line 3 of `policy.toml` does not allow (`licenses` in `[packages]`)
        asks for the priority 90, more than 60, which line 4 of `policy.toml` does not allow (`priority` in `[packages]`)
        asks for 40000000000, more than 30000000000, which line 7 of `policy.toml` does not allow (`fuel` in `[limits]`)
        ");
        let allowed = |name: &str| Skill { license: Some("MIT".to_owned()), ..package(name) };
        for name in ["dice", "acme-weather"] {
            assert_eq!(package_policy().breaches(&allowed(name)), [], "{name}");
        }
        assert_eq!(package_policy().breaches(&allowed("dice-roller")).len(), 1);
    }

    /// An agreement of the player does not stand above the policy, and a record that a package brings is no signature.
    #[test]
    fn a_package_needs_a_signature_by_a_listed_key_if_the_policy_lists_keys() {
        let key = |text: &str| SignerKey::parse(text).unwrap();
        let listed = key("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3");
        let other = key("RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO4");
        let policy = HostPolicy {
            file: "policy.toml".to_owned(),
            keys: Some(AllowList { line: 5, only: vec![listed.clone()] }),
            ..HostPolicy::default()
        };
        let judged = |signer: Option<SignerKey>| {
            let breaches = policy.breaches(&Skill { signer, ..package("dice") });
            breaches.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(judged(Some(listed)), [""; 0]);
        let line = "which line 5 of `policy.toml` does not allow (`keys` in `[packages]`)";
        assert_eq!(judged(Some(other.clone())), [format!("is signed by {other}, {line}")]);
        assert_eq!(judged(None), [format!("has no signature that the host has verified, {line}")]);
        let mut unsigned = package("dice");
        assert_eq!(policy.apply(&mut unsigned).len(), 1);
        unsigned.origin = PackageOrigin::BuiltIn;
        assert_eq!(policy.apply(&mut unsigned), []);
    }

    #[test]
    fn a_package_that_the_policy_does_not_name_is_not_used_and_a_skill_of_the_program_is() {
        let mut other = Skill { priority: 90, ..package("other") };
        assert_eq!(package_policy().apply(&mut other).len(), 2);
        assert_eq!(other.priority, 60);
        other.origin = PackageOrigin::BuiltIn;
        assert_eq!(package_policy().apply(&mut other), []);
    }
}
