//! The one table of grants: a manifest's key and the imports that the grant opens. Pure.

use std::collections::{BTreeMap, BTreeSet};

/// The grants that a manifest requests; none by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants {
    /// Private key-value data of this skill in this story.
    pub store: bool,
    /// The story's memory, its people and places among it.
    pub memory: bool,
    /// The on-device language model.
    pub llm: bool,
    /// Writing into its asset folder.
    pub assets: bool,
    /// A private folder that outlives undo.
    pub data: bool,
    /// Reading the documents of the story's campaign.
    pub campaign: bool,
    /// Hosts that it may reach over HTTP.
    pub http: Vec<String>,
    /// Environment variables that it may read.
    pub env: Vec<String>,
    /// The grants that the script can do without.
    pub optional: BTreeSet<Grant>,
    /// Optional grants that the player refuses, with the refused hosts or variables. The component may import them, and
    /// finds nothing behind them.
    pub withheld: BTreeMap<Grant, Vec<String>>,
}

impl Grants {
    /// The granted ones of these variables, with their values.
    pub fn env_of(&self, all: &BTreeMap<String, String>) -> Vec<(String, String)> {
        self.env.iter().filter_map(|name| Some((name.clone(), all.get(name)?.clone()))).collect()
    }

    /// Returns true if a component may import what opens the grant: it has the grant, or can do without it.
    pub fn allow_import(&self, grant: Grant) -> bool {
        grant.is_requested_in(self) || self.withheld.contains_key(&grant)
    }

    /// Returns true if the script has files in the story's folder.
    pub fn has_folder(&self) -> bool {
        self.assets || self.data
    }

    /// Takes a whole grant back.
    pub fn withhold(&mut self, grant: Grant) {
        let names = match grant {
            Grant::Store => self.withhold_flag(|grants| &mut grants.store),
            Grant::Memory => self.withhold_flag(|grants| &mut grants.memory),
            Grant::Llm => self.withhold_flag(|grants| &mut grants.llm),
            Grant::Assets => self.withhold_flag(|grants| &mut grants.assets),
            Grant::Data => self.withhold_flag(|grants| &mut grants.data),
            Grant::Campaign => self.withhold_flag(|grants| &mut grants.campaign),
            Grant::Http => std::mem::take(&mut self.http),
            Grant::Env => std::mem::take(&mut self.env),
        };
        self.withheld.entry(grant).or_default().extend(names);
    }

    fn withhold_flag(&mut self, flag: impl FnOnce(&mut Grants) -> &mut bool) -> Vec<String> {
        *flag(self) = false;
        Vec::new()
    }

    /// Takes one host of `http`, or one variable of `env`, back.
    pub fn withhold_name(&mut self, grant: Grant, name: &str) {
        match grant {
            Grant::Http => self.http.retain(|host| host != name),
            Grant::Env => self.env.retain(|variable| variable != name),
            _ => {}
        }
        self.withheld.entry(grant).or_default().push(name.to_owned());
    }

    /// The grants under a player who refuses every optional one.
    pub fn without_optional(&self) -> Grants {
        let mut rest = self.clone();
        let optional = self.optional.iter().filter(|grant| grant.is_requested_in(self));
        optional.for_each(|grant| rest.withhold(*grant));
        rest
    }
}

/// A key of `grants` in a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grant {
    /// Private key-value data.
    Store,
    /// The story's memory.
    Memory,
    /// The language model.
    Llm,
    /// The asset folder.
    Assets,
    /// The folder that outlives undo.
    Data,
    /// The read-only folder with the story's campaign.
    Campaign,
    /// Hosts.
    Http,
    /// Environment variables.
    Env,
}

