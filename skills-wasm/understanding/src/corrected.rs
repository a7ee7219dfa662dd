//! What the player takes back: `put the hat in the barrow, no wait, wear it`.

use english::WordClass;
use world_model::world::World;

use crate::{
    leads::strip,
    spans::{NameSpan, nameable, spans},
    tokens::{Token, word_at},
};

/// The words that count, and those that were taken back.
pub(super) struct CorrectedTokens {
    pub(super) kept: Vec<Token>,
    pub(super) taken_back: Vec<Token>,
}

/// The tokens without what the player takes back.
pub(super) fn without_taken_back(world: &World, tokens: Vec<Token>) -> CorrectedTokens {
    let mut result = CorrectedTokens { kept: Vec::new(), taken_back: Vec::new() };
    let Some((at, end)) = mark(&tokens) else {
        result.kept = tokens;
        return result;
    };
    let start = start_of_taken(&tokens[..at]);
    let taken = &tokens[start..at];
    let rest = without_meaning(without_denied(&tokens[end..]));
    let has_verb = |words: &[Token]| {
        // `I wanted to eat the pie`
        let meant = |token: &&Token| {
            ["wanted", "meant", "was", "going", "about", "to"].contains(&token.word())
        };
        let first =
            strip(words).iter().find(|token| !meant(token)).map(Token::word).unwrap_or_default();
        english::is_verb_form(first)
    };
    // Only a deed is taken back, and only by another deed or another object.
    if !has_verb(taken) || rest.is_empty() || WordClass::QuestionWord.has(word_at(rest, 0)) {
        result.kept = tokens;
        return result;
    }
    result.kept.extend_from_slice(&tokens[..start]);
    let way = rest.first().filter(|way| way.is(WordClass::Direction));
    // `no wait, north, I want to see the trams`
    if let Some(way) = way.filter(|_| rest.get(1).is_none_or(|token| !is_word(token))) {
        result.kept.extend([Token::of("go"), way.clone()]);
        result.kept.extend_from_slice(&rest[1..]);
    } else if !has_verb(rest) {
        match with_other_object(world, taken, rest) {
            Some(mut turned) => result.kept.append(&mut turned),
            None => {
                result.kept = tokens;
                return result;
            }
        }
    } else {
        result.kept.extend_from_slice(rest);
    }
    result.taken_back = taken.to_vec();
    result
}

/// `no, the candle I mean`: what is meant alone.
fn without_meaning(rest: &[Token]) -> &[Token] {
    let words = rest.iter().rposition(is_word).map_or(0, |last| last + 1);
    match &rest[..words] {
        [meant @ .., i, mean]
            if i.word() == "i" && ["mean", "meant"].contains(&mean.word()) && !meant.is_empty() =>
        {
            meant
        }
        _ => rest,
    }
}

/// `not the sandwich, the bun`: what is meant instead.
fn without_denied(rest: &[Token]) -> &[Token] {
    let comma = rest.iter().position(|token| !is_word(token)).unwrap_or(rest.len());
    match rest.get(comma + 1..) {
        Some(meant) if word_at(rest, 0) == "not" && !meant.is_empty() => meant,
        _ => rest,
    }
}

/// `do not eat the bread, just take it`: what is done instead, with the name of what is left undone for `it`.
pub(super) fn done_instead(tokens: Vec<Token>) -> Vec<Token> {
    let word = |at: usize| word_at(&tokens, at);
    let start = usize::from(word(0) == "i");
    if word(start) != "do" || word(start + 1) != "not" {
        return tokens;
    }
    let wants = usize::from(["want", "wish"].contains(&word(start + 2)) && word(start + 3) == "to");
    let verb = start + 2 + 2 * wants;
    let mut at = verb + 1;
    let instead = loop {
        match (word(at), word(at + 1), word(at + 2)) {
            _ if at >= tokens.len() => return tokens,
            ("just" | "only", next, _) if english::is_verb(next) => break at + 1,
            ("i", "want", "to") => break at + 3,
            ("i", "only" | "just", "want") => break at + 4,
            ("i", "would" | "will", "rather") => break at + 3,
            _ => at += 1,
        }
    };
    let object: Vec<Token> =
        tokens[verb + 1..at].iter().filter(|token| is_word(token)).cloned().collect();
    let object: Vec<Token> = object
        .into_iter()
        .take_while(|token| !["but", "and", "so"].contains(&token.word()))
        .collect();
    if object.is_empty() || !english::is_verb_form(word(verb)) || instead >= tokens.len() {
        return tokens;
    }
    let named = |token: &Token| match token.is(WordClass::ItOrThem) {
        true => object.clone(),
        false => vec![token.clone()],
    };
    tokens[instead..].iter().flat_map(named).collect()
}

