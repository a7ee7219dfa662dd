//! Plays the example of each row of a campaign, as a player would type it, and says where the row keeps something else from
//! being read.

use std::{collections::BTreeSet, sync::Arc};

use narratoria_sdk::Value;
use serde::Deserialize as _;
use world_model::{
    action::Action,
    definition::{WordingDefinition, WorldDefinition},
    entity::NamedId,
    words,
    world::{Holder, World},
};

use crate::{
    trace::{GRAMMAR_FILE, ReadingRow, ReadingTrace, collect},
    understand,
    wordings::WordingFault,
};

/// Most places in which an example is tried.
const EXAMPLE_PLACES_MAX: usize = 12;

/// Most readings of all examples together: what is left then is reported as not tried.
pub const GRAMMAR_TRIALS_MAX: usize = 4_000;

/// How a place may be, beside how it is at the beginning: what the example names is carried or lies there, its people are there,
/// all is open and found, lights are lit, all is shut and dark, and locked.
const CARRIED: u8 = 1;
const MET: u8 = 2;
const OPEN: u8 = 4;
const LIT: u8 = 8;
const SHUT: u8 = 16;
const LOCKED: u8 = 32;
const LAID: u8 = 64;

/// The changes in the order in which they are tried.
const CHANGES: [u8; 26] = [
    0,
    CARRIED,
    MET,
    LAID,
    OPEN,
    LIT,
    SHUT,
    LOCKED,
    CARRIED | MET,
    MET | LAID,
    CARRIED | OPEN,
    CARRIED | LIT,
    CARRIED | SHUT,
    CARRIED | LOCKED,
    MET | OPEN,
    MET | LIT,
    MET | SHUT,
    MET | LOCKED,
    OPEN | LIT,
    CARRIED | MET | OPEN,
    CARRIED | MET | LIT,
    CARRIED | MET | SHUT,
    CARRIED | MET | LOCKED,
    CARRIED | OPEN | LIT,
    MET | OPEN | LIT,
    CARRIED | MET | OPEN | LIT,
];

/// A storehouse that has something of everything: the examples of the tables are true in it.
const STOREHOUSE: &str = include_str!("../tests/worlds/storehouse.json");

/// What a check of the examples found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordingFindings {
    /// Rows that do not do what they say.
    pub faults: Vec<WordingFault>,
    /// Rows that take a sentence from the tables, which have it in another meaning.
    pub warnings: Vec<WordingFault>,
}

/// Plays the example of each row in this world, in the first situation in which the row fits it. The form of the rows has been
/// checked.
pub fn check_examples(world: &World) -> WordingFindings {
    let mut findings = WordingFindings::default();
    let bare = without_rows(world);
    let mut trials = GRAMMAR_TRIALS_MAX;
    for row in &world.definition.wordings {
        if let Err(message) = check_example(world, &bare, row, &mut trials) {
            findings.faults.push(WordingFault::new(row.line, message));
        }
    }
    findings.warnings = taken_from_tables(&world.definition.wordings);
    findings
}

/// The map without its rows.
fn without_rows(world: &World) -> Arc<WorldDefinition> {
    Arc::new(WorldDefinition { wordings: Vec::new(), ..WorldDefinition::clone(&world.definition) })
}

/// The same world with a map that has other rows.
fn of_map(world: &World, definition: Arc<WorldDefinition>) -> World {
    let mut other = world.clone();
    other.definition = definition;
    other
}

