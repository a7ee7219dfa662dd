//! Templates with alternatives: `You [turn|stop] and [look|listen].` stands for four sentences. Groups do not nest.

/// The number of texts that a template stands for.
pub(crate) fn variant_count(template: &str) -> usize {
    groups(template).map(|group| group.split('|').count()).product()
}

/// The text with this number.
pub(crate) fn variant(template: &str, number: usize) -> String {
    let (mut text, mut rest, mut number) = (String::new(), template, number);
    while let Some((before, group, after)) = next_group(rest) {
        let choices: Vec<&str> = group.split('|').collect();
        text += before;
        text += choices[number % choices.len()];
        number /= choices.len();
        rest = after;
    }
    text + rest
}

/// The number of groups in which two texts of a template choose alike.
pub(crate) fn alike(template: &str, one: usize, other: usize) -> usize {
    let (mut one, mut other, mut alike) = (one, other, 0);
    for count in groups(template).map(|group| group.split('|').count()) {
        alike += usize::from(one % count == other % count);
        (one, other) = (one / count, other / count);
    }
    alike
}

fn groups(template: &str) -> impl Iterator<Item = &str> {
    let mut rest = template;
    std::iter::from_fn(move || {
        let (_, group, after) = next_group(rest)?;
        rest = after;
        Some(group)
    })
}

/// The text before the next group, the group, and the text after it.
fn next_group(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('[')?;
    let (group, after) = rest.split_once(']')?;
    Some((before, group, after))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{alike, variant, variant_count};

    #[test]
    fn a_template_stands_for_all_its_choices() {
        let template = "You [turn|stop] and [look|listen|wait][| again].";
        let texts: BTreeSet<String> =
            (0..variant_count(template)).map(|number| variant(template, number)).collect();
        assert_eq!(texts.len(), 12);
        assert!(texts.contains("You stop and wait again."), "{texts:?}");
        assert_eq!(
            (variant_count("You wait."), variant("You wait.", 0).as_str()),
            (1, "You wait.")
        );
        assert_eq!((alike(template, 0, 0), alike(template, 0, 1)), (3, 2));
    }
}
