//! Something without a name that only one thing can be: `eat something`, with a bun in hand.

use english::WordClass;
use world_model::{
    action::{Action, Verb},
    entity::NamedId,
    want::{Want, suits},
    world::World,
};

use crate::{meaning::Trouble, tokens::Token};

/// The thing that the player has, or else sees, of the kind that the verb needs: `drink something`.
pub(super) fn read(world: &World, clause: &[Token]) -> Option<Result<Vec<Action>, Trouble>> {
    let [verb, something, rest @ ..] = clause else { return None };
    let (verb, want) = match verb.word() {
        "eat" => (Verb::Eat, Want::Edible),
        "drink" => (Verb::Drink, Want::Drinkable),
        "read" => (Verb::Read, Want::Readable),
        "wear" => (Verb::Wear, Want::Wearable),
        _ => return None,
    };
    if !something.is(WordClass::Something) || !rest.is_empty() {
        return None;
    }
    let fits = |id: &NamedId| suits(world, *id, want);
    let mut found: Vec<NamedId> =
        world.seen().filter(|id| fits(id) && world.is_with_player(*id)).collect();
    if found.is_empty() {
        found = world.seen().filter(fits).collect();
    }
    Some(match found.as_slice() {
        [] => {
            let missing = Some(format!("anything to {}", clause[0].word()));
            Ok(vec![Action { missing, ..Action::new(verb) }])
        }
        [one] => Ok(vec![Action::on(verb, world.name(*one))]),
        _ => Err(Trouble::Unclear(found)),
    })
}
