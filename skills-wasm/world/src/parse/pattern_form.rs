//! The form of a row: what its parts may be, and what its plain clause may call. The tables are tested by it, and the rows of a
//! campaign are checked by it.

use english::WordClass;

use crate::parse::patterns::{Construction, Kind};

/// What is wrong with the form of a row, in the order of its parts.
pub(super) fn faults(row: &Construction) -> Vec<String> {
    let mut found = RowForm { list: Vec::new(), labels: Vec::new(), words: 0 };
    found.pattern(row.pattern);
    found.plain(row.plain);
    found.list
}

/// How many parts of a row fit any number of words.
pub(super) fn loose_parts(pattern: &str) -> usize {
    let is_loose = |part: &&str| {
        let part = part.trim_start_matches('[').trim_end_matches(']');
        part == "..." || part.ends_with('*') || part.starts_with('{')
    };
    pattern.split(' ').filter(is_loose).count()
}

struct RowForm<'r> {
    list: Vec<String>,
    /// The names of the phrases that the pattern finds.
    labels: Vec<&'r str>,
    /// How many words it finds.
    words: usize,
}

impl<'r> RowForm<'r> {
    fn pattern(&mut self, pattern: &'r str) {
        let is_closed = match (pattern.matches('[').count(), pattern.matches(']').count()) {
            (0, 0) => true,
            (1, 1) => pattern.ends_with(']') && format!(" {pattern}").contains(" ["),
            _ => false,
        };
        if !is_closed {
            let what = "`[` and `]` stand once, around parts at the end that may be missing";
            self.list.push(what.to_owned());
        }
        for part in pattern.split(' ') {
            let part = part.trim_start_matches('[').trim_end_matches(']');
            if !part.is_empty() {
                self.part(part);
            }
        }
    }

    fn part(&mut self, part: &'r str) {
        if let Some(phrase) = part.strip_prefix('{') {
            return self.phrase(part, phrase);
        }
        if ["...", "_", ","].contains(&part) {
            return;
        }
        let words = part.trim_end_matches(['?', '*']);
        let is_kept = words.starts_with('<');
        if is_kept != words.ends_with('>') || is_kept && words != part {
            let what =
                format!("`{part}`: a word that the meaning has as `<1>` is written `<one|other>`");
            return self.list.push(what);
        }
        self.words += usize::from(is_kept);
        let words = words.trim_start_matches(['<', '^', '!']).trim_end_matches('>');
        for word in words.split('|') {
            self.word(part, word);
        }
    }

    fn word(&mut self, part: &str, word: &str) {
        if let Some(class) = word.strip_prefix('@') {
            if WordClass::named(class).is_none() {
                let likeness = |known: &&str| english::likeness(class, known);
                let near = WordClass::names().max_by_key(likeness).filter(|it| likeness(it) > 0);
                let near = near.map_or(String::new(), |near| format!(": is it `@{near}`?"));
                self.list.push(format!("there is no class of words `@{class}`{near}"));
            }
            return;
        }
        let is_plain = |c: char| c.is_lowercase() || c.is_numeric() || "-'_,&".contains(c);
        if word.is_empty() {
            self.list.push(format!("`{part}`: a word is missing beside a `|`"));
        } else if !word.chars().all(is_plain) {
            let what = format!("`{part}` is no part of a wording: words are in small letters");
            self.list.push(what);
        }
    }

    fn phrase(&mut self, part: &str, phrase: &'r str) {
        let Some(phrase) = phrase.strip_suffix('}') else {
            return self
                .list
                .push(format!("`{part}`: a `}}` is missing, or something stands behind it"));
        };
        let phrase = phrase.strip_suffix('!').unwrap_or(phrase);
        let (kind, label) = phrase.split_once(':').unwrap_or((phrase, phrase));
        if Kind::called(kind).is_none() {
            self.list.push(format!(
                "there is no kind of phrase `{{{kind}}}`: the kinds are {}",
                kinds()
            ));
        }
        self.labels.push(label);
    }

    fn plain(&mut self, plain: &str) {
        for part in plain.split(' ') {
            if let Some(label) = part.strip_prefix('{') {
                let label = label.trim_end_matches('}');
                if label != "partner" && !self.labels.contains(&label) {
                    let what = format!("the meaning has `{{{label}}}`, and the wording has not");
                    self.list.push(what);
                }
            } else if let Some(number) = part.strip_prefix('<') {
                let number = number.trim_end_matches('>');
                if !["1", "2"].contains(&number)
                    || number.parse::<usize>().is_ok_and(|number| number > self.words)
                {
                    let what = format!(
                        "the meaning has `<{number}>`, and the wording has {} such words",
                        self.words
                    );
                    self.list.push(what);
                }
            }
        }
    }
}

fn kinds() -> String {
    let names: Vec<String> = Kind::NAMED.iter().map(|(name, _)| format!("`{name}`")).collect();
    names.join(", ")
}
