//! The threads of a shape of plots, filled with the names of a made world.

use super::{
    beings::topic,
    layout::{in_place, the},
    maker::Maker,
    nouns::NounKind,
    plots::{PLOTS, PlotThread, PremisePlot},
    prizes::{PrizeEnd, prize_of},
    reading::PremiseReading,
    things::Plot,
    wants::PremiseWant,
};
use crate::{
    definition::{GoalDefinition, StageDefinition, ThreadDefinition},
    words,
};

/// The topic's names under which people are asked what they want. The first is the goal `wish` of the page of plots.
const WISH: [&str; 6] = ["wish", "want", "wants", "what you want", "hope", "hopes"];

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

    /// Who plays a part of the page of plots.
    fn in_part<'p>(&self, part: &str, plot: &'p Plot) -> Option<&'p String> {
        match part {
            "keeper" => Some(&plot.keeper),
            "witness" => Some(&plot.witness),
            "friend" => Some(&plot.friend),
            _ => None,
        }
    }

    /// What the goal of a thread is about.
    fn target_of(thread: &PlotThread, plot: &Plot) -> String {
        match thread.target {
            "room" => plot.locked.clone(),
            "prize" => plot.prize.clone(),
            "wanted" => plot.wanted.clone(),
            "record" => plot.record.clone(),
            "wish" => WISH[0].to_owned(),
            other => other.to_owned(),
        }
    }

    /// A thread of the shape. What it begins after and what it closes are added when all have their titles.
    pub(super) fn thread_of_plot(&self, thread: &PlotThread, plot: &Plot) -> ThreadDefinition {
        let fill = |text: &str| self.fill_plot(text, plot);
        let target = Self::target_of(thread, plot);
        // What opens or can be read is opened or read, and not only held, unless somebody is to get it.
        let threads = plot.shape.threads_of(plot.variant);
        let is_gift = threads.iter().any(|it| (it.kind, it.target) == ("given", "prize"));
        let kind = match prize_of(&plot.prize).map(|prize| prize.end) {
            Some(PrizeEnd::Opened(_)) if thread.kind == "held" && !is_gift => "opened",
            Some(PrizeEnd::Read) if thread.kind == "held" && !is_gift => "read",
            _ => thread.kind,
        };
        let leads_there = thread.opening.contains("{way}");
        let before = fill(thread.opening.split(" {way}").next().unwrap_or_default());
        let mut stages = if leads_there { self.stages(&before, plot) } else { Vec::new() };
        if !thread.held.is_empty() {
            let goal = GoalDefinition { kind: "held".to_owned(), target: target.clone(), to: None };
            stages.push(StageDefinition { once: goal, says: fill(thread.held) });
        }
        ThreadDefinition {
            name: fill(thread.name),
            opening: fill(thread.opening),
            goal: GoalDefinition {
                kind: kind.to_owned(),
                target,
                to: self.in_part(thread.to, plot).cloned(),
            },
            ending: fill(thread.ending),
            unresolved: fill(thread.left),
            stages,
            ..ThreadDefinition::default()
        }
    }

    /// What the player wants: the task that the premise names, or what somebody in such a trouble wants.
    pub(super) fn want_of_hero(&self, plot: &Plot) -> String {
        let task = self.reading.wants.iter().find_map(|want| match want {
            PremiseWant::Task(told) => Some(words::ended(&format!("You have to {told}"))),
            _ => None,
        });
        task.unwrap_or_else(|| self.fill_plot(plot.shape.hero, plot))
    }

    /// What the three say when they are asked what they want, and the words of those who get something.
    pub(super) fn give_wishes(&mut self, plot: &Plot) {
        let wishes = plot.shape.wishes.map(|wish| self.fill_plot(wish, plot));
        for (person, wish) in self.world.people.iter_mut().zip(wishes) {
            let is_free = |about: &&str| {
                let mut known = person.topics.iter().flat_map(|topic| &topic.about);
                !known.any(|known| known.eq_ignore_ascii_case(about))
            };
            let about: Vec<&str> = WISH.into_iter().filter(is_free).collect();
            // Among the first, which a player is offered.
            let at = person.topics.len().min(2);
            person.topics.insert(at, topic(&about, wish));
        }
        for thread in plot.shape.threads_of(plot.variant) {
            let Some(to) = self.in_part(thread.to, plot).filter(|_| !thread.says.is_empty()) else {
                continue;
            };
            let (wanted, thanks) =
                (Self::target_of(thread, plot), self.fill_plot(thread.says, plot));
            if let Some(person) = self.world.people.iter_mut().find(|person| person.name == *to) {
                (person.wants, person.thanks) = (Some(wanted), thanks);
            }
        }
    }

    pub(super) fn fill_plot(&self, text: &str, plot: &Plot) -> String {
        let it = self.reading.matter().unwrap_or_else(|| the(&plot.prize));
        let (keeper, witness, friend) = (the(&plot.keeper), the(&plot.witness), the(&plot.friend));
        let (room, mine) = (in_place(&plot.locked), format!("my {}", plot.wanted));
        let text = text
            .replace("{it}", &it)
            .replace("{It}", &words::capitalised(&it))
            .replace("{way}", &self.way_told(plot))
            .replace("in {room}", &room)
            .replace("In {room}", &words::capitalised(&room))
            .replace("{room}", &the(&plot.locked))
            .replace("{prize}", &the(&plot.prize))
            .replace("{wanted}", &the(&plot.wanted))
            .replace("{mine}", &mine)
            .replace("{Mine}", &words::capitalised(&mine))
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
}
