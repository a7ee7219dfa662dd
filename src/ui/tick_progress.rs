//! The progress bar of several ticks, on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

pub struct TickProgress {
    bar: Option<ProgressBar>,
}

impl TickProgress {
    /// Creates a bar for this many ticks, if it should be shown.
    pub fn new(count: u64, is_shown: bool) -> TickProgress {
        let bar = is_shown.then(|| {
            let bar = ProgressBar::with_draw_target(Some(count), ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} ticks") {
                bar.set_style(style);
            }
            bar
        });
        TickProgress { bar }
    }

    pub fn advance(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    /// Writes while the bar is hidden.
    pub fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
