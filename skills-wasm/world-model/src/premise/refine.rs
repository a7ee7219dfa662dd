//! What the words around a noun of a premise say of it: the number of a room, a lock, a title, how many they are. Knows
//! words, and no world.

use english::WordClass;

use super::{
    classes::{WordSense, class_of},
    noun::PremiseNoun,
    nouns::{NounKind, is_beast, is_plural, kin_aliases, pronoun_of},
    tokens::{PremiseToken, WordRole, is_form_of, role_of},
    vocabulary::REACHING,
};
use crate::numbers::number_in_words;

/// How many a word counts that stands before people: `both`, `all`, `seven`.
fn count_of(word: &str) -> Option<usize> {
    match word {
        "both" | "all" | "none" => Some(2),
        "one" => None,
        word => number_in_words(word).filter(|count| *count <= 12)?.try_into().ok(),
    }
}

/// Titles before a surname, each with its pronoun.
const TITLES: &[(&str, &str)] = &[
    ("lady", "she"),
    ("lord", "he"),
    ("sir", "he"),
    ("mr", "he"),
    ("mrs", "she"),
    ("ms", "she"),
    ("miss", "she"),
    ("madame", "she"),
    ("aunt", "she"),
    ("uncle", "he"),
    ("sister", "she"),
    ("brother", "he"),
    ("father", "he"),
    ("mother", "she"),
    ("dame", "she"),
    ("count", "he"),
    ("countess", "she"),
    ("king", "he"),
    ("queen", "she"),
    ("prince", "he"),
    ("princess", "she"),
    ("professor", ""),
    ("doctor", ""),
    ("dr", ""),
    ("colonel", ""),
    ("captain", ""),
    ("major", ""),
    ("judge", ""),
    ("inspector", ""),
    ("old", ""),
];

