//! How premises are read that nobody has built a table for, one JSON a line in `tests/premises/premises.jsonl`: the kind of place,
//! who the player is, the shape of the trouble, and no absurd things.

use std::collections::BTreeSet;

use narratoria_sdk::json;
use serde::Deserialize;
use world_model::{
    definition::WorldDefinition,
    premise::{make, read},
};

/// Least share of premises, in percent, of which each part is read right.
const PLACES_MIN: usize = 95;
const HEROES_MIN: usize = 90;
const TROUBLES_MIN: usize = 85;
const SAID_MIN: usize = 95;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PremiseCase {
    premise: String,
    /// Kinds of places that are right.
    place: Vec<String>,
    /// A word of who the player is; empty for a premise of nobody.
    hero: String,
    /// Shapes of plots that are right.
    trouble: Vec<String>,
    must: Vec<String>,
    must_not: Vec<String>,
}

fn cases() -> Vec<PremiseCase> {
    let text = include_str!("../premises/premises.jsonl");
    text.lines().map(case_of).collect()
}

fn case_of(line: &str) -> PremiseCase {
    let value: narratoria_sdk::Value = line.parse().unwrap_or(json!(null));
    PremiseCase::deserialize(value).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// All that is told of a world before anybody acts.
fn told(world: &WorldDefinition) -> String {
    let places = world.places.iter().map(|place| format!("{} {}", place.name, place.description));
    let parts = world.places.iter().flat_map(|place| &place.scenery).map(|part| part.name.clone());
    let things = world.things.iter().map(|thing| thing.name.clone());
    let people = world.people.iter().map(|one| format!("{} {}", one.name, one.description));
    let all = [
        vec![world.opening.clone()],
        places.collect(),
        parts.collect(),
        things.collect(),
        people.collect(),
    ];
    all.concat().join("\n").to_lowercase()
}

/// The names of what can be met, taken or entered.
fn figures(world: &WorldDefinition) -> BTreeSet<String> {
    let things = world.things.iter().map(|thing| &thing.name);
    let people = world.people.iter().map(|one| &one.name);
    let places = world.places.iter().map(|place| &place.name);
    let doors = world.doors.iter().map(|door| &door.name);
    things.chain(people).chain(places).chain(doors).map(|name| name.to_lowercase()).collect()
}

/// The percentage, and a report of the premises that were read wrong.
fn share(
    name: &str,
    cases: &[PremiseCase],
    fault: impl Fn(&PremiseCase) -> Option<String>,
) -> (usize, String) {
    let faults: Vec<String> = cases
        .iter()
        .filter_map(|case| fault(case).map(|fault| format!("{fault}: {}", case.premise)))
        .collect();
    let percent = (cases.len() - faults.len()) * 100 / cases.len();
    (percent, format!("{name}: {percent} %\n  {}", faults.join("\n  ")))
}

#[test]
fn premises_are_read_as_people_mean_them() {
    let cases = cases();
    assert!(cases.len() >= 60);
    let places = share("places", &cases, |case| {
        let found = read(&case.premise).place.0;
        (!case.place.iter().any(|place| place == found)).then(|| found.to_owned())
    });
    let heroes = share("heroes", &cases, |case| {
        let found = read(&case.premise).player.unwrap_or_default().to_lowercase();
        let is_right = if case.hero.is_empty() {
            found.is_empty()
        } else {
            found.contains(&case.hero.to_lowercase())
        };
        (!is_right).then(|| format!("`{found}`"))
    });
    let troubles = share("troubles", &cases, |case| {
        let found = read(&case.premise).trouble.0;
        (!case.trouble.iter().any(|known| known == found)).then(|| found.to_owned())
    });
    let said = share("said", &cases, |case| {
        let text = told(&make(&case.premise, 7));
        let missing: Vec<&String> =
            case.must.iter().filter(|word| !text.contains(&word.to_lowercase())).collect();
        (!missing.is_empty()).then(|| format!("{missing:?}"))
    });
    let absurd = share("absurd", &cases, |case| {
        let found: Vec<String> = (0..4)
            .flat_map(|seed| figures(&make(&case.premise, seed)))
            .filter(|name| case.must_not.iter().any(|word| word.eq_ignore_ascii_case(name)))
            .collect();
        (!found.is_empty()).then(|| format!("{found:?}"))
    });
    for (_, report) in [&places, &heroes, &troubles, &said, &absurd] {
        println!("{report}");
    }
    assert!(places.0 >= PLACES_MIN && heroes.0 >= HEROES_MIN, "{} {}", places.0, heroes.0);
    assert!(troubles.0 >= TROUBLES_MIN && said.0 >= SAID_MIN, "{} {}", troubles.0, said.0);
    assert_eq!(absurd.0, 100);
}
