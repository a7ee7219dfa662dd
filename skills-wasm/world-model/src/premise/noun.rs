//! A noun of a premise, and what it is called.

use english::WordClass;

use super::{
    layout::the,
    nouns::{NounKind, is_plural},
};

/// A noun of a premise.
#[derive(Debug, Clone)]
pub(super) struct PremiseNoun {
    /// Without article: `old submarine`.
    pub(super) name: String,
    /// The last word.
    pub(super) head: String,
    pub(super) kind: NounKind,
    /// The words before the head.
    pub(super) modifiers: Vec<String>,
    /// Other words for it.
    pub(super) aliases: Vec<String>,
    /// The premise says that it is not where it should be.
    pub(super) is_missing: bool,
    /// The premise says that it is dead, so nobody alive is made of it.
    pub(super) is_dead: bool,
    /// Somebody must find out how they died.
    pub(super) is_riddle: bool,
    /// It only says whose something is.
    pub(super) is_owner: bool,
    /// Where its words begin and end.
    pub(super) tokens: (usize, usize),
    /// The premise says that it is locked.
    pub(super) is_locked: bool,
    /// Somebody is on the way to it.
    pub(super) is_ahead: bool,
    /// How many they are at least, where several people of one kind are others than the player: `all four guests`.
    pub(super) group: usize,
    /// `he` or `she`, where the premise says so.
    pub(super) pronoun: Option<&'static str>,
    /// What somebody with a name is: `a marine biologist`.
    pub(super) trade: Option<String>,
    /// The articles and numbers before it.
    pub(super) lead: String,
    /// What the premise says of it: `woman who will not pay`.
    pub(super) told: String,
}

impl PremiseNoun {
    /// `a woman who will not pay`, `one of the two brothers`; a proper name alone.
    pub(super) fn with_article(&self) -> String {
        if self.name.starts_with(char::is_uppercase) {
            return self.name.clone();
        }
        let lead = self.own_lead();
        let told = &self.told;
        match lead.as_str() {
            lead if self.kind == NounKind::Being && is_plural(&self.head) => {
                // `all four guests`, `both sons`, `the six servants`
                let is_count = |word: &&str| !WordClass::PremiseArticle.has(word);
                let count: Vec<&str> = lead.split(' ').filter(is_count).collect();
                let whose = if lead.contains("your") { "your" } else { "the" };
                let all = format!("one of {whose} {} {told}", count.join(" "));
                all.split_whitespace().collect::<Vec<_>>().join(" ")
            }
            "" => format!("{} {told}", english::article(told)),
            lead => format!("{lead} {told}"),
        }
    }

    /// `the woman`, `your grandmother`.
    pub(super) fn called(&self) -> String {
        let is_named = self.name.starts_with(char::is_uppercase) || self.name.starts_with("your ");
        if self.own_lead() == "your" && !is_named {
            format!("your {}", self.name)
        } else {
            the(&self.name)
        }
    }

    /// The other one of several of whom the player is one: `your sister`, `your fellow pilot`.
    pub(super) fn other_one(&self) -> PremiseNoun {
        let is_kin = |word: &&str| WordClass::OneOfTwo.has(word);
        let fellow =
            if self.name.split(' ').next_back().filter(is_kin).is_some() { "" } else { "fellow " };
        let mut aliases = self.aliases.clone();
        aliases.push(self.name.clone());
        let name = format!("your {fellow}{}", self.name);
        PremiseNoun { trade: Some(name.clone()), name, aliases, ..self.clone() }
    }

    /// The articles as somebody says them to the player.
    fn own_lead(&self) -> String {
        // `only his stepmother`
        let lead = self.lead.to_lowercase();
        let lead: Vec<&str> =
            lead.split(' ').filter(|word| !["only", "own"].contains(word)).collect();
        match lead.join(" ").as_str() {
            "my" | "your" | "our" => "your".to_owned(),
            "his" | "her" | "their" | "its" => "the".to_owned(),
            lead => lead.to_owned(),
        }
    }

    /// Returns true if the premise says nothing else.
    pub(super) fn is_all_of(&self, premise: &str) -> bool {
        let all = format!("{} {}", self.lead, self.told);
        let all = all.trim();
        premise.trim_end_matches(['.', '!', '?', ' ']).eq_ignore_ascii_case(all)
    }
}
