//! The probabilities of labels among the likeliest tokens that a server gives. Pure.

/// What stands for a blank before a word in some vocabularies.
const BLANK_MARKS: [char; 2] = ['\u{2581}', '\u{120}'];

/// Returns the natural logarithm of each label's probability among all labels, in their order. A label's probability is
/// that of all tokens that are the label, alone or after a blank. A label that is not among the likeliest tokens counts
/// like the least of them, which is more than it has. `None` if no label is among them.
pub(super) fn label_logarithms(likeliest: &[(String, f64)], labels: &[char]) -> Option<Vec<f32>> {
    let usable = |logarithm: f64| (logarithm.is_finite() && logarithm <= 1e-3).then_some(logarithm);
    let known: Vec<(&str, f64)> = likeliest
        .iter()
        .filter_map(|(token, logarithm)| {
            let word = token.trim_start_matches(BLANK_MARKS).trim();
            usable(*logarithm).map(|logarithm| (word, logarithm))
        })
        .collect();
    let least = known.iter().map(|(_, logarithm)| logarithm.exp()).fold(1.0, f64::min);
    let mut letter = [0; 4];
    let of_label = |label: &char, letter: &mut [u8; 4]| {
        let label: &str = label.encode_utf8(letter);
        let own = known.iter().filter(|(word, _)| *word == label);
        own.map(|(_, logarithm)| logarithm.exp()).sum::<f64>()
    };
    let sums: Vec<f64> = labels.iter().map(|label| of_label(label, &mut letter)).collect();
    if sums.iter().all(|sum| *sum == 0.0) {
        return None;
    }
    let sums: Vec<f64> = sums.into_iter().map(|sum| if sum == 0.0 { least } else { sum }).collect();
    let whole: f64 = sums.iter().sum();
    let logarithms = sums.into_iter().map(|sum| (sum / whole).ln() as f32);
    Some(logarithms.collect())
}

#[cfg(test)]
mod tests {
    use super::label_logarithms;

    fn shares(likeliest: &[(&str, f64)]) -> Option<Vec<f32>> {
        let logarithm = |(token, share): &(&str, f64)| ((*token).to_owned(), share.ln());
        let likeliest: Vec<_> = likeliest.iter().map(logarithm).collect();
        let logarithms = label_logarithms(&likeliest, &['Y', 'N'])?;
        Some(logarithms.into_iter().map(|it| (it.exp() * 100.0).round() / 100.0).collect())
    }

    #[test]
    fn the_tokens_of_a_label_are_added() {
        assert_eq!(
            shares(&[("Y", 0.5), (" Y", 0.1), ("N", 0.2), ("x", 0.1)]),
            Some(vec![0.75, 0.25])
        );
        assert_eq!(shares(&[("\u{120}N", 0.9), ("\u{2581}Y", 0.1)]), Some(vec![0.1, 0.9]));
    }

    #[test]
    fn a_label_that_is_missing_has_at_most_the_least_probability() {
        assert_eq!(shares(&[("Y", 0.9), ("Yes", 0.06), ("No", 0.04)]), Some(vec![0.96, 0.04]));
    }

    #[test]
    fn there_is_no_answer_without_labels_or_with_numbers_that_are_none() {
        assert_eq!(shares(&[("Yes", 0.9), ("<think>", 0.1)]), None);
        assert_eq!(shares(&[]), None);
        assert_eq!(shares(&[("Y", f64::NAN), ("N", f64::INFINITY)]), None);
    }
}
