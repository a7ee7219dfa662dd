//! A sentence as words, and its parts.

use english::{WordClass, WordRow};
use world_model::{words, world::World};

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
    /// A word, in lower case.
    pub(crate) fn of(word: &str) -> Token {
        Token::Word(word.to_owned())
    }

    /// The word, or nothing.
    pub fn word(&self) -> &str {
        match self {
            Token::Word(word) => word,
            _ => "",
        }
    }

    /// Returns true if it is a word of this class.
    pub(crate) fn is(&self, class: WordClass) -> bool {
        class.has(self.word())
    }
}

/// The word at a place; nothing behind the end and where no word stands.
pub(crate) fn word_at(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map(Token::word).unwrap_or_default()
}

/// Returns true if the token is one of these words.
pub(crate) fn is_any(token: &Token, words: &[&str]) -> bool {
    words.contains(&token.word())
}

/// The tokens in front of the first that ends them; all where none does.
pub(crate) fn before(tokens: &[Token], ends: impl FnMut(&Token) -> bool) -> &[Token] {
    &tokens[..tokens.iter().position(ends).unwrap_or(tokens.len())]
}

/// Returns true for a comma, the end of a sentence and a quotation.
pub(crate) fn is_mark(token: &Token) -> bool {
    !matches!(token, Token::Word(_))
}

/// Returns true for the end of a sentence and a quotation.
pub(crate) fn ends_sentence(token: &Token) -> bool {
    matches!(token, Token::Stop(_) | Token::Quote(_))
}

/// Whether the sentence that begins here is a question; nothing where its end is not among the tokens.
pub(crate) fn is_asked(tokens: &[Token]) -> Option<bool> {
    tokens.iter().find_map(|token| match token {
        Token::Stop(asked) => Some(*asked),
        _ => None,
    })
}

/// The tokens of a sentence.
#[derive(Debug, Default)]
pub(crate) struct ReadTokens {
    pub(crate) tokens: Vec<Token>,
    /// The rows of `respelled.tsv` that were used.
    pub(crate) rows: Vec<&'static WordRow>,
}

impl ReadTokens {
    fn push(&mut self, token: Token) {
        self.tokens.push(token);
    }

    fn last(&self) -> Option<&Token> {
        self.tokens.last()
    }

    /// Adds the words that the row stands for.
    fn push_meant(&mut self, row: &'static WordRow) {
        self.tokens.extend(row.meant.split(' ').map(Token::of));
        self.rows.push(row);
    }
}

/// The tokens of a sentence, with the names of this world that would be torn apart joined.
pub fn tokens(sentence: &str, world: &World) -> Vec<Token> {
    read(sentence, world).tokens
}

/// The same, with the rows that were used.
pub(crate) fn read(sentence: &str, world: &World) -> ReadTokens {
    let mut found = ReadTokens::default();
    let text: String = sentence.chars().take(SENTENCE_CHARS_MAX).collect();
    let text = text.replace(['\u{2019}', '\u{2018}', '`'], "'");
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next()
        && found.tokens.len() < WORDS_MAX
    {
        rest = match c {
            '"' | '\u{201c}' | '\u{201d}' => push_quote(&rest[c.len_utf8()..], &mut found),
            c if is_letter(c) => push_next(rest, world, &mut found),
            c => push_mark(c, rest, &mut found),
        };
    }
    let mut joined = join(found);
    joined.tokens = join_names(joined.tokens, world);
    joined
}

/// Adds what is said behind a quotation mark, and returns what follows.
fn push_quote<'t>(after: &'t str, found: &mut ReadTokens) -> &'t str {
    let close = after.find(['"', '\u{201c}', '\u{201d}']);
    let quoted = &after[..close.unwrap_or(after.len())];
    found.push(Token::Quote(quoted.trim().trim_end_matches(',').to_owned()));
    close.map_or("", |at| {
        let mark = after[at..].chars().next().map_or(1, char::len_utf8);
        &after[at + mark..]
    })
}

/// Adds the word at the beginning, and returns what follows.
fn push_next<'t>(rest: &'t str, world: &World, found: &mut ReadTokens) -> &'t str {
    let end = rest.find(|c: char| !is_letter(c)).unwrap_or(rest.len());
    let (word, rest) = (rest[..end].to_lowercase(), &rest[end..]);
    if let Some(noun) = word.strip_suffix("'s").filter(|_| is_state(rest)) {
        push_word(noun, world, found);
        found.push(Token::of("is"));
        return rest;
    }
    match shorthand(world, &word, found.last(), rest) {
        Some(whole) => {
            found.push(Token::of(whole));
            rest.trim_start_matches('/')
        }
        None => {
            push_word(&word, world, found);
            rest
        }
    }
}

/// Whether the text goes on with such a word.
fn is_state(rest: &str) -> bool {
    let next = rest.strip_prefix(' ').unwrap_or_default();
    let end = next.find(|c: char| !is_letter(c)).unwrap_or(next.len());
    WordClass::StateBehindNoun.words().iter().any(|state| state.eq_ignore_ascii_case(&next[..end]))
}

