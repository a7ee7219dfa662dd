//! Removes the thoughts of a model, `<think>…</think>`, from a text that comes in pieces. Pure.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Takes pieces of a text and gives what a reader may see.
#[derive(Debug, Default)]
pub(super) struct ThoughtFilter {
    /// The end of the text so far that may be the beginning of a mark.
    held: String,
    is_inside: bool,
    /// True once something visible came; blanks before that are dropped.
    has_text: bool,
    /// The text closes thoughts that it did not open: what came before were thoughts.
    closed_unopened: bool,
}

impl ThoughtFilter {
    /// Returns the part of the text that is certainly none of the thoughts.
    pub(super) fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let mut visible = String::new();
        loop {
            if self.is_inside {
                match self.held.find(CLOSE) {
                    Some(at) => {
                        self.held.drain(..at + CLOSE.len());
                        self.is_inside = false;
                    }
                    None => {
                        // Nothing of it is shown, so only a beginning of the mark is needed.
                        let keep = held_back(&self.held, &[CLOSE]);
                        self.held.drain(..self.held.len() - keep);
                        return visible;
                    }
                }
                continue;
            }
            let (open, close) = (self.held.find(OPEN), self.held.find(CLOSE));
            if let Some(at) = close.filter(|at| open.is_none_or(|open| *at < open)) {
                self.held.drain(..at + CLOSE.len());
                self.closed_unopened = true;
                continue;
            }
            if let Some(at) = open {
                let before: String = self.held.drain(..at).collect();
                self.held.drain(..OPEN.len());
                self.show(&before, &mut visible);
                self.is_inside = true;
                continue;
            }
            let keep = held_back(&self.held, &[OPEN, CLOSE]);
            let before: String = self.held.drain(..self.held.len() - keep).collect();
            self.show(&before, &mut visible);
            return visible;
        }
    }

    /// Returns the rest of the text: what looked like the beginning of a mark and was none.
    pub(super) fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.held);
        let mut visible = String::new();
        if !self.is_inside {
            self.show(&rest, &mut visible);
        }
        visible
    }

    /// Returns true if what was shown as text turned out to be thoughts.
    pub(super) fn has_shown_thoughts(&self) -> bool {
        self.closed_unopened
    }

    fn show(&mut self, text: &str, visible: &mut String) {
        let text = if self.has_text { text } else { text.trim_start() };
        self.has_text |= !text.is_empty();
        visible.push_str(text);
    }
}

/// The length of the longest end of a text that begins one of the marks.
fn held_back(text: &str, marks: &[&str]) -> usize {
    let ends = |mark: &&str| (1..mark.len()).rev().find(|length| text.ends_with(&mark[..*length]));
    marks.iter().filter_map(ends).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::ThoughtFilter;

    /// The visible text is the same however the text is cut.
    #[track_caller]
    fn check(text: &str, expect: &str) {
        let letters: Vec<char> = text.chars().collect();
        for size in [1, 2, 3, 7, letters.len().max(1)] {
            let mut filter = ThoughtFilter::default();
            let pieces = letters.chunks(size).map(|piece| piece.iter().collect::<String>());
            let mut shown: String = pieces.map(|piece| filter.push(&piece)).collect();
            shown += &filter.finish();
            assert_eq!(shown, expect, "in pieces of {size}");
        }
    }

    #[test]
    fn thoughts_are_removed_wherever_they_are_cut() {
        check("The door opens.", "The door opens.");
        check("<think>\nHm.\n</think>\n\nThe door opens.", "The door opens.");
        check("<think></think>{\"k\":1}", "{\"k\":1}");
        check("One <think>two</think>three", "One three");
        check("a < b and <thin air", "a < b and <thin air");
        check("<think>never ends", "");
        check("ends with <", "ends with <");
        check("ä<think>ö</think>ü🙂", "äü🙂");
    }

    #[test]
    fn thoughts_without_a_beginning_are_noticed() {
        let mut filter = ThoughtFilter::default();
        filter.push("Hm, the door.</thi");
        assert!(!filter.has_shown_thoughts());
        filter.push("nk>It opens.");
        assert!(filter.has_shown_thoughts());
    }
}
