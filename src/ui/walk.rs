//! The progress of random walks through a campaign.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Look;

/// Shows how many walks have ended, on a terminal, and nothing elsewhere.
pub(crate) struct WalkBar {
    bar: Option<ProgressBar>,
}

impl WalkBar {
    pub(crate) fn new(look: Look, walks: usize) -> WalkBar {
        let bar = look.live.map(|_| {
            let target = ProgressDrawTarget::stderr();
            let bar = ProgressBar::with_draw_target(Some(walks as u64), target);
            bar.set_style(style(look.ascii));
            bar
        });
        WalkBar { bar }
    }

    /// A walk has ended.
    pub(crate) fn step(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style(ascii: bool) -> ProgressStyle {
    let style = ProgressStyle::with_template("{bar:24} {pos} of {len} walks");
    let style = style.expect("the template is a fixed text that a test reads");
    if ascii { style.progress_chars("=> ") } else { style }
}

#[cfg(test)]
mod tests {
    use super::style;

    #[test]
    fn the_bar_of_walks_has_a_style_for_each_terminal() {
        style(true);
        style(false);
    }
}
