//! Models that are known to us by name. Nobody could try them where this list was written, so it promises
//! nothing of their plans or their prose: the names, the sizes and what others report of them were read. What
//! does not depend on the weights (the prompt, the grammar, the download) was tried with models of our own.

use super::HubName;

/// A model that has a short name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownModel {
    /// What a player may type instead of its name.
    pub alias: &'static str,
    /// `owner/repo/file.gguf`.
    pub name: &'static str,
    /// About how large it is.
    pub bytes: u64,
    /// What it is for.
    pub what: &'static str,
}

/// The first one is the default.
pub const KNOWN: &[KnownModel] = &[
    KnownModel {
        alias: "phi-3.5-mini",
        name: "bartowski/Phi-3.5-mini-instruct-GGUF/Phi-3.5-mini-instruct-Q4_K_M.gguf",
        bytes: 2_390_000_000,
        what: "the default: 3.8 billion parameters",
    },
    KnownModel {
        alias: "qwen3-4b",
        name: "unsloth/Qwen3-4B-Instruct-2507-GGUF/Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
        bytes: 2_500_000_000,
        what: "4 billion parameters, better at calling tools as others report",
    },
    KnownModel {
        alias: "qwen3-1.7b",
        name: "bartowski/Qwen_Qwen3-1.7B-GGUF/Qwen_Qwen3-1.7B-Q4_K_M.gguf",
        bytes: 1_280_000_000,
        what: "for small machines: 1.7 billion parameters",
    },
];

impl KnownModel {
    /// Its name, taken apart.
    pub fn hub_name(&self) -> HubName {
        HubName::parse(self.name).expect("a test reads every name of the list")
    }
}

/// What is used when nobody says which.
pub fn default_model() -> HubName {
    KNOWN[0].hub_name()
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, default_model};

    #[test]
    fn every_known_name_is_one() {
        let names: Vec<String> = KNOWN.iter().map(|known| known.hub_name().to_string()).collect();
        assert_eq!(names, KNOWN.iter().map(|known| known.name).collect::<Vec<_>>());
        assert_eq!(default_model().repo_path(), "bartowski/Phi-3.5-mini-instruct-GGUF");
    }
}
