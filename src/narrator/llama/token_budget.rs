//! Fits text into a number of tokens. Pure: the caller passes the function that counts.

use super::quote::CUT;

/// Counts the tokens of a text.
pub(super) type TokenCounter<'c> = &'c dyn Fn(&str) -> usize;

/// A piece of a prompt that is kept or dropped as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PromptPart {
    pub(super) text: String,
    /// The smallest is dropped first; a part without one is never dropped.
    pub(super) drop_order: Option<(u8, usize)>,
}

impl PromptPart {
    pub(super) fn fixed(text: impl Into<String>) -> PromptPart {
        PromptPart { text: text.into(), drop_order: None }
    }

    pub(super) fn droppable(text: impl Into<String>, stage: u8, order: usize) -> PromptPart {
        PromptPart { text: text.into(), drop_order: Some((stage, order)) }
    }
}

/// Joins the parts in their order, without the dropped ones.
pub(super) fn drop_to_fit(
    parts: Vec<PromptPart>,
    tokens_max: usize,
    count: TokenCounter<'_>,
) -> String {
    let is_kept = kept_parts(&parts, tokens_max, count);
    let kept = parts.into_iter().zip(is_kept).filter(|(_, is_kept)| *is_kept);
    kept.map(|(part, _)| part.text).collect()
}

/// For each part, whether it is kept.
pub(super) fn kept_parts(
    parts: &[PromptPart],
    tokens_max: usize,
    count: TokenCounter<'_>,
) -> Vec<bool> {
    let sizes: Vec<usize> = parts.iter().map(|part| count(&part.text)).collect();
    let mut total: usize = sizes.iter().sum();
    let mut order: Vec<usize> =
        (0..parts.len()).filter(|idx| parts[*idx].drop_order.is_some()).collect();
    // The sort is stable: among equals, the first is dropped first.
    order.sort_by_key(|idx| parts[*idx].drop_order);
    let mut is_kept = vec![true; parts.len()];
    for idx in order {
        if total <= tokens_max {
            break;
        }
        is_kept[idx] = false;
        total -= sizes[idx];
    }
    is_kept
}

/// Divides a number of tokens among several needs: in equal shares, and tokens that one does not need go to the others.
/// No share is larger than its need.
pub(super) fn fair_shares(needs: &[usize], tokens: usize) -> Vec<usize> {
    let mut shares = vec![0; needs.len()];
    let mut by_need: Vec<usize> = (0..needs.len()).collect();
    by_need.sort_by_key(|idx| needs[*idx]);
    let mut left = tokens;
    for (nth, idx) in by_need.iter().enumerate() {
        shares[*idx] = needs[*idx].min(left / (needs.len() - nth));
        left -= shares[*idx];
    }
    shares
}

/// Characters at either end of a text that are counted. Counting all tokens of a longer text would take too long.
const ENDS_CHARS_MAX: usize = 1_500;

/// Cuts a text to `tokens_max` tokens: two thirds come from its beginning, one third from its end.
pub(super) fn shorten(text: &str, tokens_max: usize, count: TokenCounter<'_>) -> String {
    let letters: Vec<char> = ends(text);
    if letters.len() == text.chars().count() && count(text) <= tokens_max {
        return text.to_owned();
    }
    let cut = |kept: usize| {
        let head = kept - kept / 3;
        let (head, tail) = (&letters[..head], &letters[letters.len() - kept / 3..]);
        format!("{}{CUT}{}", head.iter().collect::<String>(), tail.iter().collect::<String>())
    };
    let (mut fits, mut is_long) = (0, letters.len());
    while fits + 1 < is_long {
        let middle = fits.midpoint(is_long);
        match count(&cut(middle)) <= tokens_max {
            true => fits = middle,
            false => is_long = middle,
        }
    }
    cut(fits)
}

fn ends(text: &str) -> Vec<char> {
    let head: Vec<char> = text.chars().take(2 * ENDS_CHARS_MAX + 1).collect();
    if head.len() <= 2 * ENDS_CHARS_MAX {
        return head;
    }
    let mut tail: Vec<char> = text.chars().rev().take(ENDS_CHARS_MAX).collect();
    tail.reverse();
    head.into_iter().take(ENDS_CHARS_MAX).chain(tail).collect()
}

#[cfg(test)]
mod tests {
    use super::{PromptPart, drop_to_fit, fair_shares, shorten};

    fn words(text: &str) -> usize {
        text.split_whitespace().count()
    }

    #[test]
    fn parts_are_dropped_by_rank_and_the_rest_keeps_its_order() {
        let parts = || {
            vec![
                PromptPart::fixed("a "),
                PromptPart::droppable("b b ", 1, 0),
                PromptPart::droppable("c ", 0, 1),
                PromptPart::droppable("d ", 0, 0),
                PromptPart::fixed("e "),
            ]
        };
        let table: Vec<String> = (0..=6)
            .rev()
            .map(|max| format!("{max}: {}", drop_to_fit(parts(), max, &words).trim()))
            .collect();
        insta::assert_snapshot!(table.join("\n"), @"
        6: a b b c d e
        5: a b b c e
        4: a b b e
        3: a e
        2: a e
        1: a e
        0: a e
        ");
    }

    #[test]
    fn equal_shares_leave_what_one_does_not_need_to_the_others() {
        assert_eq!(fair_shares(&[10, 10, 10], 30), [10, 10, 10]);
        assert_eq!(fair_shares(&[10, 10, 10], 12), [4, 4, 4]);
        assert_eq!(fair_shares(&[2, 90, 20], 62), [2, 40, 20]);
        assert_eq!(fair_shares(&[5], 0), [0]);
        assert!(fair_shares(&[], 5).is_empty());
    }

    #[test]
    fn a_long_text_keeps_its_beginning_and_its_end() {
        let count = |text: &str| text.chars().count();
        assert_eq!(shorten("go north", 8, &count), "go north");
        assert_eq!(shorten("abcdefghijklmnopqrstuvwxyz", 12, &count), "abcdef[…]xyz");
        assert_eq!(shorten("abcdefghijklmnopqrstuvwxyz", 0, &count), "[…]");
        let long = "word ".repeat(10_000) + "the end";
        let short = shorten(&long, 100, &count);
        assert!(short.starts_with("word word") && short.ends_with("the end"), "{short}");
        assert!(count(&short) <= 100);
    }
}
