//! Which token comes next.

use toktrie::SimpleVob;

use super::Sampling;

/// Tokens that chance may choose from: the likeliest.
const LIKELIEST: usize = 64;
/// Of those, as many as have this chance together.
const TOP_P: f32 = 0.95;

/// Chooses tokens.
pub(super) struct Sampler {
    /// 0 is always the likeliest.
    temperature: f32,
    /// Sebastiano Vigna's SplitMix64: the same numbers for a seed on every machine and in every version.
    state: u64,
}

impl Sampler {
    pub(super) fn new(sampling: Sampling) -> Sampler {
        match sampling {
            Sampling::Greedy => Sampler { temperature: 0.0, state: 0 },
            Sampling::Random { temperature, seed } => Sampler { temperature, state: seed },
        }
    }

    /// One of the tokens that `allowed` has, or of all. Nothing if no number among theirs is one.
    pub(super) fn pick(&mut self, logits: &[f32], allowed: Option<&SimpleVob>) -> Option<u32> {
        let is_greedy = !self.temperature.is_finite() || self.temperature <= 0.0;
        let mut some: Vec<(f32, u32)> = Vec::new();
        let mut best: Option<(f32, u32)> = None;
        let mut look = |i: usize| {
            let Some(logit) = logits.get(i).copied().filter(|logit| logit.is_finite()) else {
                return;
            };
            let Ok(token) = u32::try_from(i) else { return };
            if !is_greedy {
                some.push((logit, token));
            } else if best.is_none_or(|(highest, _)| logit > highest) {
                best = Some((logit, token));
            }
        };
        match allowed {
            Some(allowed) => allowed.iter_set_entries(&mut look),
            None => (0..logits.len()).for_each(&mut look),
        }
        if is_greedy { best.map(|(_, token)| token) } else { self.draw(some) }
    }

    fn draw(&mut self, mut some: Vec<(f32, u32)>) -> Option<u32> {
        // Ties are broken by the token, so that the order does not depend on how the sort works.
        let order = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if some.len() > LIKELIEST {
            some.select_nth_unstable_by(LIKELIEST, order);
            some.truncate(LIKELIEST);
        }
        some.sort_unstable_by(order);
        let highest = some.first()?.0;
        let weights: Vec<f32> =
            some.iter().map(|(logit, _)| ((logit - highest) / self.temperature).exp()).collect();
        let total: f32 = weights.iter().sum();
        let mut kept = 0;
        let mut mass = 0.0;
        for weight in &weights {
            kept += 1;
            mass += weight;
            if mass >= TOP_P * total {
                break;
            }
        }
        let mut at = self.next_unit_f32() * mass;
        for (weight, (_, token)) in weights.iter().zip(&some).take(kept) {
            at -= weight;
            if at < 0.0 {
                return Some(*token);
            }
        }
        Some(some[kept - 1].1)
    }

    /// At least 0, less than 1.
    fn next_unit_f32(&mut self) -> f32 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        // The 24 bits that fit exactly.
        (z >> 40) as f32 / (1_u32 << 24) as f32
    }
}
