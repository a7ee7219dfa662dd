//! The people of a made world: those of the premise, and others around them.

use super::{
    Maker,
    layout::{in_place, the},
    names,
    nouns::pronoun_of,
    read::PremiseNoun,
    things::Plot,
    wants::PremiseWant,
};
use crate::{
    definition::{PersonDefinition, TopicDefinition},
    words,
};

/// Fewest people of a world.
const PEOPLE_MIN: usize = 3;

/// Someone who is to be made.
struct PremiseRole {
    name: String,
    /// The premise's words for them.
    noun: Option<PremiseNoun>,
    place: String,
}

/// The pronoun of somebody with a name of the list.
fn pronoun_of_name(name: &str) -> &'static str {
    if names::SHE.iter().any(|first| name.starts_with(first)) { "she" } else { "he" }
}

pub(super) fn topic(about: &[&str], says: String) -> TopicDefinition {
    TopicDefinition {
        about: about.iter().map(|about| (*about).to_owned()).collect(),
        says: vec![says],
        ..TopicDefinition::default()
    }
}

impl Maker {
    /// The names of the three who have to do with the threads: those of the premise who are not missing, then others.
    pub(super) fn cast(&mut self) -> [String; 3] {
        let wants = &self.reading.wants;
        let insists = wants.iter().find_map(|want| match want {
            PremiseWant::Refuses { who, .. } | PremiseWant::Collects { who, .. } => {
                Some(self.reading.nouns[*who].name.clone())
            }
            _ => None,
        });
        let beings = self.reading.beings().into_iter().filter(|noun| !noun.is_missing);
        let mut named: Vec<String> = beings.map(|noun| noun.name).collect();
        if let Some(at) = insists.and_then(|name| named.iter().position(|known| *known == name)) {
            let name = named.remove(at);
            named.insert(0, name);
        }
        named.truncate(PEOPLE_MIN);
        while named.len() < PEOPLE_MIN {
            named.push(self.fresh_name(names::PEOPLE));
        }
        [named.remove(0), named.remove(0), named.remove(0)]
    }

    pub(super) fn make_people(&mut self, plot: &Plot) {
        let beings = self.reading.beings();
        let of = |name: &String| beings.iter().find(|noun| noun.name == *name).cloned();
        let middle = self.world.places[1].name.clone();
        let last = self.world.places[self.world.places.len().saturating_sub(4)].name.clone();
        let homes = [middle, plot.spare.clone(), last];
        let mut roles: Vec<PremiseRole> = Vec::new();
        for (name, home) in [&plot.keeper, &plot.witness, &plot.friend].into_iter().zip(homes) {
            let noun = of(name);
            // The first of the premise is there when the story begins.
            let place = if noun.is_some() && roles.is_empty() { plot.start.clone() } else { home };
            roles.push(PremiseRole { name: name.clone(), noun, place });
        }
        for noun in beings {
            if !roles.iter().any(|role| role.name == noun.name) {
                let place = if noun.is_missing { plot.locked.clone() } else { plot.start.clone() };
                roles.push(PremiseRole { name: noun.name.clone(), noun: Some(noun), place });
            }
        }
        let mut trades: Vec<String> =
            self.ground.layout.trades.iter().map(|trade| (*trade).to_owned()).collect();
        self.rng.shuffle(&mut trades);
        trades.retain(|trade| self.is_free(trade));
        for role in roles {
            let person = match &role.noun {
                Some(noun) => self.person_of_premise(noun, &role.place),
                None => {
                    let suits = |trade: &String| {
                        pronoun_of(trade.rsplit(' ').next().unwrap_or(trade))
                            .is_none_or(|pronoun| pronoun == pronoun_of_name(&role.name))
                    };
                    let at = trades.iter().position(suits);
                    let trade = at.map_or_else(|| "stranger".to_owned(), |at| trades.remove(at));
                    self.person(&role.name, &trade, &role.place)
                }
            };
            self.world.people.push(person);
        }
        self.give_parts(plot);
    }

