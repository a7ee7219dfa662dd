//! Plays a campaign by chance, many times over, and reports what never happened and what went wrong. Native: the walks call
//! the same code as the scripts, in the order of a turn's plan.

mod aim;
mod aims;
mod campaign;
mod chance;
mod dead_ends;
mod deeds;
mod endings;
mod moment;
mod nouns;
mod options;
mod outlook;
mod page;
mod remedies;
mod report;
#[cfg(test)]
mod sentence_tests;
mod steps;
mod survey;
mod tally;
mod walker;

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

pub use dead_ends::{DeadEnd, RuledOutEnding};
pub use options::{WALK_TURNS_MAX, WALKS_MAX, WalkOptions};
pub use report::{
    EndingWalks, NeverFired, PlaceVisits, StuckWalk, UnansweredTopic, WalkReport, WalkReportPage,
};
pub use survey::CampaignSurvey;
pub use walker::{WalkRecord, WalkStep};

use crate::compile::CampaignParts;
use campaign::WalkCampaign;
use tally::WalkTally;
use walker::{WalkLength, walk};

/// Walks through a campaign. `on_walk` hears of each walk that has ended, and `is_over` is asked before each turn whether the
/// time is over: a walk that has not ended then is left out. The error says what of the campaign cannot be used.
pub fn walk_campaign(
    parts: &CampaignParts,
    options: WalkOptions,
    on_walk: &(dyn Fn() + Sync),
    is_over: &(dyn Fn() -> bool + Sync),
) -> Result<WalkReport, String> {
    let campaign = Arc::new(WalkCampaign::of(parts)?);
    let walks = options.walks.min(WALKS_MAX);
    let turns = options.turns.min(WALK_TURNS_MAX);
    let length = WalkLength { turns, keeps_steps: false };
    let next = AtomicUsize::new(0);
    let tally = Mutex::new(WalkTally::new(&campaign));
    let fault = Mutex::new(None);
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= walks {
                break;
            }
            match walk(&campaign, seed_of(options.seed, at), length, is_over) {
                Ok(None) => break,
                // A poisoned lock means that another thread has panicked, which the scope reports.
                Ok(Some(record)) => {
                    if let Ok(mut tally) = tally.lock() {
                        tally.add(at, record);
                    }
                }
                Err(why) => {
                    if let Ok(mut fault) = fault.lock() {
                        fault.get_or_insert(why);
                    }
                    break;
                }
            }
            on_walk();
        }
    };
    thread::scope(|scope| {
        for _ in 1..options.threads.clamp(1, 16) {
            scope.spawn(work);
        }
        work();
    });
    if let Some(why) = fault.into_inner().unwrap_or_default() {
        return Err(why);
    }
    let tally = tally.into_inner().map_err(|_| "a walk has failed".to_owned())?;
    Ok(tally.report(&campaign, parts, WalkOptions { walks, ..options }))
}

/// One walk with all its turns, for comparison with the same walk through the components.
pub fn one_walk(parts: &CampaignParts, seed: u64, turns: usize) -> Result<WalkRecord, String> {
    let campaign = WalkCampaign::of(parts)?;
    let record = walk(&campaign, seed, WalkLength { turns, keeps_steps: true }, &|| false)?;
    Ok(record.unwrap_or_default())
}

fn seed_of(seed: u64, walk: usize) -> u64 {
    plot_skill::variants::draw(
        &["walk"],
        seed.wrapping_add((walk as u64).wrapping_mul(0x9e37_79b9)),
    )
}
