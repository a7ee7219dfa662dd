//! Plays a campaign at random, many times, and reports the parts that never happened and the faults. Native: the walks
//! call the same code as the scripts, in the order of a turn's plan.

mod aim;
mod aims;
pub(crate) mod campaign;
mod chance;
mod coverage;
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
    collections::BTreeSet,
    ops::Range,
    sync::{
        Mutex,
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
use coverage::CoveragePoint;
use tally::WalkTally;
use walker::{WalkTask, walk};

/// Walks of one round: they share the knowledge of earlier rounds, and the next round learns which points they have
/// missed. It does not depend on the number of threads, so that equal seeds give equal walks on any machine.
const ROUND_WALKS: usize = 32;

/// Walks through a campaign. `on_walk` hears of each walk that has ended, and `is_over` is asked before each turn whether the
/// time is over: a walk that has not ended then is left out. The error says what of the campaign cannot be used.
pub fn walk_campaign(
    parts: &CampaignParts,
    options: WalkOptions,
    on_walk: &(dyn Fn() + Sync),
    is_over: &(dyn Fn() -> bool + Sync),
) -> Result<WalkReport, String> {
    let campaign = WalkCampaign::of(parts)?;
    let options = WalkOptions { walks: options.walks.min(WALKS_MAX), ..options };
    let check = WalkCheck { campaign: &campaign, options, on_walk, is_over };
    let mut tally = WalkTally::new(&campaign);
    for first in (0..options.walks).step_by(ROUND_WALKS) {
        if is_over() {
            break;
        }
        let walks = first..options.walks.min(first + ROUND_WALKS);
        // The first walks have no others before them.
        let unseen = if first == 0 { BTreeSet::new() } else { tally.unseen() };
        tally = check.round(walks, &unseen, tally)?;
    }
    Ok(tally.report(&campaign, parts, options))
}

/// A check in progress.
struct WalkCheck<'c> {
    campaign: &'c WalkCampaign,
    options: WalkOptions,
    on_walk: &'c (dyn Fn() + Sync),
    is_over: &'c (dyn Fn() -> bool + Sync),
}

impl WalkCheck<'_> {
    /// Makes some walks, on all threads, and adds them to the tally.
    fn round(
        &self,
        walks: Range<usize>,
        unseen: &BTreeSet<CoveragePoint>,
        tally: WalkTally,
    ) -> Result<WalkTally, String> {
        let next = AtomicUsize::new(walks.start);
        let tally = Mutex::new(tally);
        let fault = Mutex::new(None);
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= walks.end {
                    break;
                }
                match walk(self.campaign, &self.task(at, unseen), self.is_over) {
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
                (self.on_walk)();
            }
        };
        thread::scope(|scope| {
            for _ in 1..self.options.threads.clamp(1, 16) {
                scope.spawn(work);
            }
            work();
        });
        if let Some(why) = fault.into_inner().unwrap_or_default() {
            return Err(why);
        }
        tally.into_inner().map_err(|_| "a walk has failed".to_owned())
    }

    /// Every second walk looks for points that no walk has seen; the others play without this knowledge, as a player
    /// would.
    fn task(&self, at: usize, unseen: &BTreeSet<CoveragePoint>) -> WalkTask {
        let unseen = if at % 2 == 1 { unseen.clone() } else { BTreeSet::new() };
        let turns = self.options.turns.min(WALK_TURNS_MAX);
        WalkTask { seed: seed_of(self.options.seed, at), turns, unseen, ..WalkTask::default() }
    }
}

/// One walk with all its turns, for comparison with the same walk through the components.
pub fn one_walk(parts: &CampaignParts, seed: u64, turns: usize) -> Result<WalkRecord, String> {
    let campaign = WalkCampaign::of(parts)?;
    let task = WalkTask { seed, turns, keeps_steps: true, ..WalkTask::default() };
    let record = walk(&campaign, &task, &|| false)?;
    Ok(record.unwrap_or_default())
}

fn seed_of(seed: u64, walk: usize) -> u64 {
    plot_skill::variants::draw(
        &["walk"],
        seed.wrapping_add((walk as u64).wrapping_mul(0x9e37_79b9)),
    )
}
