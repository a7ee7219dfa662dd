//! Turns deeds into changes of opinion. Pure: it reads the facts alone.

use narratoria_facts::FeelingRise;

use crate::fact::{FactKind, WorldFact};

/// The changes of opinion that these facts and what was said bring, one for each person. The dead have none.
pub fn feelings_of(facts: &[WorldFact], said: Vec<FeelingRise>) -> Vec<FeelingRise> {
    let mut found: Vec<FeelingRise> = Vec::new();
    for felt in facts.iter().filter_map(feeling_of).chain(said) {
        match found.iter_mut().find(|one| one.person == felt.person) {
            Some(one) => {
                one.by += felt.by;
                one.remember = felt.remember.or_else(|| one.remember.take());
            }
            None => found.push(felt),
        }
    }
    let has_died = |one: &FeelingRise| {
        facts.iter().any(|fact| fact.fact == FactKind::Died && fact.subject == one.person)
    };
    found.retain(|one| !has_died(one));
    found
}

fn feeling_of(fact: &WorldFact) -> Option<FeelingRise> {
    let object = fact.object.as_deref();
    let is_success = fact.because.as_deref() == Some("success");
    let (person, by, remember) = match fact.fact {
        FactKind::Attacked if is_success => (object?, -40, "you came to blows".to_owned()),
        FactKind::Attacked => (object?, -25, "you struck out and missed".to_owned()),
        FactKind::Noticed => {
            let what = object.map_or_else(|| "something".to_owned(), narratoria_facts::the);
            (fact.subject.as_str(), -15, format!("you reached for {what} and were seen"))
        }
        FactKind::Given => {
            let what = narratoria_facts::the(object?);
            (fact.other.as_deref()?, 15, format!("you brought {what}"))
        }
        FactKind::Unmoved | FactKind::Persuaded => {
            let (by, what) = match fact.because.as_deref()? {
                "intimidation" => (-10, "you made threats"),
                "deception" if fact.fact == FactKind::Unmoved => (-8, "you told a lie"),
                "persuasion" if fact.fact == FactKind::Unmoved => {
                    (-3, "you would not take no for an answer")
                }
                _ => return None,
            };
            (fact.subject.as_str(), by, what.to_owned())
        }
        _ => return None,
    };
    Some(FeelingRise { person: person.to_owned(), by, remember: Some(remember) })
}

#[cfg(test)]
mod tests {
    use super::feelings_of;
    use crate::fact::{FactKind, WorldFact};

    fn shown(facts: &[WorldFact]) -> String {
        let lines = feelings_of(facts, Vec::new())
            .into_iter()
            .map(|one| format!("{} {:+} {}", one.person, one.by, one.remember.unwrap_or_default()));
        lines.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn deeds_change_the_opinion_of_the_people_whom_they_concern() {
        let attacked =
            |because| WorldFact::you(FactKind::Attacked, "").object("Agnes").because(because);
        let swayed = |kind, skill| WorldFact::new(kind, "Tam", "").because(skill);
        let noticed = WorldFact::new(FactKind::Noticed, "Tam", "").object("brass key");
        let given = WorldFact::you(FactKind::Given, "").object("oil lamp").other("Agnes");
        for (facts, expect) in [
            (vec![attacked("success")], "Agnes -40 you came to blows"),
            (vec![attacked("failure")], "Agnes -25 you struck out and missed"),
            (vec![noticed.clone()], "Tam -15 you reached for the brass key and were seen"),
            (vec![given.clone()], "Agnes +15 you brought the oil lamp"),
            (vec![swayed(FactKind::Persuaded, "persuasion")], ""),
            (vec![swayed(FactKind::Persuaded, "deception")], ""),
            (vec![swayed(FactKind::Persuaded, "intimidation")], "Tam -10 you made threats"),
            (
                vec![swayed(FactKind::Unmoved, "persuasion")],
                "Tam -3 you would not take no for an answer",
            ),
            (vec![swayed(FactKind::Unmoved, "deception")], "Tam -8 you told a lie"),
            (
                vec![given, attacked("success"), noticed],
                "Agnes -25 you came to blows; Tam -15 you reached for the brass key and were seen",
            ),
            (vec![attacked("success"), WorldFact::new(FactKind::Died, "Agnes", "")], ""),
        ] {
            assert_eq!(shown(&facts), expect);
        }
    }
}
