//! Words for things, people and places, and what they mean here.

use std::cell::RefCell;

use english::WordClass;
use world_model::{
    entity::{NamedId, NamedKind},
    want::{Want, suits},
    words,
    world::{Holder, World},
};

use crate::{
    names::{
        described::{called_so, described_thing},
        kinds,
        pronouns::{only_one, said_before},
        scoring::{is_person_word, score},
        spans::{named_within, spans, without_partitive},
    },
    words::tokens::Token,
};

pub use crate::names::{pronouns::pronoun, want::Meant};

/// Most things that one `all` means.
pub const ALL_MAX: usize = 32;

/// What was read already, while the world stays as it is.
#[derive(Default)]
struct PhrasesRead {
    /// What noun phrases mean, with the want for which they were read.
    nouns: Vec<(Vec<Token>, Want, Meant)>,
    /// The words of descriptions that a noun may be, for nouns in view and for all that was told.
    mentions: Vec<(String, bool, Option<String>)>,
}

thread_local! {
    static REMEMBERED: RefCell<Option<PhrasesRead>> = const { RefCell::new(None) };
}

/// Reads no noun phrase twice during `work`, which changes no world: rows and rules ask for the same ones again and again.
pub(crate) fn remembering<T>(work: impl FnOnce() -> T) -> T {
    if REMEMBERED.with_borrow(Option::is_some) {
        return work();
    }
    REMEMBERED.set(Some(PhrasesRead::default()));
    // What was read of this world is not for another one, even if `work` panics.
    struct ForgetPhrases;
    impl Drop for ForgetPhrases {
        fn drop(&mut self) {
            REMEMBERED.set(None);
        }
    }
    let _forget = ForgetPhrases;
    work()
}

/// What a noun phrase means: one or several things, pronouns, `all`.
pub fn resolve(world: &World, tokens: &[Token], want: Want) -> Meant {
    let known = REMEMBERED.with_borrow(|known| {
        let is_it =
            |(words, wanted, _): &&(Vec<Token>, Want, Meant)| *wanted == want && words == tokens;
        known.as_ref()?.nouns.iter().find(is_it).map(|(_, _, meant)| meant.clone())
    });
    known.unwrap_or_else(|| {
        let meant = read(world, tokens, want);
        REMEMBERED.with_borrow_mut(|known| {
            if let Some(known) = known {
                known.nouns.push((tokens.to_vec(), want, meant.clone()));
            }
        });
        meant
    })
}

/// The word of a description that a noun may be: of one in view, or of all that the player was told.
fn mention(world: &World, noun: &str, is_in_view: bool) -> Option<String> {
    let known = REMEMBERED.with_borrow(|known| {
        let mentions = &known.as_ref()?.mentions;
        let is_it = |(known, in_view, _): &&(String, bool, Option<String>)| {
            *in_view == is_in_view && known == noun
        };
        mentions.iter().find(is_it).map(|(.., word)| word.clone())
    });
    known.unwrap_or_else(|| {
        let told = if is_in_view { world.mention_in_view(noun) } else { world.mention(noun) };
        let word = told.map(|(word, _)| word);
        REMEMBERED.with_borrow_mut(|known| {
            if let Some(known) = known {
                known.mentions.push((noun.to_owned(), is_in_view, word.clone()));
            }
        });
        word
    })
}

fn read(world: &World, tokens: &[Token], want: Want) -> Meant {
    let groups = groups(tokens);
    if groups.len() < 2 {
        return groups.first().map_or(Meant::Nothing, |group| resolve_one(world, group, want));
    }
    let mut all = Vec::new();
    let mut missing = None;
    for group in &groups {
        match resolve_one(world, group, want) {
            Meant::Entities(ids) => all.extend(ids),
            Meant::Nothing => {}
            other if missing.is_none() => missing = Some(other),
            _ => {}
        }
    }
    match missing {
        Some(other) if all.is_empty() => other,
        _ => {
            let mut seen = Vec::new();
            all.retain(|id| {
                !seen.contains(id) && {
                    seen.push(*id);
                    true
                }
            });
            all.truncate(ALL_MAX);
            if all.is_empty() { Meant::Nothing } else { Meant::Entities(all) }
        }
    }
}

/// Each that the words mean, at least one.
pub(crate) fn entities(world: &World, tokens: &[Token], want: Want) -> Option<Vec<NamedId>> {
    match resolve(world, tokens, want) {
        Meant::Entities(ids) => Some(ids),
        _ => None,
    }
}

