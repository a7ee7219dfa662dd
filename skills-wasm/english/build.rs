//! Makes tables of the words in `data`. A guest starts for every turn, so it finds them sorted and parses nothing.

use std::{collections::BTreeMap, fmt::Debug, process::ExitCode};

use narratoria_text_tables::{Rows, TextFault, write};

fn main() -> ExitCode {
    narratoria_text_tables::run(|| {
        write("classes.rs", &classes()?)?;
        write("verbs.rs", &verbs()?)?;
        write("respelled.rs", &respelled()?)?;
        write("irregular.rs", &table_of_rows("IRREGULAR", "data/irregular.tsv")?)?;
        write("by_ear.rs", &table_of_rows("BY_EAR", "data/by-ear.tsv")?)?;
        write("deed_nouns.rs", &table_of_rows("DEED_NOUNS", "data/deed-nouns.tsv")?)?;
        write("kinds.rs", &kinds()?)?;
        write("numbers.rs", &numbers()?)
    })
}

/// An enum of the classes, and the words of each. Every class has words, and every word has known classes.
fn classes() -> Result<String, TextFault> {
    let known: Rows<2> = Rows::read("data/classes.tsv")?;
    let words: Rows<2> = Rows::read("data/words.tsv")?;
    let mut by_class = BTreeMap::<&str, Vec<&str>>::new();
    for (_, [class, _]) in &known.rows {
        by_class.insert(class, Vec::new());
    }
    for (number, [word, classes]) in &words.rows {
        let classes = words.parts(*number, classes, ' ')?;
        if !classes.is_sorted() {
            return Err(words.fault(*number, format!("the classes of `{word}` are not sorted")));
        }
        for class in classes {
            let Some(of_class) = by_class.get_mut(class) else {
                let what = format!("`{class}` is no class of `classes.tsv`");
                return Err(words.fault(*number, what));
            };
            of_class.push(word);
        }
    }
    let (mut variants, mut tables, mut all) = (String::new(), String::new(), String::new());
    let mut explanations = String::new();
    for (number, [class, what]) in &known.rows {
        let of_class = &by_class[class.as_str()];
        if of_class.is_empty() {
            return Err(known.fault(*number, format!("no word is of the class `{class}`")));
        }
        let variant = camel(class);
        variants += &format!("    /// {what}\n    {variant},\n");
        all += &format!("    ({class:?}, WordClass::{variant}),\n");
        explanations += &format!("    {what:?},\n");
        tables += &table(of_class);
    }
    let count = known.rows.len();
    Ok(format!(
        "/// A class of words: what a rule asks of a word.\n\
         #[derive(Debug, Clone, Copy, PartialEq, Eq)]\n\
         pub enum WordClass {{\n{variants}}}\n\n\
         /// The words of each class, in the order of the classes.\n\
         static CLASS_WORDS: [ClassWords; {count}] = [\n{tables}];\n\n\
         /// The classes by their names.\n\
         static CLASSES: [(&str, WordClass); {count}] = [\n{all}];\n\n\
         /// What the words of each class have in common, in the order of the classes.\n\
         static CLASS_EXPLANATIONS: [&str; {count}] = [\n{explanations}];\n"
    ))
}

/// The words of a class, with the bits of their first and last letters and of their lengths.
fn table(words: &[&str]) -> String {
    let bits = |bit: fn(&str) -> usize| {
        words.iter().fold(0_u32, |bits, word| bits | (1 << (bit(word) & 31)))
    };
    let firsts = bits(|word| usize::from(word.as_bytes()[0]));
    let lasts = bits(|word| usize::from(word.as_bytes()[word.len() - 1]));
    let lens = bits(str::len);
    format!(
        "    ClassWords {{ firsts: {firsts:#x}, lasts: {lasts:#x}, lens: {lens:#x}, words: &{words:?} }},\n"
    )
}

/// `way-word` becomes `WayWord`.
fn camel(class: &str) -> String {
    class.split('-').map(|part| part[..1].to_uppercase() + &part[1..]).collect()
}

/// The phrases of verbs with their first words, and the meanings that they have.
fn verbs() -> Result<String, TextFault> {
    let rows: Rows<2> = Rows::read("data/verbs.tsv")?;
    let mut phrases: Vec<(&str, &str, &str)> = Vec::new();
    let mut meanings = BTreeMap::<&str, usize>::new();
    for (number, [phrase, senses]) in &rows.rows {
        let first = phrase.split(' ').next().unwrap_or_default();
        for sense in rows.parts(*number, senses, '|')? {
            meanings.insert(sense, 0);
            phrases.push((first, phrase, sense));
        }
    }
    // A phrase with a mark that comes before the blank would stand among those of another first word.
    phrases.sort_by_key(|(first, ..)| *first);
    for (idx, meaning) in meanings.values_mut().enumerate() {
        *meaning = idx;
    }
    let entries: String = phrases
        .iter()
        .map(|(first, phrase, sense)| {
            let meaning = meanings[sense];
            format!(
                "    VerbPhrase {{ first: {first:?}, phrase: {phrase:?}, meaning: {meaning} }},\n"
            )
        })
        .collect();
    let (count, meanings) = (phrases.len(), Vec::from_iter(meanings.keys()));
    Ok(format!(
        "/// What the phrases of verbs mean, by name. [`VerbPhrase::meaning`] is a place in it.\n\
         pub const VERB_MEANINGS: [&str; {}] = {meanings:?};\n\n\
         static VERB_PHRASES: [VerbPhrase; {count}] = [\n{entries}];\n",
        meanings.len()
    ))
}

