//! What time brings: people come and go.

use crate::{
    act::ActionRun,
    entity::NamedId,
    fact::{FactKind, WorldFact},
    words,
    world::PersonMove,
};

impl ActionRun<'_> {
    /// Lets time pass, and tells who comes and goes before the player's eyes.
    pub(super) fn pass_time(&mut self, minutes: u64) {
        let moves = self.world.pass_time(minutes);
        self.tell_moves(&moves, false);
    }

    /// Tells who has come and who has gone. A sleeper only sees who is there afterwards.
    pub(super) fn tell_moves(&mut self, moves: &[PersonMove], asleep: bool) {
        let here = self.world.here;
        if !self.world.is_lit() {
            return;
        }
        for step in moves.iter().filter(|step| step.from == here || step.to == here) {
            let name = self.world.name(step.person).to_owned();
            let who = self.world.the(step.person);
            let (kind, text) = match (step.from == here, asleep) {
                (true, true) => (FactKind::Left, format!("When you wake, {who} is gone.")),
                (false, true) => (FactKind::Arrived, format!("When you wake, {who} is here.")),
                (true, false) => (FactKind::Left, format!("{who} {}.", self.leaving(step.to))),
                (false, false) => (FactKind::Arrived, format!("{who} {}.", self.coming(step.from))),
            };
            let place = self.world.name(here).to_owned();
            let fact = WorldFact::new(kind, &name, words::capitalised(&text)).place(&place);
            self.fact(fact);
        }
    }

    /// How somebody leaves: where a way leads there from here, the player sees which.
    fn leaving(&self, to: NamedId) -> String {
        let name = self.world.name(to);
        let the = self.world.the(to);
        match self.world.exits().iter().find(|exit| exit.to == name) {
            Some(exit) => match exit.direction.as_str() {
                "in" => format!("goes into {the}"),
                "out" => format!("goes out to {the}"),
                direction => format!("goes {direction} to {the}"),
            },
            None => "leaves".to_owned(),
        }
    }

    fn coming(&self, from: NamedId) -> String {
        let name = self.world.name(from);
        match self.world.exits().iter().any(|exit| exit.to == name) {
            true => format!("comes from {}", self.world.the(from)),
            false => "arrives".to_owned(),
        }
    }
}