/// Plays the example of a row.
fn check_example(
    world: &World,
    bare: &Arc<WorldDefinition>,
    row: &WordingDefinition,
    trials: &mut usize,
) -> Result<(), String> {
    let WordingDefinition { example, .. } = row;
    let mut nearest: Option<ReadingTrace> = None;
    for situation in situations(world, row) {
        if *trials == 0 {
            return Err(format!(
                "its example `{example}` was not tried: the rows before it took all {GRAMMAR_TRIALS_MAX} readings"
            ));
        }
        *trials -= 1;
        let (meaning, trace) = collect(|| understand(&situation, example));
        let fired = own_steps(&trace);
        let Some((_, plain)) = fired.iter().find(|(own, _)| own.line == row.line) else {
            if let Some((other, _)) = fired.iter().find(|(other, _)| other.line < row.line) {
                return Err(format!(
                    "is never reached: line {} takes its example `{example}`; put this row before it, or make that one narrower",
                    other.line
                ));
            }
            let is_near = |trace: &ReadingTrace| !lost_of(trace, row).is_empty();
            if nearest.as_ref().is_none_or(|before| is_near(&trace) && !is_near(before)) {
                nearest = Some(trace);
            }
            continue;
        };
        let expected = understand(&of_map(&situation, Arc::clone(bare)), plain);
        if expected.actions.is_empty() || expected.unknown {
            return Err(format!(
                "its meaning is not understood: with its example it is `{plain}`, which means nothing here"
            ));
        }
        if expected.actions == meaning.actions {
            return Ok(());
        }
        return Err(format!(
            "its example `{example}` reads as {}, and its meaning `{plain}` as {}",
            shown(&meaning.actions),
            shown(&expected.actions)
        ));
    }
    Err(never_fits(row, nearest))
}

/// Why no situation lets a row fit.
fn never_fits(row: &WordingDefinition, nearest: Option<ReadingTrace>) -> String {
    let WordingDefinition { example, .. } = row;
    let trace = nearest.unwrap_or_default();
    if let Some(missing) = lost_of(&trace, row).first() {
        return format!("does not fit its example `{example}`: {missing}");
    }
    let clauses: Vec<String> = trace
        .steps
        .iter()
        .filter(|step| step.stage == "clause")
        .map(|step| format!("`{}`", step.made))
        .collect();
    let read = match clauses.is_empty() {
        true => String::new(),
        false => format!("; the reader compares it with {}", clauses.join(" and ")),
    };
    format!("does not fit its example `{example}`{read}")
}

/// Why a row was lost whose words fit.
fn lost_of<'t>(trace: &'t ReadingTrace, row: &WordingDefinition) -> Vec<&'t str> {
    let is_it = |lost: &ReadingRow| lost.wording == row.wording;
    let lost = trace.lost.iter().filter(|lost| lost.row.as_ref().is_some_and(is_it));
    lost.map(|lost| lost.missing.as_str()).collect()
}

/// The rows of the campaign that fired, with what they made.
fn own_steps(trace: &ReadingTrace) -> Vec<(&ReadingRow, &str)> {
    let steps =
        trace.steps.iter().filter_map(|step| Some((step.row.as_ref()?, step.made.as_str())));
    steps.filter(|(row, _)| row.file == GRAMMAR_FILE).collect()
}

fn shown(actions: &[Action]) -> String {
    let lines: Vec<String> = actions.iter().map(Action::in_words).collect();
    if lines.is_empty() { "nothing".to_owned() } else { lines.join("; ") }
}

/// The situations in which an example is tried: as the story begins, and then as it may become, place by place.
fn situations<'w>(world: &'w World, row: &WordingDefinition) -> impl Iterator<Item = World> + 'w {
    let said: BTreeSet<String> = words::split(&row.example).into_iter().collect();
    let is_named = |id: &NamedId| {
        let mut names = world.names(*id).iter();
        names.any(|name| name.last().is_some_and(|head| said.contains(head)))
    };
    let named: Vec<NamedId> = world.ids().filter(is_named).collect();
    let around = named.iter().filter_map(|id| world.place_of(*id));
    let of_scenery = world.place_ids().filter(|place| {
        let parts = &world.place(*place).scenery;
        parts
            .iter()
            .any(|part| words::split(&part.name).last().is_some_and(|head| said.contains(head)))
    });
    let mut places = vec![world.here];
    for place in around.chain(of_scenery).chain(world.place_ids()) {
        if places.len() < EXAMPLE_PLACES_MAX && !places.contains(&place) {
            places.push(place);
        }
    }
    CHANGES.into_iter().flat_map(move |change| {
        let named = named.clone();
        places.clone().into_iter().map(move |place| situation(world, place, &named, change))
    })
}

