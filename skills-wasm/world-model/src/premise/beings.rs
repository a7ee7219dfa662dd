//! The people of a made world: those of the premise, and others around them.

use super::{
    era::pronoun_of_name,
    layout::{in_place, the},
    maker::Maker,
    noun::PremiseNoun,
    nouns::{NounKind, is_beast, pronoun_of},
    texts,
    things::Plot,
    wants::PremiseWant,
    way_texts::PremiseWay,
    ways::KeeperWords,
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

pub(super) fn topic(about: &[&str], says: String) -> TopicDefinition {
    TopicDefinition {
        about: about.iter().map(|about| (*about).to_owned()).collect(),
        says: vec![says],
        ..TopicDefinition::default()
    }
}

impl Maker {
    /// Names for somebody of this pronoun.
    fn people_called(&self, pronoun: Option<&str>) -> Vec<&'static str> {
        let era = self.ground.era;
        let suits = |known: &str| pronoun.is_none_or(|pronoun| pronoun == known);
        let she = era.she.iter().filter(|_| suits("she"));
        she.chain(era.he.iter().filter(|_| suits("he"))).copied().collect()
    }

    /// Whoever may be a man or a woman is one of them, for all who speak of them.
    pub(super) fn choose_pronouns(&mut self) {
        for noun in &mut self.reading.nouns {
            if noun.kind == NounKind::Being && noun.pronoun.is_none() {
                noun.pronoun = Some(if self.rng.range(0..=1) == 0 { "he" } else { "she" });
            }
        }
    }

    /// Gives a name to one of several people of a kind, who are then told apart from the others of them.
    pub(super) fn name_groups(&mut self) {
        let beings: Vec<String> = self.reading.beings().into_iter().map(|noun| noun.name).collect();
        for idx in 0..self.reading.nouns.len() {
            let noun = self.reading.nouns[idx].clone();
            let is_other = Some(idx) != self.reading.player && beings.contains(&noun.name);
            if noun.group < 2 || !is_other || noun.is_missing {
                continue;
            }
            let list = self.people_called(pronoun_of(&noun.head));
            let name = self.fresh_name(&list);
            let known = &mut self.reading.nouns[idx];
            known.pronoun = Some(pronoun_of_name(&name));
            known.trade = Some(noun.with_article());
            known.aliases.insert(0, noun.name);
            known.name = name;
        }
    }

    /// Who else is one of several: each group with how many of it are still to be met.
    fn companions(&self) -> Vec<(PremiseNoun, usize)> {
        let groups = self.reading.beings().into_iter().filter(|noun| {
            noun.group > 1 && noun.trade.is_some() && noun.name.starts_with(char::is_uppercase)
        });
        groups.map(|noun| (noun.clone(), noun.group - 1)).collect()
    }

    /// Somebody of this name as one of several, if one of them is still to be met.
    fn companion(
        &mut self,
        groups: &mut [(PremiseNoun, usize)],
        name: &str,
        place: &str,
    ) -> Option<PersonDefinition> {
        let suits = |(noun, left): &&mut (PremiseNoun, usize)| {
            *left > 0 && pronoun_of(&noun.head).is_none_or(|known| known == pronoun_of_name(name))
        };
        let (noun, left) = groups.iter_mut().find(suits)?;
        *left -= 1;
        let (trade, aliases) = (noun.trade.clone()?, noun.aliases.clone());
        let trait_ = self.line(texts::TRAITS);
        Some(PersonDefinition {
            name: name.to_owned(),
            aliases,
            pronoun: pronoun_of_name(name).to_owned(),
            description: words::capitalised(&format!("{trade}, {trait_}.")),
            place: place.to_owned(),
            greeting: self.line(texts::GREETINGS).to_owned(),
            ..PersonDefinition::default()
        })
    }

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
        let has_insisted = insists.is_some();
        let is_beast_named = |name: &String| is_beast(name.rsplit(' ').next().unwrap_or(name));
        if let Some(at) = insists.and_then(|name| named.iter().position(|known| *known == name)) {
            let name = named.remove(at);
            named.insert(0, name);
        }
        // A dog keeps no keys and knows no truth, unless it insists on something.
        let insists_one = usize::from(has_insisted);
        let beasts: Vec<String> =
            named.iter().skip(insists_one).filter(|name| is_beast_named(name)).cloned().collect();
        named.retain(|name| !beasts.contains(name));
        named.truncate(PEOPLE_MIN);
        if let Some(beast) = beasts.first().filter(|_| named.len() < PEOPLE_MIN) {
            while named.len() < PEOPLE_MIN - 1 {
                named.push(self.fresh_name(&self.people_called(None)));
            }
            named.push(beast.clone());
        }
        while named.len() < PEOPLE_MIN {
            let left = self.companions().into_iter().find(|(_, left)| *left > named.len());
            let pronoun = left.and_then(|(noun, _)| pronoun_of(&noun.head));
            let list = self.people_called(pronoun);
            named.push(self.fresh_name(&list));
        }
        [named.remove(0), named.remove(0), named.remove(0)]
    }

    pub(super) fn make_people(&mut self, plot: &Plot) {
        let beings = self.reading.beings();
        let of = |name: &String| beings.iter().find(|noun| noun.name == *name).cloned();
        let middle = self.world.places[1].name.clone();
        let last = self.world.places[self.world.places.len().saturating_sub(4)].name.clone();
        let mut homes = [middle, plot.spare.clone(), last];
        self.rng.shuffle(&mut homes);
        let mut roles: Vec<PremiseRole> = Vec::new();
        for (name, home) in [&plot.keeper, &plot.witness, &plot.friend].into_iter().zip(homes) {
            let noun = of(name);
            // The first of the premise is there when the story begins, unless the premise says where.
            let is_first = noun.is_some() && roles.iter().all(|role| role.noun.is_none());
            let said = noun.as_ref().and_then(|noun| self.place_said(noun));
            let place = said.unwrap_or(if is_first { plot.start.clone() } else { home });
            let guards = plot.way.way.has_guard() && *name == plot.keeper;
            let place = if guards { self.place_before_door(plot) } else { place };
            roles.push(PremiseRole { name: name.clone(), noun, place });
        }
        for noun in beings {
            if !roles.iter().any(|role| role.name == noun.name) {
                let said = || self.place_said(&noun).unwrap_or_else(|| plot.start.clone());
                let place = if noun.is_missing { plot.locked.clone() } else { said() };
                roles.push(PremiseRole { name: noun.name.clone(), noun: Some(noun), place });
            }
        }
        let mut trades: Vec<String> =
            self.ground.layout.trades.iter().map(|trade| (*trade).to_owned()).collect();
        self.rng.shuffle(&mut trades);
        trades.retain(|trade| self.is_free(trade));
        let mut groups = self.companions();
        for role in roles {
            let person = match &role.noun {
                Some(noun) => self.person_of_premise(noun, &role.place),
                None => match self.companion(&mut groups, &role.name, &role.place) {
                    Some(person) => person,
                    None => self.person_with_trade(&mut trades, &role),
                },
            };
            self.world.people.push(person);
        }
        self.give_parts(plot);
    }

    fn person_with_trade(
        &mut self,
        trades: &mut Vec<String>,
        role: &PremiseRole,
    ) -> PersonDefinition {
        let suits = |trade: &String| {
            pronoun_of(trade.rsplit(' ').next().unwrap_or(trade))
                .is_none_or(|pronoun| pronoun == pronoun_of_name(&role.name))
        };
        let at = trades.iter().position(suits);
        let trade = at.map_or_else(|| "stranger".to_owned(), |at| trades.remove(at));
        self.person(&role.name, &trade, &role.place)
    }

    /// What the three have to do with the threads.
    fn give_parts(&mut self, plot: &Plot) {
        let door = self.door();
        let trade = |person: &PersonDefinition| person.aliases.first().cloned().unwrap_or_default();
        let [keeper, witness] = [trade(&self.world.people[0]), trade(&self.world.people[1])];
        let truth = self.truth(plot);
        let refusal = self.refusal(plot);
        let KeeperWords { asked, had, thanks, late } = self.keeper_words(plot);
        let rounds = self.rounds(plot);
        let person = &mut self.world.people[0];
        person.wants = Some(plot.wanted.clone());
        (person.thanks, person.thanks_after) = (thanks, late);
        person.schedule = rounds;
        match plot.way.way {
            PremiseWay::Key => person.gives = vec![plot.key.clone()],
            way if way.has_guard() => person.bars = Some(plot.locked.clone()),
            _ => {}
        }
        person.topics.extend(refusal);
        person.topics.extend([
            topic(
                &[&plot.wanted, "loss", "lost something", "lost", "worried"],
                format!("I lost it {}. I do not go there any more.", in_place(&plot.hideout)),
            ),
            TopicDefinition {
                after: had,
                ..topic(&[&door, "door", &plot.locked, &plot.key, "key"], asked)
            },
            topic(&[&plot.prize], "Some things are better left where they are.".to_owned()),
        ]);
        self.give_hints(plot, [&keeper, &witness], truth);
        self.give_wishes(plot);
        self.give_missing_words(plot);
    }

    /// What the witness and the friend know. `trades` are those of the keeper and of the witness.
    fn give_hints(&mut self, plot: &Plot, trades: [&str; 2], truth: String) {
        let weather = self.line(self.ground.era.weather).to_owned();
        let (the_keeper, the_witness) = (the(&plot.keeper), the(&plot.witness));
        let [keeper, witness] = trades;
        let keeper_names: Vec<&str> =
            [plot.keeper.as_str(), keeper].into_iter().filter(|name| !name.is_empty()).collect();
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
                format!(
                    "Take a light when you go there. And whatever is lost, look behind the {} {}.",
                    plot.cover,
                    in_place(&plot.hideout)
                ),
            ),
            TopicDefinition {
                about: self.reading.questions_of_truth(),
                ..topic(&["truth"], truth)
            },
        ]);
        let witness_names: Vec<&str> =
            [plot.witness.as_str(), witness].into_iter().filter(|name| !name.is_empty()).collect();
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
    }

    /// What somebody says who was missing, and what they are glad to have back.
    fn give_missing_words(&mut self, plot: &Plot) {
        let door = self.door();
        // `his phone is still ringing`
        let is_own = |noun: &&PremiseNoun| ["his", "her", "their"].contains(&noun.lead.as_str());
        let own = self.things_of_premise().find(is_own).map(|noun| noun.name.clone());
        let own = own.filter(|name| *name != plot.prize);
        for person in self.world.people.iter_mut().filter(|person| person.place == plot.locked) {
            let says = format!("The {door} fell shut behind me. I knocked until my hands hurt.");
            let about = [
                "absence",
                &door,
                "happened",
                "vanished",
                "disappeared",
                "missing",
                "worried",
                "where",
            ];
            person.topics.push(topic(&about, says));
            person.topics.push(topic(
                &["who did it", "why", "reason", "truth"],
                "I saw who turned the key. Let me get out of here first, and then I will say it to everybody at once.".to_owned(),
            ));
            if let Some(thing) = &own {
                person.wants = Some(thing.clone());
                person.thanks = format!("My {thing}! So somebody did look for me.");
            }
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
        let is_deed = |word: &&str| {
            super::tokens::is_verb(word) && !["refuses", "refuse", "refused"].contains(word)
        };
        let verb = told.split(' ').find(is_deed).unwrap_or("reason");
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
            in_place(&plot.hideout)
        );
        Some(topic(&["refusal", verb, "reason", "happened", "wrong"], says))
    }

    pub(super) fn door(&self) -> String {
        self.world.doors.first().map(|door| door.name.clone()).unwrap_or_default()
    }

    fn person(&mut self, name: &str, role: &str, place: &str) -> PersonDefinition {
        self.used.push(role.to_lowercase());
        let pronoun = pronoun_of_name(name);
        let trait_ = self.line(texts::TRAITS);
        PersonDefinition {
            name: name.to_owned(),
            aliases: vec![role.to_owned()],
            pronoun: pronoun.to_owned(),
            description: format!(
                "{} {role}, {trait_}.",
                words::capitalised(english::article(role))
            ),
            place: place.to_owned(),
            greeting: self.line(texts::GREETINGS).to_owned(),
            ..PersonDefinition::default()
        }
    }

    /// Somebody as the premise says it.
    fn person_of_premise(&mut self, noun: &PremiseNoun, place: &str) -> PersonDefinition {
        let presence = match noun.is_missing {
            true => "Nobody need look any further.",
            false => self.line(texts::PRESENCES),
        };
        let mut aliases = noun.aliases.clone();
        if noun.head != noun.name
            && !aliases.contains(&noun.head)
            && !noun.name.starts_with(char::is_uppercase)
        {
            aliases.push(noun.head.clone());
        }
        let what = noun.trade.clone().unwrap_or_else(|| noun.with_article());
        let is = words::ended(&words::capitalised(&what));
        PersonDefinition {
            name: noun.name.clone(),
            aliases,
            pronoun: noun.pronoun.unwrap_or("they").to_owned(),
            description: format!("{is} {presence}"),
            place: place.to_owned(),
            greeting: self.line(texts::GREETINGS).to_owned(),
            ..PersonDefinition::default()
        }
    }
}
