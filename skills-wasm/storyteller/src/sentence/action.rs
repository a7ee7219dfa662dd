//! The player's action, and how it takes in one phrase after the other.

use english::WordClass;

use crate::{
    noun::Noun,
    verbs::{self, Verb},
};

/// The player's action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlayerAction {
    pub(crate) verb: Verb,
    /// What it is done to.
    pub(crate) object: Option<Noun>,
    /// What comes second: the beggar in `give the coin to the beggar`.
    pub(crate) target: Option<Noun>,
    /// `with my sword`.
    pub(crate) tool: Option<Noun>,
    /// `about the storm`.
    pub(crate) topic: Option<Noun>,
    /// `north`, `upstairs`.
    pub(crate) way: Option<&'static str>,
    /// What is said aloud.
    pub(crate) speech: Option<String>,
    /// The deed in the player's own words, turned to the reader: `juggle your knives`.
    pub(crate) deed: Option<String>,
    /// The deed is how things are, and no act: `are tired`.
    pub(crate) is_state: bool,
    /// The sentences of its kind do not fit the action.
    pub(crate) in_words: bool,
    /// The spell that is cast.
    pub(crate) spell: Option<String>,
    /// A pronoun stands for something named before.
    pub(crate) refers_back: Option<Pronoun>,
}

/// What a pronoun may stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pronoun {
    Thing,
    Person,
    Either,
}

impl Pronoun {
    pub(super) fn parse(lower: &str) -> Option<Pronoun> {
        match lower {
            "it" | "this" => Some(Pronoun::Thing),
            "him" | "her" => Some(Pronoun::Person),
            "them" | "that" | "those" | "these" => Some(Pronoun::Either),
            _ => None,
        }
    }

    /// Returns true if it may stand for `noun`.
    pub(crate) fn fits(self, noun: &Noun) -> bool {
        match self {
            Pronoun::Thing => !noun.person,
            Pronoun::Person => noun.person,
            Pronoun::Either => true,
        }
    }
}

/// What a phrase after the verb is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PhraseRole {
    Object,
    Target,
    Tool,
    Topic,
    /// Where or when; not told.
    Aside,
}

/// What to do with the next word.
pub(super) enum ParseStep {
    /// Another deed begins.
    Stop,
    /// It only says what the next phrase is.
    Next(PhraseRole),
    /// A phrase begins.
    Phrase,
}

/// Words for a way to go, and the way as the narration names it.
const WAYS: &[(&str, &str)] = &[
    ("north", "north"),
    ("south", "south"),
    ("east", "east"),
    ("west", "west"),
    ("northeast", "northeast"),
    ("northwest", "northwest"),
    ("southeast", "southeast"),
    ("southwest", "southwest"),
    ("left", "left"),
    ("right", "right"),
    ("ahead", "ahead"),
    ("forward", "forward"),
    ("forwards", "forward"),
    ("onward", "onward"),
    ("onwards", "onward"),
    ("back", "back"),
    ("upstairs", "upstairs"),
    ("downstairs", "downstairs"),
    ("inside", "inside"),
    ("outside", "outside"),
    ("home", "home"),
    ("up", "up"),
    ("down", "down"),
];

/// The action with nothing but its kind and its object.
pub(super) fn bare(verb: Verb, object: Option<Noun>) -> PlayerAction {
    PlayerAction {
        verb,
        object,
        target: None,
        tool: None,
        topic: None,
        way: None,
        speech: None,
        deed: None,
        is_state: false,
        in_words: false,
        spell: None,
        refers_back: None,
    }
}

impl PlayerAction {
    /// Does it to `object`, where the player named nothing.
    pub(crate) fn about(mut self, object: Option<Noun>) -> PlayerAction {
        if self.object.is_none() && object.is_some() {
            self.object = object;
            if self.verb == Verb::Look {
                self.verb = Verb::Examine;
            }
        }
        self
    }

    /// What `word` is, where a phrase of this role may begin.
    pub(super) fn step(&mut self, role: PhraseRole, word: &str, next: Option<&str>) -> ParseStep {
        let has_object = self.object.is_some();
        // "ask the guard to leave", "go to sleep".
        if word == "to" && next.is_some_and(verbs::is_plain_verb) {
            return ParseStep::Stop;
        }
        let moves =
            matches!(self.verb, Verb::Go | Verb::Leave | Verb::Climb | Verb::Look | Verb::Sneak);
        if let Some((_, way)) = WAYS.iter().find(|(known, _)| *known == word)
            && role == PhraseRole::Object
            && !has_object
            && moves
        {
            self.way = Some(way);
            return ParseStep::Next(role);
        }
        let casts_at = self.verb == Verb::Cast && matches!(word, "at" | "on" | "against");
        match word {
            "with" | "using" if self.verb != Verb::Talk || has_object => {
                ParseStep::Next(PhraseRole::Tool)
            }
            "with" | "using" => ParseStep::Next(role),
            "about" | "regarding" | "concerning" => ParseStep::Next(PhraseRole::Topic),
            "to" | "at" | "on" | "against" | "into" | "in" | "onto" | "toward" | "towards"
                if has_object || casts_at =>
            {
                ParseStep::Next(PhraseRole::Target)
            }
            _ if WordClass::BetweenVerbAndNoun.has(word)
                && has_object
                && role == PhraseRole::Object =>
            {
                ParseStep::Next(PhraseRole::Aside)
            }
            _ if WordClass::BetweenVerbAndNoun.has(word) => ParseStep::Next(role),
            _ if WordClass::Link.has(word) => ParseStep::Stop,
            _ => ParseStep::Phrase,
        }
    }

    /// Puts a phrase where its role says, unless something is there; gives the role of the next one.
    pub(super) fn put(&mut self, role: PhraseRole, noun: Option<Noun>) -> PhraseRole {
        let mut role = role;
        if self.verb == Verb::Give && role == PhraseRole::Aside && self.target.is_none() {
            // "give the beggar the coin"
            self.target = self.object.take();
            role = PhraseRole::Object;
        }
        let place = match role {
            PhraseRole::Object => &mut self.object,
            PhraseRole::Target => &mut self.target,
            PhraseRole::Tool => &mut self.tool,
            PhraseRole::Topic => &mut self.topic,
            PhraseRole::Aside => return role,
        };
        if place.is_none() {
            *place = noun;
        }
        if role == PhraseRole::Object && self.object.is_some() { PhraseRole::Aside } else { role }
    }

    /// Moves the findings to the sentence that mentions them.
    pub(super) fn settled(mut self) -> PlayerAction {
        if self.verb == Verb::Roll {
            // "roll 2d6+3" names dice, not a thing.
            self.object = None;
        } else if self.verb == Verb::Cast {
            let spell = self.object.take().map(|spell| spell.bare().to_owned());
            self.spell = spell.filter(|spell| is_named(spell));
            self.object = self.target.take();
        } else if self.object.is_none() {
            self.object = self.target.take();
        } else {
            // "go back to the tower" goes to the tower.
            self.way = None;
        }
        self
    }
}

/// "I cast a spell" names none.
fn is_named(spell: &str) -> bool {
    !matches!(spell, "spell" | "magic" | "something")
}
