//! Rows in columns.

use unicode_width::UnicodeWidthStr;

use super::{
    Look,
    text::{cut_line, pad, visible_line},
    wrap::wrap_row,
};

/// Columns between two cells.
const GAP: usize = 2;

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

/// Cuts the cells of some columns, each at so many columns of the screen, if the table is wider than it. Returns for each
/// row which of these cells lose a part, so that the caller can say them whole below the row.
pub(super) fn fit_cells<const N: usize>(
    heading: [&str; N],
    rows: &mut [[String; N]],
    most: &[(usize, usize)],
    look: Look,
) -> Vec<Vec<usize>> {
    let widest = table_rows(heading, rows).0.iter().map(|line| line.width()).max().unwrap_or(0);
    let Some(width) = look.width.filter(|width| widest > *width) else {
        return vec![Vec::new(); rows.len()];
    };
    let mut cut = vec![Vec::new(); rows.len()];
    for (row, cut) in rows.iter_mut().zip(&mut cut) {
        for &(column, columns_max) in most {
            // The cell is escaped before it is cut, because an escape is longer than the character.
            let whole = visible_line(&row[column]);
            row[column] = cut_line(&whole, columns_max, look.ascii);
            if row[column] != whole {
                cut.push(column);
            }
        }
    }
    // A narrow screen cuts the row itself, too.
    let starts = column_starts(&table_lines(heading, rows));
    for (row, cut) in rows.iter().zip(&mut cut) {
        let is_beyond = |column: usize| starts[column] + row[column].width() > width;
        let columns = most.iter().map(|(column, _)| *column);
        let beyond: Vec<usize> =
            columns.filter(|column| is_beyond(*column) && !cut.contains(column)).collect();
        cut.extend(beyond);
    }
    cut
}

/// Returns the lines, and the column at which the last cell begins.
fn table_rows<const N: usize>(heading: [&str; N], rows: &[[String; N]]) -> (Vec<String>, usize) {
    let lines = table_lines(heading, rows);
    let starts = column_starts(&lines);
    let row = |line: &[String; N]| {
        let mut row = String::new();
        for (cell, start) in line.iter().zip(&starts) {
            row = pad(&row, *start) + cell;
        }
        row.trim_end().to_owned()
    };
    (lines.iter().map(row).collect(), starts.last().copied().unwrap_or(0))
}

/// The cells of the heading and of the rows, escaped.
fn table_lines<const N: usize>(heading: [&str; N], rows: &[[String; N]]) -> Vec<[String; N]> {
    let mut lines: Vec<[String; N]> = vec![heading.map(str::to_owned)];
    lines.extend(rows.iter().map(|row| row.each_ref().map(|cell| visible_line(cell))));
    lines
}

/// The columns of the screen at which the cells begin.
fn column_starts<const N: usize>(lines: &[[String; N]]) -> [usize; N] {
    let wide = |column: usize| lines.iter().map(|line| line[column].width()).max().unwrap_or(0);
    let mut next = 0;
    std::array::from_fn(|column| {
        let start = next;
        next = start + wide(column) + GAP;
        start
    })
}

#[cfg(test)]
mod tests {
    use super::{fit_cells, render_cut_table, render_table};
    use crate::Look;

    #[test]
    fn a_long_cell_is_cut_only_where_the_table_does_not_fit() {
        let fitted = |width: Option<usize>| {
            let mut rows = [
                ["1".to_owned(), "character-portraits/draw".to_owned()],
                ["2".to_owned(), "fire/burn".to_owned()],
            ];
            let look = Look { width, ..Look::default() };
            let cut = fit_cells(["#", "RUNS"], &mut rows, &[(1, 12)], look);
            (rows.map(|[_, runs]| runs).join(" "), cut)
        };
        let whole = ("character-portraits/draw fire/burn".to_owned(), vec![vec![], vec![]]);
        assert_eq!((fitted(None), fitted(Some(27))), (whole.clone(), whole));
        let cut = ("character-… fire/burn".to_owned(), vec![vec![1], vec![]]);
        assert_eq!(fitted(Some(26)), cut);
        let beyond = ("character-… fire/burn".to_owned(), vec![vec![1], vec![1]]);
        assert_eq!(fitted(Some(10)), beyond);
    }

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
