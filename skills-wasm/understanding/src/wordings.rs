//! Wordings of a campaign's author, the rows of `grammar.gram`: how they are read, and the form that each must have. Knows
//! nothing of files.

use world_model::{
    check::{self, WorldFault},
    definition::{WordingDefinition, WorldDefinition},
};

pub use crate::VERB_TESTS;

/// Most rows of a campaign: each is compared with each clause of the player.
pub const GRAMMAR_ROWS_MAX: usize = 100;

/// Longest row, in bytes.
pub const GRAMMAR_ROW_BYTES_MAX: usize = 500;

/// All rows of a campaign together, in bytes.
pub const GRAMMAR_BYTES_MAX: usize = 16 << 10;

/// Most parts of a wording and most words of its meaning.
pub const GRAMMAR_ROW_PARTS_MAX: usize = 24;

/// Most parts of a wording that fit any number of words: each more multiplies the ways to fit a clause.
pub const GRAMMAR_ROW_LOOSE_PARTS_MAX: usize = 4;

/// Most loose parts of all rows together.
pub const GRAMMAR_LOOSE_PARTS_MAX: usize = 200;

/// What is wrong with a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordingFault {
    /// Its line, from 1.
    pub line: u32,
    /// The row, the value and the way out.
    pub message: String,
}

impl WordingFault {
    pub(crate) fn new(line: u32, message: impl Into<String>) -> WordingFault {
        WordingFault { line, message: message.into() }
    }
}

/// Checks a definition with the wordings of its author, and returns all problems.
pub fn check_world(world: &WorldDefinition) -> Result<(), Vec<WorldFault>> {
    let mut faults = check::check(world).err().unwrap_or_default();
    let of_rows = check_wordings(&world.wordings).into_iter();
    faults.extend(of_rows.map(|WordingFault { line, message }| {
        WorldFault::of_world(format!("wording {line}: {message}"))
    }));
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// The columns of a row, as messages name them.
const COLUMNS: &str = "a wording, its meaning and an example, with a tab between them";

/// Reads the rows of a text: three columns with tabs between them. A line that begins with `#` is a note.
pub fn read_wordings(text: &str) -> (Vec<WordingDefinition>, Vec<WordingFault>) {
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() || text.starts_with('#') {
            continue;
        }
        if rows.len() == GRAMMAR_ROWS_MAX {
            let what = format!(
                "there are more than {GRAMMAR_ROWS_MAX} rows: this one and all behind it are not read"
            );
            faults.push(WordingFault::new(line, what));
            break;
        }
        if text.len() > GRAMMAR_ROW_BYTES_MAX {
            let what =
                format!("the row has {} bytes, {GRAMMAR_ROW_BYTES_MAX} are allowed", text.len());
            faults.push(WordingFault::new(line, what));
            continue;
        }
        let columns = text.split('\t').map(str::trim).filter(|column| !column.is_empty());
        let columns: Vec<String> = columns.map(str::to_owned).collect();
        match <[String; 3]>::try_from(columns) {
            Ok([wording, meaning, example]) => {
                rows.push(WordingDefinition { wording, meaning, example, line });
            }
            Err(columns) => faults.push(WordingFault::new(line, of_columns(text, columns.len()))),
        }
    }
    (rows, faults)
}

fn of_columns(text: &str, count: usize) -> String {
    match count {
        2 => "the row has no example: write a sentence that it fits behind a third tab".to_owned(),
        1 if text.contains("  ") => {
            format!("the row has no tab: it is {COLUMNS}, and an editor may write blanks for a tab")
        }
        count => format!("the row has {count} columns: it is {COLUMNS}"),
    }
}

