//! Names that must differ: the second of a name gets a number.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub(crate) struct TakenNames {
    taken: BTreeSet<String>,
    /// The number that is tried next. Without it, ten thousand equal names would cost the square of their count.
    next: BTreeMap<String, usize>,
}

impl TakenNames {
    /// Takes a name. Returns it, or with the first free number from 2 on: `name`, `separator`, number.
    pub(crate) fn take(&mut self, name: String, separator: char) -> String {
        if self.taken.insert(name.clone()) {
            return name;
        }
        let number = self.next.entry(name.clone()).or_insert(2);
        loop {
            let numbered = format!("{name}{separator}{number}");
            *number += 1;
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TakenNames;

    #[test]
    fn the_second_of_a_name_gets_a_number_that_no_other_has() {
        let mut taken = TakenNames::default();
        let mut take = |name: &str| taken.take(name.to_owned(), '-');
        let names = ["a", "a-2", "a", "a", "b", "a-2"];
        assert_eq!(names.map(&mut take), ["a", "a-2", "a-3", "a-4", "b", "a-2-2"]);
    }
}
