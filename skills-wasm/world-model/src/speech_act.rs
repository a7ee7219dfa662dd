//! Kinds of speech: what a remark or a gesture towards somebody is, by its words. The words stand in `text/speech.md`.

use english::WordClass;
use narratoria_facts::LIKED_FROM;

use crate::{entity::NamedId, words, world::World};

// The kinds with their words and lines.
include!(concat!(env!("OUT_DIR"), "/speech.rs"));

/// A kind of speech with its words and the lines of those who have none of their own.
#[derive(Debug)]
pub(crate) struct SpeechEntry {
    name: &'static str,
    begins: &'static [&'static str],
    said: &'static [&'static str],
    whole: &'static [&'static str],
    of_you: &'static [&'static str],
    done: &'static [&'static str],
    is_aloud: bool,
    feeling: [i64; 3],
    /// What somebody remembers of it; empty where it moves no feeling.
    pub(crate) remember: &'static str,
    warm: &'static [&'static str],
    even: &'static [&'static str],
    cold: &'static [&'static str],
    animal: &'static [&'static str],
    child: &'static [&'static str],
    official: &'static [&'static str],
}

/// What is said or done to somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpeechAct {
    /// It wants an answer.
    Question,
    /// Hello.
    Greeting,
    /// Goodbye.
    Farewell,
    /// Thanks.
    Thanks,
    /// An apology.
    Apology,
    /// A kind word for somebody in need of one.
    Comfort,
    /// Praise.
    Praise,
    /// An insult.
    Insult,
    /// A joke.
    Joke,
    /// A threat without an attempt to get anything by it.
    Threat,
    /// A promise.
    Promise,
    /// A declaration of love.
    Love,
    /// A touch.
    Touch,
    /// Nothing, said on purpose.
    Silence,
    /// Anything else that is said.
    Statement,
    /// A gesture towards somebody that is none of these: a smile, a seat beside them.
    Gesture,
    /// Anything else that is done.
    Deed,
}

/// What somebody feels about the player, as far as lines differ by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Disposition {
    /// They like the player.
    Warm,
    /// They think nothing of the player.
    Even,
    /// They dislike the player.
    Cold,
}

/// The opinion from which on somebody is warm, and as far below zero cold.
const WARM_FROM: i64 = LIKED_FROM as i64;

/// How many words before a phrase may deny it.
const DENYING_WORDS: usize = 3;

/// The most words of a remark that is about the listener without saying so: `Liar!`.
const BARE_WORDS_MAX: usize = 2;

impl SpeechAct {
    /// All of them, in the order of the page.
    pub const ALL: [SpeechAct; 17] = [
        SpeechAct::Question,
        SpeechAct::Greeting,
        SpeechAct::Farewell,
        SpeechAct::Thanks,
        SpeechAct::Apology,
        SpeechAct::Comfort,
        SpeechAct::Praise,
        SpeechAct::Insult,
        SpeechAct::Joke,
        SpeechAct::Threat,
        SpeechAct::Promise,
        SpeechAct::Love,
        SpeechAct::Touch,
        SpeechAct::Silence,
        SpeechAct::Statement,
        SpeechAct::Gesture,
        SpeechAct::Deed,
    ];

    /// Those that an author may write reactions to: questions have topics and `fallback`, statements have `listens`.
    pub fn with_reactions() -> impl Iterator<Item = SpeechAct> {
        let others =
            [SpeechAct::Question, SpeechAct::Statement, SpeechAct::Gesture, SpeechAct::Deed];
        SpeechAct::ALL.into_iter().filter(move |act| !others.contains(act))
    }

    /// Its name: `thanks`.
    pub fn word(self) -> &'static str {
        self.entry().name
    }

    pub(crate) fn entry(self) -> &'static SpeechEntry {
        &SPEECH[self as usize]
    }

    /// The kind of speech of a remark. Of several sentences a question counts before the others, then the first that is more
    /// than a statement.
    pub fn of_remark(remark: &str) -> SpeechAct {
        let acts: Vec<SpeechAct> = words::sentences(remark).into_iter().map(of_sentence).collect();
        let is_question = |act: &&SpeechAct| **act == SpeechAct::Question;
        let is_more = |act: &&SpeechAct| **act != SpeechAct::Statement;
        let found = acts.iter().find(is_question).or_else(|| acts.iter().find(is_more));
        found.copied().unwrap_or(SpeechAct::Statement)
    }

    /// Returns true if the remark begins with a greeting, whatever follows: `Hello, how are you?`.
    pub fn greets(remark: &str) -> bool {
        let said = plain_words(remark);
        let mut phrases = SpeechAct::Greeting.entry().begins.iter();
        phrases.any(|phrase| length_at_start(&said, phrase).is_some())
    }

    /// The kind of speech that a gesture is, by its first words; `None` for one that is none.
    pub fn of_gesture(gesture: &str) -> Option<SpeechAct> {
        let done = plain_words(gesture);
        let of = |act: SpeechAct| {
            let phrases = act.entry().done.iter();
            phrases.filter_map(|phrase| length_at_start(&done, phrase)).max().map(|len| (len, act))
        };
        longest(SpeechAct::ALL.into_iter().filter_map(of))
    }

    /// Returns true if a gesture of this kind towards nobody in particular is for who listens.
    pub(crate) fn is_aloud(self) -> bool {
        self.entry().is_aloud
    }

    /// How far it moves the opinion of somebody of this mood.
    pub(crate) fn feeling(self, mood: Disposition) -> i64 {
        self.entry().feeling[mood as usize]
    }
}

