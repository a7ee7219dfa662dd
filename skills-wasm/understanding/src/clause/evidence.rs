//! The best reading of a clause that no rule reads whole: a verb and the names that stand there.

use english::WordClass;
use world_model::{
    action::{Action, Verb},
    entity::NamedId,
    want::{Want, suits},
    words,
    world::World,
};

use crate::{
    clause::unheard::done_to_somebody,
    grammar::{built::is_aimless, chart},
    meaning::Understanding,
    names::{
        spans::{nameable, spans},
        want::sole,
    },
    sentence::clauses::{SentenceClause, begins_question},
    words::{
        classes::is_no_noun,
        leads::strip,
        lexicon::{self, ClauseVerb, Meaning},
        tokens::Token,
    },
};

/// What is done by guessing only where the player says it first.
const RISKY: &[Verb] = &[
    Verb::Attack,
    Verb::Steal,
    Verb::Force,
    Verb::PickLock,
    Verb::Sneak,
    Verb::Eat,
    Verb::Drink,
    Verb::Drop,
];

/// Reads a clause by its evidence: the first verb with a name that makes sense with it.
pub(crate) fn read(world: &World, clause: &SentenceClause) -> Option<Vec<Action>> {
    let tokens = strip(&clause.tokens);
    if clause.is_asked || begins_question(tokens) || tokens.len() < 2 {
        return None;
    }
    let words: Vec<&str> = tokens.iter().map(Token::word).collect();
    let pool = nameable(world);
    let found = spans(world, &words, &pool);
    if found.is_empty() {
        return None;
    }
    let named = |at: usize| found.iter().any(|span| (span.start..span.end).contains(&at));
    for at in (0..tokens.len()).filter(|at| !named(*at)) {
        let is_first = at == 0 || ["i", "we", "and", "to", ""].contains(&words[at - 1]);
        let Some(verb) = verb_at(&words, at, is_first) else {
            continue;
        };
        let mut clause = vec![Token::of(verb)];
        clause.extend(tokens[at + 1..].iter().cloned());
        for verb in lexicon::verbs_at_start(&clause) {
            let names = Names { world, pool: &pool };
            if let Some(actions) = with_names(&names, &verb, (&tokens[..at], is_first)) {
                return Some(actions);
            }
        }
    }
    None
}

/// The verb that stands here, if the word is one in this position.
fn verb_at<'w>(words: &[&'w str], at: usize, is_first: bool) -> Option<&'w str> {
    let word = words[at];
    let before = at.checked_sub(1).map_or("", |at| words[at]);
    if word.len() < 3 || words::is_hollow(before) || WordClass::WeakVerb.has(word) {
        return None;
    }
    let verb = if english::is_verb(word) {
        word
    } else {
        english::inflected(word).filter(|_| is_first || word.ends_with("ing"))?
    };
    (!WordClass::WeakVerb.has(verb)).then_some(verb)
}

/// The actions of the verb with the names behind it, or with those before it.
fn with_names(
    names: &Names<'_>,
    verb: &ClauseVerb,
    before: (&[Token], bool),
) -> Option<Vec<Action>> {
    let (before, is_first) = before;
    if matches!(
        verb.meaning,
        Meaning::Again | Meaning::Help | Meaning::Gesture(_) | Meaning::Try(_) | Meaning::Learn
    ) {
        return None;
    }
    let behind = names.among(&verb.rest);
    let rest = if behind.iter().any(|token| !token.is(WordClass::Preposition)) {
        behind
    } else {
        names.among(before)
    };
    if rest.is_empty() {
        return None;
    }
    let verb = ClauseVerb { rest, ..verb.clone() };
    let actions = chart::built(names.world, &verb).ok()?;
    let is_sound = |action: &Action| {
        action.missing.is_none()
            && !is_aimless(action)
            && (action.target.is_some() || action.with.is_some() || action.direction.is_some())
            && (is_first || !RISKY.contains(&action.action))
    };
    (!actions.is_empty() && actions.iter().all(is_sound)).then_some(actions)
}

/// The names that a sentence may use.
struct Names<'w> {
    world: &'w World,
    pool: &'w [NamedId],
}

impl Names<'_> {
    /// The names among the tokens, each with the preposition before it.
    fn among(&self, tokens: &[Token]) -> Vec<Token> {
        let words: Vec<&str> = tokens.iter().map(Token::word).collect();
        let found = spans(self.world, &words, self.pool);
        let is_named = |at: usize| found.iter().any(|span| (span.start..span.end).contains(&at));
        let pronouns = ["it", "him", "her", "them"];
        let mut kept: Vec<Token> = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            if is_named(at) || pronouns.contains(&token.word()) {
                kept.push(token.clone());
            } else if token.is(WordClass::Preposition) {
                // Of two prepositions the one before the name counts.
                if kept.last().is_some_and(|last| last.is(WordClass::Preposition)) {
                    kept.pop();
                }
                kept.push(token.clone());
            } else if token.word() == "and" && !kept.is_empty() {
                kept.push(token.clone());
            }
        }
        while kept
            .last()
            .is_some_and(|last| last.is(WordClass::Preposition) || last.word() == "and")
        {
            kept.pop();
        }
        kept
    }
}

/// Most words of a name that somebody may mean.
const NOUN_WORDS_MAX: usize = 3;

