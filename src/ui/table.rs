//! Rows in columns.

use unicode_width::UnicodeWidthStr;

use super::text::{cut_line, pad, visible_line};

const GAP: &str = "  ";

/// A table with a heading. Cells are escaped; the last column is cut at `width` columns.
pub fn render_table<const N: usize>(
    heading: [&str; N],
    rows: &[[String; N]],
    width: Option<usize>,
) -> String {
    let mut lines: Vec<[String; N]> = vec![heading.map(str::to_owned)];
    lines.extend(rows.iter().map(|row| row.each_ref().map(|cell| visible_line(cell))));
    let mut text = String::new();
    let wide: Vec<usize> = (0..N)
        .map(|column| lines.iter().map(|line| line[column].width()).max().unwrap_or(0))
        .collect();
    for line in &lines {
        let mut row = String::new();
        for (column, cell) in line.iter().enumerate() {
            if column + 1 < N {
                row.push_str(&pad(cell, wide[column]));
                row.push_str(GAP);
            } else {
                row.push_str(cell);
            }
        }
        text.push_str(&cut_line(row.trim_end(), width.unwrap_or(usize::MAX), false));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::render_table;

    #[test]
    fn columns_stand_under_their_heading() {
        let rows = [
            ["dice-roller".to_owned(), "1.0.0".to_owned(), "Rolls dice.".to_owned()],
            ["戸".to_owned(), "0.1.0".to_owned(), "Opens\n\u{1b}doors.".to_owned()],
        ];
        insta::assert_snapshot!(render_table(["NAME", "VERSION", "DOES"], &rows, Some(28)), @r"
        NAME         VERSION  DOES
        dice-roller  1.0.0    Rolls…
        戸           0.1.0    Opens…
        ");
        insta::assert_snapshot!(render_table(["NAME", "VERSION", "DOES"], &rows, None), @r"
        NAME         VERSION  DOES
        dice-roller  1.0.0    Rolls dice.
        戸           0.1.0    Opens \u{1b}doors.
        ");
    }
}
