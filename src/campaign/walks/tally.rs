//! The sum of what all walks have seen.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    campaign::WalkCampaign,
    coverage::{CoveragePoint, all_points},
    dead_ends::DeadEnd,
    options::WalkOptions,
    report::{EndingWalks, NeverFired, PlaceVisits, StuckWalk, UnansweredTopic, WalkReport},
    survey::{REPORTED_MAX, survey},
    walker::WalkRecord,
};
use crate::compile::CampaignParts;

/// Sums over walks; their order makes no difference.
#[derive(Debug, Default)]
pub(super) struct WalkTally {
    walks: usize,
    turns: u64,
    fired: BTreeMap<String, u32>,
    failed: BTreeMap<String, BTreeMap<String, u32>>,
    endings: BTreeMap<String, Vec<u64>>,
    visits: BTreeMap<String, u64>,
    stuck: BTreeMap<usize, StuckWalk>,
    dead_ends: BTreeMap<usize, DeadEnd>,
    /// The points that no walk has seen.
    unseen: BTreeSet<CoveragePoint>,
    repeated: BTreeMap<String, u32>,
}

impl WalkTally {
    pub(super) fn new(campaign: &WalkCampaign) -> WalkTally {
        let endings = campaign.documents.plot.endings.iter();
        let places = campaign.definition().places.iter();
        WalkTally {
            endings: endings.map(|ending| (ending.id.clone(), Vec::new())).collect(),
            unseen: all_points(campaign),
            visits: places.map(|place| (place.name.clone(), 0)).collect(),
            ..WalkTally::default()
        }
    }

    pub(super) fn add(&mut self, at: usize, record: WalkRecord) {
        self.walks += 1;
        self.turns += record.turns;
        for (id, _) in &record.fired {
            *self.fired.entry(id.clone()).or_default() += 1;
        }
        for (id, reasons) in record.failed {
            let known = self.failed.entry(id).or_default();
            for (reason, count) in reasons {
                *known.entry(reason).or_default() += count;
            }
        }
        if let Some(ended) = &record.ended {
            self.endings.entry(ended.id.clone()).or_default().push(record.turns);
        }
        for place in &record.places {
            *self.visits.entry(place.clone()).or_default() += 1;
        }
        if let Some((place, turn)) = record.stuck {
            self.stuck.insert(at, StuckWalk { seed: record.seed, place, turn });
        }
        self.dead_ends.extend(record.dead_end.map(|found| (at, found)));
        self.unseen.retain(|point| !record.seen.contains(point));
        for (text, count) in record.repeated {
            *self.repeated.entry(text).or_default() += count;
        }
    }

    /// Returns the points that no walk has seen so far.
    pub(super) fn unseen(&self) -> BTreeSet<CoveragePoint> {
        self.unseen.clone()
    }

    pub(super) fn report(
        mut self,
        campaign: &WalkCampaign,
        parts: &CampaignParts,
        options: WalkOptions,
    ) -> WalkReport {
        let mut repeated: Vec<(String, u32)> =
            std::mem::take(&mut self.repeated).into_iter().collect();
        repeated.sort_by(most_first);
        repeated.truncate(REPORTED_MAX);
        WalkReport {
            v: 1,
            title: parts.title.clone(),
            walks: self.walks,
            left_out: options.walks.saturating_sub(self.walks),
            turns: options.turns,
            seed: options.seed,
            turns_played: self.turns,
            storylets: campaign.gates().len(),
            never_fired: self.never_fired(campaign),
            endings: self.endings(campaign),
            stuck: self.stuck.values().take(REPORTED_MAX).cloned().collect(),
            dead_ends: self.dead_ends.values().take(REPORTED_MAX).cloned().collect(),
            unanswered: self.unanswered(parts),
            repeated,
            places: self.places(parts),
            survey: survey(parts),
        }
    }

    fn never_fired(&self, campaign: &WalkCampaign) -> Vec<NeverFired> {
        let decks = &campaign.documents.gates.decks;
        let gates = campaign.gates().iter().filter(|gate| !self.fired.contains_key(&gate.id));
        let never = gates.map(|gate| {
            let reasons = self.failed.get(&gate.id).cloned().unwrap_or_default();
            let mut failed: Vec<(String, u32)> = reasons.into_iter().collect();
            failed.sort_by(most_first);
            failed.truncate(4);
            let deck = decks.get(gate.deck).map(|deck| deck.id.clone()).unwrap_or_default();
            NeverFired { id: gate.id.clone(), deck, failed }
        });
        never.collect()
    }

    fn endings(&self, campaign: &WalkCampaign) -> Vec<EndingWalks> {
        let endings = campaign.documents.plot.endings.iter().map(|ending| {
            let mut turns = self.endings.get(&ending.id).cloned().unwrap_or_default();
            turns.sort_unstable();
            EndingWalks {
                id: ending.id.clone(),
                title: ending.title.clone(),
                walks: turns.len(),
                turns_least: turns.first().copied(),
                turns_middle: turns.get(turns.len() / 2).copied(),
                turns_most: turns.last().copied(),
            }
        });
        endings.collect()
    }

    fn unanswered(&self, parts: &CampaignParts) -> Vec<UnansweredTopic> {
        let mut listed = BTreeSet::new();
        let topics = parts.world.people.iter().flat_map(|person| {
            let topics = person.topics.iter().filter(|topic| !topic.rare);
            let topics = topics.filter_map(|topic| Some((topic, topic.about.first()?)));
            topics.map(move |(topic, about)| (&person.name, about, &topic.when))
        });
        let mut unanswered = Vec::new();
        for (person, about, when) in topics {
            let point = CoveragePoint::Topic(person.clone(), about.clone());
            let is_silent = self.unseen.contains(&point);
            // A topic may have several answers, each with a condition of its own.
            if is_silent && listed.insert((person, about)) {
                unanswered.push(UnansweredTopic {
                    person: person.clone(),
                    topic: about.clone(),
                    when: when.clone(),
                });
            }
        }
        unanswered.truncate(REPORTED_MAX);
        unanswered
    }

    /// In the order of the map.
    fn places(&self, parts: &CampaignParts) -> Vec<PlaceVisits> {
        let visits = |name: &String| self.visits.get(name).copied().unwrap_or(0);
        let places = parts.world.places.iter();
        places
            .map(|place| PlaceVisits { name: place.name.clone(), visits: visits(&place.name) })
            .collect()
    }
}

/// By the count, and equal ones by the text.
fn most_first(one: &(String, u32), other: &(String, u32)) -> std::cmp::Ordering {
    (other.1, &one.0).cmp(&(one.1, &other.0))
}
