//! Random decks against a plain second telling of the rules: what fires, and why the rest does not.

use std::collections::{BTreeMap, BTreeSet};

use narratoria_sdk::{Value, json};
use proptest::prelude::*;

use super::{Play, deed, unfired};
use crate::{
    advance::FIRED_MAX,
    variants::{chance_of, draw},
};

/// A storylet of a random deck: small numbers stand for places, people, verbs and thresholds.
#[derive(Debug, Clone)]
struct RandomStorylet {
    deck: usize,
    at: Vec<usize>,
    present: Vec<usize>,
    verb: Option<usize>,
    trust_over: Option<i64>,
    cooldown: Option<u64>,
    chance: Option<u8>,
    priority: u8,
    raises: i64,
}

const PLACES: [&str; 3] = ["quay", "mill", "chapel"];
const PEOPLE: [&str; 3] = ["Ada", "Bo", "Cy"];
const VERBS: [&str; 3] = ["take", "ask", "go"];

fn storylet() -> impl Strategy<Value = RandomStorylet> {
    let some = proptest::option::of::<std::ops::Range<usize>>;
    (
        (
            0..3_usize,
            prop::collection::vec(0..3_usize, 0..2),
            prop::collection::vec(0..3_usize, 0..2),
        ),
        (some(0..3), proptest::option::of(-1..6_i64), proptest::option::of(0..4_u64)),
        (proptest::option::of(0..11_u8), prop::sample::select(vec![10_u8, 50, 90]), -2..4_i64),
    )
        .prop_map(
            |((deck, at, present), (verb, trust_over, cooldown), (chance, priority, raises))| {
                RandomStorylet {
                    deck,
                    at,
                    present,
                    verb,
                    trust_over,
                    cooldown,
                    chance,
                    priority,
                    raises,
                }
            },
        )
}

impl RandomStorylet {
    fn json(&self, id: &str) -> Value {
        let mut json =
            json!({ "id": id, "priority": self.priority, "raises": { "trust": self.raises } });
        json["at"] = self.at.iter().map(|at| PLACES[*at]).collect();
        json["present"] = self.present.iter().map(|at| PEOPLE[*at]).collect();
        if let Some(verb) = self.verb {
            json["on"] = json!({ "verb": VERBS[verb] });
        }
        if let Some(over) = self.trust_over {
            json["when"] = json!(format!("trust > {over}"));
        }
        if let Some(cooldown) = self.cooldown {
            json["cooldown"] = json!(cooldown);
        }
        if let Some(chance) = self.chance {
            json["chance"] = json!(f64::from(chance) / 10.0);
        }
        json
    }
}

/// The moment of one turn.
#[derive(Debug, Clone)]
struct Moment {
    place: usize,
    people: Vec<usize>,
    verb: usize,
}

fn moment() -> impl Strategy<Value = Moment> {
    (0..3_usize, prop::sample::subsequence(vec![0_usize, 1, 2], 0..=3), 0..3_usize)
        .prop_map(|(place, people, verb)| Moment { place, people, verb })
}

/// What the rules say, told anew with lists and loops.
struct Oracle<'s> {
    storylets: &'s [RandomStorylet],
    per_turn: [usize; 3],
    fired: BTreeMap<usize, u64>,
    trust: i64,
}

