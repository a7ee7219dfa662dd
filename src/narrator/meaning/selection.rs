//! Which parts of a sentence ask for which scripts, by their meaning. Pure but for the vectors.

use std::ops::Range;

use super::{NearScript, ScriptIndex};
use crate::{PlanRequest, words::split_clauses};

/// Scripts that are compared for each part.
const NEAR_MAX: usize = 4;

/// Clauses that are looked up one by one. Each costs as much time as the whole sentence.
const CLAUSES_MAX: usize = 3;

/// A clause of fewer words says too little.
const CLAUSE_WORDS_MIN: usize = 2;

/// A part of a sentence and the scripts that are nearest to it, the nearest first.
#[derive(Debug, Clone)]
pub struct SentencePart {
    /// Its bytes in the sentence.
    pub range: Range<usize>,
    pub near: Vec<NearScript>,
}

impl SentencePart {
    /// The place of the script that the part asks for most probably.
    fn best(&self) -> Option<usize> {
        let near = self.near.iter().enumerate();
        let best = near.max_by(|(_, one), (_, other)| one.log_odds.total_cmp(&other.log_odds));
        best.map(|(at, _)| at)
    }
}

/// The parts of a sentence that may ask for a script: the whole sentence, if no rule took a part of it, then its clauses.
#[derive(Debug, Clone, Default)]
pub struct SentenceParts {
    pub whole: Option<SentencePart>,
    pub clauses: Vec<SentencePart>,
}

impl SentenceParts {
    /// Compares the clauses that no rule has `taken`, and the whole sentence if none is taken.
    pub fn of(
        index: &ScriptIndex,
        request: &PlanRequest<'_>,
        sentence: &str,
        is_taken: impl Fn(&Range<usize>) -> bool,
    ) -> SentenceParts {
        let part = |range: Range<usize>| SentencePart {
            near: index.nearest(
                request.catalog,
                request.disabled_skills,
                sentence[range.clone()].trim(),
                NEAR_MAX,
            ),
            range,
        };
        let clauses = split_clauses(sentence);
        let free = clauses.iter().filter(|clause| !is_taken(clause));
        let is_long = |clause: &&Range<usize>| {
            sentence[(*clause).clone()].split_whitespace().count() >= CLAUSE_WORDS_MIN
        };
        let long: Vec<Range<usize>> = free.filter(is_long).cloned().collect();
        let whole = !clauses.iter().any(&is_taken);
        let is_one = whole && long.len() <= 1;
        let clauses = if is_one { Vec::new() } else { long };
        SentenceParts {
            whole: whole.then(|| part(0..sentence.len())),
            clauses: clauses.into_iter().take(CLAUSES_MAX).map(part).collect(),
        }
    }

    /// The parts whose best script is neither too far (below `least`) nor certain: several clauses that are near to
    /// different scripts, or else the whole sentence.
    #[cfg(feature = "llama")]
    pub(crate) fn unsure(&mut self, least: f64, certain: f64) -> Vec<&mut SentencePart> {
        let best = self.clauses.iter().filter_map(|part| part.best().map(|at| &part.near[at]));
        let near: Vec<&NearScript> = best.filter(|near| near.log_odds >= least).collect();
        let differ = near.iter().any(|one| !is_same_script(one, near[0]));
        let is_unsure = |part: &&mut SentencePart| {
            part.best().is_some_and(|at| (least..certain).contains(&part.near[at].log_odds))
        };
        match &mut self.whole {
            Some(whole) if !differ => Some(whole).into_iter().filter(is_unsure).collect(),
            _ => self.clauses.iter_mut().filter(is_unsure).collect(),
        }
    }

    /// The scripts that are chosen, to be changed, each with the range of its part.
    #[cfg(feature = "llama")]
    pub(crate) fn chosen_mut(&mut self) -> Vec<(Range<usize>, &mut NearScript)> {
        let places: Vec<(Range<usize>, usize)> =
            self.chosen_places().into_iter().map(|(part, at)| (part.range.clone(), at)).collect();
        let parts = self.whole.iter_mut().chain(&mut self.clauses);
        let chosen = parts.filter_map(|part| {
            let (range, at) = places.iter().find(|(range, _)| *range == part.range)?;
            Some((range.clone(), part.near.get_mut(*at)?))
        });
        chosen.collect()
    }

    /// The parts that ask for a script, more probably than not, with it. Each script occurs once. Several clauses that ask
    /// for different scripts are two wishes; otherwise the whole sentence says it best.
    pub(crate) fn chosen(&self) -> Vec<(&SentencePart, &NearScript)> {
        let places = self.chosen_places();
        places.into_iter().map(|(part, at)| (part, &part.near[at])).collect()
    }

    fn chosen_places(&self) -> Vec<(&SentencePart, usize)> {
        let likely = |part: &SentencePart| part.best().filter(|at| part.near[*at].log_odds > 0.0);
        let mut several: Vec<(&SentencePart, usize)> = Vec::new();
        for part in &self.clauses {
            let Some(at) = likely(part) else { continue };
            let is_same = |(other, place): &(&SentencePart, usize)| {
                is_same_script(&other.near[*place], &part.near[at])
            };
            if !several.iter().any(is_same) {
                several.push((part, at));
            }
        }
        let whole = self.whole.as_ref().and_then(|part| Some((part, likely(part)?)));
        match whole {
            Some(whole) if several.len() < 2 => vec![whole],
            _ => several,
        }
    }
}

fn is_same_script(one: &NearScript, other: &NearScript) -> bool {
    one.skill.name == other.skill.name && one.script_idx == other.script_idx
}
