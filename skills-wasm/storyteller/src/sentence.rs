//! The player's sentence → [`PlayerAction`]: what is done, to what, with what. English only; what it does not
//! understand becomes [`Verb::Other`], never an error. What it repeats is what it takes it for: a noun phrase, a name or
//! a whole clause.

mod clause;
mod complements;
mod dice_talk;
mod frames;
mod lead_in;
mod phrase;

use self::{
    clause::clause,
    complements::phrases,
    dice_talk::drop_dice_talk,
    lead_in::lead_in,
    phrase::{is_content, is_intangible, is_pronoun_too, noun_phrase_end},
};
use crate::{
    noun::{Noun, drop_doubled_articles, is_determiner, is_pronoun},
    verbs::{self, FoundVerb, Verb},
    words::{Pause, Word, clean, speech, split},
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
    fn parse(lower: &str) -> Option<Pronoun> {
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

const QUESTION_WORDS: &[&str] = &[
    "who", "what", "where", "why", "how", "when", "which", "whose", "is", "are", "was", "were",
    "does", "did", "what's", "who's", "where's",
];

/// Words between a verb and its noun.
const PARTICLES: &[&str] = &[
    "at",
    "to",
    "into",
    "in",
    "inside",
    "through",
    "on",
    "onto",
    "off",
    "out",
    "past",
    "by",
    "behind",
    "under",
    "underneath",
    "beneath",
    "across",
    "along",
    "toward",
    "towards",
    "for",
    "from",
    "near",
    "against",
    "back",
    "around",
    "over",
    "down",
    "up",
    "forward",
    "closer",
    "away",
    "before",
    "between",
    "among",
    "within",
    "outside",
    "beyond",
    "of",
    "straight",
    "beside",
];

/// Words that end a phrase and open another.
const LINKS: &[&str] = &[
    "then", "but", "so", "if", "because", "while", "when", "that", "who", "which", "as", "until",
    "before", "after", "and", "or", "without", "whether", "where", "how", "what", "why", "is",
    "are",
];

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

/// Reads a sentence.
pub(crate) fn parse(prompt: &str) -> PlayerAction {
    let text = clean(prompt);
    let words = drop_doubled_articles(drop_dice_talk(split(&text)));
    let speech = speech(&text);
    let mut act = read(&words);
    if speech.is_some() && !matches!(act.verb, Verb::Persuade) {
        // What is inside the quotation marks is said, not done.
        let object = person_of(&words);
        act = PlayerAction { object, verb: Verb::Talk, deed: None, in_words: false, ..act };
    }
    act.speech = speech;
    act
}

fn read(words: &[Word]) -> PlayerAction {
    let lower: Vec<&str> = words.iter().map(|word| word.lower.as_str()).collect();
    let Some(lead) = lead_in(&lower) else {
        return bare(Verb::Other, None);
    };
    let start = lead.verb_at;
    let first = lower[start];
    if QUESTION_WORDS.contains(&first) && !lead.has_subject {
        return bare(Verb::Wonder, named_anywhere(&words[start + 1..]));
    }
    let told = clause(words, start, lead.has_subject);
    let Some((found, at)) = find_verb(&lower, start, lead.has_subject) else {
        let is_state = lead.negated || told.as_ref().is_some_and(|clause| clause.is_state);
        let object = if is_state { None } else { named_anywhere(&words[start..]) };
        let deed = told.map(|clause| clause.text);
        let deed = deed.map(|deed| if lead.negated { format!("do not {deed}") } else { deed });
        return PlayerAction { deed, is_state, in_words: true, ..bare(Verb::Other, object) };
    };
    let verb = found.kind;
    let mut act = phrases(&found, words, at);
    if at == start
        && let Some(clause) = told
    {
        (act.deed, act.is_state) = (Some(clause.text), clause.is_state);
    }
    if act.object.is_none() {
        act.refers_back = (at..lower.len()).find_map(|at| pronoun_at(&lower, at));
    }
    // "I pick the lock" and "I look at myself" say with the noun what is done.
    act.verb = match (&act.object, verb) {
        (Some(object), Verb::Take) if lower[at].starts_with("pick") && is_lock(object) => {
            Verb::Unlock
        }
        (None, Verb::Look | Verb::Examine | Verb::Search)
            if lower[at..].iter().any(|word| matches!(*word, "myself" | "me" | "ourselves")) =>
        {
            Verb::Reflect
        }
        (Some(_), Verb::Look) => Verb::Examine,
        (None, Verb::Examine) => Verb::Look,
        _ => verb,
    };
    if lead.negated {
        act.verb = Verb::Refrain;
        act.in_words = false;
    }
    act
}

/// The first verb: where the sentence has a subject it stands right there, else behind adverbs at most.
fn find_verb(lower: &[&str], start: usize, has_subject: bool) -> Option<(FoundVerb, usize)> {
    let last = if has_subject { start + 1 } else { lower.len().min(start + 6) };
    (start..last)
        // A verb that is not known here comes first: "spin around and look".
        .take_while(|at| *at == start || !is_content(lower[*at - 1]))
        .find_map(|at| {
            // After an article stands a noun: "the attack plan".
            if at > start && is_determiner(lower[at - 1]) {
                return None;
            }
            verbs::find(&lower[at..]).map(|found| (found, at))
        })
}

/// The pronoun at this place. "that" before a clause and "her" before a noun are none.
fn pronoun_at(lower: &[&str], at: usize) -> Option<Pronoun> {
    let next = lower.get(at + 1);
    let goes_on = |next: &&str| is_content(next) || is_pronoun(next) || is_determiner(next);
    let leads = is_pronoun_too(lower[at]) && next.is_some_and(goes_on);
    Pronoun::parse(lower[at]).filter(|_| !leads)
}

/// "I cast a spell" names none.
fn is_named(spell: &str) -> bool {
    !matches!(spell, "spell" | "magic" | "something")
}

/// What a phrase after the verb is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PhraseRole {
    Object,
    Target,
    Tool,
    Topic,
    /// Where or when; not told.
    Aside,
}

/// What to do with the next word.
enum ParseStep {
    /// Another deed begins.
    Stop,
    /// It only says what the next phrase is.
    Next(PhraseRole),
    /// A phrase begins.
    Phrase,
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
    fn step(&mut self, role: PhraseRole, word: &str, next: Option<&str>) -> ParseStep {
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
            _ if PARTICLES.contains(&word) && has_object && role == PhraseRole::Object => {
                ParseStep::Next(PhraseRole::Aside)
            }
            _ if PARTICLES.contains(&word) => ParseStep::Next(role),
            _ if LINKS.contains(&word) => ParseStep::Stop,
            _ => ParseStep::Phrase,
        }
    }

    /// Puts a phrase where its role says, unless something is there; gives the role of the next one.
    fn put(&mut self, role: PhraseRole, noun: Option<Noun>) -> PhraseRole {
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
    fn settled(mut self) -> PlayerAction {
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

/// The second of two things in `the door and the window`, and where it ends, if `at` is that "and". A
/// verb after it starts another deed.
fn joined(words: &[Word], at: usize) -> Option<(Noun, usize)> {
    let from = at + 1;
    let first = words.get(from)?;
    if words[at].lower != "and" || !is_determiner(&first.lower) {
        return None;
    }
    let end = noun_phrase_end(words, from)?;
    Noun::parse(&words[from..end]).map(|noun| (noun, end))
}

/// The first phrase that has an article, wherever it stands.
fn named_anywhere(words: &[Word]) -> Option<Noun> {
    let at = words.iter().position(|word| is_determiner(&word.lower))?;
    // "why does the guard lie": only the end of a sentence is sure to be the end of a phrase.
    let end = noun_phrase_end(words, at)?;
    let before = at.checked_sub(1).map(|at| words[at].lower.as_str());
    let opens_clause = before.is_some_and(|before| {
        let is_link = LINKS.contains(&before) && !matches!(before, "is" | "are" | "and" | "or");
        is_link || matches!(before, "do" | "does" | "did" | "can" | "will" | "since" | "though")
    });
    let is_last = end == words.len() || words[end - 1].pause != Pause::None;
    if opens_clause || !is_last || is_intangible(&words[at..end]) {
        return None;
    }
    Noun::parse(&words[at..end])
}

/// The person that the player speaks to: the phrase after `to` or after a verb of speaking.
fn person_of(words: &[Word]) -> Option<Noun> {
    let at = words
        .iter()
        .rposition(|word| matches!(word.lower.as_str(), "to" | "at" | "ask" | "tell"))?;
    let from = at + 1;
    if from >= words.len() {
        return None;
    }
    Noun::parse(&words[from..noun_phrase_end(words, from)?])
}

fn is_lock(object: &Noun) -> bool {
    object.text.split(' ').any(|word| matches!(word, "lock" | "locks" | "padlock"))
}

fn bare(verb: Verb, object: Option<Noun>) -> PlayerAction {
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

#[cfg(test)]
mod tests;