/// The gesture that a word of chat stands for: `laugh` for `lol`.
pub(crate) fn gesture_of_chat(gesture: &str) -> Option<&'static str> {
    let first = gesture.split(' ').next().unwrap_or_default();
    CHAT.iter().find(|(_, words)| words.contains(&first)).map(|(name, _)| *name)
}

/// The earliest of the longest.
fn longest(found: impl Iterator<Item = (usize, SpeechAct)>) -> Option<SpeechAct> {
    let best = found.fold(None, |best: Option<(usize, SpeechAct)>, one| match best {
        Some(before) if before.0 >= one.0 => Some(before),
        _ => Some(one),
    });
    best.map(|(_, act)| act)
}

fn of_sentence(sentence: &str) -> SpeechAct {
    if sentence.trim_end_matches(['"', '\u{201d}', ' ']).ends_with('?') {
        return SpeechAct::Question;
    }
    let said = plain_words(sentence);
    let is_of_listener = said.len() <= BARE_WORDS_MAX
        || said.iter().any(|word| WordClass::Listener.has(word.as_str()));
    let of = |act: SpeechAct| {
        let entry = act.entry();
        let begins = entry.begins.iter().filter_map(|phrase| length_at_start(&said, phrase));
        let whole = entry.whole.iter().filter(|phrase| is_same(&said, phrase)).map(|_| said.len());
        let within = entry.said.iter().filter_map(|phrase| length_within(&said, phrase));
        let of_you = entry.of_you.iter().filter(|_| is_of_listener);
        let of_you = of_you.filter_map(|phrase| length_within(&said, phrase));
        begins.chain(whole).chain(within).chain(of_you).max().map(|len| (len, act))
    };
    longest(SpeechAct::ALL.into_iter().filter_map(of)).unwrap_or(SpeechAct::Statement)
}

/// The words in small letters, without contractions.
fn plain_words(text: &str) -> Vec<String> {
    const ENDINGS: &[(&str, &str)] = &[
        ("n't", "not"),
        ("'m", "am"),
        ("'re", "are"),
        ("'ll", "will"),
        ("'ve", "have"),
        ("'d", "would"),
    ];
    let text = text.replace('\u{2019}', "'").to_lowercase();
    let mut plain = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '\'') {
        let word = word.trim_matches('\'');
        let ending = ENDINGS.iter().find_map(|(end, full)| Some((word.strip_suffix(end)?, *full)));
        let possessive = word.strip_suffix("'s");
        let (stem, full) = match (word, ending, possessive) {
            ("won't", ..) => ("will", "not"),
            ("can't", ..) => ("can", "not"),
            (_, Some(pair), _) => pair,
            (_, _, Some(stem)) if WordClass::BeforeShortIs.has(stem) => (stem, "is"),
            (_, _, Some(stem)) => (stem, ""),
            _ => (word, ""),
        };
        let parts = [stem, full].into_iter().filter(|part| !part.is_empty());
        plain.extend(parts.map(str::to_owned));
    }
    plain
}

fn is_same(said: &[String], phrase: &str) -> bool {
    said.iter().map(String::as_str).eq(phrase.split(' '))
}

/// The words of the phrase, if the remark begins with it.
fn length_at_start(said: &[String], phrase: &str) -> Option<usize> {
    let len = phrase.split(' ').count();
    said.get(..len).filter(|first| is_same(first, phrase)).map(<[String]>::len)
}