/// Adds what a punctuation mark means, and returns what follows.
fn push_mark<'t>(mark: char, rest: &'t str, found: &mut ReadTokens) -> &'t str {
    let after = &rest[mark.len_utf8()..];
    match mark {
        ',' | ':' | '\u{2013}' | '\u{2014}' => found.push(Token::Comma),
        // `*takes the key* thank you`: what stands between asterisks is a sentence of its own.
        '*' => {
            let is_long = after.find('*').is_none_or(|at| after[..at].trim().contains(' '));
            if is_long && found.last().is_some_and(|last| !matches!(last, Token::Stop(_))) {
                found.push(Token::Stop(false));
            }
        }
        // `look under bunk / take envelope`.
        '@' => found.push(Token::of("at")),
        '+' if after.starts_with(' ') => found.push(Token::of("and")),
        '/' if after.starts_with(' ') && found.last().is_some() => found.push(Token::Stop(false)),
        '.' if is_abbreviation(found.last()) => {}
        '.' | '!' | '?' | ';' | '\n' => found.push(Token::Stop(mark == '?')),
        // `thimble -> Favre`.
        '-' if after.starts_with('>') => {
            found.push(Token::of("to"));
            return &after[1..];
        }
        '-' if after.starts_with([' ', '-']) => {
            found.push(Token::Comma);
            return rest.trim_start_matches('-');
        }
        _ => {}
    }
    after
}

/// What `n` and `w` stand for here, where they are no ways to go.
fn shorthand(world: &World, word: &str, last: Option<&Token>, rest: &str) -> Option<&'static str> {
    let is_before_noun = || ["/", " the ", " a ", " my "].iter().any(|next| rest.starts_with(next));
    match word {
        "w" if is_before_noun() => Some("with"),
        "n" if stands_for_and(world, last, rest) => Some("and"),
        "u" if !is_way_up(last, rest) => Some("you"),
        _ => None,
    }
}

/// Returns true if the `u` between this word and the rest is the way up, alone or among other ways; else it is `you`.
fn is_way_up(last: Option<&Token>, rest: &str) -> bool {
    let is_way = |word: &str| WordClass::Direction.has(word);
    let before = last.map(Token::word).unwrap_or_default();
    let leads = ["", "go", "then", "and", "head", "walk", "climb", "run"];
    let next: String = rest.trim_start().chars().take_while(|c| is_letter(*c)).collect();
    let ways = ["", "n", "s", "e", "w", "d", "ne", "nw", "se", "sw", "then", "and"];
    (leads.contains(&before) || is_way(before)) && (ways.contains(&next.as_str()) || is_way(&next))
}

/// Returns true if the `n` between this word and the rest stands for `and`, not for a way.
fn stands_for_and(world: &World, last: Option<&Token>, rest: &str) -> bool {
    let next: String = rest.trim_start().chars().take_while(|c| is_letter(*c)).collect();
    let is_way = |word: &str| WordClass::Direction.has(word);
    // `go up n talk to Otto`, `in his pocket n fish out the key`.
    let is_deed = english::is_verb_form(&next) && !is_way(&next);
    let behind = rest.trim_start()[next.len()..].trim_start();
    let goes_on = ["the ", "out ", "it ", "my ", "up ", "a ", "to ", "for "]
        .iter()
        .any(|lead| behind.starts_with(lead));
    // `goggles on n dive`, `take it n run`.
    let is_end = |word: &str| WordClass::EndBeforeAnd.has(word);
    next.starts_with(char::is_alphabetic)
        && last.is_some_and(|last| {
            let word = last.word();
            is_noun_like(world, last)
                || (is_deed && (is_way(word) || is_end(word) || goes_on && word.len() > 3))
        })
}

/// Returns true if `n` behind this word may stand for `and`.
fn is_noun_like(world: &World, token: &Token) -> bool {
    let word = token.word();
    word.len() > 1
        && (!english::is_verb(word) || is_word_of_a_name(world, word))
        && !WordClass::Direction.has(word)
        && !WordClass::Structure.has(word)
        && !words::is_hollow(word)
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '\'' || c == '&'
}

fn is_abbreviation(last: Option<&Token>) -> bool {
    last.is_some_and(|token| ["mr", "mrs", "ms", "dr", "st"].contains(&token.word()))
}

fn push_word(word: &str, world: &World, found: &mut ReadTokens) {
    // A trough is a trough where there is one, and a mistake for `through` elsewhere.
    let is_name = || word.len() > 2 && is_word_of_a_name(world, word);
    if let Some(row) = english::respelled(word)
        && !is_name()
    {
        found.push_meant(row);
        return;
    }
    let word = word.trim_matches('\'');
    let word = word.strip_suffix("'s").unwrap_or(word);
    let plain = without_drawl(word);
    let word = plain.as_deref().unwrap_or(word);
    if !word.is_empty() {
        found.push(Token::of(word));
    }
}