impl Oracle<'_> {
    fn failure(&self, at: usize, moment: &Moment, turn: u64, seed: u64) -> Option<String> {
        let one = &self.storylets[at];
        if let Some(last) = self.fired.get(&at) {
            match one.cooldown {
                None => return Some("once".to_owned()),
                Some(cooldown) if turn - last <= cooldown => return Some("cooldown".to_owned()),
                Some(_) => {}
            }
        }
        if !one.at.is_empty() && !one.at.contains(&moment.place) {
            return Some("place".to_owned());
        }
        if one.present.iter().any(|person| !moment.people.contains(person)) {
            return Some("present".to_owned());
        }
        if one.verb.is_some_and(|verb| verb != moment.verb) {
            return Some("on".to_owned());
        }
        if let Some(over) = one.trust_over
            && self.trust <= over
        {
            return Some(format!("when: trust > {over}"));
        }
        let chance = f64::from(one.chance.unwrap_or(10)) / 10.0;
        (chance_of(&["chance", &id(at)], seed) >= chance).then(|| "chance".to_owned())
    }

    /// The ids that fire in order, and the failure of every other storylet.
    fn turn(
        &mut self,
        moment: &Moment,
        turn: u64,
        seed: u64,
    ) -> (Vec<usize>, BTreeMap<usize, String>) {
        let mut failures = BTreeMap::new();
        let mut open: Vec<usize> = Vec::new();
        for at in 0..self.storylets.len() {
            match self.failure(at, moment, turn, seed) {
                Some(failure) => drop(failures.insert(at, failure)),
                None => open.push(at),
            }
        }
        let (mut chosen, mut people): (Vec<usize>, BTreeSet<usize>) = Default::default();
        while !open.is_empty() {
            let best = *open
                .iter()
                .max_by_key(|at| {
                    let one = &self.storylets[**at];
                    let parts = usize::from(!one.at.is_empty())
                        + one.present.len()
                        + usize::from(one.verb.is_some())
                        + usize::from(one.trust_over.is_some());
                    (one.priority, parts, std::cmp::Reverse(draw(&["order", &id(**at)], seed)))
                })
                .unwrap();
            open.retain(|at| *at != best);
            let one = &self.storylets[best];
            let of_deck = chosen.iter().filter(|at| self.storylets[**at].deck == one.deck).count();
            if one.present.iter().any(|person| people.contains(person)) {
                failures.insert(best, "claims".to_owned());
            } else if of_deck >= self.per_turn[one.deck] || chosen.len() >= FIRED_MAX {
                failures.insert(best, "per-turn".to_owned());
            } else {
                people.extend(&one.present);
                chosen.push(best);
            }
        }
        for at in &chosen {
            self.fired.insert(*at, turn);
            self.trust = (self.trust + self.storylets[*at].raises).clamp(0, 8);
        }
        (chosen, failures)
    }
}

fn id(at: usize) -> String {
    format!("s{at}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_engine_does_what_the_rules_say(
        storylets in prop::collection::vec(storylet(), 0..14),
        moments in prop::collection::vec(moment(), 1..8),
        per_turn in [1..3_usize, 1..3_usize, 1..4_usize],
        seed in any::<u64>(),
    ) {
        let mut decks = json!({});
        for (deck, count) in per_turn.iter().enumerate() {
            let of_deck = storylets.iter().enumerate().filter(|(_, one)| one.deck == deck);
            let storylets: Vec<Value> = of_deck.map(|(at, one)| one.json(&id(at))).collect();
            decks[format!("d{deck}")] = json!({ "per_turn": count, "storylet": storylets });
        }
        let mut play = Play::of(json!({ "qualities": { "counter": { "trust": { "to": 8, "start": 2 } } }, "decks": decks }));
        play.seed = seed;
        let mut oracle = Oracle { storylets: &storylets, per_turn, fired: BTreeMap::new(), trust: 2 };
        for (at, moment) in moments.iter().enumerate() {
            let turn = at as u64 + 1;
            let people: Vec<&str> = moment.people.iter().map(|at| PEOPLE[*at]).collect();
            play.view = json!({ "place": PLACES[moment.place], "present": people });
            let done = play.advance(&[deed(VERBS[moment.verb])]);
            let turn_seed = seed ^ turn.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let (chosen, failures) = oracle.turn(moment, turn, turn_seed);
            let fired: Vec<String> = done.fired.iter().map(|one| one.id.clone()).collect();
            prop_assert_eq!(fired, chosen.into_iter().map(id).collect::<Vec<_>>());
            let checked: BTreeMap<String, String> =
                unfired(&done).iter().map(|(id, failed)| ((*id).to_owned(), (*failed).to_owned())).collect();
            let expected: BTreeMap<String, String> =
                failures.into_iter().map(|(at, failure)| (id(at), failure)).collect();
            prop_assert_eq!(checked, expected);
            prop_assert_eq!(json!(play.now.qualities["trust"].clone()), json!(oracle.trust));
        }
    }
}
