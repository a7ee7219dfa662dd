//! Chance that can be repeated.

use plot_skill::variants::draw;

/// Numbers by chance.
#[derive(Debug, Clone)]
pub(super) struct WalkChance {
    seed: u64,
    drawn: u64,
}

impl WalkChance {
    pub(super) fn new(seed: u64) -> WalkChance {
        WalkChance { seed, drawn: 0 }
    }

    /// A number below `count`; 0 if that is 0.
    pub(super) fn below(&mut self, count: usize) -> usize {
        self.drawn += 1;
        let number = draw(&["deed"], self.seed.wrapping_add(self.drawn));
        usize::try_from(number % (count.max(1) as u64)).unwrap_or(0)
    }

    pub(super) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(super) fn pick<'t, T>(&mut self, items: &'t [T]) -> Option<&'t T> {
        let at = self.below(items.len());
        items.get(at)
    }
}
