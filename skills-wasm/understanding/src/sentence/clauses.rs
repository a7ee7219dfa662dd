//! A sentence as clauses, without what is said for politeness.

use english::WordClass;
use world_model::{entity::NamedId, want::Want, world::World};

use crate::{
    names::nouns::{Meant, first_meant, resolve},
    sentence::{absent, loose},
    words::{
        leads::strip,
        lexicon,
        tokens::{self, Token, is_mark, word_at},
    },
};

/// Most characters of what is said.
pub(crate) const SAID_CHARS_MAX: usize = 300;

/// The person whom the words name, if they do nothing else.
pub(crate) fn addressed(world: &World, clause: &[Token]) -> Option<NamedId> {
    let words = strip(clause);
    // `thimble to Favre` gives it.
    if words.len() > 3 || words.iter().skip(1).any(|token| ["to", "for"].contains(&token.word())) {
        return None;
    }
    match resolve(world, words, Want::Person) {
        Meant::Entities(ids) if ids.len() == 1 && lexicon::verbs_at_start(words).is_empty() => {
            // `nodded to Mina` does not address her.
            let first = word_at(words, 0);
            let is_deed = |id: &NamedId| {
                english::inflected(first).is_some() && !world.has_name_with(*id, first)
            };
            ids.into_iter().find(|id| world.entity(*id).is_person()).filter(|id| !is_deed(id))
        }
        _ => None,
    }
}

/// The person whom a clause begins with, and what is said to them: `Pia have you seen him`.
pub(crate) fn said_to<'t>(world: &World, clause: &'t [Token]) -> Option<(NamedId, &'t [Token])> {
    let is_named = |id: &NamedId, words: &[Token]| {
        let names = world.names(*id);
        let has = |token: &Token| names.iter().any(|name| name.iter().any(|w| w == token.word()));
        let words = match words {
            [name @ .., dear] if !name.is_empty() && dear.is(WordClass::Call) => name,
            words => words,
        };
        words.iter().all(has)
    };
    for at in 1..clause.len().min(4) {
        let (name, rest) = clause.split_at(at);
        let first = word_at(rest, 0);
        let is_spoken = match first {
            "is" | "are" | "am" | "has" => false,
            // `Lotte dear I was wondering what happened`.
            "i" => ["was", "want", "need", "would", "wonder", "have"].contains(&word_at(rest, 1)),
            "tell" | "give" | "show" | "please" | "you" | "did" | "does" | "do" => true,
            _ => begins_question(rest),
        };
        if is_spoken && let Some(id) = world.people_here().into_iter().find(|id| is_named(id, name))
        {
            return Some((id, rest));
        }
    }
    None
}

/// The person whose name ends a question, and the question: `how is the piano, Mr Nance?`.
pub(crate) fn asked_of<'t>(
    world: &World,
    clause: &'t SentenceClause,
) -> Option<(NamedId, &'t [Token])> {
    let comma = clause.tokens.iter().rposition(|token| *token == Token::Comma)?;
    if !WordClass::AsksBeforeName.has(word_at(&clause.tokens, 0)) {
        return None;
    }
    let named = addressed(world, &clause.tokens[comma + 1..])?;
    world.is_present(named).then_some((named, &clause.tokens[..comma]))
}

/// Returns true if the words begin a question.
pub(crate) fn begins_question(tokens: &[Token]) -> bool {
    let word = |n: usize| word_at(tokens, n);
    match word(0) {
        "have" => WordClass::SpeakerOrListener.has(word(1)),
        "can" | "could" | "would" | "will" | "did" | "does" | "has" | "should" | "was" | "were" => {
            word(1) == "you" || word(0) == "did" || word(0) == "does"
        }
        // `do the rain` asks nothing.
        "do" => !["a", "an", "some", "my", "the", "that", "this"].contains(&word(1)),
        first => WordClass::QuestionWord.has(first),
    }
}

/// A part of a sentence with a verb of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SentenceClause {
    /// Its words.
    pub(crate) tokens: Vec<Token>,
    /// Whether a question mark ends it.
    pub(crate) is_asked: bool,
    /// Whether it only says what another one is done for.
    pub(crate) is_purpose: bool,
    /// Whether `and` or `or` joins it to the one before.
    pub(crate) is_joined: bool,
    /// Whether the name of a person stands before it, with a comma: `Dora, open the door`.
    pub(crate) is_called: bool,
    /// True if the player says next why not: `I would take it, but I have no bag`.
    pub(crate) is_contrasted: bool,
}

