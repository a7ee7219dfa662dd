//! What a story does to its world: changes that an author wrote, without dice and without the player.

pub use narratoria_facts::{CHANGE_MINUTES_MAX, WorldChange};

use crate::{
    definition::WorldDefinition,
    entity::NamedId,
    words,
    world::{Holder, NESTING_MAX, PersonMove, World},
};

/// What a change does, and to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChangeKind {
    Move(NamedId, Holder),
    Unlock(NamedId),
    Lock(NamedId),
    Open(NamedId),
    Close(NamedId),
    Light(NamedId),
    Douse(NamedId),
    Reveal(NamedId),
    Remove(NamedId),
    Kill(NamedId),
    Hurt(NamedId),
    Send(NamedId),
    Minutes(u64),
}

/// What must be true of the thing that a change names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChangeTarget {
    Movable,
    Openable,
    Lamp,
    Thing,
    Person,
    Place,
}

impl ChangeTarget {
    fn fits(self, world: &World, id: NamedId) -> bool {
        match self {
            ChangeTarget::Movable => world.entity(id).is_thing() || world.entity(id).is_person(),
            ChangeTarget::Openable => world.is_openable(id),
            ChangeTarget::Lamp => world.thing(id).is_some_and(|thing| thing.light.is_some()),
            ChangeTarget::Thing => world.entity(id).is_thing(),
            ChangeTarget::Person => world.entity(id).is_person(),
            ChangeTarget::Place => world.is_place(id),
        }
    }

    fn word(self) -> &'static str {
        match self {
            ChangeTarget::Movable => "thing or person",
            ChangeTarget::Openable => "door or container",
            ChangeTarget::Lamp => "light",
            ChangeTarget::Thing => "thing",
            ChangeTarget::Person => "person",
            ChangeTarget::Place => "place",
        }
    }
}

/// Says what is wrong with a change in this world, with the nearest name.
pub fn check_change(definition: &WorldDefinition, change: &WorldChange) -> Result<(), String> {
    check_changes(&World::begin(definition.clone()), std::slice::from_ref(change))
}

/// Says what is wrong with the first wrong change.
pub fn check_changes(world: &World, changes: &[WorldChange]) -> Result<(), String> {
    changes.iter().try_for_each(|change| kind_of(change, world).map(drop))
}

fn kind_of(change: &WorldChange, world: &World) -> Result<ChangeKind, String> {
    use ChangeTarget::{Lamp, Movable, Openable, Person, Place, Thing};
    type Make = fn(NamedId) -> ChangeKind;
    let named: [(&Option<String>, &str, ChangeTarget, Make); 11] = [
        (&change.unlock, "unlock", Openable, ChangeKind::Unlock),
        (&change.lock, "lock", Openable, ChangeKind::Lock),
        (&change.open, "open", Openable, ChangeKind::Open),
        (&change.close, "close", Openable, ChangeKind::Close),
        (&change.light, "light", Lamp, ChangeKind::Light),
        (&change.douse, "douse", Lamp, ChangeKind::Douse),
        (&change.reveal, "reveal", Thing, ChangeKind::Reveal),
        (&change.remove, "remove", Movable, ChangeKind::Remove),
        (&change.kill, "kill", Person, ChangeKind::Kill),
        (&change.hurt, "hurt", Person, ChangeKind::Hurt),
        (&change.send, "send", Place, ChangeKind::Send),
    ];
    let mut found = Vec::new();
    for (name, verb, wanted, make) in named {
        if let Some(name) = name {
            found.push(make(find(world, verb, name, wanted)?));
        }
    }
    if let Some(minutes) = change.minutes {
        if minutes > CHANGE_MINUTES_MAX {
            return Err(format!("`minutes` is {minutes}, {CHANGE_MINUTES_MAX} are allowed"));
        }
        found.push(ChangeKind::Minutes(minutes));
    }
    if let Some(name) = &change.moved {
        let id = find(world, "move", name, Movable)?;
        let Some(to) = &change.to else {
            return Err(format!("`move = \"{name}\"` must say `to` where"));
        };
        found.push(ChangeKind::Move(id, destination(world, id, to)?));
    } else if change.to.is_some() {
        return Err("`to` stands beside `move`".to_owned());
    }
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err("a change says one of move, unlock, lock, open, close, light, douse, reveal, \
                   remove, kill, hurt, send and minutes"
            .to_owned()),
        more => Err(format!("a change does one thing, and this one does {}", more.len())),
    }
}

fn find(world: &World, verb: &str, name: &str, wanted: ChangeTarget) -> Result<NamedId, String> {
    let fits = |id: &NamedId| wanted.fits(world, *id);
    if let Some(id) = world.find(name).filter(fits) {
        return Ok(id);
    }
    let hint = match world.ids().filter(fits).max_by_key(|id| alike(name, world.name(*id))) {
        Some(near) if alike(name, world.name(near)) > 0 => {
            format!("; the nearest name is `{}`", world.name(near))
        }
        _ => String::new(),
    };
    Err(format!("`{verb} = \"{name}\"` names no {} of this world{hint}", wanted.word()))
}

