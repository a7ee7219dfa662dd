//! Parts of a place that its description only hints at: `Something red lies under it` is a red thing, `Something has been
//! dragged here` is what was dragged, and `a book that everybody signs` is a book. Knows English, and no world.

use super::tokens::is_verb;
use crate::{definition::SceneryDefinition, words};

/// Most parts that are read out of one description.
const PARTS_OF_TEXT_MAX: usize = 4;

/// Most words of a clause behind `that`.
const CLAUSE_WORDS_MAX: usize = 6;

/// The parts that a description hints at.
pub(super) fn parts_of(description: &str) -> Vec<SceneryDefinition> {
    let mut found: Vec<SceneryDefinition> = Vec::new();
    for sentence in words::sentences(description) {
        let sentence = sentence.trim_end_matches(['.', '!', '?']);
        found.extend(something_in(sentence));
        found.extend(described_in(sentence));
    }
    found.truncate(PARTS_OF_TEXT_MAX);
    found
}

fn part(name: String, aliases: Vec<String>, description: String) -> SceneryDefinition {
    SceneryDefinition { name, aliases, description, ..SceneryDefinition::default() }
}

/// `Something red lies under it`, `Something has been dragged here`, `Something shifts with every bend`.
fn something_in(sentence: &str) -> Option<SceneryDefinition> {
    let rest = sentence.strip_prefix("Something ")?;
    let words: Vec<&str> = rest.split(' ').collect();
    let whatever = format!("Whatever {rest}");
    match words.as_slice() {
        ["has" | "had", ..] => {
            let said: Vec<&str> = words
                .iter()
                .copied()
                .skip_while(|word| ["has", "had", "been"].contains(word))
                .collect();
            let deed = said.first()?.trim_end_matches(',');
            let particle = said
                .get(1)
                .copied()
                .filter(|word| ["up", "off", "over", "in", "away"].contains(word));
            let whole = [Some(deed), particle].into_iter().flatten().collect::<Vec<_>>().join(" ");
            let is_passive = words.contains(&"been");
            let aux = if is_passive { "was " } else { "" };
            let aliases = [
                format!("what {aux}{whole}"),
                format!("something {deed}"),
                format!("{deed} something"),
                "traces".to_owned(),
                "trace".to_owned(),
            ];
            let text = format!("{whatever}, only traces of it are left to see.");
            Some(part(format!("{deed} thing"), aliases.into(), text))
        }
        // What shifts or rustles is heard, and not seen.
        [verb, ..] if is_verb(verb) || verb.ends_with('s') => None,
        [look, _, ..] => {
            let aliases = vec![format!("something {look}")];
            let text = format!(
                "{}. You look again, and it is still {look}; what it is you could not say.",
                words::capitalised(&format!("something {rest}"))
            );
            Some(part(format!("{look} thing"), aliases, text))
        }
        _ => None,
    }
}

/// `a book that everybody signs`: a book, by these words too.
fn described_in(sentence: &str) -> Option<SceneryDefinition> {
    let words: Vec<&str> = sentence.split(' ').collect();
    let at = words.iter().position(|word| ["that", "which"].contains(word)).filter(|at| *at > 1)?;
    let article = (0..at).rev().find(|idx| ["a", "an", "A", "An"].contains(&words[*idx]))?;
    let noun = &words[article + 1..at];
    let is_plain = (1..=2).contains(&noun.len())
        && noun.iter().all(|word| word.chars().all(|c| c.is_lowercase() || c == '-'))
        && !noun.last().is_some_and(|last| last.ends_with('s') && is_verb(last));
    let clause: Vec<&str> = words[at + 1..].to_vec();
    if !is_plain
        || clause.is_empty()
        || clause.len() > CLAUSE_WORDS_MAX
        || clause.iter().any(|word| word.ends_with(','))
    {
        return None;
    }
    let (name, clause) = (noun.join(" "), clause.join(" "));
    let aliases = vec![format!("{name} that {clause}"), format!("{name} {clause}")];
    let text =
        words::capitalised(&format!("{} {name} that {clause}.", words[article].to_lowercase()));
    Some(part(name, aliases, text))
}

#[cfg(test)]
mod tests {
    use super::parts_of;

    #[track_caller]
    fn check(description: &str, expected: &[(&str, &str)]) {
        let parts = parts_of(description);
        let found: Vec<(&str, &str)> =
            parts.iter().map(|part| (part.name.as_str(), part.description.as_str())).collect();
        assert_eq!(found, expected, "{description}");
    }

    #[test]
    fn what_a_description_hints_at_is_a_part_of_the_place() {
        check(
            "Cold clear water over round stones. Something red lies under it.",
            &[(
                "red thing",
                "Something red lies under it. You look again, and it is still red; what it is you could not say.",
            )],
        );
        check(
            "Low arches and old breath. Something has been dragged here.",
            &[(
                "dragged thing",
                "Whatever has been dragged here, only traces of it are left to see.",
            )],
        );
        check(
            "A counter, a bell, and a book that everybody signs.",
            &[("book", "A book that everybody signs.")],
        );
        check("Shelves in a row. Something shifts with every bend.", &[]);
        check("Four walls, a lamp, and the marks of everybody.", &[]);
    }
}
