//! All phrases by their first words, sorted by the compiler: a script that starts for each sentence must not sort them.

use super::{Meaning, phrases::PHRASES, verbs::VERBS};

/// A phrase of the lists, with its first word.
#[derive(Clone, Copy)]
pub(super) struct LexiconEntry {
    pub(super) first: &'static str,
    pub(super) phrase: &'static str,
    pub(super) meaning: Meaning,
}

/// The entries by their first words. Those with one first word stand in the order of the lists.
#[expect(long_running_const_eval, reason = "seven thousand phrases are sorted")]
pub(super) static LEXICON: [LexiconEntry; COUNT] = merge_sorted(entries());

const COUNT: usize = phrases_of(VERBS) + phrases_of(PHRASES);

const fn phrases_of(list: &[(&str, Meaning)]) -> usize {
    let (mut count, mut row) = (0, 0);
    while row < list.len() {
        let text = list[row].0.as_bytes();
        count += 1;
        let mut at = 0;
        while at < text.len() {
            if text[at] == b'|' {
                count += 1;
            }
            at += 1;
        }
        row += 1;
    }
    count
}

const fn entries() -> [LexiconEntry; COUNT] {
    let nothing = LexiconEntry { first: "", phrase: "", meaning: Meaning::Again };
    let mut entries = [nothing; COUNT];
    let mut filled = 0;
    let lists = [VERBS, PHRASES];
    let mut list = 0;
    while list < lists.len() {
        let mut row = 0;
        while row < lists[list].len() {
            let (mut phrases, meaning) = lists[list][row];
            loop {
                let (phrase, others) = split_at_first(phrases, b'|');
                let (first, _) = split_at_first(phrase, b' ');
                entries[filled] = LexiconEntry { first, phrase, meaning };
                filled += 1;
                match others {
                    Some(others) => phrases = others,
                    None => break,
                }
            }
            row += 1;
        }
        list += 1;
    }
    entries
}

/// What stands before the first such byte, and what stands behind it, where there is one.
const fn split_at_first(text: &str, byte: u8) -> (&str, Option<&str>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == byte {
            let (before, behind) = text.split_at(at);
            return (before, Some(behind.split_at(1).1));
        }
        at += 1;
    }
    (text, None)
}

/// Merges runs of 1, 2, 4 … entries, so that equal first words keep their order.
const fn merge_sorted(mut from: [LexiconEntry; COUNT]) -> [LexiconEntry; COUNT] {
    let mut width = 1;
    while width < COUNT {
        let mut merged = from;
        let mut start = 0;
        while start < COUNT {
            let middle = smaller(start + width, COUNT);
            let end = smaller(start + 2 * width, COUNT);
            let (mut left, mut right, mut at) = (start, middle, start);
            while at < end {
                let is_left = right == end
                    || (left < middle && !is_before(from[right].first, from[left].first));
                if is_left {
                    merged[at] = from[left];
                    left += 1;
                } else {
                    merged[at] = from[right];
                    right += 1;
                }
                at += 1;
            }
            start += 2 * width;
        }
        from = merged;
        width *= 2;
    }
    from
}

const fn smaller(a: usize, b: usize) -> usize {
    if a < b { a } else { b }
}

const fn is_before(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() {
        if a[at] != b[at] {
            return a[at] < b[at];
        }
        at += 1;
    }
    a.len() < b.len()
}

#[cfg(test)]
mod tests {
    use super::{LEXICON, LexiconEntry, PHRASES, VERBS};

    #[test]
    fn the_compiler_sorts_the_phrases_as_the_standard_library_does() {
        let mut expected: Vec<(&str, &str)> = Vec::new();
        let lists = [VERBS, PHRASES];
        for (phrases, _) in lists.into_iter().flatten() {
            let first = |phrase: &&'static str| phrase.split(' ').next().unwrap_or(*phrase);
            expected.extend(phrases.split('|').map(|phrase| (first(&phrase), phrase)));
        }
        expected.sort_by_key(|(first, _)| *first);
        let pair = |entry: &LexiconEntry| (entry.first, entry.phrase);
        assert_eq!(LEXICON.iter().map(pair).collect::<Vec<_>>(), expected);
    }
}