/// The word without a letter that is drawn out: `sooo`, `looook`.
fn without_drawl(word: &str) -> Option<String> {
    let letters = word.as_bytes();
    let is_drawn = |three: &[u8]| three[0] == three[1] && three[1] == three[2];
    if !word.is_ascii() || !letters.windows(3).any(is_drawn) || letters[0].is_ascii_digit() {
        return None;
    }
    let shortened = |kept: usize| -> String {
        let mut found = String::new();
        for (at, letter) in letters.iter().enumerate() {
            let run = letters[..at].iter().rev().take_while(|before| *before == letter).count();
            if run < kept {
                found.push(char::from(*letter));
            }
        }
        found
    };
    Some(shortened(2)).filter(|word| english::is_verb(word)).or_else(|| Some(shortened(1)))
}

/// Returns true if something that is here, or a place, has a name with this word.
fn is_word_of_a_name(world: &World, word: &str) -> bool {
    let mut ids = world.present().into_iter().chain(world.place_ids());
    ids.any(|id| world.has_name_with(id, word))
}

/// The tokens with other words for several that mean them.
fn join(found: ReadTokens) -> ReadTokens {
    let ReadTokens { tokens, mut rows } = found;
    let mut joined = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let known = english::joined(|n| word_at(&tokens, at + n));
        rows.extend(known.map(|(_, row)| row));
        let known = known.map(|(len, row)| (len, row.meant));
        match known.or_else(|| gratitude(&tokens[at..])) {
            Some((len, "")) => {
                // Of `I should be most obliged if you would`, nothing is left.
                if joined.last().is_some_and(|last: &Token| last.word() == "i") {
                    joined.pop();
                }
                joined.push(Token::Comma);
                at += len;
            }
            Some((len, one)) => {
                joined.extend(one.split(' ').map(Token::of));
                at += len;
            }
            None => {
                let is_and = is_slip_for_and(&tokens[at..]);
                joined.push(if is_and { Token::of("and") } else { tokens[at].clone() });
                at += 1;
            }
        }
    }
    ReadTokens { tokens: joined, rows }
}

/// What a player would be grateful for, most obliged by or glad of: how many words say so, and the words that the grammar knows.
fn gratitude(tokens: &[Token]) -> Option<(usize, &'static str)> {
    if !["would", "should"].contains(&word_at(tokens, 0)) || word_at(tokens, 1) != "be" {
        return None;
    }
    let degrees = tokens[2..].iter().take_while(|token| token.is(WordClass::Degree)).count();
    let at = 2 + degrees;
    if !tokens.get(at).is_some_and(|token| token.is(WordClass::Thankful)) {
        return None;
    }
    match [1, 2, 3].map(|n| word_at(tokens, at + n)) {
        ["for" | "of", ..] => Some((at + 2, "want")),
        ["if", "i", "could" | "might" | "may"] => Some((at + 4, "would like to")),
        ["if", "you", "could" | "would" | "might"] => Some((at + 4, "")),
        _ => None,
    }
}

/// `switch it on an go down`: no word with a consonant follows an `an`.
fn is_slip_for_and(tokens: &[Token]) -> bool {
    let [an, next, ..] = tokens else { return false };
    let is_vowel = |letter: char| "aeiouh".contains(letter);
    an.word() == "an" && next.word().starts_with(|letter: char| !is_vowel(letter))
}

fn join_names(tokens: Vec<Token>, world: &World) -> Vec<Token> {
    // Only a name that has one of these words of the sentence can be joined.
    let structure: Vec<&str> =
        WordClass::Structure.words().iter().copied().filter(|word| has(&tokens, word)).collect();
    if structure.is_empty() {
        return tokens;
    }
    let is_torn = |text: &str| {
        text.contains(' ')
            && text.split(' ').any(|word| structure.iter().any(|s| s.eq_ignore_ascii_case(word)))
    };
    let mut torn: Vec<&Vec<String>> = Vec::new();
    for id in world.existing() {
        if is_torn(world.name(id)) || world.aliases(id).iter().any(|alias| is_torn(alias)) {
            let names = world.names(id).iter();
            torn.extend(names.filter(|name| {
                name.len() > 1 && name.iter().any(|word| structure.contains(&word.as_str()))
            }));
        }
    }
    if torn.is_empty() {
        return tokens;
    }
    let mut joined = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let fits = |name: &&&Vec<String>| {
            let rest = tokens.iter().skip(at).map(Token::word);
            rest.take(name.len()).eq(name.iter().map(String::as_str))
        };
        match torn.iter().filter(fits).max_by_key(|name| name.len()) {
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

/// Returns true for an article or a possessive, and not for a comma.
pub(crate) fn is_hollow_word(token: &Token) -> bool {
    matches!(token, Token::Word(word) if words::is_hollow(word))
}

/// Returns true if the words of a token are all hollow, such as `the`.
pub fn is_hollow(token: &Token) -> bool {
    match token {
        Token::Word(word) => words::is_hollow(word),
        _ => true,
    }
}
