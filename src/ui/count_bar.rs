//! The progress of long work, as a count.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Look, text::visible_line};

/// Shows the count on a terminal, and nothing elsewhere.
pub struct CountBar {
    bar: Option<ProgressBar>,
}

impl CountBar {
    /// Creates a bar. `what` names the counted things, such as `walks`.
    pub fn new(look: Look, count: usize, what: &str) -> CountBar {
        let bar = look.live.map(|_| {
            let target = ProgressDrawTarget::stderr();
            let bar = ProgressBar::with_draw_target(Some(count as u64), target);
            bar.set_style(style(look.ascii, what));
            // Draws the bar before the first one is done.
            bar.tick();
            bar
        });
        CountBar { bar }
    }

    /// Counts one more.
    pub fn step(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    /// Returns true if there is a terminal.
    pub fn is_shown(&self) -> bool {
        self.bar.is_some()
    }

    /// Shows so many, and a note behind them.
    pub fn set(&self, done: usize, note: &str) {
        if let Some(bar) = &self.bar {
            bar.set_position(done as u64);
            bar.set_message(visible_line(note));
        }
    }

    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style(ascii: bool, what: &str) -> ProgressStyle {
    let style =
        ProgressStyle::with_template(&format!("{{bar:24}} {{pos}} of {{len}} {what}{{msg}}"));
    let style = style.expect("the template is a fixed text that a test reads");
    if ascii { style.progress_chars("=> ") } else { style }
}

#[cfg(test)]
mod tests {
    use super::style;

    #[test]
    fn the_bar_has_a_style_for_each_terminal() {
        style(true, "walks");
        style(false, "parts");
    }
}
