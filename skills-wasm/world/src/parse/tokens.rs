//! A sentence as words, and its parts.

use crate::{words, world::World};

/// Longest sentence that is read, in characters; the rest is cut off.
pub const SENTENCE_CHARS_MAX: usize = 600;

/// Most words that are read.
const WORDS_MAX: usize = 100;

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// A word in lower case; a name with a preposition in it is one word with blanks.
    Word(String),
    /// A comma.
    Comma,
    /// The end of a sentence; true for a question.
    Stop(bool),
    /// What is said aloud.
    Quote(String),
}

impl Token {
    /// The word, or nothing.
    pub fn word(&self) -> &str {
        match self {
            Token::Word(word) => word,
            _ => "",
        }
    }
}

/// The word at a place; nothing behind the end and where no word stands.
pub(super) fn word_at(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map(Token::word).unwrap_or_default()
}

/// Whether the sentence that begins here is a question; nothing where its end is not among the tokens.
pub(super) fn is_asked(tokens: &[Token]) -> Option<bool> {
    tokens.iter().find_map(|token| match token {
        Token::Stop(asked) => Some(*asked),
        _ => None,
    })
}

/// Contractions, and shorter ways to say what the grammar knows by one word.
const RESPELLED: &[(&str, &str)] = &[
    ("gimme", "give me"),
    ("lemme", "let me"),
    ("here's", "here is"),
    ("heres", "here is"),
    ("wot", "what"),
    ("wat", "what"),
    ("ya", "you"),
    ("dont", "do not"),
    ("cant", "can not"),
    ("didn't", "did not"),
    ("didnt", "did not"),
    ("doesn't", "does not"),
    ("doesnt", "does not"),
    ("isn't", "is not"),
    ("isnt", "is not"),
    ("won't", "will not"),
    ("aren't", "are not"),
    ("arent", "are not"),
    ("wasn't", "was not"),
    ("haven't", "have not"),
    ("hasn't", "has not"),
    ("couldn't", "could not"),
    ("wouldn't", "would not"),
    ("shouldn't", "should not"),
    ("we'll", "we will"),
    ("we've", "we have"),
    ("we're", "we are"),
    ("you're", "you are"),
    ("you've", "you have"),
    ("they're", "they are"),
    ("thats", "that is"),
    ("theres", "there is"),
    ("what're", "what are"),
    ("what's", "what is"),
    ("whats", "what is"),
    ("where's", "where is"),
    ("wheres", "where is"),
    ("who's", "who is"),
    ("whos", "who is"),
    ("there's", "there is"),
    ("it's", "it is"),
    ("that's", "that is"),
    ("let's", "let us"),
    ("lets", "let us"),
    ("i'd", "i would"),
    ("i'll", "i will"),
    ("i'm", "i am"),
    ("im", "i am"),
    ("i've", "i have"),
    ("don't", "do not"),
    ("can't", "can not"),
    ("how's", "how is"),
    ("gonna", "going to"),
    ("wanna", "want to"),
    ("gotta", "got to"),
    ("underneath", "under"),
    ("below", "under"),
    ("atop", "on"),
    ("within", "in"),
    ("pickup", "pick up"),
    ("lookat", "look at"),
    ("goto", "go to"),
    ("turnon", "turn on"),
    ("turnoff", "turn off"),
    ("putdown", "put down"),
    ("talkto", "talk to"),
    ("cuz", "because"),
    ("coz", "because"),
    ("cos", "because"),
    ("tmrw", "tomorrow"),
    ("ur", "your"),
    ("dunno", "do not know"),
    ("c'mon", "come on"),
    ("y'all", "you"),
    ("any1", "anyone"),
    ("some1", "someone"),
    ("thx", "thanks"),
    ("whatevers", "whatever is"),
    ("whatever's", "whatever is"),
    ("re", "about"),
    ("hows", "how is"),
    ("whys", "why is"),
    ("whens", "when is"),
    ("wats", "what is"),
    ("wots", "what is"),
    ("ppl", "people"),
    ("beneath", "under"),
    ("inside", "in"),
    ("into", "in"),
    ("onto", "on"),
    ("upon", "on"),
    ("towards", "to"),
    ("toward", "to"),
    ("using", "with"),
    ("regarding", "about"),
    ("concerning", "about"),
    ("everybody", "everyone"),
    ("u", "up"),
    ("d", "down"),
    ("n", "north"),
    ("s", "south"),
    ("e", "east"),
    ("w", "west"),
    ("ne", "northeast"),
    ("nw", "northwest"),
    ("se", "southeast"),
    ("sw", "southwest"),
    ("upstairs", "up"),
    ("downstairs", "down"),
    ("upward", "up"),
    ("upwards", "up"),
    ("downward", "down"),
    ("downwards", "down"),
    ("northward", "north"),
    ("southward", "south"),
    ("eastward", "east"),
    ("westward", "west"),
    ("outside", "out"),
    ("outdoors", "out"),
    ("indoors", "in"),
    ("fore", "forward"),
    ("forwards", "forward"),
    ("aft", "back"),
    ("ahead", "forward"),
    ("backward", "back"),
    ("backwards", "back"),
    ("bout", "about"),
    ("mrs", "mrs"),
    ("pls", "please"),
    ("plz", "please"),
    ("em", "them"),
    ("&", "and"),
    ("thru", "through"),
    ("doggy", "dog"),
    ("doggie", "dog"),
    ("doggo", "dog"),
    ("kitty", "cat"),
    ("pussycat", "cat"),
    ("birdie", "bird"),
    ("binocs", "binoculars"),
    ("specs", "spectacles"),
    ("rm", "room"),
    ("bk", "back"),
    ("poket", "pocket"),
    ("eet", "eat"),
    ("sumthing", "something"),
    ("somthing", "something"),
    ("nuthing", "nothing"),
    ("psst", "hey"),
    ("dis", "this"),
    ("dat", "that"),
    ("da", "the"),
    ("abt", "about"),
    ("rlly", "really"),
    ("trough", "through"),
];

