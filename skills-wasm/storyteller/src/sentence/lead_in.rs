//! What comes before the verb: "I would like to carefully …".

use english::WordClass;

use crate::noun::is_determiner;

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
                WordClass::LeadIn.has(next)
                    || matches!(next, "going" | "not")
                    || next.ends_with("ing")
            }
            _ => WordClass::LeadIn.has(word),
        };
        if WordClass::Negation.has(word) {
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
