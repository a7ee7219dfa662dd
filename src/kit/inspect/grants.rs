//! Compares a script's grants with its imports.

use narratoria_skills::{Grant, Grants};

/// One kind of grant of one script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantFacts {
    pub grant: Grant,
    /// True if the manifest asks for it.
    pub granted: bool,
    /// True if the script can do without it.
    pub is_optional: bool,
    /// Granted hosts of `http`, granted variables of `env`.
    pub names: Vec<String>,
    pub used: GrantUse,
}

/// True if a component uses a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantUse {
    /// Neither granted nor needed.
    None,
    /// Granted, and imported.
    Used,
    /// Granted, and imported; but nearly every program imports the interface, so only a run can tell.
    Possible,
    /// Granted, and not imported.
    Unused,
    /// Imported and not granted: the host will refuse the component.
    Missing,
    /// Optional, and refused by the player: the component is loaded without it.
    Withheld,
}

impl GrantUse {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            GrantUse::None => "none",
            GrantUse::Used => "used",
            GrantUse::Possible => "possible",
            GrantUse::Unused => "unused",
            GrantUse::Missing => "missing",
            GrantUse::Withheld => "withheld",
        }
    }
}

/// One for each kind of grant, in the order of the documentation. `imports` are all imports of the component.
pub(crate) fn facts(grants: &Grants, imports: &[String]) -> Vec<GrantFacts> {
    let fact = |grant: Grant| {
        let (granted, opens) = (grant.is_requested_in(grants), grant.import());
        let imported = imports.iter().any(|import| opens.matches(import));
        let used = match (granted, imported, opens.is_explicit()) {
            (false, ..) if grants.withheld.contains_key(&grant) => GrantUse::Withheld,
            (true, false, _) => GrantUse::Unused,
            (true, true, false) => GrantUse::Possible,
            (true, true, true) => GrantUse::Used,
            (false, true, true) => GrantUse::Missing,
            (false, ..) => GrantUse::None,
        };
        let is_optional = grants.optional.contains(&grant);
        GrantFacts { grant, granted, is_optional, names: grant.names(grants).to_vec(), used }
    };
    Grant::ALL.map(fact).into()
}

#[cfg(test)]
mod tests {
    use super::facts;
    use narratoria_skills::{Grant, Grants};

    fn check(grants: &Grants, imports: &[&str]) -> String {
        let imports: Vec<String> = imports.iter().map(|name| (*name).to_owned()).collect();
        let facts = facts(grants, &imports);
        let relevant = facts.iter().filter(|fact| fact.used != super::GrantUse::None);
        relevant
            .map(|fact| format!("{} {}", fact.grant.as_str(), fact.used.as_str()))
            .collect::<Vec<_>>()
            .join(", ")
    }

    #[test]
    fn a_grant_is_used_unused_missing_or_possibly_used() {
        let all = Grants {
            store: true,
            memory: true,
            llm: true,
            assets: true,
            data: true,
            campaign: true,
            http: vec!["example.com".to_owned()],
            env: vec!["LANG".to_owned()],
            ..Grants::default()
        };
        let usual = ["wasi:cli/environment@0.2.6", "wasi:filesystem/types@0.2.6"];
        insta::assert_snapshot!(check(&all, &usual), @"store unused, memory unused, llm unused, assets possible, data possible, campaign possible, http unused, env possible");
        insta::assert_snapshot!(check(&all, &["narratoria:host/store@0.1.0", "wasi:http/outgoing-handler@0.2.0"]), @"store used, memory unused, llm unused, assets unused, data unused, campaign unused, http used, env unused");
        let none = Grants::default();
        insta::assert_snapshot!(check(&none, &usual), @"");
        insta::assert_snapshot!(check(&none, &["narratoria:host/llm@0.1.0", "wasi:http/types@0.2.0"]), @"llm missing, http missing");
        insta::assert_snapshot!(check(&none, &["narratoria:host/storeroom@0.1.0"]), @"");
        let all = Grants { optional: [Grant::Llm, Grant::Env].into(), ..all };
        let refused = all.without_optional();
        insta::assert_snapshot!(check(&refused, &["narratoria:host/llm@0.1.0"]), @"store unused, memory unused, llm withheld, assets unused, data unused, campaign unused, http unused, env withheld");
    }
}