/// Several words that mean one.
const JOINED: &[(&[&str], &str)] = &[
    (&["out", "of"], "from"),
    (&["off", "of"], "from"),
    (&["on", "top", "of"], "on"),
    (&["in", "front", "of"], "at"),
    (&["next", "to"], "at"),
    (&["look", "round"], "look around"),
    (&["and", "then"], "then"),
    (&["after", "that"], "then"),
    (&["in", "order", "to"], "to"),
    (&["all", "of", "the"], "all"),
    (&["both", "of", "the"], "both"),
    (&["each", "of", "the"], "all"),
    (&["as", "well"], "too"),
    (&["what", "it", "is", "written"], "what is written"),
    (&["north", "east"], "northeast"),
    (&["north", "west"], "northwest"),
    (&["south", "east"], "southeast"),
    (&["south", "west"], "southwest"),
];

/// The tokens of a sentence, with the names of this world that would be torn apart joined.
pub fn tokens(sentence: &str, world: &World) -> Vec<Token> {
    let mut found = Vec::new();
    let text: String = sentence.chars().take(SENTENCE_CHARS_MAX).collect();
    let text = text.replace(['\u{2019}', '\u{2018}', '`'], "'");
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let end = c.len_utf8();
        match c {
            '"' | '\u{201c}' | '\u{201d}' => {
                let after = &rest[end..];
                let close = after.find(['"', '\u{201c}', '\u{201d}']);
                let quoted = &after[..close.unwrap_or(after.len())];
                found.push(Token::Quote(quoted.trim().trim_end_matches(',').to_owned()));
                rest = close.map_or("", |at| {
                    let mark = after[at..].chars().next().map_or(1, char::len_utf8);
                    &after[at + mark..]
                });
            }
            ',' | ':' => {
                found.push(Token::Comma);
                rest = &rest[end..];
            }
            // `*takes the key* thank you`: what stands between asterisks is a sentence of its own.
            '*' => {
                if rest[end..].find('*').is_none_or(|at| rest[end..end + at].trim().contains(' '))
                    && found.last().is_some_and(|last| !matches!(last, Token::Stop(_)))
                {
                    found.push(Token::Stop(false));
                }
                rest = &rest[end..];
            }
            // `look under bunk / take envelope`.
            '/' if rest[end..].starts_with(' ') && !found.is_empty() => {
                found.push(Token::Stop(false));
                rest = &rest[end..];
            }
            '.' if is_abbreviation(found.last()) => rest = &rest[end..],
            '.' | '!' | '?' | ';' | '\n' => {
                found.push(Token::Stop(c == '?'));
                rest = &rest[end..];
            }
            '\u{2013}' | '\u{2014}' => {
                found.push(Token::Comma);
                rest = &rest[end..];
            }
            '-' if rest[end..].starts_with([' ', '-']) => {
                found.push(Token::Comma);
                rest = rest.trim_start_matches('-');
            }
            c if is_letter(c) => {
                let word_end = rest.find(|c: char| !is_letter(c)).unwrap_or(rest.len());
                let word = rest[..word_end].to_lowercase();
                rest = &rest[word_end..];
                match shorthand(world, &word, found.last(), rest) {
                    Some(whole) => {
                        found.push(Token::Word(whole.to_owned()));
                        rest = rest.trim_start_matches('/');
                    }
                    None => push_word(&word, world, &mut found),
                }
            }
            _ => rest = &rest[end..],
        }
        if found.len() >= WORDS_MAX {
            break;
        }
    }
    join_names(join(found), world)
}

/// What `n` and `w` stand for here, where they are no ways to go.
fn shorthand(world: &World, word: &str, last: Option<&Token>, rest: &str) -> Option<&'static str> {
    let is_before_noun = || ["/", " the ", " a ", " my "].iter().any(|next| rest.starts_with(next));
    match word {
        "w" if is_before_noun() => Some("with"),
        "n" if stands_for_and(world, last, rest) => Some("and"),
        _ => None,
    }
}

