//! What all walks together have seen.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    campaign::WalkCampaign,
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
    answered: BTreeSet<String>,
    repeated: BTreeMap<String, u32>,
}

impl WalkTally {
    pub(super) fn new(campaign: &WalkCampaign) -> WalkTally {
        let endings = campaign.documents.plot.endings.iter();
        let places = campaign.definition().places.iter();
        WalkTally {
            endings: endings.map(|ending| (ending.id.clone(), Vec::new())).collect(),
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
        self.answered.extend(record.answered);
        for (text, count) in record.repeated {
            *self.repeated.entry(text).or_default() += count;
        }
    }

    pub(super) fn report(
        mut self,
        campaign: &WalkCampaign,
        parts: &CampaignParts,
        options: WalkOptions,
    ) -> WalkReport {
        let gates = campaign.gates();
        let decks = &campaign.documents.gates.decks;
        let never: Vec<NeverFired> = gates
            .iter()
            .filter(|gate| !self.fired.contains_key(&gate.id))
            .map(|gate| {
                let reasons = self.failed.remove(&gate.id).unwrap_or_default();
                let mut failed: Vec<(String, u32)> = reasons.into_iter().collect();
                failed.sort_by(|one, other| (other.1, &one.0).cmp(&(one.1, &other.0)));
                failed.truncate(4);
                let deck = decks.get(gate.deck).map(|deck| deck.id.clone()).unwrap_or_default();
                NeverFired { id: gate.id.clone(), deck, failed }
            })
            .collect();
        let titles: BTreeMap<&str, &str> = campaign
            .documents
            .plot
            .endings
            .iter()
            .map(|ending| (ending.id.as_str(), ending.title.as_str()))
            .collect();
        let endings = self.endings.iter_mut().map(|(id, turns)| {
            turns.sort_unstable();
            let middle = turns.get(turns.len() / 2).copied();
            EndingWalks {
                id: id.clone(),
                title: titles.get(id.as_str()).copied().unwrap_or_default().to_owned(),
                walks: turns.len(),
                turns_least: turns.first().copied(),
                turns_middle: middle,
                turns_most: turns.last().copied(),
            }
        });
        let endings: Vec<EndingWalks> = endings.collect();
        let is_silent =
            |person: &str, topic: &str| !self.answered.contains(&format!("{person}: {topic}"));
        let topics = parts.world.people.iter().flat_map(|person| {
            person.topics.iter().filter_map(|topic| {
                let about = topic.about.first()?;
                is_silent(&person.name, about).then(|| UnansweredTopic {
                    person: person.name.clone(),
                    topic: about.clone(),
                    when: topic.when.clone(),
                })
            })
        });
        let unanswered = topics.take(REPORTED_MAX).collect();
        let mut repeated: Vec<(String, u32)> = self.repeated.into_iter().collect();
        repeated.sort_by(|one, other| (other.1, &one.0).cmp(&(one.1, &other.0)));
        repeated.truncate(REPORTED_MAX);
        let place_index: BTreeMap<&str, usize> = parts
            .world
            .places
            .iter()
            .enumerate()
            .map(|(at, one)| (one.name.as_str(), at))
            .collect();
        let mut places: Vec<PlaceVisits> =
            self.visits.into_iter().map(|(name, visits)| PlaceVisits { name, visits }).collect();
        places.sort_by_key(|place| place_index.get(place.name.as_str()).copied());
        WalkReport {
            v: 1,
            title: parts.title.clone(),
            walks: self.walks,
            turns: options.turns,
            seed: options.seed,
            turns_played: self.turns,
            storylets: gates.len(),
            never_fired: never,
            endings,
            stuck: self.stuck.into_values().take(REPORTED_MAX).collect(),
            unanswered,
            repeated,
            places,
            survey: survey(parts),
        }
    }
}
