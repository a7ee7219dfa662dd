//! What a package asks of its player, one thing at a time, so that a person can agree before it is installed and sees
//! the difference at an upgrade. Pure.

use std::{collections::BTreeSet, fmt};

use super::{catalog::Skill, catch_all::catch_nearly_everything, grant::Grant};

/// One thing that a package asks for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Demand {
    pub kind: DemandKind,
    /// A host, a variable, a pointer, a script or a setting; empty for the kinds that need no name.
    pub what: String,
    /// True for a grant that the package can do without.
    pub is_optional: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DemandKind {
    /// The name of a skill that is part of the program.
    ReplacesBuiltIn,
    Grant(Grant),
    /// A pointer into the story's state.
    Reads,
    /// A pointer into the story's state.
    Writes,
    /// A setting that is secret and has a value.
    Secret,
    /// A setting that the version before kept secret, and this one does not.
    OpenedSecret,
    /// An environment variable that the player's settings name.
    SettingVariable,
    /// Triggers that fire on nearly every sentence.
    CatchesEverything,
    /// A script that answers where no other does.
    Fallback,
}

impl DemandKind {
    /// The word in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            DemandKind::ReplacesBuiltIn => "replaces-built-in",
            DemandKind::Grant(grant) => grant.as_str(),
            DemandKind::Reads => "reads",
            DemandKind::Writes => "writes",
            DemandKind::Secret => "secret",
            DemandKind::OpenedSecret => "opened-secret",
            DemandKind::SettingVariable => "setting-variable",
            DemandKind::CatchesEverything => "catches-everything",
            DemandKind::Fallback => "fallback",
        }
    }
}

/// A sentence part, such as "sends requests to `api.example.com`".
impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = &self.what;
        let optional = if self.is_optional { ", which it can do without" } else { "" };
        match self.kind {
            DemandKind::ReplacesBuiltIn => {
                write!(f, "takes the place of `{what}`, which is part of the program")
            }
            DemandKind::Grant(Grant::Store) => {
                write!(f, "keeps values of its own in each story (grant `store`{optional})")
            }
            DemandKind::Grant(Grant::Memory) => {
                write!(f, "reads and writes the memory of the story (grant `memory`{optional})")
            }
            DemandKind::Grant(Grant::Llm) => {
                write!(f, "uses your language model (grant `llm`{optional})")
            }
            DemandKind::Grant(Grant::Assets) => {
                write!(f, "makes files that a turn keeps (grant `assets`{optional})")
            }
            DemandKind::Grant(Grant::Data) => {
                write!(f, "keeps files that no undo takes back (grant `data`{optional})")
            }
            DemandKind::Grant(Grant::Campaign) => {
                write!(f, "reads the campaign of the story (grant `campaign`{optional})")
            }
            DemandKind::Grant(Grant::Http) => {
                write!(f, "sends requests to `{what}` (grant `http`{optional})")
            }
            DemandKind::Grant(Grant::Env) => {
                write!(f, "reads the environment variable `{what}` (grant `env`{optional})")
            }
            DemandKind::Reads if what.is_empty() => {
                f.write_str("reads the whole state of the story")
            }
            DemandKind::Reads => write!(f, "reads `{what}` of the story's state"),
            DemandKind::Writes if what.is_empty() => {
                f.write_str("writes the whole state of the story")
            }
            DemandKind::Writes => write!(f, "writes `{what}` of the story's state"),
            DemandKind::Secret => write!(f, "gets your secret setting `{what}`"),
            DemandKind::OpenedSecret => {
                write!(f, "gets your setting `{what}`, and keeps it secret no longer")
            }
            DemandKind::SettingVariable => {
                write!(f, "gets the environment variable `{what}`, which your settings name")
            }
            DemandKind::CatchesEverything => {
                f.write_str("answers nearly every sentence, whatever you say")
            }
            DemandKind::Fallback => {
                write!(f, "its script `{what}` answers and narrates where no other skill does")
            }
        }
    }
}

/// Everything that a skill asks for, in a fixed order.
pub fn demands(skill: &Skill) -> BTreeSet<Demand> {
    let mut all = BTreeSet::new();
    for (grant, name) in requested(skill) {
        let is_optional = can_do_without(skill, grant, name);
        let (kind, what) = (DemandKind::Grant(grant), name.to_owned());
        all.insert(Demand { kind, what, is_optional });
    }
    let mut add = |kind: DemandKind, what: &str| {
        all.insert(Demand { kind, what: what.to_owned(), is_optional: false });
    };
    for script in &skill.scripts {
        script.reads.iter().for_each(|pointer| add(DemandKind::Reads, pointer));
    }
    for claim in &skill.writes {
        let shared = if claim.is_shared { " (shared)" } else { "" };
        add(DemandKind::Writes, &format!("{}{shared}", claim.pointer));
    }
    for secret in skill.secrets.iter().filter(|name| skill.config.contains_key(*name)) {
        add(DemandKind::Secret, secret);
    }
    skill.setting_variables.keys().for_each(|name| add(DemandKind::SettingVariable, name));
    if catch_nearly_everything(&skill.triggers) {
        add(DemandKind::CatchesEverything, "");
    }
    for trigger in skill.triggers.iter().filter(|trigger| trigger.fallback) {
        add(DemandKind::Fallback, &trigger.script);
    }
    all
}

/// Each grant that a script requests; `http` and `env` once for each host and variable.
fn requested(skill: &Skill) -> impl Iterator<Item = (Grant, &str)> {
    skill.scripts.iter().flat_map(|script| {
        let grants = Grant::ALL.into_iter().filter(|it| it.is_requested_in(&script.grants));
        grants.flat_map(|grant| {
            let names = grant.names(&script.grants);
            let whole = names.is_empty().then_some("");
            names.iter().map(String::as_str).chain(whole).map(move |name| (grant, name))
        })
    })
}

/// Returns true if every script that requests it can do without it.
fn can_do_without(skill: &Skill, grant: Grant, name: &str) -> bool {
    skill.scripts.iter().all(|script| {
        let names = grant.names(&script.grants);
        let requests = grant.is_requested_in(&script.grants)
            && (names.is_empty() || names.iter().any(|one| one == name));
        !requests || script.grants.optional.contains(&grant)
    })
}
