//! Tables in columns: a row a line, tabs between its columns, in the order of their first column or in one that means something.

use crate::{TextFault, text_of};

/// A table with `N` columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows<const N: usize> {
    path: String,
    /// Each with the number of its line.
    pub rows: Vec<(usize, [String; N])>,
}

impl<const N: usize> Rows<N> {
    /// Reads a table of the build script's own crate. Cargo runs the script again when the table changes.
    pub fn read(path: &str) -> Result<Rows<N>, TextFault> {
        Rows::parse(path, &text_of(path)?)
    }

    /// Reads a table whose order means something. A line that begins with `# ` is a note.
    pub fn read_in_order(path: &str) -> Result<Rows<N>, TextFault> {
        Rows::parse_in_order(path, &text_of(path)?)
    }

    /// Reads a table; `path` is for messages. No column is empty, and the rows are sorted by their first column, by bytes.
    pub fn parse(path: &str, text: &str) -> Result<Rows<N>, TextFault> {
        let table = Rows::parse_lines(path, text.lines().enumerate())?;
        for ((before, one), (number, next)) in table.rows.iter().zip(table.rows.iter().skip(1)) {
            if one[0] == next[0] {
                let what = format!("`{}` stands in line {before} already", next[0]);
                return Err(table.fault(*number, what));
            }
            if one[0] > next[0] {
                return Err(
                    table.fault(*number, format!("`{}` belongs before `{}`", next[0], one[0]))
                );
            }
        }
        Ok(table)
    }

    fn parse_in_order(path: &str, text: &str) -> Result<Rows<N>, TextFault> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with("# "));
        let table: Rows<N> = Rows::parse_lines(path, lines)?;
        for (at, (number, row)) in table.rows.iter().enumerate() {
            if let Some((before, _)) = table.rows[..at].iter().find(|(_, known)| known == row) {
                let what = format!("`{}` stands in line {before} already", row[0]);
                return Err(table.fault(*number, what));
            }
        }
        Ok(table)
    }

    fn parse_lines<'t>(
        path: &str,
        lines: impl Iterator<Item = (usize, &'t str)>,
    ) -> Result<Rows<N>, TextFault> {
        let mut rows: Vec<(usize, [String; N])> = Vec::new();
        for (idx, line) in lines {
            let number = idx + 1;
            let fault = |what: String| Err(TextFault::at(path, number, what));
            let columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
            if columns.iter().any(|column| column.trim() != column || column.contains("  ")) {
                return fault("a blank is one too many".to_owned());
            }
            let count = columns.len();
            let Ok(row) = <[String; N]>::try_from(columns) else {
                return fault(format!("a row has {N} columns with tabs between them, not {count}"));
            };
            // A table that is never divided any further would take the empty text for a word.
            if let Some(empty) = row.iter().position(String::is_empty) {
                return fault(format!("column {} is empty", empty + 1));
            }
            rows.push((number, row));
        }
        match rows.is_empty() {
            true => Err(TextFault::of_file(path, "it has no rows")),
            false => Ok(Rows { path: path.to_owned(), rows }),
        }
    }

    /// A fault of the row in this line.
    pub fn fault(&self, number: usize, what: impl Into<String>) -> TextFault {
        TextFault::at(&self.path, number, what)
    }

    /// The parts of a column, which are all different.
    pub fn parts<'c>(
        &self,
        number: usize,
        column: &'c str,
        mark: char,
    ) -> Result<Vec<&'c str>, TextFault> {
        let mut parts: Vec<&str> = Vec::new();
        for text in column.split(mark) {
            if text.is_empty() {
                return Err(self.fault(number, format!("nothing stands beside a `{mark}`")));
            }
            if parts.contains(&text) {
                return Err(self.fault(number, format!("`{text}` stands there twice")));
            }
            parts.push(text);
        }
        Ok(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let found = Rows::<2>::parse("a.tsv", text).and_then(|table| {
            let rows = table.rows.iter().map(|(number, [one, other])| {
                let parts = table.parts(*number, other, ' ')?;
                Ok(format!("{one}={}", parts.join("+")))
            });
            rows.collect::<Result<Vec<String>, TextFault>>()
        });
        let found = found.map_or_else(|fault| fault.to_string(), |rows| rows.join(", "));
        assert_eq!(found, expect);
    }

    #[test]
    fn rows_are_sorted_and_different() {
        check("down\tway\nup and away\tend way\n", "down=way, up and away=end+way");
        check("up\tway\ndown\tway\n", "a.tsv:2: `down` belongs before `up`");
        check("up\tway\nup\tend\n", "a.tsv:2: `up` stands in line 1 already");
    }

    #[test]
    fn rows_may_have_an_order_of_their_own_and_notes_between_them() {
        let rows = |text: &str| {
            let table = Rows::<2>::parse_in_order("a.tsv", text);
            table.map_or_else(|fault| fault.to_string(), |table| format!("{:?}", table.rows))
        };
        assert_eq!(rows("# A note.\nb\tx\na\ty\n"), r#"[(2, ["b", "x"]), (3, ["a", "y"])]"#);
        assert_eq!(rows("b\tx\na\ty\nb\tx\n"), "a.tsv:3: `b` stands in line 1 already");
        assert_eq!(rows("# A note.\n"), "a.tsv: it has no rows");
    }

    #[test]
    fn a_row_has_all_its_columns_and_no_part_twice() {
        check("up\n", "a.tsv:1: a row has 2 columns with tabs between them, not 1");
        check("up\tway\tend\n", "a.tsv:1: a row has 2 columns with tabs between them, not 3");
        check("up\tway way\n", "a.tsv:1: `way` stands there twice");
        check("up \tway\n", "a.tsv:1: a blank is one too many");
        check("", "a.tsv: it has no rows");
    }

    #[test]
    fn no_column_is_empty_whether_it_is_divided_or_not() {
        check("up\t\n", "a.tsv:1: column 2 is empty");
        check("\tway\n", "a.tsv:1: column 1 is empty");
        let table = Rows::<2>::parse("a.tsv", "up\tway|\n").unwrap();
        let fault = table.parts(1, "way|", '|').unwrap_err();
        assert_eq!(fault.to_string(), "a.tsv:1: nothing stands beside a `|`");
    }
}