/// What the words mean, where the verb would like all of it.
pub(crate) fn suited(world: &World, tokens: &[Token], want: Want) -> Option<Vec<NamedId>> {
    let is_it = |ids: &Vec<NamedId>| ids.iter().all(|id| suits(world, *id, want));
    entities(world, tokens, want).filter(is_it)
}

/// The first of what the words mean.
pub(crate) fn first_meant(world: &World, tokens: &[Token], want: Want) -> Option<NamedId> {
    entities(world, tokens, want)?.first().copied()
}

/// What the words mean, if all of it is in sight.
pub(crate) fn in_sight(world: &World, tokens: &[Token]) -> Option<Vec<NamedId>> {
    let is_it = |ids: &Vec<NamedId>| ids.iter().all(|id| world.is_seen(*id));
    entities(world, tokens, Want::Any).filter(is_it)
}

/// The things that the player has and the words mean, if they mean nothing else.
pub(crate) fn carried(world: &World, tokens: &[Token]) -> Option<Vec<NamedId>> {
    let is_it = |ids: &Vec<NamedId>| ids.iter().all(|id| world.is_with_player(*id));
    entities(world, tokens, Want::Carried).filter(is_it)
}

/// Returns true if the player can wear everything that the words name.
pub(crate) fn is_wearable(world: &World, tokens: &[Token]) -> bool {
    let is_worn = |id: &NamedId| world.thing(*id).is_some_and(|thing| thing.wearable);
    entities(world, tokens, Want::Wearable).is_some_and(|ids| ids.iter().all(is_worn))
}

/// Whether one of its names ends with this noun: a biscuit tin is a tin and no biscuit.
pub(crate) fn is_headed_by(world: &World, id: NamedId, noun: &str) -> bool {
    world.names(id).iter().any(|name| name.last().is_some_and(|last| last == noun))
}

/// The parts of `the bread, the lantern and the coat`.
pub(crate) fn groups(tokens: &[Token]) -> Vec<&[Token]> {
    let ends = |token: &Token| !matches!(token, Token::Word(word) if word != "and" && word != "or");
    tokens.split(ends).filter(|group| !group.iter().all(|token| token.word().is_empty())).collect()
}

pub(crate) fn resolve_one(world: &World, tokens: &[Token], want: Want) -> Meant {
    let all = without_partitive(world, tokens);
    let mut content: Vec<&str> =
        all.iter().copied().filter(|word| !words::is_hollow(word)).collect();
    match (content.as_slice(), all.as_slice()) {
        ([], ["this" | "that" | "these" | "those"]) => return pronoun(world, "it"),
        ([], _) => return Meant::Nothing,
        // `take both of them`.
        (["both" | "all" | "each" | "two" | "lot", them @ ("them" | "it")], _) => {
            return pronoun(world, them);
        }
        _ => {}
    }
    if let Some(meant) = said_before(world, &content, want) {
        return meant;
    }
    content = without_lead(content);
    if content.is_empty() {
        return Meant::Nothing;
    }
    if ["light", "lights", "flame"].contains(&content[content.len() - 1])
        && [Want::Lit, Want::Unlit].contains(&want)
        && matches(world, &content, Want::Any, false).is_empty()
        && let Some(light) = only_one(world, want)
    {
        return light;
    }
    if let Some(meant) = described_thing(world, &content, want) {
        return meant;
    }
    if let Some(meant) = described_by_place(world, &content, want) {
        return meant;
    }
    if content.len() > 1
        && ["all", "every", "both", "each", "two", "three", "any"].contains(&content[0])
    {
        content.remove(0);
        return several(matches(world, &content, want, true));
    }
    let mut found = matches(world, &content, want, false);
    // A hand is no hand bell, and some water no water pump.
    if let [word] = content.as_slice()
        && (WordClass::Body.has(word) || matches!(all.first(), Some(&("a" | "an" | "some"))))
    {
        // A hand is none where a name is only like it.
        let likeness = if WordClass::Body.has(word) { 3 } else { 2 };
        let is_head = |name: &Vec<String>| {
            name.last().is_some_and(|last| english::likeness(word, last) >= likeness)
        };
        found.retain(|id| world.names(*id).iter().any(is_head));
    }
    let elsewhere = || elsewhere_or_kind(world, (&all, &content), want);
    match found.as_slice() {
        [] => match without_ornament(world, &content) {
            Some(plain) => match matches(world, &plain, want, false).as_slice() {
                [] => elsewhere(),
                [one] => Meant::Entities(vec![*one]),
                several => decide(world, several.to_vec(), &plain),
            },
            None => elsewhere(),
        },
        [one] => Meant::Entities(vec![*one]),
        _ => decide(world, found, &content),
    }
}

