//! Chooses the next token.

use narratoria_sdk::Rng;
use toktrie::SimpleVob;

use super::Sampling;

/// The likeliest tokens, among which a random choice is made (top-k).
const LIKELIEST: usize = 64;
/// The choice is further limited to the likeliest tokens with this probability together.
const TOP_P: f32 = 0.95;

pub(super) struct Sampler {
    /// 0 always chooses the likeliest token.
    temperature: f32,
    /// The same numbers for a seed on every machine and in every version.
    rng: Rng,
}

impl Sampler {
    pub(super) fn new(sampling: Sampling) -> Sampler {
        match sampling {
            Sampling::Greedy => Sampler { temperature: 0.0, rng: Rng::new(0) },
            Sampling::Random { temperature, seed } => Sampler { temperature, rng: Rng::new(seed) },
        }
    }

    /// Chooses among the `allowed` tokens, or among all. `None` if none of their logits is finite.
    pub(super) fn pick(&mut self, logits: &[f32], allowed: Option<&SimpleVob>) -> Option<u32> {
        let is_greedy = !self.temperature.is_finite() || self.temperature <= 0.0;
        let mut candidates: Vec<(f32, u32)> = Vec::new();
        let mut best: Option<(f32, u32)> = None;
        let mut consider = |i: usize| {
            let Some(logit) = logits.get(i).copied().filter(|logit| logit.is_finite()) else {
                return;
            };
            let Ok(token) = u32::try_from(i) else { return };
            if !is_greedy {
                candidates.push((logit, token));
            } else if best.is_none_or(|(highest, _)| logit > highest) {
                best = Some((logit, token));
            }
        };
        match allowed {
            Some(allowed) => allowed.iter_set_entries(&mut consider),
            None => (0..logits.len()).for_each(&mut consider),
        }
        if is_greedy { best.map(|(_, token)| token) } else { self.draw(candidates) }
    }

    fn draw(&mut self, mut candidates: Vec<(f32, u32)>) -> Option<u32> {
        // Ties are broken by the token, so that the order does not depend on how the sort works.
        let order = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if candidates.len() > LIKELIEST {
            candidates.select_nth_unstable_by(LIKELIEST, order);
            candidates.truncate(LIKELIEST);
        }
        candidates.sort_unstable_by(order);
        let highest = candidates.first()?.0;
        let weight = |logit: f32| ((logit - highest) / self.temperature).exp();
        let weights: Vec<f32> = candidates.iter().map(|(logit, _)| weight(*logit)).collect();
        let total: f32 = weights.iter().sum();
        let mut count = 0;
        let mut mass = 0.0;
        for weight in &weights {
            count += 1;
            mass += weight;
            if mass >= TOP_P * total {
                break;
            }
        }
        let mut at = self.next_unit_f32() * mass;
        for (weight, (_, token)) in weights.iter().zip(&candidates).take(count) {
            at -= weight;
            if at < 0.0 {
                return Some(*token);
            }
        }
        Some(candidates[count - 1].1)
    }

    /// At least 0, less than 1.
    fn next_unit_f32(&mut self) -> f32 {
        // 24 bits fit into an `f32` exactly.
        (self.rng.next_u64() >> 40) as f32 / (1_u32 << 24) as f32
    }
}
