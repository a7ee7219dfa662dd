//! Makes the table of the frames in `grammar`: for each meaning of a verb the rows that read it, in the order of the files.

use std::collections::{BTreeMap, BTreeSet};

use narratoria_text_tables::{Rows, TextFault};

use crate::{frame_rows::ParsedFrame, wordings::ClassBits};

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
    let of_verbs = verbs.rows.iter().flat_map(|(_, row)| row[1].split('|'));
    let of_verbs: BTreeSet<&str> = of_verbs.chain(CLAUSES).collect();
    let classes = ClassBits::read()?;
    let mut frames: BTreeMap<&str, String> = BTreeMap::new();
    let (mut all, mut count) = (String::new(), 0);
    for file in FILES.split(' ') {
        let name = format!("{file}.gram");
        let rows: Rows<5> = Rows::read_in_order(&format!("grammar/{name}"))?;
        for (line, row) in &rows.rows {
            let [verb, frame, cost, meaning, example] =
                row.each_ref().map(|column| -> &'static str { column.clone().leak() });
            let cost: u32 = cost
                .parse()
                .map_err(|_| rows.fault(*line, format!("the cost `{cost}` is no number")))?;
            let (of, phrases) = verb.split_once(' ').unwrap_or((verb, ""));
            let parsed = ParsedFrame::of(phrases, frame, meaning);
            let ParsedFrame { phrases, parts, meanings } =
                parsed.map_err(|what| rows.fault(*line, what))?;
            let needed = classes.needed_of_frame(frame);
            all += &format!(
                "VerbFrame {{ file: {name:?}, line: {line}, phrases: {phrases:?}, parts: {parts:?}, cost: {cost}, meanings: {meanings:?}, needed: {needed}, frame: {frame:?}, meaning: {meaning:?}, example: {example:?} }},\n"
            );
            for of in of.split(',') {
                let of = of.replace('-', " ");
                let found = of_pattern(&of_verbs, &of);
                if found.is_empty() {
                    return Err(rows.fault(*line, format!("no verb means `{of}`: see verbs.tsv")));
                }
                for of in found {
                    *frames.entry(of).or_default() += &format!("&ROWS[{count}], ");
                }
            }
            count += 1;
        }
    }
    let rows: String = frames.iter().map(|(of, rows)| format!("({of:?}, &[{rows}]),\n")).collect();
    Ok(format!(
        "pub(super) static ROWS: [VerbFrame; {count}] = [\n{all}];\n\
         pub(super) static FRAMES: &[(&str, &[&VerbFrame])] = &[\n{rows}];\n"
    ))
}

/// The meanings that a row is for: `do take`, or all that begin so: `gesture *`.
fn of_pattern<'m>(meanings: &BTreeSet<&'m str>, of: &str) -> Vec<&'m str> {
    let is_it = |known: &&&str| match of.strip_suffix('*') {
        Some(start) => known.starts_with(start),
        None => **known == of,
    };
    meanings.iter().filter(is_it).copied().collect()
}
