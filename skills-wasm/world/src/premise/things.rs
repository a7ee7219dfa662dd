//! The things of a made world: where each lies, and what it is for.

use crate::definition::{ContainerDefinition, LightDefinition, ThingDefinition};

/// The names of what the threads are about.
pub(super) struct Plot {
    pub(super) start: String,
    pub(super) dark: String,
    pub(super) locked: String,
    pub(super) spare: String,
    pub(super) keeper: String,
    pub(super) witness: String,
    pub(super) friend: String,
    pub(super) key: String,
    pub(super) wanted: String,
    pub(super) prize: String,
    pub(super) record: String,
}

/// The names of the other things.
pub(super) struct ThingNames {
    pub(super) light: String,
    /// What the light needs.
    pub(super) needed: Option<String>,
    pub(super) table: String,
    pub(super) chest: String,
    pub(super) cover: String,
    pub(super) food: String,
    pub(super) extra: String,
}

/// A thing without anything special.
pub(super) fn thing(name: &str, description: &str) -> ThingDefinition {
    ThingDefinition {
        name: name.to_owned(),
        description: description.to_owned(),
        ..ThingDefinition::default()
    }
}

pub(super) fn at(place: &str) -> Option<String> {
    Some(place.to_owned())
}

/// The table where the story begins, and what lies on it.
pub(super) fn things_in_sight(plot: &Plot, names: &ThingNames) -> [ThingDefinition; 3] {
    [
        ThingDefinition {
            place: at(&plot.start),
            fixed: true,
            supporter: true,
            ..thing(&names.table, "It has been scrubbed more often than it has been used.")
        },
        ThingDefinition {
            on: at(&names.table),
            light: Some(LightDefinition { lit: false, needs: names.needed.clone() }),
            ..thing(&names.light, "It is dented, and works.")
        },
        ThingDefinition {
            on: at(&names.table),
            edible: true,
            ..thing(&names.food, "It is not fresh, but it is food.")
        },
    ]
}

/// What the two threads are about, and where it is hidden.
pub(super) fn things_of_the_threads(
    plot: &Plot,
    names: &ThingNames,
    record_text: String,
) -> [ThingDefinition; 6] {
    [
        ThingDefinition {
            place: at(&plot.spare),
            fixed: true,
            container: Some(ContainerDefinition::default()),
            ..thing(&names.chest, "The lid has been opened many times.")
        },
        ThingDefinition {
            inside: at(&names.chest),
            text: Some(record_text),
            ..thing(&plot.record, "The hand is small and in a hurry.")
        },
        ThingDefinition {
            place: at(&plot.dark),
            fixed: true,
            ..thing(&names.cover, "It is damp on one side.")
        },
        ThingDefinition {
            place: at(&plot.dark),
            hidden: Some(names.cover.clone()),
            ..thing(&plot.wanted, "It has been carried in a pocket for years.")
        },
        ThingDefinition {
            place: at(&plot.locked),
            ..thing(
                &plot.prize,
                "You have heard of it so often that it looks smaller than it should.",
            )
        },
        ThingDefinition {
            with: at(&plot.keeper),
            ..thing(&plot.key, "It is worn bright by one hand.")
        },
    ]
}

/// What the player wears, and what the light needs.
pub(super) fn things_of_the_player(names: &ThingNames) -> Vec<ThingDefinition> {
    let mut things = vec![ThingDefinition {
        worn: true,
        wearable: true,
        ..thing(&names.extra, "It has kept out worse weather than this.")
    }];
    things.extend(names.needed.as_ref().map(|needed| ThingDefinition {
        carried: true,
        plural: needed.ends_with('s'),
        ..thing(needed, "Enough for a few nights.")
    }));
    things
}