/// How alike two names are: by their words, then by their letters.
fn alike(name: &str, known: &str) -> u32 {
    let known_words = words::split(known);
    let best = |word: &String| {
        known_words.iter().map(|other| u32::from(english::likeness(word, other))).max().unwrap_or(0)
    };
    words::split(name).iter().map(best).sum()
}

fn destination(world: &World, id: NamedId, to: &str) -> Result<Holder, String> {
    let is_person = world.entity(id).is_person();
    if to == "you" {
        return Ok(if is_person { Holder::Place(world.here) } else { Holder::Carried });
    }
    // A place may have a name such as `on deck`.
    if let Some(place) = world.find(to).filter(|id| world.is_place(*id)) {
        return Ok(Holder::Place(place));
    }
    let (word, name) = to.split_once(' ').unwrap_or((to, ""));
    let holder = match word {
        "in" | "on" | "with" if is_person => {
            return Err(format!("a person can be moved to a place or to `you`, not `{to}`"));
        }
        "in" | "on" => find(world, word, name, ChangeTarget::Thing)?,
        "with" => return find(world, word, name, ChangeTarget::Person).map(Holder::Person),
        _ => return find(world, "to", to, ChangeTarget::Place).map(Holder::Place),
    };
    match (word, world.thing(holder)) {
        ("in", Some(thing)) if thing.container.is_some() => Ok(Holder::In(holder)),
        ("on", Some(thing)) if thing.supporter => Ok(Holder::On(holder)),
        ("in", _) => Err(format!("`{name}` is no container, so nothing can be moved into it")),
        _ => Err(format!("`{name}` is no supporter, so nothing can be moved onto it")),
    }
}

/// What changes have brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeResult {
    /// Who has come and gone meanwhile.
    pub moves: Vec<PersonMove>,
    /// Whether the player is somewhere else.
    pub is_sent: bool,
    /// What could not be done, each with the reason.
    pub skipped: Vec<String>,
}

/// Makes the changes, all of them or none. What cannot be true, such as a box in itself, is left out.
pub fn change(world: &mut World, changes: &[WorldChange]) -> Result<ChangeResult, String> {
    check_changes(world, changes)?;
    let mut result = ChangeResult::default();
    for one in changes {
        // A change may depend on the one before it: `you` is where the player is by then.
        let kind = kind_of(one, world)?;
        apply(world, kind, &mut result);
    }
    Ok(result)
}

fn apply(world: &mut World, kind: ChangeKind, result: &mut ChangeResult) {
    match kind {
        ChangeKind::Move(id, to) => move_to(world, id, to, result),
        ChangeKind::Unlock(id) => world.conditions[id.0].locked = false,
        ChangeKind::Lock(id) => {
            world.conditions[id.0].locked = true;
            world.conditions[id.0].open = false;
        }
        ChangeKind::Open(id) => {
            world.conditions[id.0].locked = false;
            world.conditions[id.0].open = true;
        }
        ChangeKind::Close(id) => world.conditions[id.0].open = false,
        ChangeKind::Light(id) => world.conditions[id.0].lit = true,
        ChangeKind::Douse(id) => world.conditions[id.0].lit = false,
        ChangeKind::Reveal(id) => world.conditions[id.0].hidden = false,
        ChangeKind::Remove(id) => world.holders[id.0] = Holder::Gone,
        ChangeKind::Kill(id) => {
            world.lay_down_dead(id);
        }
        ChangeKind::Hurt(id) => world.conditions[id.0].hurt = true,
        ChangeKind::Send(id) => {
            result.is_sent |= world.here != id;
            world.last.there = Some(world.name(world.here).to_owned());
            world.here = id;
        }
        ChangeKind::Minutes(minutes) => result.moves.extend(world.pass_time(minutes)),
    }
}

fn move_to(world: &mut World, id: NamedId, to: Holder, result: &mut ChangeResult) {
    let to = match to {
        // The dead keep nothing: it lies where they are.
        Holder::Person(person) if world.conditions[person.0].dead => {
            world.place_of(person).map_or(Holder::Gone, Holder::Place)
        }
        other => other,
    };
    let mut at = to;
    for _ in 0..NESTING_MAX {
        let (Holder::In(next) | Holder::On(next)) = at else {
            world.holders[id.0] = to;
            world.conditions[id.0].hidden = false;
            return;
        };
        if next == id {
            break;
        }
        at = world.holders[next.0];
    }
    result.skipped.push(format!("`{}` cannot be moved into itself", world.name(id)));
}
