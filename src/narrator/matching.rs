//! Which scripts a sentence calls for. Pure.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Range,
    sync::Arc,
};

use super::{
    filling::{accepted, fill},
    words::{Word, split_clauses, split_words, telling_stems},
};
use crate::{
    protocol::Object,
    skills::{Catalog, Script, Skill, Trigger},
};

/// How much of the weight of two sentences must be shared for one to stand for the other.
pub const SIMILARITY_MIN: f64 = 0.5;

/// Most stemmed phrases that are remembered between sentences. A catalog of 256 skills has fewer.
const PHRASES_MAX: usize = 50_000;

/// Stems that two questions share whatever they are about.
const QUESTION_STEMS: [&str; 4] = ["what", "which", "where", "how"];

/// Longest piece of the player's words that a reason repeats.
const QUOTE_CHARS_MAX: usize = 80;

/// A script that the sentence calls for, input filled in.
#[derive(Debug)]
pub(super) struct Fired<'c> {
    pub(super) skill: &'c Arc<Skill>,
    pub(super) script: &'c Script,
    pub(super) input: Object,
    pub(super) narrate: bool,
    hit: Hit,
}

impl Fired<'_> {
    /// Why, for people.
    pub(super) fn reason(&self) -> &str {
        &self.hit.reason
    }
}

/// Phrases that have been stemmed once.
#[derive(Debug, Default)]
pub(super) struct Phrases(HashMap<String, Vec<String>>);

impl Phrases {
    fn stems(&mut self, phrase: &str) -> &[String] {
        if self.0.len() >= PHRASES_MAX && !self.0.contains_key(phrase) {
            self.0.clear();
        }
        self.0
            .entry(phrase.to_owned())
            .or_insert_with(|| split_words(phrase).into_iter().map(|word| word.stem).collect())
    }
}

/// What fired, and whether the narrating script itself was called for.
#[derive(Debug, Default)]
pub(super) struct Firing<'c> {
    /// In the order of the words, each script once, no two for the same words.
    pub(super) actions: Vec<Fired<'c>>,
    /// A trigger marked `fallback` fired, so the player wants to be told something.
    pub(super) wants_narration: bool,
}

/// The skills that may be used.
pub(super) fn usable<'c>(
    catalog: &'c Catalog,
    disabled: &[String],
) -> impl Iterator<Item = &'c Arc<Skill>> {
    catalog.iter().filter(|skill| !disabled.contains(&skill.name))
}

/// Everything whose phrases or patterns are in the sentence, at most `steps_max` scripts.
pub(super) fn fire<'c>(
    catalog: &'c Catalog,
    disabled: &[String],
    sentence: &str,
    phrases: &mut Phrases,
    steps_max: usize,
) -> Firing<'c> {
    let words = split_words(sentence);
    let mut firing = Firing::default();
    let mut candidates = Vec::new();
    for skill in usable(catalog, disabled) {
        for trigger in &skill.triggers {
            let Some(hit) = find(trigger, sentence, &words, phrases) else { continue };
            if trigger.fallback {
                firing.wants_narration = true;
                continue;
            }
            let Some(script) = skill.script(&trigger.script) else { continue };
            let Some(input) = fill(trigger, script, sentence) else { continue };
            candidates.push(Fired { skill, script, input, narrate: trigger.narrate, hit });
        }
    }
    // The sort is stable, so that equals stay in the order of the catalog.
    candidates.sort_by_key(|fired| {
        let (weight, priority) = (fired.hit.weight, fired.skill.priority);
        (std::cmp::Reverse(weight), std::cmp::Reverse(priority), fired.hit.span.start)
    });
    for fired in candidates {
        if firing.actions.len() < steps_max
            && !firing.actions.iter().any(|chosen| same_job(chosen, &fired))
        {
            firing.actions.push(fired);
        }
    }
    firing.actions.sort_by_key(|fired| (fired.hit.span.start, fired.hit.span.end));
    firing
}