/// The clauses of a sentence that are being gathered.
struct ClauseList<'w> {
    world: &'w World,
    found: Vec<SentenceClause>,
    current: SentenceClause,
    /// Where the clauses of this sentence belong that are done before the one that stands before them.
    earlier: Option<usize>,
}

impl ClauseList<'_> {
    fn flush(&mut self) {
        let tokens = &mut self.current.tokens;
        while tokens
            .last()
            .is_some_and(|last| *last == Token::Comma || last.is(WordClass::AndOrThen))
        {
            tokens.pop();
        }
        let clause = std::mem::take(&mut self.current);
        if clause.tokens.is_empty() {
            return;
        }
        match &mut self.earlier {
            Some(at) => {
                self.found.insert(*at, clause);
                *at += 1;
            }
            None => self.found.push(clause),
        }
    }

    /// A connector that may begin a new clause: how many words of it there are.
    fn connect(&mut self, tokens: &[Token]) -> Option<usize> {
        let token = tokens.first()?;
        // `the first page`.
        let is_noun = self.current.tokens.last().is_some_and(tokens::is_hollow_word);
        let leads_on = token.word() == "that"
            && ["leads", "goes", "runs", "winds"].contains(&word_at(tokens, 1));
        // `what does that cook look like`, `the thing that shines`
        let before = self.current.tokens.last().map(Token::word).unwrap_or_default();
        let is_pointing = token.word() == "that" && WordClass::BehindJoiningThat.has(before);
        let is_connector = !leads_on
            && !is_pointing
            && (*token == Token::Comma || token.is(WordClass::Connector))
            && !is_noun
            && !points(&self.current.tokens, token);
        let ahead =
            tokens.iter().position(|t| *t != Token::Comma && !t.is(WordClass::Connector))?;
        let next = &tokens[ahead..];
        let is_said_to =
            || *token == Token::Comma && addressed(self.world, &self.current.tokens).is_some();
        // `what smells so good`.
        let is_degree = token.word() == "so"
            && self.current.tokens.last() != Some(&Token::Comma)
            && WordClass::DegreeBehindHow.has(word_at(tokens, 1));
        let starts = is_connector
            && !is_degree
            && !(token.word() == "that" && absent::reports(&self.current.tokens))
            && !(*token == Token::Comma
                && begins_question(&self.current.tokens)
                && absent::ends_with_call(self.world, next))
            && !self.current.tokens.is_empty()
            && (starts_clause(self.world, next, token)
                || is_said_to()
                || loose::starts_clause(self.world, &self.current.tokens, next, token));
        if !starts {
            return None;
        }
        let has = |word: &str| tokens[..ahead].iter().any(|token| token.word() == word);
        let is_called = is_said_to();
        let word = |n: usize| word_at(next, n);
        self.current.is_contrasted = has("but") && loose::is_reason(next);
        self.flush();
        self.current.is_called = is_called;
        self.current.is_purpose = has("so")
            && WordClass::PlayerSubject.has(word(0))
            && ["can", "could", "may", "might", "will"].contains(&word(1));
        self.current.is_joined = has("and") && !WordClass::PlayerSubject.has(word(0));
        if has("after") && self.earlier.is_none() && !self.found.is_empty() {
            self.earlier = Some(self.found.len() - 1);
        } else if has("then") {
            self.earlier = None;
        }
        Some(ahead)
    }
}

/// The clauses of a sentence.
pub(crate) fn clauses(world: &World, tokens: &[Token]) -> Vec<SentenceClause> {
    let mut list =
        ClauseList { world, found: Vec::new(), current: SentenceClause::default(), earlier: None };
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            Token::Stop(is_question) => {
                list.flush();
                list.earlier = None;
                if let Some(last) = list.found.last_mut() {
                    last.is_asked |= *is_question;
                }
            }
            Token::Quote(text) => {
                at += quote(&mut list.current, &mut list.found, text, &tokens[at + 1..]);
                if list.current.tokens.iter().any(|token| matches!(token, Token::Quote(_))) {
                    list.flush();
                }
            }
            // `so what is the toll, Grumbold?`
            token
                if list.current.tokens.is_empty()
                    && token.word() == "so"
                    && begins_question(&tokens[at + 1..]) => {}
            token => {
                if let Some(ahead) = list.connect(&tokens[at..]) {
                    at += ahead;
                    continue;
                }
                if loose::runs_on(world, &list.current.tokens, &tokens[at..]) {
                    list.flush();
                    list.current.tokens.push(token.clone());
                } else if is_purpose(world, &list.current.tokens, &tokens[at..]) {
                    list.flush();
                    list.current.is_purpose = true;
                } else {
                    list.current.tokens.push(token.clone());
                }
            }
        }
        at += 1;
    }
    list.flush();
    list.found
}