/// The world with the player in a place, and everything as the change says.
fn situation(world: &World, place: NamedId, named: &[NamedId], change: u8) -> World {
    let mut world = world.clone();
    world.here = place;
    for id in world.ids().collect::<Vec<_>>() {
        let is_named = named.contains(&id);
        let entity = world.entity(id);
        let is_movable = entity.is_thing() && world.thing(id).is_some_and(|thing| !thing.fixed);
        if change & MET != 0 && entity.is_person() && is_named {
            world.holders[id.0] = Holder::Place(place);
        }
        let can_open = world.is_openable(id) || world.container(id).is_some();
        let is_light = world.thing(id).is_some_and(|thing| thing.light.is_some());
        let condition = &mut world.conditions[id.0];
        if change & CARRIED != 0 && is_named && is_movable {
            world.holders[id.0] = Holder::Carried;
            condition.hidden = false;
        }
        if change & LAID != 0 && is_named && is_movable {
            world.holders[id.0] = Holder::Place(place);
            condition.hidden = false;
        }
        if change & OPEN != 0 {
            condition.hidden = false;
            condition.locked = false;
            condition.open = can_open;
        }
        condition.lit |= change & LIT != 0 && is_light;
        if change & (SHUT | LOCKED) != 0 {
            condition.open = false;
            condition.lit = false;
            condition.locked = change & LOCKED != 0 && can_open;
        }
    }
    world
}

/// The rows that read an example of the tables in another way than the tables do.
fn taken_from_tables(rows: &[WordingDefinition]) -> Vec<WordingFault> {
    let Some(plain) = storehouse() else { return Vec::new() };
    let definition =
        WorldDefinition { wordings: rows.to_vec(), ..WorldDefinition::clone(&plain.definition) };
    let own = of_map(&plain, Arc::new(definition));
    let mut faults: Vec<WordingFault> = Vec::new();
    for row in crate::built_in_rows().filter(|row| !row.example.is_empty()) {
        let Some((line, clause)) = crate::own_reading(&own, &row.example) else { continue };
        if faults.iter().any(|fault| fault.line == line) {
            continue;
        }
        let (with, without) = (understand(&own, &row.example), understand(&plain, &row.example));
        if with.actions != without.actions {
            let what = format!(
                "takes `{}`, which line {} of {} reads as {}, and reads it as `{clause}`: make the wording narrower",
                row.example,
                row.line,
                row.file,
                shown(&without.actions)
            );
            faults.push(WordingFault::new(line, what));
        }
    }
    faults
}

