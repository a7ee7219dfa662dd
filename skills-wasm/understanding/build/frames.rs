//! Makes the table of the frames in `grammar`: for each meaning of a verb the rows that read it, in the order of the files.

use std::collections::{BTreeMap, BTreeSet};

use narratoria_text_tables::{Rows, TextFault};

use crate::wordings::ClassBits;

/// The files, in the order in which their rows stand in front of each other.
const FILES: &str = "putting looking taking handling giving talking risking going gestures guessing questions asking wishes errands saying";

/// The kinds of whole clauses that have frames of their own, beside the meanings of verbs.
const CLAUSES: [&str; 12] = [
    "along",
    "asked",
    "asking",
    "bodily",
    "errand",
    "guess",
    "narrator question",
    "question",
    "said",
    "said at last",
    "said instead",
    "wish",
];

/// The frames by the meanings of their verbs, sorted.
pub(crate) fn tables() -> Result<String, TextFault> {
    let verbs: Rows<2> = Rows::read("../english/data/verbs.tsv")?;
    let meanings = verbs.rows.iter().flat_map(|(_, row)| row[1].split('|'));
    let meanings: BTreeSet<&str> = meanings.chain(CLAUSES).collect();
    let classes = ClassBits::read()?;
    let mut frames: BTreeMap<String, String> = BTreeMap::new();
    for file in FILES.split(' ') {
        let name = format!("{file}.gram");
        let rows: Rows<5> = Rows::read_in_order(&format!("grammar/{name}"))?;
        for (line, [verb, frame, cost, meaning, example]) in &rows.rows {
            let cost: u32 = cost
                .parse()
                .map_err(|_| rows.fault(*line, format!("the cost `{cost}` is no number")))?;
            let needed = frame
                .strip_prefix("= ")
                .map_or("NeededWords::NONE".to_owned(), |it| classes.needed(it));
            let (of, phrases) = verb.split_once(' ').unwrap_or((verb, ""));
            for of in of.split(',') {
                let of = of.replace('-', " ");
                let found = of_pattern(&meanings, &of);
                if found.is_empty() {
                    return Err(rows.fault(*line, format!("no verb means `{of}`: see verbs.tsv")));
                }
                for of in found {
                    *frames.entry(of.to_owned()).or_default() += &format!(
                        "VerbFrame {{ file: {name:?}, line: {line}, phrases: {phrases:?}, frame: {frame:?}, cost: {cost}, meaning: {meaning:?}, example: {example:?}, needed: {needed} }},\n"
                    );
                }
            }
        }
    }
    let rows: String =
        frames.iter().map(|(of, rows)| format!("({of:?}, &[\n{rows}]),\n")).collect();
    Ok(format!("static FRAMES: &[(&str, &[VerbFrame])] = &[\n{rows}];\n"))
}

/// The meanings that a row is for: `do take`, or all that begin so: `gesture *`.
fn of_pattern<'m>(meanings: &BTreeSet<&'m str>, of: &str) -> Vec<&'m str> {
    let is_it = |known: &&&str| match of.strip_suffix('*') {
        Some(start) => known.starts_with(start),
        None => **known == of,
    };
    meanings.iter().filter(is_it).copied().collect()
}