fn is_speech_verb(token: &Token) -> bool {
    let word = token.word();
    WordClass::SpeechVerb.has(word)
        || english::inflected(word).is_some_and(|verb| WordClass::SpeechVerb.has(verb))
        || word.strip_suffix('s').is_some_and(|verb| WordClass::SpeechVerb.has(verb))
        || word.strip_suffix("ed").is_some_and(|verb| WordClass::SpeechVerb.has(verb))
}

/// Adds what is said to the clauses, and says how many of the words behind it belong to it. What stands before it is a
/// clause of its own, unless it says who speaks to whom.
fn quote(
    current: &mut SentenceClause,
    found: &mut Vec<SentenceClause>,
    text: &str,
    rest: &[Token],
) -> usize {
    let is_blank = current.tokens.iter().all(|token| *token == Token::Comma);
    // `"Dora," I say, "give me the key."` is said in one go.
    if is_blank
        && let Some(SentenceClause { tokens, .. }) = found.last_mut()
        && let Some(Token::Quote(said)) =
            tokens.iter_mut().find(|token| matches!(token, Token::Quote(_)))
        && said.chars().count() + text.chars().count() < SAID_CHARS_MAX
    {
        // `"Tell me, Dora," I say. "Is it yours?"`: a capital begins a sentence of its own.
        let goes_on = ["I ", "I'"].iter().any(|first| text.starts_with(first));
        let is_new = text.starts_with(char::is_uppercase) && !goes_on;
        let between = match said.ends_with(['.', '!', '?']) {
            true => " ",
            false if is_new => ". ",
            false => ", ",
        };
        said.push_str(between);
        said.push_str(text);
        current.tokens.clear();
        return 0;
    }
    if !is_blank && !current.tokens.iter().any(is_speech_verb) && current.tokens.len() > 3 {
        found.push(std::mem::take(current));
    }
    current.tokens.push(Token::Quote(text.to_owned()));
    current.is_asked = text.trim_end().ends_with('?');
    let start = rest.iter().position(|token| *token != Token::Comma).unwrap_or(0);
    let verb = rest[start..].iter().take(4).position(is_speech_verb);
    // `I offer him the roll` is a deed.
    let offers = |at: usize| {
        let words = rest.get(start + at..start + at + 3).unwrap_or_default();
        word_at(words, 0).starts_with("offer")
            && words.iter().any(|token| ["the", "my", "a", "an", "this"].contains(&token.word()))
    };
    let is_tag = verb.is_some_and(|at| {
        rest[start..start + at].iter().all(|token| matches!(token, Token::Word(_))) && !offers(at)
    });
    // `I shout "Anybody there?" down the hatch`.
    let is_led = current.tokens.iter().any(is_speech_verb)
        && WordClass::WayBesideSpeech.has(word_at(rest, start));
    if !is_tag && !is_led {
        return start;
    }
    let ends = |token: &Token| !matches!(token, Token::Word(word) if !["and", "while", "then", "as"].contains(&word.as_str()));
    let len = rest[start..].iter().position(ends).unwrap_or(rest.len() - start);
    current.tokens.extend(rest[start..start + len].iter().cloned());
    start + len
}

/// Returns true for the `to` of `go to the jetty to find the fisherman`.
fn is_purpose(world: &World, current: &[Token], tokens: &[Token]) -> bool {
    let word = |n: usize| word_at(tokens, n);
    let is_verb = english::is_verb(word(1)) && !world_model::words::is_hollow(word(1));
    if word(0) != "to" || !is_verb || word(2).is_empty() {
        return false;
    }
    let stripped = strip(current);
    let first = word_at(stripped, 0);
    let verb = english::inflected(first).filter(|_| !english::is_verb(first)).unwrap_or(first);
    let is_place = |id: world_model::entity::NamedId| world.is_named_by(id, word(1));
    // `get Daisy to talk`.
    let gets_person = verb == "get"
        && first_meant(world, &stripped[1..], Want::Person)
            .is_some_and(|id| world.entity(id).is_person());
    // `be so good as to`, `would it be possible to`.
    let leads = [
        "as",
        "enough",
        "possible",
        "able",
        "nice",
        "wise",
        "best",
        "allowed",
        "permitted",
        "trouble",
        "kind",
    ];
    let is_led = current.last().is_some_and(|last| leads.contains(&last.word()));
    stripped.len() > 1
        && !is_led
        && !gets_person
        && !current.last().is_some_and(|last| last.is(WordClass::LeadWithTo))
        && !WordClass::WithoutPurpose.has(verb)
        && !current.iter().any(|token| token.is(WordClass::WithoutPurpose))
        && !world.place_ids().any(is_place)
}

