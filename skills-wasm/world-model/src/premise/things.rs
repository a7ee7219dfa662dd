//! The things of a made world: where each lies, and what it is for.

use super::{
    maker::Maker,
    noun::PremiseNoun,
    nouns::{NounKind, ThingUse, is_openable, is_plural, use_of},
    plots::PremisePlot,
    prizes::{PrizeEnd, prize_of},
    texts,
    way_texts::WayNames,
};
use crate::definition::{
    ContainerDefinition, LightDefinition, ReactionDefinition, ThingDefinition,
};

/// Most things of a premise that are made.
pub(super) const NAMED_THINGS_MAX: usize = 5;

/// The shape of the trouble, and the names of what the threads are about.
#[derive(Debug)]
pub(super) struct Plot {
    pub(super) shape: &'static PremisePlot,
    pub(super) variant: &'static str,
    pub(super) start: String,
    pub(super) dark: String,
    pub(super) locked: String,
    pub(super) spare: String,
    pub(super) keeper: String,
    pub(super) witness: String,
    pub(super) friend: String,
    pub(super) key: String,
    pub(super) way: WayNames,
    /// What opens the door from afar, if that is the way.
    pub(super) machine: String,
    pub(super) wanted: String,
    /// Where the wanted thing is hidden, and behind what.
    pub(super) hideout: String,
    pub(super) cover: String,
    pub(super) prize: String,
    /// What lies in the prize, if it opens.
    pub(super) inside: Option<String>,
    pub(super) record: String,
}

/// The names of the other things.
#[derive(Debug)]
pub(super) struct ThingNames {
    pub(super) light: String,
    /// What the light needs.
    pub(super) needed: Option<String>,
    pub(super) table: String,
    pub(super) chest: String,
    pub(super) food: String,
    pub(super) extra: String,
    pub(super) money: String,
}

/// A thing without anything special.
pub(super) fn thing(name: &str, description: &str) -> ThingDefinition {
    ThingDefinition {
        name: name.to_owned(),
        description: description.to_owned(),
        ..ThingDefinition::default()
    }
}

pub(super) fn at(place: &str) -> Option<String> {
    Some(place.to_owned())
}

/// The table where the story begins, and what lies on it.
pub(super) fn things_in_sight(plot: &Plot, names: &ThingNames) -> [ThingDefinition; 3] {
    [
        ThingDefinition {
            place: at(&plot.start),
            fixed: true,
            supporter: true,
            ..thing(&names.table, "It has been scrubbed more often than it has been used.")
        },
        ThingDefinition {
            on: at(&names.table),
            light: Some(LightDefinition { lit: false, needs: names.needed.clone() }),
            ..thing(&names.light, "It is dented, and works.")
        },
        ThingDefinition {
            on: at(&names.table),
            edible: true,
            ..thing(&names.food, "It is not fresh, but it is food.")
        },
    ]
}

/// What the threads are about, and where it is hidden.
pub(super) fn things_of_the_threads(
    plot: &Plot,
    names: &ThingNames,
    record_text: String,
) -> Vec<ThingDefinition> {
    vec![
        ThingDefinition {
            place: at(&plot.spare),
            fixed: true,
            container: Some(ContainerDefinition::default()),
            ..thing(&names.chest, "The lid has been opened many times.")
        },
        ThingDefinition {
            inside: at(&names.chest),
            text: Some(record_text),
            ..thing(&plot.record, "The hand is small and in a hurry.")
        },
        ThingDefinition {
            place: at(&plot.hideout),
            fixed: true,
            ..thing(&plot.cover, "It is damp on one side, and it has been moved.")
        },
        ThingDefinition {
            place: at(&plot.hideout),
            hidden: Some(plot.cover.clone()),
            ..thing(&plot.wanted, "It has been carried in a pocket for years.")
        },
        prize(plot),
    ]
}

/// What lies behind the locked door.
fn prize(plot: &Plot) -> ThingDefinition {
    let known = prize_of(&plot.prize);
    let sight = known.map_or("It is all there, and somebody has kept it dry.", |prize| prize.sight);
    ThingDefinition {
        place: at(&plot.locked),
        container: plot.inside.as_ref().map(|_| ContainerDefinition::default()),
        ..thing(&plot.prize, sight)
    }
}

/// What the player wears, and what the light needs.
pub(super) fn things_of_the_player(names: &ThingNames) -> Vec<ThingDefinition> {
    let mut things = vec![ThingDefinition {
        worn: true,
        wearable: true,
        ..thing(&names.extra, "It has kept out worse weather than this.")
    }];
    things.push(ThingDefinition {
        carried: true,
        ..thing(&names.money, "It is not much, and it is all that you have with you.")
    });
    things.extend(names.needed.as_ref().map(|needed| ThingDefinition {
        carried: true,
        plural: narratoria_facts::is_plural(needed),
        ..thing(needed, "Enough for a few nights.")
    }));
    things
}

impl Maker {
    /// The things of the premise.
    pub(super) fn things_of_premise(&self) -> impl Iterator<Item = &PremiseNoun> {
        self.reading.of_kind(NounKind::Thing).map(|(_, noun)| noun).take(NAMED_THINGS_MAX)
    }