/// Single words that are respelled, and several words that mean others.
fn respelled() -> Result<String, TextFault> {
    let rows: Rows<2> = Rows::read("data/respelled.tsv")?;
    let (mut words, mut phrases) = (Vec::new(), Vec::new());
    for (line, [written, meant]) in &rows.rows {
        let meant = if meant == "-" { "" } else { meant };
        let row = word_row(*line, written, meant);
        if written.contains(' ') {
            phrases.push((Vec::from_iter(written.split(' ')), row));
        } else {
            words.push(row);
        }
    }
    // The longest first, so that the first that fits is the longest.
    phrases.sort_by(|(one, _), (other, _)| {
        one[0].cmp(other[0]).then(other.len().cmp(&one.len())).then(one.cmp(other))
    });
    let lines = phrases.iter().map(|(words, row)| format!("    (&{words:?}, {row}),\n"));
    let (count, lines) = (phrases.len(), String::from_iter(lines));
    let joined = format!("static JOINED: [(&[&str], WordRow); {count}] = [\n{lines}];\n");
    Ok(word_rows("RESPELLED", words) + &joined)
}

/// The rows of a table with their lines, sorted by their first words.
fn table_of_rows(name: &str, path: &str) -> Result<String, TextFault> {
    let rows: Rows<2> = Rows::read(path)?;
    let of = rows.rows.iter().map(|(line, [written, meant])| word_row(*line, written, meant));
    Ok(word_rows(name, of.collect()))
}

fn word_row(line: usize, written: &str, meant: &str) -> String {
    format!("WordRow {{ line: {line}, written: {written:?}, meant: {meant:?} }}")
}

fn word_rows(name: &str, rows: Vec<String>) -> String {
    let (count, rows) = (rows.len(), rows.join(",\n    "));
    format!("static {name}: [WordRow; {count}] = [\n    {rows},\n];\n")
}

/// Pairs of a word and a value of this type.
fn pairs<'p>(
    name: &str,
    of: &str,
    pairs: impl IntoIterator<Item = (&'p str, impl Debug)>,
) -> String {
    let lines = pairs.into_iter().map(|(word, value)| format!("    ({word:?}, {value:?}),\n"));
    let lines = Vec::from_iter(lines);
    format!("static {name}: [(&str, {of}); {}] = [\n{}];\n", lines.len(), lines.concat())
}

/// The kinds, and for each word the kinds that it is of.
fn kinds() -> Result<String, TextFault> {
    let rows: Rows<2> = Rows::read("data/kinds.tsv")?;
    let (mut lines, mut by_word) = (String::new(), BTreeMap::<&str, Vec<usize>>::new());
    for (idx, (number, [heads, others])) in rows.rows.iter().enumerate() {
        let heads = rows.parts(*number, heads, ' ')?;
        let others = if others == "-" { Vec::new() } else { rows.parts(*number, others, ' ')? };
        for word in heads.iter().chain(&others) {
            let kinds = by_word.entry(word).or_default();
            if kinds.contains(&idx) {
                return Err(rows.fault(*number, format!("`{word}` stands there twice")));
            }
            kinds.push(idx);
        }
        lines += &format!("    WordKind {{ heads: &{heads:?}, others: &{others:?} }},\n");
    }
    let kinds = format!("static KINDS: [WordKind; {}] = [\n{lines}];\n", rows.rows.len());
    let words = by_word.iter().map(|(word, of)| format!("    ({word:?}, &{of:?}),\n"));
    let (count, words) = (by_word.len(), String::from_iter(words));
    Ok(kinds + &format!("static KIND_WORDS: [(&str, &[u8]); {count}] = [\n{words}];\n"))
}

/// The words of numbers by their numbers, which are those up to twenty and the tens, and the nouns of amounts.
fn numbers() -> Result<String, TextFault> {
    let rows: Rows<3> = Rows::read("data/numbers.tsv")?;
    let (mut numbers, mut amounts) = (Vec::new(), Vec::new());
    for (line, [word, number, kind]) in &rows.rows {
        let Ok(number) = number.parse::<u64>() else {
            return Err(rows.fault(*line, format!("`{number}` is no number")));
        };
        match kind.as_str() {
            "number" => numbers.push((number, word)),
            "amount" => amounts.push((number, word)),
            _ => {
                return Err(rows.fault(*line, format!("`{kind}` is neither `number` nor `amount`")));
            }
        }
    }
    numbers.sort();
    if !numbers.iter().map(|(number, _)| *number).eq((0..=20).chain((30..100).step_by(10))) {
        let what = "it has a word for each number up to twenty and for each ten up to ninety";
        return Err(TextFault::of_file("data/numbers.tsv", what));
    }
    let array = |name: &str, of: Vec<(u64, &String)>| {
        pairs(name, "u64", of.into_iter().map(|(number, word)| (word.as_str(), number)))
    };
    Ok(array("NUMBERS", numbers) + &array("AMOUNTS", amounts))
}
