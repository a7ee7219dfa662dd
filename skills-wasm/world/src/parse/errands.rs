//! What takes several actions: bringing something to somebody, taking what lies hidden somewhere.

use english::WordClass;

use crate::{
    action::{Action, Verb},
    entity::NamedId,
    parse::{
        build, lexicon,
        nouns::{Meant, Want, carried, entities, first_meant, resolve, suits},
        people::somebody,
        plain_clause::with_verb,
        tokens::{Token, has, word_at},
        travel,
        want::sole,
    },
    world::{Holder, World},
};

/// `go and find the cook` goes there; `go and have a word with the cook` goes there first.
pub(super) fn go_instead(world: &World, actions: &mut Vec<Action>) {
    let talks = [Verb::Talk, Verb::Ask, Verb::Tell];
    let away = actions.first().filter(|first| talks.contains(&first.action)).and_then(|first| {
        let id = world.target_of(first)?;
        (world.entity(id).is_person() && !world.is_present(id)).then_some(id)
    });
    if let Some(id) = away {
        actions.insert(0, Action::on(Verb::Go, world.name(id)));
    }
    let seeks = [Verb::Find, Verb::Examine, Verb::Search];
    for action in actions.iter_mut().filter(|action| seeks.contains(&action.action)) {
        let goal = world.target_of(action);
        let is_elsewhere = goal.is_some_and(|id| {
            !world.is_present(id) && (world.is_place(id) || world.entity(id).is_person())
        });
        if is_elsewhere {
            action.action = Verb::Go;
        }
    }
}

/// The actions of an errand, if the clause is one.
pub(super) fn errand(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let word = |n: usize| word_at(clause, n);
    match word(0) {
        // `I need the matches from the tin`.
        "like" | "love" | "need" | "want"
            if clause.iter().skip(2).any(|token| token.word() == "from") =>
        {
            let take = with_verb("take", &clause[1..]);
            let verbs = lexicon::verbs_at_start(&take);
            verbs.first().and_then(|verb| build::build(world, verb).ok())
        }
        // `I would like the cabbage`: the words before it are gone.
        "like" | "love" | "need" | "want" if word(1) != "to" => {
            match resolve(world, &clause[1..], Want::Takable) {
                Meant::Entities(ids)
                    if ids.iter().all(|id| world.entity(*id).is_thing() && world.is_seen(*id)) =>
                {
                    let taken = ids.iter().map(|id| Action::on(Verb::Take, world.name(*id)));
                    Some(taken.collect())
                }
                // `I would like a ticket`, where there is none.
                Meant::Missing(words) if crate::words::is_hollow(word(1)) => {
                    Some(vec![match world.talker() {
                        Some(_) => Action::new(Verb::Ask).topic(&words),
                        None => Action { missing: Some(words), ..Action::new(Verb::Take) },
                    }])
                }
                _ => None,
            }
        }
        "get" | "grab" | "fetch" | "pull" | "take" | "keep" | "pocket" | "collect" | "snatch"
        | "nab" | "have" | "bag" | "retrieve" | "gather"
            if WordClass::WhatOrWhatever.has(word(1)) =>
        {
            hidden(world, &clause[1..])
        }
        "get" | "grab" | "fetch" | "take" | "collect" | "retrieve"
            if has(clause, "from") && word(1) != "off" =>
        {
            fetched_from(world, clause)
        }
        "pick" | "take" | "get" | "pull" | "fish"
            if ["up", "out"].contains(&word(1)) && WordClass::WhatOrWhatever.has(word(2)) =>
        {
            hidden(world, &clause[2..])
        }
        "come" | "go" | "return" | "walk" | "hurry" | "run" | "leave" | "head" => {
            gone_with(world, clause)
        }
        "give" | "hand" | "feed" | "offer" => brought(world, &clause[1..])
            .filter(|actions| actions.iter().all(|action| action.action != Verb::Go)),
        "show" => shown_elsewhere(world, &clause[1..]),
        "swap" | "exchange" | "switch" | "replace" | "trade" => swapped(world, clause),
        "shine" | "point" | "aim" | "direct" | "train" => shone(world, clause),
        "bring" | "carry" | "take" | "deliver" | "haul" | "lug" | "drag" | "cart" | "tote"
        | "bear" => brought(world, &clause[1..])
            .or_else(|| carried_off(world, true, &clause[1..]))
            .or_else(|| carried_along(world, clause)),
        _ => None,
    }
}

