//! Words that point back to what was spoken of: `it`, `the last one`, `what you find`.

use world_model::{
    entity::NamedId,
    want::{Want, suits},
    world::{Holder, World},
};

use crate::names::{
    scoring::is_harmless,
    want::{Meant, sole},
};

/// What was said before, where the words point back to it.
pub(crate) fn said_before(world: &World, content: &[&str], want: Want) -> Option<Meant> {
    // A pronoun after a noun says it again: `the lantern, it`.
    let content = match content {
        ["one" | "half" | "some" | "rest" | "thing"] | ["whole" | "entire", "thing" | "lot"]
            if world.last.it.is_some() && want != Want::Person =>
        {
            &["it"][..]
        }
        content => content,
    };
    if let [word] = content
        && let Some(found) = Some(pronoun(world, word)).filter(|found| *found != Meant::Nothing)
    {
        let is_person = matches!(&found, Meant::Entities(ids) if world.entity(ids[0]).is_person());
        // Nobody is handed over: `give them to Mr Oddie`, with his spectacles in hand.
        if let Some(wished) = wished_for(world, want).filter(|_| is_person) {
            return Some(wished);
        }
        return Some(match better_suited(world, found, word, want) {
            Meant::Missing(name) => only_one(world, want)
                .or_else(|| wished_for(world, want))
                .or_else(|| thing_for_him(world, want))
                .unwrap_or(Meant::Missing(name)),
            found => found,
        });
    }
    if let ["other" | "second"] | ["other" | "second", "one"] = content
        && let Some(other) = other_one(world, want)
    {
        return Some(Meant::Entities(vec![other]));
    }
    // `open the tin and take the last one`.
    if let [.., "one"] = content
        && content.len() > 1
        && content[..content.len() - 1].iter().all(|word| is_harmless(word))
        && let [within] = within_last(world).as_slice()
    {
        return Some(Meant::Entities(vec![*within]));
    }
    // `open the box and read what is inside`, `take whatever looks useful`.
    if let ["what", "inside" | "within"] | ["whatever", ..] = content {
        let mut held = within_last(world);
        held.retain(|id| suits(world, *id, want));
        if !held.is_empty() {
            return Some(Meant::Entities(held));
        }
    }
    // `read what you find` reads what was found.
    match content {
        ["what" | "whatever", .., "find" | "found" | "see" | "there"]
        | ["whatever", "shines" | "glitters" | "gleams" | "falls" | "fits" | "lies" | "hides"] => {
            Some(pronoun(world, "it"))
        }
        _ => None,
    }
}

/// The only other thing that is called like the last one: `take the ripe tomato, then the other one`.
fn other_one(world: &World, want: Want) -> Option<NamedId> {
    let last = world.spoken_of()?;
    let heads: Vec<&String> = world.names(last).iter().filter_map(|name| name.last()).collect();
    let is_like = |id: &NamedId| {
        *id != last
            && world.names(*id).iter().any(|name| name.last().is_some_and(|n| heads.contains(&n)))
            && (want == Want::Any || suits(world, *id, want))
    };
    let others = world.seen().filter(is_like);
    sole(others)
}

/// The things in or on what was spoken of last that the player sees.
fn within_last(world: &World) -> Vec<NamedId> {
    let Some(last) = world.spoken_of() else { return Vec::new() };
    let held = [Holder::In(last), Holder::On(last)].map(|holder| world.held_by(holder)).concat();
    held.into_iter().filter(|id| world.is_seen(*id)).collect()
}