    pub(super) fn make_things(&mut self, plot: &Plot) {
        let door = self.door();
        self.make_way(plot);
        let names = self.name_things();
        let record_text = format!(
            "{} {} The {} is behind the {door}. {}",
            self.line(texts::RECORD_LINES),
            self.fill_plot(plot.shape.written, plot),
            plot.prize,
            self.way_told(plot)
        );
        self.world.things.extend(things_in_sight(plot, &names));
        self.world.things.extend(things_of_the_threads(plot, &names, record_text));
        self.world.things.extend(things_of_the_player(&names));
        self.write_last_words(plot);
        let named: Vec<PremiseNoun> = self.things_of_premise().cloned().collect();
        for (n, noun) in named.iter().enumerate() {
            self.make_named_thing(n, noun, plot, &names.table);
        }
    }

    /// The prize, or what lies in it, says the last word about why it was locked away.
    fn write_last_words(&mut self, plot: &Plot) {
        let is_read = prize_of(&plot.prize).is_some_and(|prize| prize.end == PrizeEnd::Read);
        let words = self.line(texts::LAST_WORDS).to_owned();
        if let Some(inside) = &plot.inside {
            self.world.things.push(ThingDefinition {
                inside: at(&plot.prize),
                text: Some(words),
                ..thing(inside, "The paper is thin, and it has been read many times.")
            });
        } else if is_read
            && let Some(prize) = self.world.things.iter_mut().find(|thing| thing.name == plot.prize)
        {
            prize.text = Some(words);
        }
    }

    fn name_things(&mut self) -> ThingNames {
        let era = self.ground.era;
        let lights: Vec<(&str, Option<&str>)> =
            era.lights.iter().copied().filter(|(light, _)| self.is_free(light)).collect();
        let (light, needs) = self.rng.pick(&lights).copied().unwrap_or(era.lights[0]);
        ThingNames {
            light: self.unique_name(light),
            needed: needs.map(|needs| self.unique_name(needs)),
            table: self.unique_name(self.ground.layout.table),
            chest: self.fresh_name(era.chests),
            food: self.fresh_name(era.food),
            extra: self.fresh_name(era.clothes),
            money: self.unique_name(era.money),
        }
    }

    /// The place where the premise says that it is: `the bread from my shop`.
    pub(super) fn place_said(&self, noun: &PremiseNoun) -> Option<String> {
        let is_there = |place: &&PremiseNoun| {
            place.kind == NounKind::Place
                && (1..4).contains(&place.tokens.0.saturating_sub(noun.tokens.1))
        };
        let place = self.reading.nouns.iter().find(is_there)?;
        let ordinary = self.world.places.len() - 2;
        let mut known = self.world.places[..ordinary].iter().filter(|known| !known.dark);
        let found = known.find(|known| known.name.eq_ignore_ascii_case(&place.name))?;
        Some(found.name.clone())
    }

    /// A thing of the premise: the first ones lie where the story begins, the others further on.
    fn make_named_thing(&mut self, n: usize, noun: &PremiseNoun, plot: &Plot, table: &str) {
        let plural = is_plural(&noun.head);
        let sight =
            self.line(if plural { texts::THINGS_SIGHTS } else { texts::THING_SIGHTS }).to_owned();
        let use_ = use_of(&noun.head);
        if noun.name == plot.prize {
            if let Some(prize) = self.world.things.iter_mut().find(|thing| thing.name == plot.prize)
            {
                prize.plural = plural;
                prize.aliases = other_names(noun);
            }
            return;
        }
        let ordinary = self.world.places.len() - 2;
        let said = self.place_said(noun);
        let lies_on_table = match &said {
            Some(place) => *place == plot.start && use_ != ThingUse::Stays,
            None => n < 2 && use_ != ThingUse::Stays,
        };
        let place = self.world.places[n.saturating_sub(2) % ordinary].name.clone();
        let place = said.unwrap_or(place);
        let text = (use_ == ThingUse::Read).then(|| self.line(texts::WRITINGS).to_owned());
        self.world.things.push(ThingDefinition {
            aliases: other_names(noun),
            plural,
            place: (!lies_on_table).then_some(place),
            on: lies_on_table.then(|| table.to_owned()),
            fixed: use_ == ThingUse::Stays,
            wearable: use_ == ThingUse::Wear && !plural,
            edible: use_ == ThingUse::Eat,
            drinkable: use_ == ThingUse::Drink,
            container: is_openable(&noun.head).then(ContainerDefinition::default),
            text,
            reactions: reactions_of(&noun.head),
            ..thing(&noun.name, &sight)
        });
    }
}

/// What happens when the player uses a thing that speaks.
fn reactions_of(head: &str) -> Vec<ReactionDefinition> {
    let says = match head {
        "phone" | "telephone" => {
            "You pick it up. Somebody breathes at the other end, says nothing, and hangs up."
        }
        "radio" => "It hisses. Between two stations somebody counts backwards, and stops at three.",
        _ => return Vec::new(),
    };
    vec![ReactionDefinition {
        action: "use".to_owned(),
        says: says.to_owned(),
        ..ReactionDefinition::default()
    }]
}

/// Other words for a noun: its last word, and what the premise calls it besides.
fn other_names(noun: &PremiseNoun) -> Vec<String> {
    let mut names = noun.aliases.clone();
    if noun.head != noun.name && !names.contains(&noun.head) {
        names.push(noun.head.clone());
    }
    names
}