/// `get the tin from the net loft`, said elsewhere: the player goes there and takes it.
fn fetched_from(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let from = clause.iter().position(|token| token.word() == "from").filter(|at| *at > 1)?;
    let place = travel::goal(world, &clause[from + 1..]).filter(|id| world.is_place(*id))?;
    let ids = entities(world, &clause[1..from], Want::Takable)?;
    let is_here = |id: &NamedId| world.is_seen(*id) || !world.entity(*id).is_thing();
    if ids.iter().any(is_here) {
        return None;
    }
    let taken = ids.iter().map(|id| Action::on(Verb::Take, world.name(*id)));
    Some([Action::on(Verb::Go, world.name(place))].into_iter().chain(taken).collect())
}

/// `come back with the umbrella`, which is taken first.
fn gone_with(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let with = clause.iter().position(|token| token.word() == "with").filter(|at| *at > 1)?;
    let things = entities(world, &clause[with + 1..], Want::Takable)?;
    let is_free = |id: &NamedId| {
        suits(world, *id, Want::Takable) && world.is_seen(*id) && !world.is_with_player(*id)
    };
    if !things.iter().all(is_free) {
        return None;
    }
    let way = match travel::direction(&clause[1..with]) {
        Some(way) => Action::toward(way),
        None => {
            let goal = first_meant(world, &clause[1..with], Want::Place)?;
            world.is_place(goal).then(|| Action::on(Verb::Go, world.name(goal)))?
        }
    };
    let taken = things.iter().map(|id| Action::on(Verb::Take, world.name(*id)));
    Some(taken.chain([way]).collect())
}

/// What is carried, without the way that it goes: `it out`.
fn without_way(object: &[Token]) -> &[Token] {
    match object.split_last() {
        Some((way, thing))
            if !thing.is_empty()
                && ["out", "over", "back", "up", "down", "in", "along"].contains(&way.word()) =>
        {
            thing
        }
        _ => object,
    }
}

/// `it into the kitchen`: the player goes there with it. What is not carried is taken first, where that is meant.
fn carried_off(world: &World, takes: bool, rest: &[Token]) -> Option<Vec<Action>> {
    let leads = ["to", "in"];
    // `take the logbook with me down to the hall`.
    let is_mine = |two: &[Token]| {
        two[0].word() == "with" && ["me", "us", "you", "myself"].contains(&two[1].word())
    };
    let mine = rest.windows(2).position(is_mine);
    let without: Vec<Token> = match mine {
        Some(at) => [&rest[..at], &rest[at + 2..]].concat(),
        None => rest.to_vec(),
    };
    let rest = without.as_slice();
    let at = rest.iter().position(|token| leads.contains(&token.word())).filter(|at| *at > 0)?;
    let goal = rest[at..].iter().position(|token| !leads.contains(&token.word()))? + at;
    let things = entities(world, without_way(&rest[..at]), Want::Takable)?;
    let places = entities(world, &rest[goal..], Want::Place)?;
    let place = *places.first().filter(|id| world.is_place(**id) && **id != world.here)?;
    let is_held = |id: &NamedId| world.is_with_player(*id);
    let may_go = |id: &NamedId| {
        is_held(id) || (takes && suits(world, *id, Want::Takable) && world.is_seen(*id))
    };
    if !things.iter().all(may_go) {
        return None;
    }
    let taken = things.iter().filter(|id| !is_held(id));
    let mut actions: Vec<Action> =
        taken.map(|id| Action::on(Verb::Take, world.name(*id))).collect();
    actions.push(Action::on(Verb::Go, world.name(place)));
    Some(actions)
}

/// `swap the nameplate for my leaflet` takes the one and leaves the other in its place.
fn swapped(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let at = clause.iter().position(|token| ["for", "with"].contains(&token.word()))?;
    let one = |tokens: &[Token], want: Want| match resolve(world, tokens, want) {
        Meant::Entities(ids) if ids.len() == 1 && world.is_seen(ids[0]) => Some(ids[0]),
        _ => None,
    };
    let taken = one(clause.get(1..at)?, Want::Takable)?;
    let left = one(&clause[at + 1..], Want::Carried).filter(|id| world.is_with_player(*id))?;
    let (put, holder) = match world.holders[taken.0] {
        Holder::In(holder) => (Verb::PutIn, holder),
        Holder::On(holder) => (Verb::PutOn, holder),
        _ => return None,
    };
    let name = |id: NamedId| world.name(id);
    Some(vec![Action::on(Verb::Take, name(taken)), Action::on(put, name(left)).with(name(holder))])
}

