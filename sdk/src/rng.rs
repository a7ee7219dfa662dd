//! Random numbers that can be repeated: the sequence depends on the seed alone.

use std::ops::RangeInclusive;

/// SplitMix64, seeded from the request. The host and its tests draw from it too, where a seed must give the same in every
/// version.
///
/// Written here and not taken from a library because its sequence is a promise: examples, replays and saved stories
/// rely on equal seeds giving equal dice in every later version of this crate.
#[derive(Debug, Clone)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// The sequence of `seed`.
    pub fn new(seed: u64) -> Rng {
        Rng { state: seed }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `range`, all equally likely. An empty range gives its start.
    pub fn range(&mut self, range: RangeInclusive<i64>) -> i64 {
        let (low, high) = range.into_inner();
        if high <= low {
            return low;
        }
        match high.wrapping_sub(low).cast_unsigned().checked_add(1) {
            Some(count) => low.wrapping_add(self.below(count).cast_signed()),
            None => self.next_u64().cast_signed(),
        }
    }

    /// One of `items`; `None` if there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() {
            return None;
        }
        items.get(usize::try_from(self.below(items.len() as u64)).unwrap_or(0))
    }

    /// Puts `items` into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = usize::try_from(self.below(last as u64 + 1)).unwrap_or(0);
            items.swap(last, other);
        }
    }

    /// A number from 0 to `count - 1`; `count` is not 0. Lemire's method: draws again if the plain remainder would
    /// favour the low numbers.
    fn below(&mut self, count: u64) -> u64 {
        let threshold = count.wrapping_neg() % count;
        loop {
            let product = u128::from(self.next_u64()) * u128::from(count);
            if product as u64 >= threshold {
                return (product >> 64) as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_of_a_seed_never_changes() {
        let mut rng = Rng::new(1234567);
        // The reference values of SplitMix64's author for this seed.
        assert_eq!(rng.next_u64(), 6457827717110365317);
        assert_eq!(rng.next_u64(), 3203168211198807973);
    }

    #[test]
    fn a_range_gives_both_ends_and_nothing_outside() {
        let mut rng = Rng::new(1);
        let mut seen = [0_u32; 6];
        for _ in 0..6000 {
            seen[usize::try_from(rng.range(1..=6) - 1).unwrap()] += 1;
        }
        assert!(seen.iter().all(|count| (850..1150).contains(count)), "{seen:?}");
    }

    #[test]
    fn strange_ranges_neither_hang_nor_panic() {
        let mut rng = Rng::new(1);
        assert_eq!(rng.range(5..=5), 5);
        #[expect(clippy::reversed_empty_ranges, reason = "what an author may pass by mistake")]
        let empty = rng.range(5..=1);
        assert_eq!(empty, 5);
        rng.range(i64::MIN..=i64::MAX);
        assert!(rng.range(i64::MIN..=0) <= 0);
        assert_eq!(rng.pick::<u8>(&[]), None);
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..50).collect();
        Rng::new(3).shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
