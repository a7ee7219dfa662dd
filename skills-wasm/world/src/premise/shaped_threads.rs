//! The two threads of a shape of plots, filled with the names of a made world.

use super::{
    layout::{in_place, the},
    maker::Maker,
    nouns::NounKind,
    plots::{PLOTS, PremisePlot},
    prizes::{PrizeEnd, prize_of},
    reading::PremiseReading,
    things::{Plot, PremiseWay},
    wants::PremiseWant,
};
use crate::{
    definition::{GoalDefinition, StageDefinition, ThreadDefinition},
    words,
};

impl PremiseReading {
    /// What is wanted or threatened, as people speak of it.
    fn matter(&self) -> Option<String> {
        let wanted = self.wants.iter().find_map(|want| match want {
            PremiseWant::Find(noun)
            | PremiseWant::Reach(noun)
            | PremiseWant::Theft(noun)
            | PremiseWant::Death(noun)
            | PremiseWant::Trouble(noun) => Some(*noun),
            PremiseWant::Collects { what, .. } => Some(*what),
            _ => None,
        });
        let of_kind = |kind: NounKind| {
            let mut nouns = self.of_kind(kind);
            nouns
                .find(|(idx, noun)| Some(*idx) != self.player && !noun.is_owner)
                .map(|(idx, _)| idx)
        };
        // Where somebody is, they need not look for.
        let kinds = [NounKind::Thing, NounKind::Matter, NounKind::Event, NounKind::Being];
        let noun = wanted.or_else(|| kinds.into_iter().find_map(of_kind))?;
        Some(self.nouns[noun].called())
    }
}

impl Maker {
    /// The shape of the trouble; where the premise says none, the seed chooses.
    pub(super) fn choose_plot(&mut self) -> &'static PremisePlot {
        const PLAIN: [&str; 3] = ["secret", "search", "bargain"];
        let any = self.rng.pick(&PLAIN).copied().unwrap_or(PLAIN[0]);
        let by_name = PLOTS.iter().find(|plot| plot.name == any).unwrap_or(&PLOTS[0]);
        self.reading.plot.map_or(by_name, |(plot, _)| plot)
    }

    /// One of the two threads of a shape.
    pub(super) fn thread_of_plot(
        &self,
        of: &PremisePlot,
        n: usize,
        plot: &Plot,
    ) -> ThreadDefinition {
        let thread = &of.threads[n];
        let fill = |text: &str| self.fill_plot(text, plot);
        let target = match thread.target {
            "room" => plot.locked.clone(),
            "prize" => plot.prize.clone(),
            "wanted" => plot.wanted.clone(),
            "record" => plot.record.clone(),
            other => other.to_owned(),
        };
        let to = thread.to.map(|to| match to {
            "keeper" => plot.keeper.clone(),
            "witness" => plot.witness.clone(),
            _ => plot.friend.clone(),
        });
        // What opens or can be read is opened or read, and not only held.
        let kind = match prize_of(&plot.prize).map(|prize| prize.end) {
            Some(PrizeEnd::Opened(_)) if thread.target == "prize" => "opened",
            Some(PrizeEnd::Read) if thread.target == "prize" => "read",
            _ => thread.kind,
        };
        let leads_there = ["room", "prize"].contains(&thread.target);
        let before = thread.opening.split(" {way}").next().unwrap_or_default();
        ThreadDefinition {
            name: fill(thread.name),
            opening: fill(thread.opening),
            goal: GoalDefinition { kind: kind.to_owned(), target, to },
            ending: fill(thread.ending),
            stages: if leads_there { self.stages(&fill(before), plot) } else { Vec::new() },
        }
    }

    fn fill_plot(&self, text: &str, plot: &Plot) -> String {
        let it = self.reading.matter().unwrap_or_else(|| the(&plot.prize));
        let (keeper, witness, friend) = (the(&plot.keeper), the(&plot.witness), the(&plot.friend));
        let text = text
            .replace("{it}", &it)
            .replace("{It}", &words::capitalised(&it))
            .replace("{way}", &self.way_told(plot))
            .replace("in {room}", &in_place(&plot.locked))
            .replace("{room}", &the(&plot.locked))
            .replace("{prize}", &the(&plot.prize))
            .replace("{wanted}", &the(&plot.wanted))
            .replace("{record}", &the(&plot.record))
            .replace("{keeper}", &keeper)
            .replace("{Keeper}", &words::capitalised(&keeper))
            .replace("{witness}", &witness)
            .replace("{Witness}", &words::capitalised(&witness))
            .replace("{friend}", &friend)
            .replace("{Friend}", &words::capitalised(&friend))
            .replace("{by}", &self.reading.deadline);
        let sentences = words::sentences(&text).into_iter().map(words::capitalised);
        sentences.collect::<Vec<_>>().join(" ")
    }

    /// What is in the way, as a sentence.
    pub(super) fn way_told(&self, plot: &Plot) -> String {
        let (door, keeper) = (self.door(), the(&plot.keeper));
        match plot.way {
            PremiseWay::Key => format!("The {door} is locked, and {keeper} has the only key."),
            PremiseWay::Guard => {
                format!(
                    "{} stands before the {door} and lets nobody through.",
                    words::capitalised(&keeper)
                )
            }
            PremiseWay::Machine => format!(
                "The {door} has no keyhole: it opens by the {}, {}.",
                plot.machine,
                in_place(&plot.dark)
            ),
        }
    }

    /// How a thread stands whose end lies behind the door: `before` is what its opening says beside the way.
    pub(super) fn stages(&self, before: &str, plot: &Plot) -> Vec<StageDefinition> {
        let door = self.door();
        let stage = |kind: &str, target: &str, to: Option<&String>, says: String| StageDefinition {
            once: GoalDefinition {
                kind: kind.to_owned(),
                target: target.to_owned(),
                to: to.cloned(),
            },
            says: format!("{before} {says}").trim_start().to_owned(),
        };
        let open = stage("opened", &door, None, format!("The {door} is open."));
        match plot.way {
            PremiseWay::Key => {
                let says = format!("The {door} is locked, and you have the {}.", plot.key);
                vec![stage("held", &plot.key, None, says), open]
            }
            PremiseWay::Guard => {
                let says =
                    format!("{} lets you through now.", words::capitalised(&the(&plot.keeper)));
                vec![stage("given", &plot.wanted, Some(&plot.keeper), says)]
            }
            PremiseWay::Machine => vec![open],
        }
    }
}