/// Returns true if the words that mean nothing here are no name, but a part of a sentence.
pub(crate) fn is_junk(missing: &str) -> bool {
    if missing.starts_with("anything") {
        return false;
    }
    let words: Vec<&str> = missing.split(' ').filter(|word| !words::is_hollow(word)).collect();
    words.len() > NOUN_WORDS_MAX
        || (words.len() > 2 && words.iter().filter(|word| english::is_verb_form(word)).count() > 1)
        || words.iter().any(|word| WordClass::NoNoun.has(word))
        || words.last().is_some_and(|head| is_no_noun(head))
}

/// Returns true if a reading says nothing that can be done: words without a meaning, or no words at all.
pub(crate) fn is_weak(actions: &[Action]) -> bool {
    actions
        .iter()
        .any(|action| action.missing.as_deref().is_some_and(is_junk) || is_aimless(action))
}

/// Takes off the actions on words that are no names, where another one makes sense; alone they mean nothing.
pub(crate) fn without_junk(world: &World, meaning: &mut Understanding) {
    let is_empty = |action: &Action| action.missing.as_deref().is_some_and(is_junk);
    if meaning.actions.iter().any(is_empty) {
        let somebody = done_to_somebody(&meaning.actions);
        meaning.actions.retain(|action| !is_empty(action));
        match somebody.filter(|_| meaning.actions.is_empty()) {
            Some(action) => meaning.actions.push(action),
            None => meaning.unknown = true,
        }
    }
    share_object(world, &mut meaning.actions);
    // What is aimless beside a deed only leads to it.
    if meaning.actions.len() > 1 && meaning.actions.iter().any(|action| !is_aimless(action)) {
        meaning.actions.retain(|action| !is_aimless(action));
    }
}

/// `get and read the testament`: what nobody names is what the next verb is done to.
fn share_object(world: &World, actions: &mut [Action]) {
    for at in 1..actions.len() {
        let target = actions[at].target.clone();
        let id = target.as_deref().and_then(|name| world.find(name));
        let fits = |want| id.is_some_and(|id| suits(world, id, want) && world.is_seen(id));
        let action = &mut actions[at - 1];
        let is_shared = match action.action {
            Verb::Take => fits(Want::Takable),
            Verb::Open => fits(Want::Closed),
            _ => false,
        };
        if is_shared && is_aimless(action) {
            action.target = target;
        }
    }
}

/// What a clause may do that only says what another one is for.
pub(crate) fn is_harmless(world: &World, actions: &[Action]) -> bool {
    let harmless = [
        Verb::Examine,
        Verb::Search,
        Verb::Look,
        Verb::Talk,
        Verb::Ask,
        Verb::Tell,
        Verb::Read,
        Verb::Go,
        Verb::Open,
        Verb::Take,
        Verb::Unlock,
        Verb::Light,
        Verb::Give,
        Verb::Show,
        Verb::Use,
        Verb::Wear,
        Verb::Request,
        Verb::PutIn,
        Verb::PutOn,
        Verb::Find,
        Verb::Gesture,
        Verb::Close,
        Verb::Lock,
    ];
    let is_known = |id: Option<NamedId>| {
        id.is_some_and(|id| {
            world.is_place(id) || world.is_present(id) || world.entity(id).is_person()
        })
    };
    actions.iter().all(|action| {
        harmless.contains(&action.action)
            && action.missing.is_none()
            && !is_aimless(action)
            && (action.target.is_none() || is_known(world.target_of(action)))
    })
}

/// The aimless action with the one thing it can mean: what was spoken of last, or the only one that suits it.
pub(crate) fn completed(world: &World, action: &Action) -> Option<Action> {
    let want = match action.action {
        Verb::Open => Want::Closed,
        Verb::Close => Want::Open,
        Verb::Unlock => Want::Locked,
        Verb::Light => Want::Unlit,
        Verb::Extinguish => Want::Lit,
        Verb::Wear => Want::Wearable,
        Verb::TakeOff => Want::Worn,
        Verb::Eat => Want::Edible,
        Verb::Drink => Want::Drinkable,
        Verb::Read => Want::Readable,
        // What lies about is taken, or what is held dropped, only if it was spoken of.
        Verb::Take if world.last.it.is_some() => Want::Takable,
        Verb::Drop if world.last.it.is_some() => Want::Carried,
        Verb::Push | Verb::Pull | Verb::Turn | Verb::Use => Want::Any,
        _ => return None,
    };
    let last = world.spoken_of().filter(|id| world.is_seen(*id));
    let is_it = |id: &NamedId| match want {
        Want::Any => {
            // `put my shoulder to the door and push`.
            let is_moved = [Verb::Push, Verb::Pull].contains(&action.action);
            world.thing(*id).is_some_and(|thing| !thing.reactions.is_empty())
                || (is_moved && world.is_door(*id))
        }
        want => suits(world, *id, want),
    };
    let only = || {
        let fit = world.seen().filter(is_it);
        let is_chosen = ![Want::Any, Want::Takable, Want::Carried].contains(&want);
        sole(fit).filter(|_| is_chosen)
    };
    let id = last.filter(is_it).or_else(only)?;
    Some(Action { target: Some(world.name(id).to_owned()), ..action.clone() })
}
