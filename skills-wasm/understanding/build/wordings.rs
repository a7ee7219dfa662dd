//! Makes tables of the rows in `wordings`, each with the words that a clause must have for it.

use std::collections::BTreeMap;

use narratoria_text_tables::{Rows, TextFault};

#[path = "../src/forms/word_bits.rs"]
mod word_bits;

use word_bits::word_bit;

/// The deeds that the wordings tell, each with a table.
const DEEDS: &str =
    "dressing giving going light looking opening orders putting searching taking talking using";

/// The tables of wordings that are no deeds.
const SENTENCE_ROWS: &str = "person phrases asides word-order corrections sentences clauses";

/// The bits of a part that any word may fit.
const ANY: u128 = u128::MAX;

/// The rows that say a clause in plainer words.
pub(crate) fn deeds() -> Result<String, TextFault> {
    tables(DEEDS, "PlainerRule")
}

/// The rows for asides, for the order of words and for whole clauses.
pub(crate) fn sentence_rows() -> Result<String, TextFault> {
    tables(SENTENCE_ROWS, "Construction<'static>")
}

/// A constant for each table, with the lines of its rows: a pattern, its plain clause and an example, or a function with one.
fn tables(names: &str, of: &str) -> Result<String, TextFault> {
    let classes = ClassBits::read()?;
    let rule = |(line, row): &(usize, [String; 3])| match row {
        [kind, function, _] if kind == "fn" => {
            format!("    ({line}, PlainerRule::Function({function:?}, {function})),\n")
        }
        [pattern, plain, example] => {
            let needed = classes.needed(pattern);
            format!("    ({line}, pattern({pattern:?}, {plain:?}, {example:?}, {needed})),\n")
        }
    };
    let table = |table: &str| {
        let (file, name) = (format!("{table}.tsv"), table.to_uppercase().replace('-', "_"));
        let rows: Rows<3> = Rows::read_in_order(&format!("wordings/{file}"))?;
        let rows: String = rows.rows.iter().map(rule).collect();
        let table = format!("WordingTable {{ file: {file:?}, rows: &[\n{rows}] }}");
        Ok(format!("const {name}: WordingTable<{of}> = {table};\n"))
    };
    names.split(' ').map(table).collect()
}

/// The bits of the words of each class.
pub(crate) struct ClassBits(BTreeMap<String, u128>);

impl ClassBits {
    pub(crate) fn read() -> Result<ClassBits, TextFault> {
        let words: Rows<2> = Rows::read("../english/data/words.tsv")?;
        let mut bits = BTreeMap::new();
        for (_, [word, classes]) in &words.rows {
            // A phrase is there if its first word is.
            let word = word.split(' ').next().unwrap_or(word);
            for class in classes.split(' ') {
                *bits.entry(class.to_owned()).or_default() |= word_bit(word);
            }
        }
        Ok(ClassBits(bits))
    }

    /// The words that a clause must have for a pattern, as the program writes them.
    pub(crate) fn needed(&self, pattern: &str) -> String {
        let (first, anywhere) = self.of_row(pattern);
        format!("NeededWords {{ first: {first:#x}, anywhere: {anywhere:#x} }}")
    }

    /// The words that must stand behind a verb for a frame: a preposition, and what a slot must have.
    pub(crate) fn needed_of_frame(&self, frame: &str) -> String {
        if let Some(pattern) = frame.strip_prefix("= ") {
            return self.needed(pattern);
        }
        let parts = frame.split(' ').filter(|part| !["-", "_", "*", "...", "$"].contains(part));
        let bits = parts.map(|part| self.of_part(part.trim_end_matches(".."), "^$~"));
        let anywhere = bits.min_by_key(|bits| bits.count_ones()).unwrap_or(ANY);
        format!("NeededWords {{ first: {ANY:#x}, anywhere: {anywhere:#x} }}")
    }

    /// The bits of the words with which a clause may begin for a pattern, and of those of which it must have one somewhere.
    fn of_row(&self, pattern: &str) -> (u128, u128) {
        let parts: Vec<&str> =
            pattern.split(' ').take_while(|part| !part.starts_with('[')).collect();
        let must = |part: &str| part != "..." && !part.ends_with(['?', '*']);
        let begins = parts.iter().position(|part| must(part));
        let first = match begins {
            Some(at) if !parts[..at].contains(&"...") => {
                parts[..=at].iter().fold(0, |bits, part| bits | self.of_part(part, "^="))
            }
            _ => ANY,
        };
        let others = parts.iter().enumerate().filter(|(at, part)| *at > 0 && must(part));
        let bits = others.map(|(_, part)| self.of_part(part, "^$~="));
        (first, bits.min_by_key(|bits| bits.count_ones()).unwrap_or(ANY))
    }

    /// The bits of the words of which one must be there for a part: of a phrase by its features that begin with one of the marks.
    fn of_part(&self, part: &str, marks: &str) -> u128 {
        if let Some(phrase) = part.strip_prefix('{') {
            let kind = phrase.split([':', '}']).next().unwrap_or_default();
            let words = kind
                .split('.')
                .skip(1)
                .filter(|feature| feature.starts_with(|c| marks.contains(c)));
            return words
                .map(|feature| self.of_words(&feature[1..]))
                .min_by_key(|bits| bits.count_ones())
                .unwrap_or(ANY);
        }
        if part.starts_with('!') || ["$", "?", "\""].contains(&part) {
            return ANY;
        }
        self.of_words(part.trim_start_matches(['<', '^']).trim_end_matches(['>', '?', '*']))
    }

    /// The bits of words with bars between them, of which one must be there.
    fn of_words(&self, words: &str) -> u128 {
        words.split('|').fold(0, |bits, word| bits | self.of_word(word))
    }

    fn of_word(&self, word: &str) -> u128 {
        if let Some((one, other)) = word.split_once('&') {
            let other = if other.starts_with('!') { ANY } else { self.of_word(other) };
            return self.of_word(one) & other;
        }
        match word.strip_prefix('@') {
            Some(class) => self.0.get(class).copied().unwrap_or(ANY),
            None if word == "_" || word.starts_with(['#', '-']) => ANY,
            None if word == "." => word_bit(","),
            None => word_bit(word),
        }
    }
}

/// The kinds of questions without a noun: what each asks for, its groups of words with bars between them, and more words.
pub(crate) fn questions() -> Result<String, TextFault> {
    let rows: Rows<3> = Rows::read_in_order("wordings/questions.tsv")?;
    let mut kinds = String::new();
    for (number, [asked, groups, more]) in &rows.rows {
        let asked = match asked.split_once(' ') {
            None if asked == "help" => "AskedFor::Help".to_owned(),
            Some(("do", verb)) => {
                let parts = verb.split(' ').map(|part| part[..1].to_uppercase() + &part[1..]);
                format!("AskedFor::Do(Verb::{})", String::from_iter(parts))
            }
            Some(("sense", sense)) => format!("AskedFor::Sense({sense:?})"),
            _ => return Err(rows.fault(*number, format!("`{asked}` asks for nothing"))),
        };
        let groups: Vec<&str> = groups.split(" | ").collect();
        kinds += &format!(
            "    QuestionKind {{ asked: {asked}, groups: &{groups:?}, more: {more:?} }},\n"
        );
    }
    Ok(format!("const KINDS: &[QuestionKind] = &[\n{kinds}];\n"))
}
