//! What comes before the verb: "I would like to carefully …".

use crate::noun::is_determiner;

/// Words before the verb that add nothing to what is done.
const LEAD_IN: &[&str] = &[
    "i",
    "we",
    "please",
    "then",
    "now",
    "and",
    "so",
    "ok",
    "okay",
    "well",
    "let",
    "me",
    "us",
    "lets",
    "let's",
    "tries",
    "trying",
    "attempt",
    "attempts",
    "attempting",
    "want",
    "wish",
    "would",
    "like",
    "will",
    "shall",
    "can",
    "could",
    "may",
    "must",
    "should",
    "i'd",
    "i'll",
    "i'm",
    "we'll",
    "we're",
    "to",
    "decide",
    "begin",
    "start",
    "just",
    "again",
    "also",
    "next",
    "first",
    "quietly",
    "do",
    "am",
    "have",
    "need",
    "gonna",
    "still",
];

const NEGATIONS: &[&str] = &[
    "not", "don't", "dont", "never", "won't", "cannot", "can't", "refuse", "refrain", "avoid",
    "ignore",
];

/// What was found before the verb.
pub(super) struct LeadIn {
    pub(super) verb_at: usize,
    /// The player said "I" or "we".
    pub(super) has_subject: bool,
    pub(super) negated: bool,
}

/// Finds where the deed begins; `None` where there is no word at all.
pub(super) fn lead_in(lower: &[&str]) -> Option<LeadIn> {
    let mut lead = LeadIn { verb_at: 0, has_subject: false, negated: false };
    let mut at = 0;
    while at + 1 < lower.len() {
        let (word, next) = (lower[at], lower[at + 1]);
        let adverb = word.ends_with("ly") && word.len() > 4;
        let skipped = match word {
            // "roll for stealth"
            "for" => at > 0 && lower[at - 1] == "roll",
            "roll" | "try" | "going" | "about" => matches!(next, "to" | "for" | "and"),
            // "try the door" does something to the door.
            "tries" | "trying" => !is_determiner(next),
            "am" | "have" | "like" | "need" | "want" | "let" | "do" => {
                LEAD_IN.contains(&next) || matches!(next, "going" | "not") || next.ends_with("ing")
            }
            _ => LEAD_IN.contains(&word),
        };
        if NEGATIONS.contains(&word) {
            lead.negated = true;
        } else if !skipped && !adverb {
            break;
        }
        lead.has_subject |= matches!(word, "i" | "we" | "i'd" | "i'll" | "i'm" | "we'll" | "we're");
        at += 1;
    }
    lead.verb_at = at;
    (at < lower.len()).then_some(lead)
}