/// Whether the weaker one is the same script, or was called only by words that the stronger one took.
fn same_job(stronger: &Fired<'_>, weaker: &Fired<'_>) -> bool {
    let same_script =
        Arc::ptr_eq(stronger.skill, weaker.skill) && stronger.script.name == weaker.script.name;
    let took = |span: &Range<usize>| {
        // A pattern often spans half the sentence; only phrases are known to mean all their words.
        let Hit { phrases, patterns, .. } = &stronger.hit;
        phrases.iter().any(|taken| taken.start <= span.start && span.end <= taken.end)
            || patterns.contains(span)
    };
    same_script || weaker.hit.phrases.iter().chain(&weaker.hit.patterns).all(took)
}

/// Whether the player says something besides what called for these: a clause in which none of them was called
/// for, and which has words that tell something else.
pub(super) fn says_more(sentence: &str, actions: &[Fired<'_>]) -> bool {
    let places = actions.iter().flat_map(|fired| {
        let Hit { span, phrases, patterns, .. } = &fired.hit;
        [span].into_iter().chain(phrases).chain(patterns)
    });
    let places: Vec<&Range<usize>> = places.collect();
    let heard: BTreeSet<String> = places
        .iter()
        .flat_map(|place| telling_stems(&sentence[(*place).clone()]))
        .filter(|stem| !QUESTION_STEMS.contains(&stem.as_str()))
        .collect();
    split_clauses(sentence).into_iter().any(|clause| {
        let is_heard = places.iter().any(|at| at.start < clause.end && clause.start < at.end);
        let stems = if is_heard { Vec::new() } else { telling_stems(&sentence[clause]) };
        !stems.is_empty() && stems.iter().all(|stem| !heard.contains(stem))
    })
}

/// Where and why a trigger fires.
#[derive(Debug)]
struct Hit {
    /// Bytes of the sentence that say it best.
    span: Range<usize>,
    /// Words in `span`: the more, the more special.
    weight: usize,
    /// Where each of its phrases is said.
    phrases: Vec<Range<usize>>,
    /// Where each of its patterns fits.
    patterns: Vec<Range<usize>>,
    reason: String,
}

fn find(trigger: &Trigger, sentence: &str, words: &[Word], memory: &mut Phrases) -> Option<Hit> {
    let mut best: Option<(usize, Range<usize>, String)> = None;
    let mut offer = |weight: usize, span: &Range<usize>, reason: String| {
        if best.as_ref().is_none_or(|(most, ..)| weight > *most) {
            best = Some((weight, span.clone(), reason));
        }
    };
    let (mut phrases, mut patterns) = (Vec::new(), Vec::new());
    for phrase in &trigger.phrases {
        let stems = memory.stems(phrase);
        if let Some(span) = find_stems(words, stems) {
            offer(stems.len(), &span, format!("the player's words contain `{phrase}`"));
            phrases.push(span);
        }
    }
    for pattern in &trigger.patterns {
        // An empty match says nothing about the sentence.
        let Some(found) = pattern.find(sentence).filter(|found| !found.is_empty()) else {
            continue;
        };
        let span = found.range();
        let inside = words.iter().filter(|word| span.start < word.end && word.start < span.end);
        let said = clipped(found.as_str());
        offer(inside.count().max(1), &span, format!("the player's words `{said}` fit a pattern"));
        patterns.push(span);
    }
    let (weight, span, reason) = best?;
    Some(Hit { span, weight, phrases, patterns, reason })
}

/// Short enough to read in a reason.
fn clipped(text: &str) -> String {
    match text.char_indices().nth(QUOTE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn find_stems(words: &[Word], stems: &[String]) -> Option<Range<usize>> {
    if stems.is_empty() {
        return None;
    }
    let found = words
        .windows(stems.len())
        .find(|window| window.iter().map(|word| &word.stem).eq(stems.iter()))?;
    Some(found.first()?.start..found.last()?.end)
}

/// What an example told.
#[derive(Debug)]
pub(super) enum Likeness<'c> {
    /// The sentence is like one that called for this script.
    Action(Fired<'c>),
    /// The sentence is like one that was narrated.
    Narration,
    /// The sentence is like none.
    Nothing,
}

/// The script whose example is most like the sentence, if one is like enough.
pub(super) fn most_alike<'c>(
    catalog: &'c Catalog,
    disabled: &[String],
    sentence: &str,
) -> Likeness<'c> {
    let asked: BTreeSet<String> = telling_stems(sentence).into_iter().collect();
    let shots: Vec<Shot<'c>> = usable(catalog, disabled).flat_map(shots_of).collect();
    let rarity = Rarity::of(&shots);
    let mut alike: Vec<(f64, &Shot<'c>)> = shots
        .iter()
        .map(|shot| (rarity.similarity(&asked, &shot.stems), shot))
        .filter(|(score, _)| *score >= SIMILARITY_MIN)
        .collect();
    alike.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(y.skill.priority.cmp(&x.skill.priority)));
    for (_, shot) in alike {
        if let Some(likeness) = shot.answer(sentence) {
            return likeness;
        }
    }
    Likeness::Nothing
}

/// One example with a sentence.
struct Shot<'c> {
    skill: &'c Arc<Skill>,
    script: &'c Script,
    sentence: &'c str,
    input: &'c Object,
    stems: BTreeSet<String>,
}