/// The interfaces through which a component uses a grant. Versions do not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantImport {
    /// The interface of this name. A component that imports it needs the grant.
    Exact(&'static str),
    /// The interfaces of these names, the first one for messages. A component that imports one needs the grant.
    AnyOf(&'static [&'static str]),
    /// Every interface with this prefix. A component that imports one needs the grant.
    Prefix(&'static str),
    /// Every interface with this prefix. The standard library of most languages imports them in every program, so a
    /// component that imports one need not need the grant.
    StandardPrefix(&'static str),
}

impl Grant {
    /// All grants, in the order of the documentation.
    pub const ALL: [Grant; 8] = [
        Grant::Store,
        Grant::Memory,
        Grant::Llm,
        Grant::Assets,
        Grant::Data,
        Grant::Campaign,
        Grant::Http,
        Grant::Env,
    ];

    /// Its key in a manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Grant::Store => "store",
            Grant::Memory => "memory",
            Grant::Llm => "llm",
            Grant::Assets => "assets",
            Grant::Data => "data",
            Grant::Campaign => "campaign",
            Grant::Http => "http",
            Grant::Env => "env",
        }
    }

    pub fn is_requested_in(self, grants: &Grants) -> bool {
        match self {
            Grant::Store => grants.store,
            Grant::Memory => grants.memory,
            Grant::Llm => grants.llm,
            Grant::Assets => grants.assets,
            Grant::Data => grants.data,
            Grant::Campaign => grants.campaign,
            Grant::Http => !grants.http.is_empty(),
            Grant::Env => !grants.env.is_empty(),
        }
    }

    /// The requested hosts of `http` or variables of `env`; empty for the other grants.
    pub fn names(self, grants: &Grants) -> &[String] {
        match self {
            Grant::Http => &grants.http,
            Grant::Env => &grants.env,
            _ => &[],
        }
    }

    pub fn import(self) -> GrantImport {
        match self {
            Grant::Store => GrantImport::Exact("narratoria:host/store"),
            Grant::Memory => GrantImport::AnyOf(&[
                "narratoria:host/memory",
                "narratoria:host/memories",
                "narratoria:host/entities",
            ]),
            Grant::Llm => GrantImport::AnyOf(&["narratoria:host/llm", "narratoria:host/meaning"]),
            Grant::Assets | Grant::Data | Grant::Campaign => {
                GrantImport::StandardPrefix("wasi:filesystem/")
            }
            Grant::Http => GrantImport::Prefix("wasi:http/"),
            Grant::Env => GrantImport::StandardPrefix("wasi:cli/environment"),
        }
    }

    /// Returns the grant this import requires, if any.
    pub fn required_for_import(import: &str) -> Option<Grant> {
        let opens = |grant: &Grant| grant.import().is_explicit() && grant.import().matches(import);
        Grant::ALL.into_iter().find(opens)
    }

    /// The part of a manifest that requests it.
    pub fn manifest_snippet(self) -> String {
        let value = match self {
            Grant::Http => r#"["<host>"]"#,
            Grant::Env => r#"["<name>"]"#,
            _ => "true",
        };
        format!(r#""grants": {{"{}": {value}}}"#, self.as_str())
    }
}

impl GrantImport {
    /// The interface's name, or its prefix.
    pub fn interface(self) -> &'static str {
        match self {
            GrantImport::Exact(name)
            | GrantImport::Prefix(name)
            | GrantImport::StandardPrefix(name) => name,
            GrantImport::AnyOf(names) => names.first().copied().unwrap_or_default(),
        }
    }

    /// Returns true if an import, with or without a version, belongs to the grant.
    pub fn matches(self, import: &str) -> bool {
        let (name, _) = import.split_once('@').unwrap_or((import, ""));
        match self {
            GrantImport::Exact(own) => name == own,
            GrantImport::AnyOf(own) => own.contains(&name),
            GrantImport::Prefix(start) | GrantImport::StandardPrefix(start) => {
                name.starts_with(start)
            }
        }
    }

    /// Returns true if only components that need the grant import it.
    pub fn is_explicit(self) -> bool {
        !matches!(self, GrantImport::StandardPrefix(_))
    }
}

#[cfg(test)]
mod tests {
    use super::Grant;

    #[test]
    fn an_import_needs_the_grant_that_opens_it_and_the_usual_ones_need_none() {
        let needed = |import| Grant::required_for_import(import).map(Grant::as_str);
        assert_eq!(needed("narratoria:host/store@0.1.0"), Some("store"));
        assert_eq!(needed("narratoria:host/store"), Some("store"));
        assert_eq!(needed("narratoria:host/storeroom@0.1.0"), None);
        assert_eq!(needed("narratoria:host/memories@0.1.0"), Some("memory"));
        assert_eq!(needed("narratoria:host/entities@0.1.0"), Some("memory"));
        assert_eq!(needed("narratoria:host/meaning@0.1.0"), Some("llm"));
        assert_eq!(needed("wasi:http/outgoing-handler@0.2.4"), Some("http"));
        assert_eq!(needed("wasi:filesystem/types@0.2.6"), None);
        assert_eq!(needed("wasi:cli/environment@0.2.6"), None);
    }

    #[test]
    fn each_grant_has_a_line_that_asks_for_it() {
        let lines: Vec<String> = Grant::ALL.into_iter().map(Grant::manifest_snippet).collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        "grants": {"store": true}
        "grants": {"memory": true}
        "grants": {"llm": true}
        "grants": {"assets": true}
        "grants": {"data": true}
        "grants": {"campaign": true}
        "grants": {"http": ["<host>"]}
        "grants": {"env": ["<name>"]}
        "#);
    }
}
