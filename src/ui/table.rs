//! Rows in columns.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::text::visible_line;

/// Between two columns.
const GAP: &str = "  ";

/// A table with a heading. Cells are made harmless; the last column is cut at `width` columns.
pub(crate) fn render_table<const N: usize>(
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
            row.push_str(cell);
            if column + 1 < N {
                row.extend(std::iter::repeat_n(' ', wide[column] - cell.width()));
                row.push_str(GAP);
            }
        }
        text.push_str(cut(row.trim_end(), width).trim_end());
        text.push('\n');
    }
    text
}

/// The line as far as it fits, with a sign where it did not.
fn cut(line: &str, width: Option<usize>) -> String {
    let Some(width) = width.filter(|width| line.width() > *width) else {
        return line.to_owned();
    };
    let mut columns = 0;
    let mut kept: String = line
        .chars()
        .take_while(|char| {
            columns += char.width().unwrap_or(0);
            columns < width
        })
        .collect();
    kept.push('…');
    kept
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