/// `shine my lamp down into the pit` lights the lamp, if it is out, and examines the pit.
fn shone(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let at = clause
        .iter()
        .position(|token| token.is(WordClass::ShiningPreposition))
        .filter(|at| *at > 1)?;
    let lights = entities(world, &clause[1..at], Want::Unlit)?;
    let light = *lights.first().filter(|id| world.is_seen(**id))?;
    let is_dark = suits(world, light, Want::Unlit);
    let ways =
        clause[at..].iter().take_while(|token| token.is(WordClass::ShiningPreposition)).count();
    let goal = &clause[at + ways..];
    if !is_dark && !suits(world, light, Want::Lit) {
        return None;
    }
    let lit = is_dark.then(|| Action::on(Verb::Light, world.name(light)));
    let looked = match resolve(world, goal, Want::Any) {
        Meant::Entities(ids) => Action::on(Verb::Examine, world.name(ids[0])),
        Meant::Mention(word) => Action::on(Verb::Examine, &word),
        _ => Action::new(Verb::Look),
    };
    Some(lit.into_iter().chain([looked]).collect())
}

/// Makes `it` the basket in `put the cake in the basket and take it with me`: nobody takes the cake out again at once.
pub(super) fn take_filled(before: &[Action], clause: &[Token], actions: &mut [Action]) {
    let is_it = has(clause, "it") && !has(clause, "out") && !has(clause, "from");
    let Some(put) = before.last().filter(|last| is_it && last.action == Verb::PutIn) else {
        return;
    };
    let again = |taken: &&mut Action| taken.action == Verb::Take && taken.target == put.target;
    for taken in actions.iter_mut().filter(again) {
        taken.target.clone_from(&put.with);
    }
}

/// `the toolbox up`, where a way leads up.
fn carried_along(world: &World, clause: &[Token]) -> Option<Vec<Action>> {
    let [verb, object @ .., way] = clause else { return None };
    let way = if way.word() == "outside" { "out" } else { way.word() };
    // `take the painting down`, `take the coin out`.
    let is_exit = world.has_way(way);
    let things = entities(world, object, Want::Takable)?;
    let may_go = |id: &NamedId| {
        suits(world, *id, Want::Takable) && world.is_seen(*id) || world.is_with_player(*id)
    };
    if !is_exit || verb.word() == "take" || !things.iter().all(may_go) {
        return None;
    }
    let taken = things.iter().filter(|id| !world.is_with_player(**id));
    let taken = taken.map(|id| Action::on(Verb::Take, world.name(*id)));
    Some(taken.chain([Action::toward(way)]).collect())
}

/// The person whom the words name, and perhaps where: `the driver on the car deck`.
fn person_somewhere(world: &World, words: &[Token]) -> Option<NamedId> {
    let leads = ["on", "in", "at", "by", "down", "up", "out"];
    let lead = words.iter().position(|token| leads.contains(&token.word())).filter(|at| *at > 0);
    let Some(lead) = lead else { return somebody(world, words) };
    // `him in the hall` means the only person in the hall.
    let places = entities(world, &words[lead + 1..], Want::Place).unwrap_or_default();
    let place = places.into_iter().find(|id| world.is_place(*id));
    let is_pronoun = lead == 1 && words[0].is(WordClass::PersonPronoun);
    if let Some(place) = place.filter(|place| is_pronoun && *place != world.here) {
        let is_there = |id: &NamedId| {
            world.entity(*id).is_person()
                && world.place_of(*id) == Some(place)
                && !world.conditions[id.0].dead
        };
        let there = world.existing().filter(is_there);
        return sole(there);
    }
    somebody(world, words).or_else(|| somebody(world, &words[..lead]))
}

/// `it to the mate on the deck`: the player goes there to show it.
fn shown_elsewhere(world: &World, rest: &[Token]) -> Option<Vec<Action>> {
    let to = rest.iter().position(|token| token.word() == "to")?;
    let person = person_somewhere(world, &rest[to + 1..]).filter(|id| !world.is_present(*id))?;
    let things = carried(world, &rest[..to])?;
    let name = world.name(person);
    let shown = things.iter().map(|id| Action::on(Verb::Show, world.name(*id)).with(name));
    Some([Action::on(Verb::Go, name)].into_iter().chain(shown).collect())
}

