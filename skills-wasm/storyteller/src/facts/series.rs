//! Facts of one kind in a row → one sentence: "You take the pot, the brush and the key." "Ada and the cook arrive."

use narratoria_facts::Fact;

use super::{noun_phrase::phrase_in, told::sentences};

/// Things that are taken or left in one sentence from this number on; two deeds are joined elsewhere.
const THINGS_MIN: usize = 3;
/// The same for people who come and go.
const PEOPLE_MIN: usize = 2;

/// What people do, one of them and several.
const COMING_AND_GOING: &[(&str, &str)] = &[
    (" arrives", " arrive"),
    (" leaves", " leave"),
    (" comes from ", " come from "),
    (" goes ", " go "),
];

/// A fact that can stand with others in one sentence.
#[derive(PartialEq)]
struct SeriesPart {
    kind: String,
    /// What comes before the names and after them.
    before: String,
    after: String,
}

/// How many facts at the beginning of the list are one series, and its sentence.
pub(super) fn series_of(facts: &[Fact]) -> Option<(usize, String)> {
    let (frame, first) = part_of(facts.first()?)?;
    let mut names = vec![first];
    for fact in &facts[1..] {
        match part_of(fact) {
            Some((next, name)) if next == frame => names.push(name),
            _ => break,
        }
    }
    let least = if frame.before.is_empty() { PEOPLE_MIN } else { THINGS_MIN };
    let sentence = || format!("{}{}{}.", frame.before, english::list(&names), frame.after);
    (names.len() >= least).then(|| (names.len(), sentence()))
}

/// The frame of a fact's sentence, and the name that stands in it.
fn part_of(fact: &Fact) -> Option<(SeriesPart, String)> {
    let text = fact.text.strip_suffix('.')?;
    if sentences(&fact.text).count() != 1 || text.contains(['“', '"', ',', ';', ':']) {
        return None;
    }
    let part = |before: &str, after: String| SeriesPart {
        kind: fact.fact.clone(),
        before: before.to_owned(),
        after,
    };
    match fact.fact.as_str() {
        "taken" | "dropped" => {
            let before = ["You take ", "You drop ", "You put down "]
                .into_iter()
                .find(|it| text.starts_with(it))?;
            Some((part(before, String::new()), phrase_in(text, fact.object.as_deref()?)?))
        }
        "arrived" | "left" => COMING_AND_GOING.iter().find_map(|(one, several)| {
            let (name, rest) = text.split_once(one)?;
            let name = match name.strip_prefix("The ") {
                Some(rest) => format!("the {rest}"),
                None => name.to_owned(),
            };
            Some((part("", format!("{several}{rest}")), name))
        }),
        _ => None,
    }
}