/// What words mean that no name here has: something that is elsewhere, or the one thing of this kind.
fn elsewhere_or_kind(world: &World, words: (&[&str], &[&str]), want: Want) -> Meant {
    let (all, content) = words;
    let meant = named_elsewhere(world, content, want);
    if matches!(meant, Meant::Mention(_) | Meant::Missing(_))
        && let Some(id) = called_so(world, content)
    {
        return Meant::Entities(vec![id]);
    }
    let kind = match &meant {
        Meant::Missing(_) => kinds::of_kind(world, content, want),
        Meant::Mention(_) if want != Want::Any => kinds::of_kind(world, content, want),
        _ => Vec::new(),
    };
    match (kind.as_slice(), meant) {
        ([one], Meant::Missing(_)) => Meant::Entities(vec![*one]),
        ([one], Meant::Mention(_)) if want != Want::Any && suits(world, *one, want) => {
            Meant::Entities(vec![*one])
        }
        ([_, ..], Meant::Missing(_)) => decide(world, kind, content),
        (_, Meant::Missing(_)) => Meant::Missing(as_typed(all, content)),
        (_, meant) => meant,
    }
}

/// The words of a name as they were typed, from the first that says something to the last: `cup of tea`.
fn as_typed(all: &[&str], content: &[&str]) -> String {
    let place =
        |word: Option<&&str>| word.and_then(|word| all.iter().position(|known| known == word));
    match (place(content.first()), place(content.last())) {
        (Some(start), Some(end)) if start < end && all[start..end].contains(&"of") => {
            all[start..=end].join(" ")
        }
        _ => content.join(" "),
    }
}

/// The words without those before the name: `read what is on the notice` reads the notice.
fn without_lead(mut content: Vec<&str>) -> Vec<&str> {
    if content.len() > 1 && WordClass::WhatOrWhatever.has(content[0]) {
        content.retain(|word| !WordClass::BeforeNameInClause.has(word));
    }
    for leads in [&["one"][..], &["his", "her", "their"]] {
        if content.len() > 1 && leads.contains(&content[0]) {
            content.remove(0);
        }
    }
    content
}

/// What a noun with a place behind it means: `the lady at the counter`, `the towel with the R`.
fn described_by_place(world: &World, content: &[&str], want: Want) -> Option<Meant> {
    let at = content
        .iter()
        .position(|word| WordClass::WhichPreposition.has(word))
        .filter(|at| *at > 0)?;
    let (head, more) = (&content[..at], &content[at + 1..]);
    if let [word] = head
        && let found @ Meant::Entities(_) = pronoun(world, word)
    {
        return Some(found);
    }
    let found = matches(world, head, want, false);
    match found.as_slice() {
        [] => None,
        [one] => Some(Meant::Entities(vec![*one])),
        _ => {
            let is_that = |id: &NamedId| {
                let known = words::split(world.description(*id));
                let holder = match world.holders[id.0] {
                    Holder::In(other) | Holder::On(other) | Holder::Person(other) => {
                        words::split(world.name(other))
                    }
                    _ => Vec::new(),
                };
                more.iter().filter(|word| !WordClass::SaysLittle.has(word)).any(|word| {
                    let is_like = |known: &String| english::is_same_word(word, known);
                    known.iter().any(is_like) || holder.iter().any(is_like)
                })
            };
            let those: Vec<NamedId> = found.iter().copied().filter(is_that).collect();
            Some(match those.as_slice() {
                [one] => Meant::Entities(vec![*one]),
                _ => decide(world, found, head),
            })
        }
    }
}

/// Returns true if all words together name something, and not only some of them.
pub(crate) fn is_wholly_named(world: &World, tokens: &[Token], want: Want) -> bool {
    let words = tokens.iter().map(Token::word).filter(|word| !words::is_hollow(word));
    let content: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let is_named = |content: &[&str]| {
        pronoun(world, content[0]) != Meant::Nothing
            || !matches(world, content, want, false).is_empty()
            || described_by_place(world, content, want).is_some()
    };
    let plain = || without_ornament(world, &content).is_some_and(|plain| is_named(&plain));
    content.is_empty() || is_named(&content) || plain()
}