/// The words of the phrase, if the remark has it and does not deny it.
fn length_within(said: &[String], phrase: &str) -> Option<usize> {
    let len = phrase.split(' ').count();
    let is_denied = |at: usize| {
        let before = &said[at.saturating_sub(DENYING_WORDS)..at];
        before.iter().any(|word| WordClass::DenyingInRemark.has(word.as_str()))
    };
    let mut places = said.windows(len).enumerate();
    places.find(|(at, words)| is_same(words, phrase) && !is_denied(*at)).map(|_| len)
}

impl World {
    /// What the person feels about the player.
    pub(crate) fn mood_of(&self, person: NamedId) -> Disposition {
        let opinion = self.opinions.get(self.name(person)).copied().unwrap_or(0);
        match opinion {
            _ if self.conditions[person.0].hurt => Disposition::Cold,
            opinion if opinion >= WARM_FROM => Disposition::Warm,
            opinion if opinion <= -WARM_FROM => Disposition::Cold,
            _ => Disposition::Even,
        }
    }

    /// What such a person makes of it: the lines of their kind, otherwise those of their feeling.
    pub(crate) fn lines_of(&self, person: NamedId, act: SpeechAct) -> &'static [&'static str] {
        let entry = act.entry();
        let names = std::iter::once(self.name(person))
            .chain(self.aliases(person).iter().map(String::as_str));
        let is_called = |heads: &[&str]| {
            let head = |name: &str| {
                let last = name.rsplit(' ').next().unwrap_or_default().to_lowercase();
                heads.contains(&last.as_str())
            };
            names.clone().any(head)
        };
        let mood = self.mood_of(person);
        let by_kind: &'static [&'static str] = match () {
            () if self.is_creature(person) => entry.animal,
            // Nobody jokes on duty with who has earned their dislike.
            () if mood == Disposition::Cold => &[],
            () if is_called(CHILD) => entry.child,
            () if is_called(OFFICIAL) => entry.official,
            () => &[],
        };
        let by_feeling: &'static [&'static str] = match mood {
            Disposition::Warm => entry.warm,
            Disposition::Even => entry.even,
            Disposition::Cold => entry.cold,
        };
        [by_kind, by_feeling].into_iter().find(|lines| !lines.is_empty()).unwrap_or(entry.even)
    }
}

#[cfg(test)]
mod tests {
    use super::{PAGE_PLACES, SPEECH, SpeechAct};

    #[test]
    fn the_kinds_of_the_enum_are_the_sections_of_the_page() {
        assert_eq!(SPEECH.len(), SpeechAct::ALL.len());
        for (at, act) in SpeechAct::ALL.into_iter().enumerate() {
            assert_eq!(act as usize, at);
            assert_eq!(act.word(), format!("{act:?}").to_lowercase());
        }
        assert_eq!(PAGE_PLACES, ["Who", "their", "about"]);
    }

    /// Words that a whole phrase has are read in any case and with contractions.
    #[test]
    fn a_remark_is_the_kind_of_speech_that_its_words_say() {
        let words = |remark: &str| SpeechAct::of_remark(remark).word();
        for (remark, expect) in [
            ("Thank you, Agnes.", "thanks"),
            ("I love you", "love"),
            ("I don't love you", "statement"),
            ("You're an idiot!", "insult"),
            ("Liar!", "insult"),
            ("The king is a fool.", "statement"),
            ("Don't worry, it'll be all right.", "comfort"),
            ("I'm sorry. Where is the key?", "question"),
            ("what is your name", "question"),
            ("I promise I'll come back", "promise"),
            ("You will regret this.", "threat"),
            ("Hello there", "greeting"),
            ("nothing", "silence"),
            ("Nothing is wrong.", "statement"),
            ("My sister is missing.", "statement"),
            ("a joke", "joke"),
            ("What a lovely hat!", "statement"),
            ("It\u{2019}s all right.", "comfort"),
            ("Goodbye, then", "farewell"),
            ("I'm sorry", "apology"),
            ("Well done!", "praise"),
            ("", "statement"),
        ] {
            assert_eq!(words(remark), expect, "{remark}");
        }
    }

    #[test]
    fn a_gesture_is_the_kind_of_speech_that_its_first_words_say() {
        let word = |gesture: &str| SpeechAct::of_gesture(gesture).map(SpeechAct::word);
        assert_eq!(word("say goodbye to Agnes"), Some("farewell"));
        assert_eq!(word("hug Agnes"), Some("touch"));
        assert_eq!(word("say nothing"), Some("silence"));
        assert_eq!(word("swear to come back"), Some("promise"));
        assert_eq!(word("swear"), Some("insult"));
        assert_eq!(word("lol"), None);
        assert!(SpeechAct::greets("Good evening! How are you?"));
        assert!(!SpeechAct::greets("How are you?"));
    }
}