/// Where a mark stands, and where it ends.
fn mark(tokens: &[Token]) -> Option<(usize, usize)> {
    (1..tokens.len()).find_map(|at| {
        // A mark begins behind a comma or a full stop, or says no.
        let begins = !is_word(&tokens[at - 1]) || ["no", "scratch"].contains(&tokens[at].word());
        if !is_word(&tokens[at]) || !begins {
            return None;
        }
        let said: Vec<usize> =
            (at..tokens.len()).filter(|at| tokens[*at] != Token::Comma).collect();
        let len = WordClass::TakesBack.start(|n| said.get(n).map(|at| tokens[*at].word()));
        let mut end = len.map(|len| said[len - 1] + 1).or_else(|| bare_no(tokens, at))?;
        while tokens.get(end).is_some_and(|token| !is_word(token) && !is_quote(token)) {
            end += 1;
        }
        (end < tokens.len()).then_some((at, end))
    })
}

/// `the cake, no, the candle`: where a `no` ends that only another thing follows.
fn bare_no(tokens: &[Token], at: usize) -> Option<usize> {
    let is_bare = tokens[at].word() == "no" && !is_word(&tokens[at - 1]);
    let next = at + 1 + tokens[at + 1..].iter().position(is_word)?;
    let names = ["the", "that", "this", "my"].contains(&word_at(tokens, next));
    let tail = tokens[next..].iter().take_while(|token| is_word(token)).count();
    (is_bare && names && next > at + 1 && (2..=5).contains(&tail)).then_some(next)
}

fn is_word(token: &Token) -> bool {
    matches!(token, Token::Word(_))
}

fn is_quote(token: &Token) -> bool {
    matches!(token, Token::Quote(_))
}

/// Where the sentence begins that is taken back.
fn start_of_taken(before: &[Token]) -> usize {
    let is_stop = |token: &Token| matches!(token, Token::Stop(_) | Token::Quote(_));
    let end = before.iter().rposition(|token| !is_stop(token) && *token != Token::Comma);
    let end = end.unwrap_or(0);
    let start = before[..end].iter().rposition(is_stop).map_or(0, |at| at + 1);
    // `I go in... hmm, actually no`: what is only hummed is not what is taken back.
    let is_hummed =
        before[start..].iter().all(|token| !is_word(token) || token.is(WordClass::Humming));
    if start > 0 && is_hummed { start_of_taken(&before[..start]) } else { start }
}

/// `take the red one, no, the green one`: the verb with the other object.
fn with_other_object(world: &World, taken: &[Token], rest: &[Token]) -> Option<Vec<Token>> {
    let pool = nameable(world);
    let words = |tokens: &[Token]| -> Vec<String> {
        tokens.iter().map(|token| token.word().to_owned()).collect()
    };
    let (old, new) = (words(taken), words(rest));
    let old: Vec<&str> = old.iter().map(String::as_str).collect();
    let new: Vec<&str> = new.iter().map(String::as_str).collect();
    let named = spans(world, &old, &pool);
    let other = spans(world, &new, &pool);
    let last = named.last()?;
    let Some(first) = other.first() else { return with_other_kind(taken, rest, last) };
    let is_person = |ids: &[world_model::entity::NamedId]| world.entity(ids[0]).is_person();
    // A person stands for a person, a thing for a thing.
    let replaced =
        named.iter().find(|span| is_person(&span.ids) == is_person(&first.ids)).unwrap_or(last);
    let mut turned = taken[..replaced.start].to_vec();
    if turned.last().is_some_and(crate::tokens::is_hollow_word) {
        turned.pop();
    }
    turned.extend_from_slice(rest);
    let has_tail = rest[first.end..].iter().any(|token| matches!(token, Token::Word(_)));
    if !has_tail {
        let ends = |token: &Token| matches!(token, Token::Stop(_));
        while turned.last().is_some_and(ends) {
            turned.pop();
        }
        turned
            .extend(taken[replaced.end..].iter().filter(|token| **token != Token::Comma).cloned());
    }
    Some(turned)
}

/// `take the long spanner, no, the shrot one`: the same noun with another word, however it is spelt.
fn with_other_kind(taken: &[Token], rest: &[Token], last: &NameSpan) -> Option<Vec<Token>> {
    let end = rest.iter().position(|token| !is_word(token)).unwrap_or(rest.len());
    let (kind, one) = (rest.get(1)?.clone(), rest[..end].last()?);
    let is_kind = end == 3 && word_at(rest, 0) == "the" && one.word() == "one";
    let noun = taken.get(last.end.checked_sub(1)?)?.clone();
    let start = last.start
        - usize::from(crate::tokens::is_hollow_word(taken.get(last.start.checked_sub(1)?)?));
    is_kind.then(|| {
        let named = [rest[0].clone(), kind, noun];
        taken[..start].iter().cloned().chain(named).chain(rest[end..].iter().cloned()).collect()
    })
}