/// What `it` means for this verb: of a letter in a box that is closed, the box.
fn better_suited(world: &World, found: Meant, word: &str, want: Want) -> Meant {
    let Meant::Entities(ids) = &found else { return found };
    let needs = [
        Want::Closed,
        Want::Open,
        Want::Locked,
        Want::Readable,
        Want::Wearable,
        Want::Worn,
        Want::Unlit,
        Want::Lit,
        Want::Edible,
        Want::Drinkable,
    ];
    if !["it", "that", "this"].contains(&word)
        || !needs.contains(&want)
        || suits(world, ids[0], want)
    {
        return found;
    }
    let around = match world.holders[ids[0].0] {
        Holder::In(other) | Holder::On(other) => Some(other).filter(|id| suits(world, *id, want)),
        _ => None,
    };
    let within = || {
        let [inside, on] =
            [Holder::In(ids[0]), Holder::On(ids[0])].map(|holder| world.held_by(holder));
        let fit =
            inside.into_iter().chain(on).filter(|id| world.is_seen(*id) && suits(world, *id, want));
        sole(fit)
    };
    // Nobody is drunk: `drink it`, behind a word with the one who has made the tea.
    let of_person = || {
        let is_person = world.entity(ids[0]).is_person();
        only_one(world, want).filter(|_| is_person)
    };
    let other = around.or_else(within).map(|id| Meant::Entities(vec![id]));
    other.or_else(of_person).unwrap_or(found)
}

/// The only thing that suits the verb, where a pronoun has nothing to stand for.
pub(crate) fn only_one(world: &World, want: Want) -> Option<Meant> {
    if [Want::Any, Want::Place, Want::Carried].contains(&want) {
        return None;
    }
    let fit = world.seen().filter(|id| suits(world, *id, want));
    sole(fit).map(|one| Meant::Entities(vec![one]))
}

/// The only thing in the player's hands that somebody here wishes for: `give them to him`.
fn wished_for(world: &World, want: Want) -> Option<Meant> {
    let people = world.people_here();
    let is_wished = |id: &NamedId| {
        world.is_with_player(*id) && people.iter().any(|who| world.is_gift_for(*id, *who))
    };
    let fit = world.seen().filter(is_wished);
    sole(fit).filter(|_| want == Want::Carried).map(|one| Meant::Entities(vec![one]))
}

/// The thing that was spoken of, where the verb wants no person: `I take off my coat and put him on the table`.
fn thing_for_him(world: &World, want: Want) -> Option<Meant> {
    let is_handled = [Want::Carried, Want::Takable, Want::Worn, Want::Wearable].contains(&want);
    let id = world.spoken_of().filter(|id| is_handled && suits(world, *id, want))?;
    Some(Meant::Entities(vec![id]))
}

/// What a pronoun means; nothing for another word.
pub fn pronoun(world: &World, word: &str) -> Meant {
    let find = |name: &Option<String>| name.as_deref().and_then(|name| world.find(name));
    let last = &world.last;
    let people = || world.people_here();
    let only = |which: &str| {
        let people: Vec<NamedId> =
            people().into_iter().filter(|id| world.entity(*id).pronoun == which).collect();
        if people.len() == 1 { Some(people[0]) } else { None }
    };
    let of_person = |last_one: &Option<String>, which: &str| {
        let seen = find(last_one).filter(|id| world.is_seen(*id));
        seen.or_else(|| only(which)).or_else(|| only("it"))
    };
    let found = match word {
        "it" | "that" | "this" | "itself" => {
            find(&last.it).or_else(|| last.them.first().and_then(|name| world.find(name)))
        }
        "him" | "he" => of_person(&last.him, "he"),
        "her" | "she" => of_person(&last.her, "she"),
        "them" | "they" | "both" | "those" | "these" => {
            let ids: Vec<NamedId> = last.them.iter().filter_map(|name| world.find(name)).collect();
            if !ids.is_empty() {
                return Meant::Entities(ids);
            }
            only("they").or_else(|| find(&last.it)).or_else(|| only("she")).or_else(|| only("he"))
        }
        "there" => find(&last.there),
        "someone" | "somebody" | "anyone" | "everyone" => world.partner(),
        _ => return Meant::Nothing,
    };
    match found {
        Some(id) => Meant::Entities(vec![id]),
        None => Meant::Missing(word.to_owned()),
    }
}