/// Returns true if the `n` between this word and the rest stands for `and`, not for a way.
fn stands_for_and(world: &World, last: Option<&Token>, rest: &str) -> bool {
    let next: String = rest.trim_start().chars().take_while(|c| is_letter(*c)).collect();
    let is_way = |word: &str| super::travel::DIRECTIONS.contains(&word);
    // `go up n talk to Otto`.
    let is_deed = super::lexicon::is_verb(&next) && !is_way(&next);
    next.starts_with(char::is_alphabetic)
        && last.is_some_and(|last| is_noun_like(world, last) || (is_deed && is_way(last.word())))
}

/// Returns true if `n` behind this word may stand for `and`.
fn is_noun_like(world: &World, token: &Token) -> bool {
    let word = token.word();
    word.len() > 1
        && (!super::lexicon::is_verb(word) || is_word_of_a_name(world, word))
        && !super::travel::DIRECTIONS.contains(&word)
        && !STRUCTURE.contains(&word)
        && !words::is_hollow(word)
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '\'' || c == '&'
}

fn is_abbreviation(last: Option<&Token>) -> bool {
    last.is_some_and(|token| ["mr", "mrs", "ms", "dr", "st"].contains(&token.word()))
}

fn push_word(word: &str, world: &World, found: &mut Vec<Token>) {
    // `how r u`, but `u` alone is a way.
    let before = found.last().map(Token::word).unwrap_or_default();
    let asks = [
        "are", "do", "can", "will", "did", "would", "could", "thank", "love", "hate", "have",
        "see", "tell", "if",
    ];
    if word == "u" && asks.contains(&before) {
        found.push(Token::Word("you".to_owned()));
        return;
    }
    // A trough is a trough where there is one, and a mistake for `through` elsewhere.
    let is_name = || word.len() > 2 && is_word_of_a_name(world, word);
    if let Some((_, spelled)) = RESPELLED.iter().find(|(short, _)| *short == word)
        && !is_name()
    {
        found.extend(spelled.split(' ').map(|word| Token::Word(word.to_owned())));
        return;
    }
    let word = word.trim_matches('\'');
    let word = word.strip_suffix("'s").unwrap_or(word);
    if !word.is_empty() {
        found.push(Token::Word(word.to_owned()));
    }
}

/// Returns true if something that is here, or a place, has a name with this word.
fn is_word_of_a_name(world: &World, word: &str) -> bool {
    let mut ids = world.present().into_iter().chain(world.place_ids());
    ids.any(|id| world.names(id).iter().any(|name| name.iter().any(|known| known == word)))
}

fn join(tokens: Vec<Token>) -> Vec<Token> {
    let mut joined = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let fits = |words: &[&str]| {
            words
                .iter()
                .enumerate()
                .all(|(n, word)| tokens.get(at + n).is_some_and(|t| t.word() == *word))
        };
        match JOINED.iter().find(|(words, _)| fits(words)) {
            Some((words, one)) => {
                joined.extend(one.split(' ').map(|word| Token::Word(word.to_owned())));
                at += words.len();
            }
            None => {
                joined.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    joined
}

/// Words that take a sentence apart. A name that has one of them must stay whole.
const STRUCTURE: &[&str] = &[
    "and", "or", "then", "to", "in", "on", "at", "with", "from", "about", "for", "under", "behind",
    "up", "down", "off", "out", "through", "over", "except", "but", "all", "by", "back", "here",
    "there",
];

fn join_names(tokens: Vec<Token>, world: &World) -> Vec<Token> {
    let is_torn = |text: &str| {
        text.contains(' ')
            && text.split(' ').any(|word| STRUCTURE.iter().any(|s| s.eq_ignore_ascii_case(word)))
    };
    let mut torn: Vec<&Vec<String>> = Vec::new();
    for id in world.ids() {
        if is_torn(world.name(id)) || world.aliases(id).iter().any(|alias| is_torn(alias)) {
            let names = world.names(id).iter();
            torn.extend(names.filter(|name| {
                name.len() > 1 && name.iter().any(|word| STRUCTURE.contains(&word.as_str()))
            }));
        }
    }
    if torn.is_empty() {
        return tokens;
    }
    let mut joined = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let fits = |name: &Vec<String>| {
            name.iter()
                .enumerate()
                .all(|(n, word)| tokens.get(at + n).is_some_and(|t| t.word() == word))
        };
        match torn.iter().filter(|name| fits(name)).max_by_key(|name| name.len()) {
            Some(name) => {
                joined.push(Token::Word(name.join(" ")));
                at += name.len();
            }
            None => {
                joined.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    joined
}

/// The words of tokens, with blanks.
pub fn text_of(tokens: &[Token]) -> String {
    let words: Vec<&str> = tokens.iter().map(Token::word).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Returns true if the text has a word like this one.
pub fn has(tokens: &[Token], word: &str) -> bool {
    tokens.iter().any(|token| token.word() == word)
}

/// Returns true if the words of a token are all hollow, such as `the`.
pub fn is_hollow(token: &Token) -> bool {
    match token {
        Token::Word(word) => words::is_hollow(word),
        _ => true,
    }
}