/// Checks the form and the sizes of all rows.
pub fn check_wordings(rows: &[WordingDefinition]) -> Vec<WordingFault> {
    let mut faults = Vec::new();
    let (mut bytes, mut loose) = (0, 0);
    for (at, row) in rows.iter().enumerate() {
        let mut fault = |what: String| faults.push(WordingFault::new(row.line, what));
        let of_row = row.wording.len() + row.meaning.len() + row.example.len();
        let loose_parts = crate::loose_parts(&row.wording);
        (bytes, loose) = (bytes + of_row, loose + loose_parts);
        let parts = [&row.wording, &row.meaning].map(|text| text.split(' ').count());
        let sizes = [
            (at + 1, GRAMMAR_ROWS_MAX, "rows"),
            (of_row, GRAMMAR_ROW_BYTES_MAX, "bytes in the row"),
            (bytes, GRAMMAR_BYTES_MAX, "bytes in all rows"),
            (parts[0].max(parts[1]), GRAMMAR_ROW_PARTS_MAX, "words or parts in the row"),
            (loose_parts, GRAMMAR_ROW_LOOSE_PARTS_MAX, "parts of any length in the row"),
            (loose, GRAMMAR_LOOSE_PARTS_MAX, "parts of any length in all rows"),
        ];
        if let Some((count, max, what)) = sizes.into_iter().find(|(count, max, _)| count > max) {
            fault(format!("with it there are {count} {what}, {max} are allowed"));
            // What is too large is not looked at.
            return faults;
        }
        let texts = [&row.wording, &row.meaning, &row.example];
        if texts.iter().any(|text| text.trim() != **text || text.is_empty() || text.contains("  "))
        {
            fault("a column is empty, or a blank is one too many".to_owned());
        }
        if texts.iter().any(|text| text.contains(char::is_control)) {
            fault("a column has a control character".to_owned());
        }
        crate::form_faults(row).into_iter().for_each(&mut fault);
        if let Some(first) = rows[..at].iter().find(|first| first.wording == row.wording) {
            fault(format!("`{}` stands in line {} already", row.wording, first.line));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The faults of a file, a line each.
    #[track_caller]
    fn check(text: &str, expect: &str) {
        let (rows, mut faults) = read_wordings(text);
        faults.extend(check_wordings(&rows));
        let lines: Vec<String> =
            faults.iter().map(|fault| format!("{}: {}", fault.line, fault.message)).collect();
        assert_eq!(lines.join("\n"), expect);
    }

    #[test]
    fn a_row_has_three_columns_and_notes_have_none() {
        check("# A note.\n\nsound {seen:horn}\tuse {horn}\tsound the horn\n", "");
        check(
            "sound {seen}\tuse {seen}\n",
            "1: the row has no example: write a sentence that it fits behind a third tab",
        );
        check(
            "sound {seen}  use {seen}  sound the horn\n",
            "1: the row has no tab: it is a wording, its meaning and an example, with a tab between them, and an editor may write blanks for a tab",
        );
        check(
            "a\tb\tc\td\n",
            "1: the row has 4 columns: it is a wording, its meaning and an example, with a tab between them",
        );
    }

    #[test]
    fn a_part_that_no_wording_has_is_named() {
        check(
            "Sound {horn}\tuse <1> {bell}\tsound it\nblow @direktion\tgo north\tblow\n\
             blow [up\twait\tblow\nblow a|\twait\tblow\nblow <up\twait\tblow\n",
            "1: `Sound` is no part of a wording: words are in small letters\n\
             1: there is no kind of phrase `{horn}`: the kinds are `text`, `topic`, `rest`, `piece`, `tail`, `hero`, `deed`, `name`, `unnamed`, `unseen`, `named`, `seen`, `view`, `spot`, `held`, `free`, `movable`, `weapon`, `working`, `garment`, `goal`, `person`, `present`, `whom`, `away`, `thing`, `tool`, `detail`, `unread`, `part`, `worn`, `wearable`, `open`, `closed`, `locked`, `unlit`, `lit`, `edible`, `drinkable`, `readable`, `owned`, `holder`, `way`, `takable`\n\
             1: the meaning has `<1>`, and the wording has 0 such words\n\
             1: the meaning has `{bell}`, and the wording has not\n\
             2: there is no class of words `@direktion`: is it `@direction`?\n\
             3: `[` and `]` stand once, around parts at the end that may be missing\n\
             4: `a|`: a word is missing beside a `|` or a `&`\n\
             5: `<up`: a word that the meaning has as `<1>` is written `<one|other>`",
        );
        check("a\twait\ta\na\twait\ta\n", "2: `a` stands in line 1 already");
    }

    #[test]
    fn what_a_row_asks_of_the_world_is_checked() {
        check(
            "glorp {held.!lit.$horn|@body:it} up [with ...]\tuse {it} with {near:container.open}\tglorp the horn up\n\
             bribe {present} with {held}\tgive {held} to {present} if wants present held and differs held present\tbribe Ida with it\n\
             again #do-take&!@hand {seen} <#verb>\t> <1!> {owner:seen}\ttake it up\n\
             crane up\texamine {here:sky|roof}\tcrane up\n",
            "",
        );
        check(
            "glorp {held.shiny:it}\tuse {it}\tglorp it\n\
             blow {text.lit:it}\tuse {it}\tblow it\n\
             turn {held.$@handd:key}\tunlock {lok:key} with {key}\tturn it\n\
             twist {held:key}\tunlock {lock:kee} with {key}\ttwist it\n\
             close it\tclose {near:shiny}\tclose it\n\
             take it\ttake {it}\ttake it\n\
             bribe {present}\tgive it if wants present and likes present\tbribe him\n\
             again #do-glorp it\ttake > {partner\tglorp it\n",
            &format!(
                "1: there is no feature `shiny`: the features are {FEATURES}, `carried`, `a-thing`, `called`, `full`\n\
                 2: `{{text.lit:it}}`: `{{text}}` is only words, which are never `lit`: another kind names something\n\
                 3: there is no class of words `@handd`: is it `@hand`?\n\
                 3: a meaning has nothing that is called `{{lok:…}}`: there are `it`, `near`, `both`, `here`, `lock`, `lamp`, `source`, `gift`, `wish`, `wisher`, `owner`, `behind`, `belonging`, `first`, `name`, `around`, `contents`, `sole`, `drink`\n\
                 4: `{{lock:kee}}`: the wording has no phrase that is called `kee`\n\
                 5: there is no feature `shiny`: the features are {FEATURES}\n\
                 6: the meaning has `{{it}}`, and the wording has not\n\
                 7: `if wants present`: `wants` has 2 names of phrases behind it\n\
                 7: there is no condition `if likes`: the conditions are `alike`, `unshown`, `wants`, `opens`, `differs`, `inside`, `takes`, `listened`\n\
                 8: there is no meaning of verbs `#do-glorp`: they are those of verbs.tsv with a `-` for the blank, such as `#do-take`\n\
                 8: `>` stands at the beginning of a meaning that is read by the rows again, and a blank behind it\n\
                 8: `{{partner`: a `}}` is missing, or something stands behind it"
            ),
        );
    }

    /// The features of entities, as messages list them.
    const FEATURES: &str = "`seen`, `held`, `free`, `movable`, `here`, `door`, `place`, `person`, `creature`, `thing`, `scenery`, `fixed`, `openable`, `container`, `laden`, `lockable`, `light`, `reacting`, `igniting`, `used`, `usable`, `plain`, `hiding`, `useful`, `worn`, `wearable`, `open`, `closed`, `locked`, `unlit`, `lit`, `edible`, `drinkable`, `readable`, `owned`, `holder`, `way`, `takable`";

    #[test]
    fn rows_have_limits() {
        let rows = |count: usize| -> String {
            (0..count).map(|n| format!("blow x{n}\twait\tblow x{n}\n")).collect()
        };
        check(&rows(GRAMMAR_ROWS_MAX), "");
        check(
            &rows(GRAMMAR_ROWS_MAX + 1),
            "101: there are more than 100 rows: this one and all behind it are not read",
        );
        check(
            &format!("{}\twait\tblow\n", "x".repeat(GRAMMAR_ROW_BYTES_MAX)),
            "1: the row has 510 bytes, 500 are allowed",
        );
        check(
            "... a ... b ... c ... d ...\twait\ta b c d\n",
            "1: with it there are 5 parts of any length in the row, 4 are allowed",
        );
        check(
            &format!("a{}\twait\ta\n", " b?".repeat(GRAMMAR_ROW_PARTS_MAX)),
            "1: with it there are 25 words or parts in the row, 24 are allowed",
        );
        let long = |n: usize| format!("{} x{n}\twait\tblow\n", "y".repeat(400));
        let many: String = (0..60).map(long).collect();
        check(&many, "40: with it there are 16470 bytes in all rows, 16384 are allowed");
        let loose: String =
            (0..60).map(|n| format!("x{n} ... a ... b ... c ...\twait\tb\n")).collect();
        check(&loose, "51: with it there are 204 parts of any length in all rows, 200 are allowed");
    }
}
