//! The player's sentence → [`Act`]: what is done, to what, with what. English only; what it does not
//! understand becomes [`Verb::Other`], never an error.

mod dice_talk;
mod lead_in;

use self::{dice_talk::drop_dice_talk, lead_in::lead_in};
use crate::{
    noun::{Noun, drop_doubled_articles, is_determiner},
    verbs::{self, Verb},
    words::{Pause, Word, clean, speech, split},
};

/// Most words of a deed that is repeated as the player put it.
const DEED_WORDS_MAX: usize = 12;

/// What the player does.
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

    /// Whether it may stand for `noun`.
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
        act = PlayerAction { object: person_of(&words), verb: Verb::Talk, deed: None, ..act };
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
    let Some((verb, at, length)) = find_verb(&lower, start, lead.has_subject) else {
        let deed = lead.has_subject.then(|| deed(words, start)).flatten();
        let deed = deed.map(|deed| if lead.negated { format!("do not {deed}") } else { deed });
        let object = named_anywhere(&words[start..]);
        return PlayerAction { deed, ..bare(Verb::Other, object) };
    };
    let mut act = phrases(verb, words, at + length);
    if act.object.is_none() {
        act.refers_back = lower[at..].iter().find_map(|word| Pronoun::parse(word));
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
    }
    act
}

/// The first verb: where the sentence has a subject it stands right there, else it is looked for.
fn find_verb(lower: &[&str], start: usize, has_subject: bool) -> Option<(Verb, usize, usize)> {
    let last = if has_subject { start + 1 } else { lower.len().min(start + 6) };
    (start..last).find_map(|at| {
        // After an article stands a noun: "the attack plan".
        if at > start && is_determiner(lower[at - 1]) {
            return None;
        }
        verbs::find(&lower[at..]).map(|(verb, length)| (verb, at, length))
    })
}

/// Reads what follows the verb.
fn phrases(verb: Verb, words: &[Word], from: usize) -> PlayerAction {
    let mut act = bare(verb, None);
    let Some(before) = from.checked_sub(1) else { return act };
    let (mut at, mut role, mut pause) = (from, PhraseRole::Object, words[before].pause);
    while at < words.len() && pause != Pause::Full {
        let word = words[at].lower.as_str();
        match act.step(role, word) {
            ParseStep::Stop => break,
            ParseStep::Next(next) => {
                role = next;
                pause = words[at].pause;
                at += 1;
            }
            ParseStep::Phrase => {
                let end = phrase_end(words, at);
                role = act.put(role, Noun::parse(&words[at..end]));
                pause = words[end - 1].pause;
                at = end;
                if let Some((noun, end)) = joined(words, at) {
                    act.object = act.object.map(|object| object.and(&noun));
                    at = end;
                }
            }
        }
    }
    act.settled()
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
    fn step(&mut self, role: PhraseRole, word: &str) -> ParseStep {
        let has_object = self.object.is_some();
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

    /// Moves what was found to where it is told.
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

/// Where the phrase that starts at `from` ends; always after at least one word.
fn phrase_end(words: &[Word], from: usize) -> usize {
    let mut at = from;
    while at < words.len() {
        let word = words[at].lower.as_str();
        let stops = LINKS.contains(&word)
            || matches!(word, "with" | "using" | "about" | "regarding" | "concerning")
            || (PARTICLES.contains(&word) && word != "of");
        if at > from && (stops || opens_phrase(words, at)) {
            break;
        }
        at += 1;
        if words[at - 1].pause != Pause::None {
            break;
        }
    }
    at
}

/// An article opens the next phrase, but not in "all the coins" and "the gates of the city".
fn opens_phrase(words: &[Word], at: usize) -> bool {
    is_determiner(&words[at].lower)
        && !matches!(words[at - 1].lower.as_str(), "of" | "all" | "both")
        && !is_determiner(&words[at - 1].lower)
}

/// The second of two things in `the door and the window`, and where it ends, if `at` is that "and". A
/// verb after it starts another deed.
fn joined(words: &[Word], at: usize) -> Option<(Noun, usize)> {
    let from = at + 1;
    let first = words.get(from)?;
    if words[at].lower != "and" || !is_determiner(&first.lower) {
        return None;
    }
    let end = phrase_end(words, from);
    Noun::parse(&words[from..end]).map(|noun| (noun, end))
}

/// The first phrase that has an article, wherever it stands.
fn named_anywhere(words: &[Word]) -> Option<Noun> {
    let at = words.iter().position(|word| is_determiner(&word.lower))?;
    Noun::parse(&words[at..phrase_end(words, at)])
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
    Noun::parse(&words[from..phrase_end(words, from)])
}

fn is_lock(object: &Noun) -> bool {
    object.text.split(' ').any(|word| matches!(word, "lock" | "locks" | "padlock"))
}

/// The player's own words from the verb to the end of the sentence, turned to the reader.
fn deed(words: &[Word], from: usize) -> Option<String> {
    let first = words.get(from)?.lower.as_str();
    if is_determiner(first) || PARTICLES.contains(&first) || LINKS.contains(&first) {
        // No verb starts like that.
        return None;
    }
    let mut turned: Vec<&str> = Vec::new();
    for word in words.iter().skip(from).take(DEED_WORDS_MAX) {
        turned.push(match word.lower.as_str() {
            // A person in the story who is addressed as "you" is not the reader.
            "you" | "your" | "yours" | "yourself" | "i" | "i'm" => return None,
            "am" => "are",
            "was" => "were",
            "my" | "our" => "your",
            "mine" | "ours" => "yours",
            "me" | "us" => "you",
            "myself" => "yourself",
            "ourselves" => "yourselves",
            _ => word.text.as_str(),
        });
        if word.pause != Pause::None {
            break;
        }
    }
    // Half a phrase at the cut would read as a mistake.
    let whole = turned.len() < DEED_WORDS_MAX;
    (whole && turned.len() > 1).then(|| turned.join(" "))
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
        spell: None,
        refers_back: None,
    }
}

#[cfg(test)]
mod tests;
