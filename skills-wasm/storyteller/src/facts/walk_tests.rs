//! The measure of the prose: whole walks, told turn by turn. `cargo test --bin narrate walk -- --nocapture` prints it.

use std::{fmt::Write as _, path::Path};

use narratoria_campaign::{CampaignParts, CampaignSource, WalkStep, compile, one_walk};

use super::{
    walk::{Walk, WalkTurn, asks, deed_of},
    walk_measure::{ProseMeasure, ToldWalk},
};

const STYLES: [&str; 4] = ["classic", "noir", "whimsical", "terse"];

fn style_of(seed: u64) -> &'static str {
    STYLES[seed as usize % STYLES.len()]
}

fn walks(default: u64) -> u64 {
    std::env::var("WALKS").ok().and_then(|walks| walks.parse().ok()).unwrap_or(default)
}

/// The shares over walks of 100 turns through small worlds. `WALKS=200` is the full measure; a plain test walks less.
#[test]
fn a_walk_repeats_only_what_the_player_looks_at_and_speaks_of_its_world() {
    let mut measure = ProseMeasure::default();
    for seed in 0..walks(24) {
        let mut walk = Walk::new(seed);
        let mut told = ToldWalk::new(format!("{} {seed}", style_of(seed)), style_of(seed), seed);
        for _ in 0..100 {
            measure.turn(&mut told, &walk.turn());
        }
    }
    println!("{}", measure.render());
    assert!(measure.is_good(), "{}", measure.render());
}

/// Turns of a wild walk.
const WILD_TURNS: usize = 200;

/// The storyteller names only things that exist, after any action and any sentence. `WILD_WALKS` sets the number of walks.
#[test]
fn every_name_in_the_narration_is_a_name_of_the_world_whatever_the_player_does() {
    let count = std::env::var("WILD_WALKS").ok().and_then(|it| it.parse().ok()).unwrap_or(24_u64);
    let measure = on_all_cores(count, |seeds| {
        let mut measure = ProseMeasure::default();
        for seed in seeds {
            let mut walk = Walk::wild(seed);
            let mut told = ToldWalk::new(format!("wild {seed}"), style_of(seed), seed);
            for _ in 0..WILD_TURNS {
                measure.turn(&mut told, &walk.turn());
            }
        }
        measure
    });
    assert!(measure.untrue.is_empty(), "{}", measure.render());
}

/// Longest walk through a campaign, in turns; fewer in a plain test.
const CAMPAIGN_TURNS: usize = 400;

/// The campaigns of the program.
fn bundled() -> Vec<(String, CampaignParts)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../campaigns");
    let entries = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = entries.filter(|path| path.join("manifest.json").is_file()).collect();
    folders.sort();
    let compiled = folders.iter().map(|folder| {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let result = compile(&CampaignSource::read_folder(folder).unwrap(), &name, None);
        (name, result.parts.unwrap())
    });
    compiled.collect()
}

/// Measures the walks with the seeds from 0 to `walks`, on all cores.
fn on_all_cores(
    walks: u64,
    measured: impl Fn(std::iter::StepBy<std::ops::Range<u64>>) -> ProseMeasure + Sync,
) -> ProseMeasure {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let mut measure = ProseMeasure::default();
    std::thread::scope(|scope| {
        let measured = &measured;
        let start = |first: u64| {
            let seeds = (first..walks).step_by(threads as usize);
            scope.spawn(move || measured(seeds))
        };
        let running: Vec<_> = (0..threads).map(start).collect();
        running.into_iter().for_each(|walks| measure.add(walks.join().unwrap()));
    });
    measure
}

/// Tells walks through each bundled campaign.
fn tell_campaigns(walks: u64, turns: usize) {
    let mut faults = String::new();
    for (name, parts) in bundled() {
        let (name, parts) = (name.as_str(), &parts);
        let measure = on_all_cores(walks, |seeds| measured(name, parts, seeds, turns));
        println!("== {name}: {}", measure.render());
        if !measure.is_good() {
            let _ = writeln!(faults, "{name}: {}", measure.render());
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

/// Tells the walks with these seeds.
fn measured(
    name: &str,
    parts: &CampaignParts,
    seeds: impl Iterator<Item = u64>,
    turns: usize,
) -> ProseMeasure {
    let mut measure = ProseMeasure::default();
    for seed in seeds {
        let style = style_of(seed);
        let mut told = ToldWalk::new(format!("{name} {style} {seed}"), style, seed);
        for step in one_walk(parts, seed, turns).unwrap().steps {
            let asks = step.choice.is_none() && asks(&step.action);
            let deed = step.choice.unwrap_or_else(|| deed_of(&step.action));
            let WalkStep { prompt, facts, world, is_asked, .. } = step;
            measure.turn(&mut told, &WalkTurn { prompt, deed, asks, is_asked, facts, world });
        }
    }
    measure
}

/// A few walks of `make walks`.
#[test]
fn walks_through_the_bundled_campaigns_repeat_nothing_and_speak_of_their_world() {
    tell_campaigns(walks(2), 120);
}

/// `make walks`
#[test]
#[ignore = "minutes: `make walks`"]
fn the_prose_of_many_walks_through_the_bundled_campaigns() {
    tell_campaigns(walks(500), CAMPAIGN_TURNS);
}

/// Ten walks as a player reads them, for people to read.
#[test]
fn ten_walks_read_as_prose() {
    for seed in 0..10 {
        let mut walk = Walk::new(1_000 + seed);
        let style = style_of(seed);
        let mut story = ToldWalk::new(style.to_owned(), style, seed);
        let mut text = String::new();
        for turn_number in 0..16 {
            let turn = walk.turn();
            let told = story.tell(&turn, turn_number);
            let _ = writeln!(text, "> {}\n{told}\n", turn.prompt);
        }
        insta::assert_snapshot!(format!("walk_{seed}_{style}"), text);
    }
}