/// `the roll to the cashier`, where one of them is not at hand.
fn brought(world: &World, rest: &[Token]) -> Option<Vec<Action>> {
    let to = rest.iter().position(|token| token.word() == "to")?;
    let things = entities(world, without_way(&rest[..to]), Want::Takable)?;
    let person = person_somewhere(world, &rest[to + 1..])?;
    if !things.iter().all(|id| world.entity(*id).is_thing() && world.is_seen(*id)) {
        return None;
    }
    let name = |id: NamedId| world.name(id);
    let mut actions: Vec<Action> = things
        .iter()
        .filter(|id| !world.is_with_player(**id))
        .map(|id| Action::on(Verb::Take, name(*id)))
        .collect();
    if !world.is_present(person) {
        actions.push(Action::on(Verb::Go, name(person)));
    }
    let gifts = things.iter().map(|id| Action::on(Verb::Give, name(*id)).with(name(person)));
    actions.extend(gifts);
    Some(actions)
}

/// Takes the things that the clause before this one has uncovered.
fn turned_up(world: &World, rest: &[Token]) -> Option<Vec<Action>> {
    let last = world.spoken_of().filter(|_| rest.iter().all(|it| it.is(WordClass::TurnedUp)))?;
    let is_there = |id: &NamedId| {
        let hider = world.thing(*id).and_then(|thing| thing.hidden.as_deref());
        let was_hidden = hider == Some(world.name(last)) || (hider.is_some() && *id == last);
        let is_held = [Holder::In(last), Holder::On(last)].contains(&world.holders[id.0]);
        (was_hidden || is_held) && suits(world, *id, Want::Takable) && world.is_seen(*id)
    };
    let found = world.thing_ids().filter(is_there).filter(|id| !world.is_with_player(*id));
    let taken: Vec<Action> = found.map(|id| Action::on(Verb::Take, world.name(id))).collect();
    (!taken.is_empty()).then_some(taken)
}

/// `whatever is stuck in the drain`: a search, and what it brings to light.
fn hidden(world: &World, rest: &[Token]) -> Option<Vec<Action>> {
    if let Some(taken) = turned_up(world, rest) {
        return Some(taken);
    }
    let at = rest.iter().position(|token| token.is(WordClass::WhereHeld))?;
    // `open the trunk and take what is inside`.
    let last = || world.spoken_of();
    let ids = match resolve(world, &rest[at + 1..], Want::Holder) {
        Meant::Entities(ids) => ids,
        Meant::Nothing => vec![last()?],
        _ => return None,
    };
    let hider = *ids.first().filter(|id| world.is_seen(**id))?;
    let hider_name = world.name(hider);
    let is_there = |id: &NamedId| {
        let is_hidden_by = world.thing(*id).and_then(|thing| thing.hidden.as_deref())
            == Some(hider_name)
            && world.place_of(*id) == Some(world.here);
        is_hidden_by || [Holder::In(hider), Holder::On(hider)].contains(&world.holders[id.0])
    };
    let mut actions = vec![Action::on(Verb::Search, hider_name)];
    // `it` is what has just been found there.
    if rest[at + 1..].iter().any(|token| token.word() == "it")
        && suits(world, hider, Want::Takable)
        && !world.thing_ids().any(|id| is_there(&id))
    {
        return Some(vec![Action::on(Verb::Take, hider_name)]);
    }
    let found = world.thing_ids().filter(is_there).map(|id| Action::on(Verb::Take, world.name(id)));
    actions.extend(found);
    Some(actions)
}

/// `open the letter` reads it, where it has words and does not open.
pub(super) fn read_instead_of_opening(world: &World, action: &mut Action) {
    let id = world.target_of(action);
    let Some(thing) = id.and_then(|id| world.thing(id)) else { return };
    let opens = thing.container.is_some() || thing.reacts_to("open");
    if action.action == Verb::Open && action.with.is_none() && thing.text.is_some() && !opens {
        action.action = Verb::Read;
    }
}

/// `take the companionway` goes there, where that is the next place.
pub(super) fn go_instead_of_taking(world: &World, action: &mut Action) {
    let id = world.target_of(action);
    let leads = |id: NamedId| world.exits().iter().any(|exit| exit.to == world.name(id));
    if action.action == Verb::Take && id.is_some_and(|id| world.is_place(id) && leads(id)) {
        action.action = Verb::Go;
    }
}
