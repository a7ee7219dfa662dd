//! Rows in columns.

use unicode_width::UnicodeWidthStr;

use super::{
    text::{cut_line, pad, visible_line},
    wrap::wrap_row,
};

const GAP: &str = "  ";

/// A table with a heading. Cells are escaped; rows that are wider than `width` are wrapped.
pub fn render_table<const N: usize>(
    heading: [&str; N],
    rows: &[[String; N]],
    width: Option<usize>,
) -> String {
    let (rows, last_column) = table_rows(heading, rows);
    rows.iter().map(|row| wrap_row(&format!("{row}\n"), last_column, width)).collect()
}

/// A table with one line for each row, cut at `width` columns: the caller adds lines between them.
pub(super) fn render_cut_table<const N: usize>(
    heading: [&str; N],
    rows: &[[String; N]],
    width: Option<usize>,
) -> String {
    let cut = |row: &String| format!("{}\n", cut_line(row, width.unwrap_or(usize::MAX), false));
    table_rows(heading, rows).0.iter().map(cut).collect()
}

/// Returns the lines, and the column at which the last cell begins.
fn table_rows<const N: usize>(heading: [&str; N], rows: &[[String; N]]) -> (Vec<String>, usize) {
    let mut lines: Vec<[String; N]> = vec![heading.map(str::to_owned)];
    lines.extend(rows.iter().map(|row| row.each_ref().map(|cell| visible_line(cell))));
    let before_last = N.saturating_sub(1);
    let wide: Vec<usize> = (0..before_last)
        .map(|column| lines.iter().map(|line| line[column].width()).max().unwrap_or(0))
        .collect();
    let row = |line: &[String; N]| {
        let cells = line.iter().zip(&wide).map(|(cell, wide)| pad(cell, *wide) + GAP);
        let row: String = cells.chain(line.last().cloned()).collect();
        row.trim_end().to_owned()
    };
    (lines.iter().map(row).collect(), wide.iter().map(|wide| wide + GAP.len()).sum())
}

#[cfg(test)]
mod tests {
    use super::{render_cut_table, render_table};

    #[test]
    fn columns_stand_under_their_heading() {
        let rows = [
            ["dice-roller".to_owned(), "1.0.0".to_owned(), "Rolls dice.".to_owned()],
            ["戸".to_owned(), "0.1.0".to_owned(), "Opens\n\u{1b}doors.".to_owned()],
        ];
        insta::assert_snapshot!(render_cut_table(["NAME", "VERSION", "DOES"], &rows, Some(28)), @r"
        NAME         VERSION  DOES
        dice-roller  1.0.0    Rolls…
        戸           0.1.0    Opens…
        ");
        insta::assert_snapshot!(render_table(["NAME", "VERSION", "DOES"], &rows, Some(34)), @r"
        NAME         VERSION  DOES
        dice-roller  1.0.0    Rolls dice.
        戸           0.1.0    Opens
                              \u{1b}doors.
        ");
        insta::assert_snapshot!(render_table(["NAME", "VERSION", "DOES"], &rows, None), @r"
        NAME         VERSION  DOES
        dice-roller  1.0.0    Rolls dice.
        戸           0.1.0    Opens \u{1b}doors.
        ");
    }
}
