//! Sentences about a noun of a premise, with the pronoun and the verb that agree with it.

use super::{
    layout::the,
    noun::PremiseNoun,
    nouns::{NounKind, is_plural},
    reading::PremiseReading,
};
use crate::words;

/// A noun as people speak of it.
#[derive(Debug, Clone)]
pub(super) struct PremisePhrase {
    /// With its article.
    the: String,
    /// Without one.
    bare: String,
    they: &'static str,
    is_many: bool,
}

impl PremisePhrase {
    pub(super) fn of(noun: &PremiseNoun, reading: &PremiseReading) -> PremisePhrase {
        let is_being = noun.kind == NounKind::Being;
        // Of many people there is one.
        let is_many = !is_being && is_plural(&noun.head);
        let is_gone = noun.is_dead || reading.mourned().any(|other| other.name == noun.name);
        let the = if is_gone { noun.called() } else { the(&noun.name) };
        let they = match noun.pronoun {
            Some(pronoun) => pronoun,
            None if is_being || is_many => "they",
            None => "it",
        };
        PremisePhrase { the, bare: noun.name.clone(), they, is_many }
    }

    /// A word that is no noun of the premise.
    pub(super) fn word(word: &str) -> PremisePhrase {
        let is_many = is_plural(word);
        let they = if is_many { "they" } else { "it" };
        PremisePhrase { the: the(word), bare: word.to_owned(), they, is_many }
    }

    /// `The {x} {was}` becomes `The mountains were`, and `{them}` becomes `her`.
    pub(super) fn fill(&self, line: &str) -> String {
        let is_proper = self.bare.starts_with(char::is_uppercase);
        let line = match is_proper {
            true => line.replace("The {x}", "{x}").replace("the {x}", "{x}"),
            false => line.to_owned(),
        };
        let x = if line.contains("he {x}") { &self.bare } else { &self.the };
        let (is_many, takes_are) = (self.is_many, self.is_many);
        let after_they = is_many || self.they == "they";
        line.replace(
            "{they} {was}",
            &format!("{} {}", self.they, if after_they { "were" } else { "was" }),
        )
        .replace("{they} {is}", &format!("{} {}", self.they, if after_they { "are" } else { "is" }))
        .replace("{x}", x)
        .replace("{X}", &words::capitalised(&self.the))
        .replace("{is}", if takes_are { "are" } else { "is" })
        .replace("{was}", if takes_are { "were" } else { "was" })
        .replace("{has}", if takes_are { "have" } else { "has" })
        .replace("{they}", self.they)
        .replace("{them}", self.them())
    }

    fn them(&self) -> &'static str {
        match self.they {
            "he" => "him",
            "she" => "her",
            "they" => "them",
            _ => "it",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PremisePhrase;
    use crate::premise::texts::PAGE_PLACES;

    /// The names of a world are filled where a person is made to say them: `talk.rs`, `trouble.rs`.
    #[test]
    fn each_place_of_the_page_of_talk_is_filled() {
        let of_world = ["door", "spare", "Keeper", "Witness", "deed", "role"];
        let is_filled = |place: &str| {
            !PremisePhrase::word("lamp").fill(&format!("Yes, {{{place}}}.")).contains('{')
        };
        for place in PAGE_PLACES {
            assert_ne!(is_filled(place), of_world.contains(place), "{place}");
        }
    }
}