/// Says of each noun what stands around it.
pub(super) fn refine(tokens: &[PremiseToken<'_>], nouns: &mut [PremiseNoun]) {
    for noun in nouns.iter_mut() {
        number(tokens, noun);
        lock(tokens, noun);
        unmake(tokens, noun);
        title(tokens, noun);
        nationality(tokens, noun);
        // Of `owes the other a horse` only the horse's article is its own.
        let lead: Vec<&str> = noun.lead.split(' ').collect();
        let own = lead.iter().rposition(|word| ["a", "an"].contains(word)).unwrap_or(0);
        noun.lead = lead[own..].join(" ");
        if noun.kind == NounKind::Being {
            let known = kin_aliases(&noun.head);
            // Who says `Grandma` speaks of their own.
            if !known.is_empty() && noun.lead.is_empty() && !is_plural(&noun.head) {
                noun.lead = "my".to_owned();
                noun.told = noun.told.to_lowercase();
            }
            noun.aliases.extend(known);
        }
    }
    leave_behind(tokens, nouns);
    call_places(tokens, nouns);
    for idx in 0..nouns.len() {
        nouns[idx].group = group_of(tokens, &nouns[idx]);
        nouns[idx].pronoun = pronoun(tokens, nouns, idx);
    }
}

fn word<'t>(tokens: &'t [PremiseToken<'_>], idx: usize) -> &'t str {
    tokens.get(idx).map(|token| token.word.as_str()).unwrap_or_default()
}

/// `room 9` is called so, and not only `room`.
fn number(tokens: &[PremiseToken<'_>], noun: &mut PremiseNoun) {
    let Some(next) = tokens.get(noun.tokens.1).filter(|next| !next.is_first) else { return };
    let is_number = next.word.chars().all(|c| c.is_ascii_digit())
        || count_of(&next.word).is_some_and(|_| next.word != "all");
    if noun.kind == NounKind::Place && WordClass::NumberedPlace.has(noun.head.as_str()) && is_number
    {
        noun.aliases.push(noun.head.clone());
        // With its number it is a name, which has no article.
        noun.name = crate::words::capitalised(&format!("{} {}", noun.name, next.word));
        noun.told = format!("{} {}", noun.told, next.word);
        noun.tokens.1 += 1;
    }
}

/// What there is not can only be spoken of, and a feast is no place: `without a ticket`, `before the harvest festival`.
fn unmake(tokens: &[PremiseToken<'_>], noun: &mut PremiseNoun) {
    let is_lead = |idx: &usize| role_of(word(tokens, *idx)) == Some(WordRole::Determiner);
    let first = noun.tokens.0;
    let before = (0..first).rev().find(|idx| !is_lead(idx)).map(|idx| word(tokens, idx));
    let is_none = before == Some("without")
        || (0..first).rev().take_while(is_lead).any(|idx| word(tokens, idx) == "no");
    if [NounKind::Thing, NounKind::Place].contains(&noun.kind) && is_none {
        noun.kind = NounKind::Matter;
    }
    let is_feast = ["festival", "fair", "carnival", "market"].contains(&noun.head.as_str());
    if noun.kind == NounKind::Place
        && is_feast
        && ["before", "after", "during", "until"].contains(&before.unwrap_or(""))
    {
        noun.kind = NounKind::Event;
    }
}

/// `the village of Ash` is one place, which has both names.
fn call_places(tokens: &[PremiseToken<'_>], nouns: &mut [PremiseNoun]) {
    for idx in 1..nouns.len() {
        let (before, noun) = (&nouns[idx - 1], &nouns[idx]);
        let are_places = [before, noun].iter().all(|noun| noun.kind == NounKind::Place);
        let is_of = word(tokens, before.tokens.1) == "of" && noun.tokens.0 == before.tokens.1 + 1;
        let has_name = WordClass::NamedPlace.has(before.head.as_str());
        if are_places && is_of && has_name && noun.name.starts_with(char::is_uppercase) {
            let name = noun.name.clone();
            nouns[idx].kind = NounKind::Nothing;
            nouns[idx - 1].aliases.push(name);
        }
    }
}

/// Where a train or a ship goes is nowhere yet, and the town of a place is all around it: `the night train to Lisbon`, `a shop in
/// Lagos`.
fn leave_behind(tokens: &[PremiseToken<'_>], nouns: &mut [PremiseNoun]) {
    for idx in 0..nouns.len() {
        let first = nouns[idx].tokens.0;
        let before = first.checked_sub(1).map(|at| word(tokens, at)).unwrap_or_default();
        let is_town = nouns[idx].kind == NounKind::Place
            && class_of(&nouns[idx].head) == Some(WordSense::Town);
        let mut places = nouns[..idx].iter().filter(|noun| noun.kind == NounKind::Place);
        let is_outside = ["to", "until", "towards", "from"].contains(&before)
            || is_form_of(before, REACHING)
            || (["in", "of", "near"].contains(&before)
                && places.any(|place| place.tokens.1 + 2 > first));
        if is_town && is_outside && nouns.len() > 1 {
            nouns[idx].kind = NounKind::Matter;
        }
    }
    for idx in 1..nouns.len() {
        let (before, noun) = (&nouns[idx - 1], &nouns[idx]);
        let gap = before.tokens.1..noun.tokens.0;
        let is_to =
            ["to", "for", "towards"].contains(&word(tokens, before.tokens.1)) && gap.len() < 3;
        if noun.kind == NounKind::Place && is_to && WordClass::Vehicle.has(before.head.as_str()) {
            nouns[idx].kind = NounKind::Matter;
        }
    }
}

/// `the locked library` and `the library was locked` are a library with a lock.
fn lock(tokens: &[PremiseToken<'_>], noun: &mut PremiseNoun) {
    if noun.kind != NounKind::Place {
        return;
    }
    let end = noun.tokens.1;
    let is_said =
        ["is", "was"].contains(&word(tokens, end)) && WordClass::Locked.has(word(tokens, end + 1));
    noun.is_locked =
        is_said || noun.modifiers.iter().any(|known| WordClass::Locked.has(known.as_str()));
    if let Some((first, rest)) = noun.name.split_once(' ')
        && WordClass::Locked.has(first)
    {
        noun.name = rest.to_owned();
    }
    noun.modifiers.retain(|known| !WordClass::Locked.has(known.as_str()));
}

/// `Lady Ashworth` is called so, and not only `Ashworth`.
fn title(tokens: &[PremiseToken<'_>], noun: &mut PremiseNoun) {
    let Some(first) = tokens.get(noun.tokens.0) else { return };
    let forename = noun.name.split(' ').next().unwrap_or_default().to_lowercase();
    let is_forename = [WordClass::ForenameOfWoman, WordClass::ForenameOfMan]
        .iter()
        .any(|class| class.has(&forename));
    if noun.kind == NounKind::Place
        && WordClass::Surname.has(noun.head.as_str())
        && noun.name.contains(' ')
        && (is_forename || TITLES.iter().any(|(title, _)| *title == first.word))
    {
        noun.kind = NounKind::Being;
    }
    let is_name = noun.name.starts_with(char::is_uppercase) && !noun.name.contains(' ');
    let is_title = TITLES.iter().any(|(title, _)| *title == first.word);
    if noun.kind == NounKind::Being
        && is_name
        && is_title
        && first.raw.starts_with(char::is_uppercase)
        && noun.tokens.1 == noun.tokens.0 + 2
        && !noun.name.eq_ignore_ascii_case(first.raw)
    {
        let name = format!("{} {}", first.raw, noun.name);
        noun.aliases.retain(|alias| !alias.eq_ignore_ascii_case(&name));
        noun.aliases.push(std::mem::replace(&mut noun.name, name));
    } else if noun.kind == NounKind::Being
        && noun.name.contains(' ')
        && noun.name.starts_with(char::is_uppercase)
    {
        let surname = noun.name.rsplit(' ').next().unwrap_or_default().to_owned();
        let first = noun.name.split(' ').next().unwrap_or_default().to_owned();
        let is_titled = TITLES.iter().any(|(title, _)| first.eq_ignore_ascii_case(title));
        noun.aliases.push(surname);
        noun.aliases.extend((!is_titled).then_some(first));
    }
}

/// `a German pilot` is a pilot: a name that begins with a small letter would be no English, and with a capital no noun.
fn nationality(tokens: &[PremiseToken<'_>], noun: &mut PremiseNoun) {
    let is_named = tokens.get(noun.tokens.0).is_some_and(|first| first.is_name);
    let is_noun = noun.name.starts_with(char::is_lowercase);
    if is_named
        && is_noun
        && let Some((_, rest)) = noun.name.split_once(' ')
    {
        noun.name = rest.to_owned();
    }
}

/// How many they are, where the premise counts people.
fn group_of(tokens: &[PremiseToken<'_>], noun: &PremiseNoun) -> usize {
    if noun.kind != NounKind::Being
        || !is_plural(&noun.head)
        || is_beast(&noun.head)
        || noun.is_owner
    {
        return 0;
    }
    let before = noun.tokens.0.saturating_sub(4)..noun.tokens.0;
    let is_lead = |word: &str| WordClass::BeforeGroup.has(word) || count_of(word).is_some();
    let lead = before.rev().map(|idx| word(tokens, idx)).take_while(|word| is_lead(word));
    lead.filter_map(count_of).max().unwrap_or(0)
}

/// `he` or `she`: by the word, the title, the first name, or by `his` in the words behind.
fn pronoun(tokens: &[PremiseToken<'_>], nouns: &[PremiseNoun], idx: usize) -> Option<&'static str> {
    let noun = &nouns[idx];
    if noun.kind != NounKind::Being {
        return None;
    }
    let words = (noun.tokens.0..noun.tokens.1).map(|at| word(tokens, at));
    let by_word = words.clone().find_map(|known| {
        let title = TITLES.iter().find(|(title, _)| *title == known).map(|(_, pronoun)| *pronoun);
        let named =
            || match (WordClass::ForenameOfWoman.has(known), WordClass::ForenameOfMan.has(known)) {
                (true, _) => Some("she"),
                (_, true) => Some("he"),
                _ => None,
            };
        title.filter(|pronoun| !pronoun.is_empty()).or_else(named)
    });
    let is_name = noun.name.starts_with(char::is_uppercase);
    let known = pronoun_of(&english::singular(&noun.head)).or(by_word.filter(|_| is_name));
    let next = nouns[idx + 1..].iter().find(|next| next.kind == NounKind::Being);
    let end = next.map_or(tokens.len(), |next| next.tokens.0);
    let said = || {
        (noun.tokens.1..end).find_map(|at| match word(tokens, at) {
            "he" | "his" | "him" => Some("he"),
            "she" | "her" => Some("she"),
            _ => None,
        })
    };
    known.or_else(said)
}