/// The words without numbers and without adjectives that no name of this world has: `my trusty wrench`, `locker 44`.
fn without_ornament<'w>(world: &World, content: &[&'w str]) -> Option<Vec<&'w str>> {
    const ENDINGS: &[&str] = &["y", "ed", "ing", "ful", "ous", "est", "ish", "ive", "less"];
    // How large, how old and how good it is, each player sees in their own way; a colour tells things apart.
    let is_in_a_name = |word: &str| world.existing().any(|id| world.has_name_with(id, word));
    let is_ornament = |n: usize, word: &str| {
        let is_number = word.chars().all(|c| c.is_ascii_digit());
        let is_adjective = n + 1 < content.len()
            && !WordClass::Colour.has(word)
            && (word.len() > 3 && ENDINGS.iter().any(|ending| word.ends_with(ending))
                || WordClass::KinWord.has(word)
                || WordClass::Opinion.has(word));
        (is_number || is_adjective) && !is_in_a_name(word)
    };
    let plain: Vec<&str> = content
        .iter()
        .enumerate()
        .filter(|(n, word)| !is_ornament(*n, word))
        .map(|(_, word)| *word)
        .collect();
    (!plain.is_empty() && plain.len() < content.len()).then_some(plain)
}

fn several(found: Vec<NamedId>) -> Meant {
    if found.is_empty() { Meant::Nothing } else { Meant::Entities(found) }
}

/// Chooses between things of one name.
fn decide(world: &World, found: Vec<NamedId>, content: &[&str]) -> Meant {
    // Nobody is asked about a place that they have not heard of.
    let known: Vec<NamedId> = found
        .iter()
        .copied()
        .filter(|id| !world.is_place(*id) || world.is_on_the_map(*id))
        .collect();
    let found = match known.as_slice() {
        [] => found,
        [one] => return Meant::Entities(vec![*one]),
        _ => known,
    };
    let head = content.last().copied().unwrap_or_default();
    let is_plural = head.ends_with('s') && !head.ends_with("ss");
    let singles = found.iter().filter(|id| !world.entity(**id).plural).count();
    if is_plural && singles == found.len() && !is_person_word(head) {
        return Meant::Entities(found);
    }
    let last: Vec<NamedId> = [&world.last.it, &world.last.him, &world.last.her]
        .into_iter()
        .flatten()
        .filter_map(|name| world.find(name))
        .filter(|id| found.contains(id))
        .collect();
    match last.as_slice() {
        [one] => Meant::Entities(vec![*one]),
        _ => Meant::Unclear(found),
    }
}

/// The entities that fit the words best.
fn matches(world: &World, content: &[&str], want: Want, is_all: bool) -> Vec<NamedId> {
    let places = || world.existing().filter(|id| world.is_place(*id));
    let present = world.present();
    let mut pool: Vec<NamedId> = present.clone();
    if want == Want::Place {
        pool.extend(places());
    } else if ![Want::Takable, Want::Carried, Want::Edible, Want::Wearable].contains(&want) {
        // A room cannot be taken, carried, eaten or worn.
        pool.push(world.here);
    }
    let mut best = 0;
    let mut found: Vec<(u32, NamedId)> = Vec::new();
    for id in pool {
        let score = score(world, id, content);
        if score == 0 {
            continue;
        }
        // What suits the verb wins over what does not, unless the words are better.
        let score = score + if suits(world, id, want) { 6 } else { 0 };
        best = best.max(score);
        found.push((score, id));
    }
    let enough = if is_all { best.saturating_sub(4) } else { best };
    let mut ids: Vec<NamedId> =
        found.into_iter().filter(|(score, _)| *score >= enough).map(|(_, id)| id).collect();
    ids.dedup();
    ids
}

