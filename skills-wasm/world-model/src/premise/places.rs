//! The places of a made world: how they lie, and the door between them that is locked.

use super::{
    ground::sight_of,
    layout::{LayoutShape, PremiseLayout},
    maker::Maker,
};
use crate::{
    definition::{DoorDefinition, ExitDefinition, PlaceDefinition},
    words,
};

impl Maker {
    /// Makes the places, and returns the names of the dark one and of the locked one, which are the last two.
    pub(super) fn make_places(&mut self) -> (String, String) {
        let (parts, inside) = self.ground.clone().parts(&mut self.rng);
        let layout = self.ground.layout;
        for (name, text) in parts {
            self.add_place(&name, &text, false);
        }
        self.ground.inside = (0..inside).collect();
        let (dark, dark_text, _) = layout.dark;
        let (locked, locked_text, _) = layout.locked;
        let aim = self.ground.aim.clone().or_else(|| self.ground.sealed.clone());
        let dark = self.add_place(dark, dark_text, true);
        let locked = match aim {
            Some(aim) => self.add_place(&aim, &sight_of(&aim), false),
            None => self.add_place(locked, locked_text, false),
        };
        let door = match &self.ground.sealed {
            Some(room) if !room.contains(' ') => format!("{room} door"),
            _ => layout.door.to_owned(),
        };
        let door = self.unique_name(&door);
        self.world.doors.push(DoorDefinition {
            name: door.clone(),
            description: "It is old, and the lock is not.".to_owned(),
            locked: true,
            ..DoorDefinition::default()
        });
        self.connect(layout, door);
        (dark, locked)
    }

    fn add_place(&mut self, name: &str, text: &str, dark: bool) -> String {
        let name = self.unique_name(name);
        self.world.places.push(PlaceDefinition {
            name: name.clone(),
            description: text.to_owned(),
            dark,
            ..PlaceDefinition::default()
        });
        name
    }

    fn connect(&mut self, layout: &PremiseLayout, door: String) {
        let count = self.world.places.len() - 2;
        let locked_way = if self.ground.aim.is_some() { "out" } else { layout.locked.2 };
        let dark_way = layout.dark.2;
        let (from_dark, from_locked) = match layout.shape {
            LayoutShape::Around => {
                self.connect_around(count);
                (1, 1)
            }
            LayoutShape::Row(back, ahead) => {
                let inside = self.ground.inside.len();
                self.connect_row(inside, back, ahead);
                self.connect_others(inside, count);
                let ends = |way: &str| match way {
                    way if way == ahead => row_end(inside, 1),
                    way if way == back => row_end(inside, 0),
                    _ => 0,
                };
                (ends(dark_way), ends(locked_way))
            }
        };
        self.join(from_dark, dark_way, count, None);
        self.join(from_locked, locked_way, count + 1, Some(door));
    }

    /// The second place is the middle: the others lie around it, then behind those.
    fn connect_around(&mut self, count: usize) {
        let around = ["south", "north", "east", "west"];
        let others: Vec<usize> = (0..count).filter(|n| *n != 1).collect();
        for (n, place) in others.iter().enumerate() {
            match around.get(n) {
                Some(way) => self.join(1, way, *place, None),
                // The ring behind the ring keeps its direction.
                None => self.join(others[n - around.len()], around[n - around.len()], *place, None),
            }
        }
    }

    /// The first place has one neighbour ahead and one behind, and each of those has the next one.
    fn connect_row(&mut self, count: usize, back: &str, ahead: &str) {
        for place in 1..count {
            let (from, way) = (place.saturating_sub(2), if place % 2 == 1 { ahead } else { back });
            self.join(if place <= 2 { 0 } else { from }, way, place, None);
        }
    }

    /// What does not belong to the row lies beside it.
    fn connect_others(&mut self, from: usize, count: usize) {
        for (n, place) in (from..count).enumerate() {
            let way = if n % 2 == 0 { "south" } else { "north" };
            self.join(n / 2, way, place, None);
        }
    }

    fn join(&mut self, from: usize, way: &str, to: usize, door: Option<String>) {
        let names: Vec<String> = self.world.places.iter().map(|place| place.name.clone()).collect();
        let exit = |direction: &str, to: usize| ExitDefinition {
            direction: direction.to_owned(),
            to: names[to].clone(),
            door: door.clone(),
            ..ExitDefinition::default()
        };
        let (there, back) = (exit(way, to), exit(words::opposite_way(way).unwrap_or("up"), from));
        self.world.places[from].exits.push(there);
        self.world.places[to].exits.push(back);
    }
}

/// The last place of a row of so many: on the side ahead (1) or behind (0).
fn row_end(count: usize, side: usize) -> usize {
    (1..count).rev().find(|place| place % 2 == side).unwrap_or(0)
}