fn storehouse() -> Option<World> {
    let value: Value = STOREHOUSE.parse().ok()?;
    let mut world = WorldDefinition::deserialize(value).ok().map(World::begin)?;
    // What `it` is in the examples.
    world.last.it = Some("notice".to_owned());
    Some(world)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wordings::{check_wordings, read_wordings};

    /// The findings about rows in the storehouse, a line each.
    #[track_caller]
    fn check(rows: &str, expect: &str) {
        let (wordings, faults) = read_wordings(rows);
        assert_eq!((faults, check_wordings(&wordings)), (Vec::new(), Vec::new()));
        let plain = storehouse().unwrap();
        let definition = WorldDefinition { wordings, ..WorldDefinition::clone(&plain.definition) };
        let WordingFindings { faults, warnings } = check_examples(&World::begin(definition));
        let line =
            |kind: &str, fault: &WordingFault| format!("{}: {kind}{}", fault.line, fault.message);
        let lines: Vec<String> = faults
            .iter()
            .map(|fault| line("", fault))
            .chain(warnings.iter().map(|fault| line("warning: ", fault)))
            .collect();
        assert_eq!(lines.join("\n"), expect);
    }

    #[test]
    fn a_row_that_does_what_it_says_has_no_fault() {
        check("winch open {closed}\topen {closed}\twinch open the crate\n", "");
    }

    #[test]
    fn an_example_must_read_as_the_meaning_says() {
        check(
            "glorp {seen}\tfrobnicate the zyx\tglorp the chest\n",
            "1: its meaning is not understood: with its example it is `frobnicate the zyx`, which means nothing here",
        );
        check(
            "glorp {held}\tdrop {held}\tglorp the moon\n",
            "1: does not fit its example `glorp the moon`: \u{201c}the moon\u{201d} is no `{held}` here",
        );
        check(
            "glorp up {seen}\texamine {seen}\tglorp the chest\n",
            "1: does not fit its example `glorp the chest`; the reader compares it with `glorp the chest`",
        );
    }

    #[test]
    fn a_row_of_a_campaign_may_ask_what_a_row_of_the_tables_may() {
        check(
            "winch about {held:key}\tunlock {lock:key} with {key}\twinch about the brass key\n",
            "",
        );
    }

    #[test]
    fn what_a_row_asks_of_the_world_and_does_not_get_is_named() {
        check(
            "glorp {held.edible:it} down\teat {it}\tglorp the letter down\n",
            "1: does not fit its example `glorp the letter down`: \u{201c}the letter\u{201d} is no `{held.edible}` here",
        );
        check(
            "glorp {held:it} about\tunlock {lock:it} with {it}\tglorp the letter about\n",
            "1: does not fit its example `glorp the letter about`: there is no `{lock:it}` here",
        );
        check(
            "glorp {present} with {held}\tgive {held} to {present} if wants held present\tglorp the guard with the letter\n",
            "1: does not fit its example `glorp the guard with the letter`: `if wants held present` does not hold",
        );
    }

    #[test]
    fn a_row_that_leads_to_itself_comes_to_an_end() {
        check(
            "glorp {text}\t> glorp {text}\tglorp about\n",
            "1: its meaning is not understood: with its example it is `glorp about`, which means nothing here",
        );
    }

    #[test]
    fn an_earlier_row_may_not_take_the_example_of_a_later_one() {
        check(
            "glorp ...\twait\tglorp about\nglorp {seen}\texamine {seen}\tglorp the chest\n",
            "2: is never reached: line 1 takes its example `glorp the chest`; put this row before it, or make that one narrower",
        );
    }

    #[test]
    fn a_later_row_that_fits_does_not_hide_that_an_earlier_one_does_not() {
        check(
            "glorp {held}\tdrop {held}\tglorp the moon\nglorp {text}\twait\tglorp about\n",
            "1: does not fit its example `glorp the moon`: \u{201c}the moon\u{201d} is no `{held}` here",
        );
    }

    #[test]
    fn a_row_of_loose_parts_is_given_up_and_not_waited_for() {
        let (wordings, _) = read_wordings("... a ... a ... a ... b\twait\ta a a b\n");
        let plain = storehouse().unwrap();
        let definition = WorldDefinition { wordings, ..WorldDefinition::clone(&plain.definition) };
        let world = World::begin(definition);
        let began = std::time::Instant::now();
        assert_eq!(crate::own_reading(&world, &"a ".repeat(100)), None);
        assert!(began.elapsed() < std::time::Duration::from_secs(5));
    }

    #[test]
    fn a_row_that_takes_an_example_of_the_tables_is_named() {
        let found = {
            let (wordings, _) = read_wordings("go {rest}\twait\tgo about\n");
            taken_from_tables(&wordings)
        };
        assert_eq!(found.len(), 1);
        assert!(found[0].message.starts_with("takes `"), "{}", found[0].message);
    }
}
