//! Grants against imports: what a script has, needs and does not use.

use super::Names;
use crate::skills::Grants;

/// One kind of grant of one script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantFacts {
    /// As manifests call it.
    pub name: &'static str,
    /// Whether the manifest asks for it.
    pub granted: bool,
    /// What it is granted for: hosts of `http`, variables of `env`.
    pub names: Vec<String>,
    /// What the component makes of it.
    pub used: GrantUse,
}

/// What a component makes of a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantUse {
    /// Neither granted nor needed.
    None,
    /// Granted, and imported.
    Used,
    /// Granted, and it imports what would be needed; but so does nearly every program, so that nobody can tell
    /// without running it.
    Possible,
    /// Granted, and it imports nothing that could use it.
    Unused,
    /// Imported and not granted: it will be refused.
    Missing,
}

impl GrantUse {
    /// In a word.
    pub fn as_str(self) -> &'static str {
        match self {
            GrantUse::None => "none",
            GrantUse::Used => "used",
            GrantUse::Possible => "possible",
            GrantUse::Unused => "unused",
            GrantUse::Missing => "missing",
        }
    }
}

/// How what a grant opens is imported.
enum Import {
    /// By this name alone, in any version: whoever imports it wants it.
    Own(&'static str),
    /// As an interface of a package whose name begins like this: whoever imports it wants it.
    Within(&'static str),
    /// By an interface that the standard library of most languages imports whatever the program does.
    Standard(&'static str),
}

/// One for each kind of grant, in the order of the manifest's contract.
pub(super) fn facts(grants: &Grants, imports: &Names) -> Vec<GrantFacts> {
    let Grants { store, memory, llm, assets, data, http, env } = grants;
    let none = &Vec::new();
    let all: [(&'static str, bool, &Vec<String>, Import); 7] = [
        ("store", *store, none, Import::Own("narratoria:host/store")),
        ("memory", *memory, none, Import::Own("narratoria:host/memory")),
        ("llm", *llm, none, Import::Own("narratoria:host/llm")),
        ("assets", *assets, none, Import::Standard("wasi:filesystem/")),
        ("data", *data, none, Import::Standard("wasi:filesystem/")),
        ("http", !http.is_empty(), http, Import::Within("wasi:http/")),
        ("env", !env.is_empty(), env, Import::Standard("wasi:cli/environment")),
    ];
    let fact = |(name, granted, names, import): (_, bool, &Vec<String>, Import)| {
        let imported = imports.listed.iter().any(|one| import.is(one));
        let used = match (granted, imported, import) {
            (true, false, _) => GrantUse::Unused,
            (true, true, Import::Standard(_)) => GrantUse::Possible,
            (true, true, _) => GrantUse::Used,
            (false, true, Import::Own(_) | Import::Within(_)) => GrantUse::Missing,
            (false, ..) => GrantUse::None,
        };
        GrantFacts { name, granted, names: names.clone(), used }
    };
    all.map(fact).into()
}

impl Import {
    fn is(&self, import: &str) -> bool {
        let (name, _) = import.split_once('@').unwrap_or((import, ""));
        match self {
            Import::Own(own) => name == *own,
            Import::Within(start) | Import::Standard(start) => name.starts_with(start),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Names, facts};
    use crate::skills::Grants;

    fn check(grants: &Grants, imports: &[&str]) -> String {
        let listed: Vec<String> = imports.iter().map(|name| (*name).to_owned()).collect();
        let imports = Names { count: listed.len() as u64, listed };
        let facts = facts(grants, &imports);
        let told = facts.iter().filter(|fact| fact.used != super::GrantUse::None);
        told.map(|fact| format!("{} {}", fact.name, fact.used.as_str()))
            .collect::<Vec<_>>()
            .join(", ")
    }

    #[test]
    fn a_grant_is_used_unused_missing_or_nobody_can_tell() {
        let all = Grants {
            store: true,
            memory: true,
            llm: true,
            assets: true,
            data: true,
            http: vec!["example.com".to_owned()],
            env: vec!["LANG".to_owned()],
        };
        let usual = ["wasi:cli/environment@0.2.6", "wasi:filesystem/types@0.2.6"];
        insta::assert_snapshot!(check(&all, &usual), @"store unused, memory unused, llm unused, assets possible, data possible, http unused, env possible");
        insta::assert_snapshot!(check(&all, &["narratoria:host/store@0.1.0", "wasi:http/outgoing-handler@0.2.0"]), @"store used, memory unused, llm unused, assets unused, data unused, http used, env unused");
        let none = Grants::default();
        insta::assert_snapshot!(check(&none, &usual), @"");
        insta::assert_snapshot!(check(&none, &["narratoria:host/llm@0.1.0", "wasi:http/types@0.2.0"]), @"llm missing, http missing");
        insta::assert_snapshot!(check(&none, &["narratoria:host/storeroom@0.1.0"]), @"");
    }
}