/// Returns true for the `that` of `I need that jar` and `what is that`.
fn points(current: &[Token], token: &Token) -> bool {
    let before = current.last().map(Token::word).unwrap_or_default();
    token.word() == "that"
        && (WordClass::BeforePointingThat.has(before) || english::is_verb(before))
        && !["say", "tell", "think", "know", "hope"].contains(&before)
}

/// Returns true if a new clause begins here: with a verb, a direction, or after a comma with a question.
fn starts_clause(world: &World, next: &[Token], connector: &Token) -> bool {
    if connector.word() == "then" {
        return true;
    }
    // `Jonty, here is your hat`.
    if *connector == Token::Comma
        && let [here, is, ..] = next
        && ["here", "there"].contains(&here.word())
        && is.is(WordClass::IsOrAre)
    {
        return true;
    }
    if is_put_there(next) {
        return true;
    }
    let stripped = strip(next);
    let Some(first) = stripped.first().map(Token::word) else {
        return false;
    };
    if *connector == Token::Comma
        && (WordClass::QuestionWord.has(first) || next.first().map(Token::word) == Some("what"))
    {
        return true;
    }
    let is_end = |token: Option<&Token>| {
        let again = ["and", "again", "twice", "then"];
        token
            .is_none_or(|t| matches!(t, Token::Stop(_) | Token::Comma) || again.contains(&t.word()))
    };
    let ends = is_end(stripped.get(1));
    let joins = connector.is(WordClass::AndOrThen) && stripped.len() == 1;
    // `get the shovel, in, south`, but `put it in`.
    let is_particle = ["in", "out"].contains(&first) && !joins;
    let is_way = || *connector == Token::Comma && world.has_way(first);
    if WordClass::Direction.has(first) && ends && (!is_particle || is_way()) {
        return true;
    }
    if !begins_with_verb(stripped, connector) {
        return false;
    }
    // `the key and the light` goes on with things; `and light it` does not.
    let is_noun = world
        .present()
        .iter()
        .any(|id| world.names(*id).iter().any(|name| name.iter().any(|word| word == first)));
    let has_article = next.first().is_some_and(tokens::is_hollow);
    !has_article && (!is_noun || !ends)
}

/// Returns true for `the fork there too`, which goes where the thing before it went.
fn is_put_there(next: &[Token]) -> bool {
    let end = next.iter().position(is_mark);
    let words = &next[..end.unwrap_or(next.len())];
    let [.., place, last] = words else { return false };
    let is_there = [("there", "too"), ("in", "there")].contains(&(place.word(), last.word()));
    is_there && words.len() > 2 && words.len() < 8 && words.first().is_some_and(tokens::is_hollow)
}

/// Returns true if a verb begins the words, in a form that may stand behind the connector.
fn begins_with_verb(stripped: &[Token], connector: &Token) -> bool {
    let first = word_at(stripped, 0);
    english::is_verb(first)
        || (ends_like_verb(stripped) && lexicon::corrected(first).is_some())
        // `after switching on the torch`.
        || (["after", "before"].contains(&connector.word())
            && first.ends_with("ing")
            && english::inflected(first).is_some())
        // `feeling for something hidden`.
        || (*connector == Token::Comma
            && first.ends_with("ing")
            && stripped.get(1).is_some_and(|next| next.is(WordClass::Preposition))
            && english::inflected(first).is_some())
        // `pulled open the door`.
        || (first.ends_with("ed")
            && stripped.get(1).is_some_and(|next| {
                let follows = ["it", "him", "her", "them", "what", "whatever"];
                next.is(WordClass::Particle)
                    || next.is(WordClass::Preposition)
                    || follows.contains(&next.word())
                    || tokens::is_hollow_word(next)
            })
            && english::inflected(first).is_some())
        // `and looks around`.
        || (first.ends_with('s')
            && connector.word() == "and"
            && stripped.get(1).is_none_or(|next| next.is(WordClass::Preposition))
            && english::inflected(first).is_some())
}

fn ends_like_verb(stripped: &[Token]) -> bool {
    stripped.get(1).is_some_and(|token| {
        tokens::is_hollow(token)
            || ["it", "them", "him", "her", "to", "up"].contains(&token.word())
            || token.is(WordClass::Direction)
    })
}