/// Words that fit nothing here: part of a description, the thing with that part, or something that is elsewhere.
fn named_elsewhere(world: &World, content: &[&str], want: Want) -> Meant {
    let text = content.join(" ");
    // Somebody who is elsewhere, by name, is meant before a word of a description.
    if let Some(id) = person_called(world, content) {
        return Meant::Entities(vec![id]);
    }
    // `board the houseboat`, which the description of the quay mentions.
    let called = || world.place_ids().find(|id| world.is_named_by(*id, &text));
    if want == Want::Place
        && let Some(place) = called()
    {
        return Meant::Entities(vec![place]);
    }
    // What the player only has been told of can be thought of, and not be handled.
    if let Some(word) = mention(world, &text, want != Want::Any) {
        return Meant::Mention(word);
    }
    // What is elsewhere must be spelt right: to compare all names letter by letter would take longer than the turn.
    let may_be = |id: &NamedId| {
        content.iter().any(|word| word.len() > 2 && world.has_name_like(*id, english::stem(word)))
    };
    let mut known: Vec<(u32, NamedId)> = world
        .ids()
        .filter(may_be)
        .map(|id| (score(world, id, content), id))
        .filter(|(score, _)| *score > 0)
        .collect();
    known.retain(|(_, id)| !matches!(world.entity(*id).kind, NamedKind::Scenery(..)));
    // A corner is no corner table that stands elsewhere.
    let head = content.last().copied().unwrap_or_default();
    known.retain(|(_, id)| {
        let is_head =
            |name: &Vec<String>| name.last().is_some_and(|last| english::likeness(head, last) >= 2);
        !world.entity(*id).is_thing() || world.names(*id).iter().any(is_head)
    });
    known.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    if let Some((_, id)) = known.first() {
        return Meant::Entities(vec![*id]);
    }
    if let Some(ids) = listed_bare(world, content, want) {
        return Meant::Entities(ids);
    }
    // `the letter once more`: a name among words that say more.
    if content.len() > 1
        && let Some(ids) = named_within(world, content, want)
    {
        return if ids.len() == 1 { Meant::Entities(ids) } else { decide(world, ids, content) };
    }
    if content.len() > 1
        && let Some(word) = mention(world, content[content.len() - 1], false)
    {
        return Meant::Mention(word);
    }
    Meant::Missing(text)
}

/// `take lantern bell book`: names one behind the other.
fn listed_bare(world: &World, content: &[&str], want: Want) -> Option<Vec<NamedId>> {
    let things: Vec<NamedId> =
        world.present().into_iter().filter(|id| world.entity(*id).is_thing()).collect();
    let found = spans(world, content, &things);
    let covered: usize = found.iter().map(|span| span.end - span.start).sum();
    let ids: Vec<NamedId> = found
        .iter()
        .filter_map(|span| span.ids.iter().copied().find(|id| suits(world, *id, want)))
        .collect();
    (found.len() > 1 && covered == content.len() && ids.len() == found.len()).then_some(ids)
}

/// The person of whom all words are a proper name.
fn person_called(world: &World, content: &[&str]) -> Option<NamedId> {
    let is_called = |id: NamedId| {
        let aliases = world.aliases(id).iter().map(String::as_str);
        let mut names = std::iter::once(world.name(id)).chain(aliases);
        names.any(|name| {
            content.iter().all(|word| {
                let is_it = |part: &str| {
                    part.starts_with(char::is_uppercase) && part.eq_ignore_ascii_case(word)
                };
                name.split(' ').any(is_it)
            })
        })
    };
    let mut people = world.existing().filter(|id| world.entity(*id).is_person());
    people.find(|id| is_called(*id))
}

/// The thing or door that a word of its description stands for, such as the padlock of a door.
pub fn owner_of_part(world: &World, word: &str, want: Want) -> Option<NamedId> {
    let has = |id: &NamedId| {
        let known = words::split(world.first_description(*id));
        known.iter().any(|known| english::is_same_word(word, known))
    };
    let mut owners = world.seen().filter(|id| suits(world, *id, want)).filter(has);
    let one = owners.next()?;
    owners.next().is_none().then_some(one)
}

/// Everything that `all` means for a verb.
pub fn everything(world: &World, want: Want, from: Option<NamedId>) -> Vec<NamedId> {
    let fits = |id: &NamedId| {
        let is_there = match from {
            Some(holder) => [Holder::In(holder), Holder::On(holder), Holder::Person(holder)]
                .contains(&world.holders[id.0]),
            None => true,
        };
        world.entity(*id).is_thing() && suits(world, *id, want) && is_there
    };
    let mut ids: Vec<NamedId> = world.seen().filter(fits).collect();
    if want == Want::Carried {
        ids.retain(|id| world.holders[id.0] == Holder::Carried);
    }
    if want == Want::Takable && from.is_none() {
        // What lies in something that is carried is with the player already.
        ids.retain(|id| !world.is_with_player(*id));
    }
    ids.truncate(ALL_MAX);
    ids
}

/// Returns true if the clause is the name of something that is here, word for word.
pub(crate) fn is_name_alone(world: &World, clause: &[Token]) -> bool {
    let words: Vec<&str> =
        clause.iter().map(Token::word).filter(|word| !words::is_hollow(word)).collect();
    let is_it = |name: &Vec<String>| name.iter().map(String::as_str).eq(words.iter().copied());
    !words.is_empty() && world.seen().any(|id| world.names(id).iter().any(is_it))
}