    /// What the three have to do with the threads.
    fn give_parts(&mut self, plot: &Plot) {
        let door = self.door();
        let trade = |person: &PersonDefinition| person.aliases.first().cloned().unwrap_or_default();
        let [keeper, witness] = [trade(&self.world.people[0]), trade(&self.world.people[1])];
        let truth = self.line(names::TRUTHS).to_owned();
        let weather = self.line(names::WEATHER).to_owned();
        let refusal = self.refusal(plot);
        let (the_keeper, the_witness) = (the(&plot.keeper), the(&plot.witness));
        let person = &mut self.world.people[0];
        person.wants = Some(plot.wanted.clone());
        person.thanks = format!(
            "My {}! I had given it up. Take the {}; it opens the {door}.",
            plot.wanted, plot.key
        );
        person.gives = vec![plot.key.clone()];
        person.topics.extend(refusal);
        person.topics.extend([
            topic(
                &[&plot.wanted, "loss"],
                format!("I lost it {}. I do not go there any more.", in_place(&plot.dark)),
            ),
            topic(
                &[&door, "door", &plot.locked, &plot.key, "key"],
                format!("It stays locked until I have my {} back.", plot.wanted),
            ),
            topic(&[&plot.prize], "Some things are locked up for their own good.".to_owned()),
        ]);
        let keeper_names: Vec<&str> =
            [plot.keeper.as_str(), &keeper].into_iter().filter(|name| !name.is_empty()).collect();
        let person = &mut self.world.people[1];
        person.topics.extend([
            topic(
                &keeper_names,
                format!(
                    "{} has not slept since the {} was lost.",
                    words::capitalised(&the_keeper),
                    plot.wanted
                ),
            ),
            topic(
                &[&plot.dark, "dark"],
                format!("Take a light. And look behind what stands {}.", in_place(&plot.dark)),
            ),
            topic(&["truth"], truth),
        ]);
        let witness_names: Vec<&str> =
            [plot.witness.as_str(), &witness].into_iter().filter(|name| !name.is_empty()).collect();
        let person = &mut self.world.people[2];
        person.topics.extend([
            topic(
                &witness_names,
                format!(
                    "{} sees more than is good for anyone. Ask about the truth.",
                    words::capitalised(&the_witness)
                ),
            ),
            topic(
                &[&plot.record],
                format!("Somebody wrote it all down. Look around {}.", in_place(&plot.spare)),
            ),
            topic(&["night", "weather"], weather),
        ]);
        for person in self.world.people.iter_mut().filter(|person| person.place == plot.locked) {
            let says = format!("The {door} fell shut behind me. I knocked until my hands hurt.");
            person.topics.push(topic(&["absence", &door], says));
        }
    }

    /// Why somebody will not do what the premise says.
    fn refusal(&self, plot: &Plot) -> Option<TopicDefinition> {
        let told = self.reading.wants.iter().find_map(|want| match want {
            PremiseWant::Refuses { told, who } if self.reading.nouns[*who].name == plot.keeper => {
                Some(told)
            }
            _ => None,
        })?;
        let verb = told.split(' ').rfind(|word| super::tokens::is_verb(word)).unwrap_or("reason");
        // Of "never sleeps" one asks about the sleep.
        let verb =
            verb.strip_suffix('s').filter(|verb| super::tokens::is_verb(verb)).unwrap_or(verb);
        let is_first_person = ["will", "would", "can", "could", "cannot", "won't", "can't"];
        let first = told.split(' ').next().unwrap_or_default();
        let no =
            if is_first_person.contains(&first) { format!("I {told}. ") } else { String::new() };
        let says = format!(
            "{no}Not until I have my {} back. I lost it {}.",
            plot.wanted,
            in_place(&plot.dark)
        );
        Some(topic(&[verb, "reason", "refusal"], says))
    }

    pub(super) fn door(&self) -> String {
        self.world.doors.first().map(|door| door.name.clone()).unwrap_or_default()
    }

    fn person(&mut self, name: &str, role: &str, place: &str) -> PersonDefinition {
        self.used.push(role.to_lowercase());
        let pronoun = pronoun_of_name(name);
        let trait_ = self.line(names::TRAITS);
        PersonDefinition {
            name: name.to_owned(),
            aliases: vec![role.to_owned()],
            pronoun: pronoun.to_owned(),
            description: format!("{} {role}, {trait_}.", words::capitalised(words::article(role))),
            place: place.to_owned(),
            greeting: self.line(names::GREETINGS).to_owned(),
            ..PersonDefinition::default()
        }
    }

    /// Somebody as the premise says it.
    fn person_of_premise(&mut self, noun: &PremiseNoun, place: &str) -> PersonDefinition {
        let either = if self.rng.range(0..=1) == 0 { "he" } else { "she" };
        let presence = match noun.is_missing {
            true => "Nobody need look any further.",
            false => self.line(names::PRESENCES),
        };
        let mut aliases = noun.aliases.clone();
        if noun.head != noun.name
            && !aliases.contains(&noun.head)
            && !noun.name.starts_with(char::is_uppercase)
        {
            aliases.push(noun.head.clone());
        }
        let is = words::ended(&words::capitalised(&noun.with_article()));
        PersonDefinition {
            name: noun.name.clone(),
            aliases,
            pronoun: pronoun_of(&noun.head).unwrap_or(either).to_owned(),
            description: format!("{is} {presence}"),
            place: place.to_owned(),
            greeting: self.line(names::GREETINGS).to_owned(),
            ..PersonDefinition::default()
        }
    }
}