fn shots_of(skill: &Arc<Skill>) -> impl Iterator<Item = Shot<'_>> {
    skill.examples.iter().filter_map(move |example| {
        let sentence = example.sentence.as_deref()?;
        Some(Shot {
            skill,
            script: skill.script(&example.script)?,
            sentence,
            input: &example.input,
            stems: telling_stems(sentence).into_iter().collect(),
        })
    })
}

impl<'c> Shot<'c> {
    /// The input comes from the sentence where a trigger knows how, else from the example.
    fn answer(&self, sentence: &str) -> Option<Likeness<'c>> {
        let own: Vec<&Trigger> = self
            .skill
            .triggers
            .iter()
            .filter(|trigger| trigger.script == self.script.name)
            .collect();
        if own.iter().any(|trigger| trigger.fallback) {
            return Some(Likeness::Narration);
        }
        let filled = own
            .iter()
            .find_map(|trigger| Some((fill(trigger, self.script, sentence)?, trigger.narrate)));
        let narrate = own.first().is_none_or(|trigger| trigger.narrate);
        let from_example = || Some((accepted(self.script, self.input.clone())?, narrate));
        let (input, narrate) = filled.or_else(from_example)?;
        Some(Likeness::Action(Fired {
            skill: self.skill,
            script: self.script,
            input,
            narrate,
            hit: Hit {
                span: 0..sentence.len(),
                weight: 0,
                phrases: Vec::new(),
                patterns: Vec::new(),
                reason: format!("the player's words are like `{}`", clipped(self.sentence)),
            },
        }))
    }
}

/// How much a stem tells: the fewer examples have it, the more.
struct Rarity {
    examples: usize,
    having: BTreeMap<String, usize>,
}

impl Rarity {
    fn of(shots: &[Shot<'_>]) -> Rarity {
        let mut having = BTreeMap::new();
        for stem in shots.iter().flat_map(|shot| &shot.stems) {
            *having.entry(stem.clone()).or_insert(0) += 1;
        }
        Rarity { examples: shots.len(), having }
    }

    fn weight(&self, stem: &str) -> f64 {
        let having = self.having.get(stem).copied().unwrap_or(1) as f64;
        (1.0 + self.examples as f64 / having).ln()
    }

    /// Weighted Jaccard: 1 for the same stems, 0 for none in common.
    fn similarity(&self, a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
        let sum = |stems: &mut dyn Iterator<Item = &String>| -> f64 {
            stems.map(|stem| self.weight(stem)).sum()
        };
        let all = sum(&mut a.union(b));
        if all > 0.0 { sum(&mut a.intersection(b)) / all } else { 0.0 }
    }
}
