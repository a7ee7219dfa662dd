//! Which scripts a sentence calls for. Pure.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Range,
    sync::Arc,
};

use super::{
    slot_filling::{fill_input, validated},
    words::{StemmedWord, content_stems, split_clauses, split_words},
};
use narratoria_protocol::{Object, visible::clip};
use narratoria_skills::{Catalog, Script, Skill, Trigger};

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
pub(super) struct MatchedScript<'c> {
    pub(super) skill: &'c Arc<Skill>,
    pub(super) script: &'c Script,
    pub(super) input: Object,
    pub(super) narrate: bool,
    trigger_match: TriggerMatch,
}

impl MatchedScript<'_> {
    /// Why, for people.
    pub(super) fn reason(&self) -> &str {
        &self.trigger_match.reason
    }
}

/// Phrases that have been stemmed once.
#[derive(Debug, Default)]
pub(super) struct PhraseCache(HashMap<String, Vec<String>>);

impl PhraseCache {
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
pub(super) struct SentenceMatch<'c> {
    /// In the order of the words, each script once, no two for the same words.
    pub(super) actions: Vec<MatchedScript<'c>>,
    /// A trigger marked `fallback` fired, so the player wants to be told something.
    pub(super) wants_narration: bool,
}

/// The skills that may be used.
pub(super) fn usable_skills<'c>(
    catalog: &'c Catalog,
    disabled: &[String],
) -> impl Iterator<Item = &'c Arc<Skill>> {
    catalog.iter().filter(|skill| !disabled.contains(&skill.name))
}

/// Everything whose phrases or patterns are in the sentence, at most `steps_max` scripts.
pub(super) fn match_triggers<'c>(
    catalog: &'c Catalog,
    disabled: &[String],
    sentence: &str,
    phrases: &mut PhraseCache,
    steps_max: usize,
) -> SentenceMatch<'c> {
    let words = split_words(sentence);
    let mut firing = SentenceMatch::default();
    let mut candidates = Vec::new();
    for skill in usable_skills(catalog, disabled) {
        for trigger in &skill.triggers {
            let Some(hit) = match_trigger(trigger, sentence, &words, phrases) else { continue };
            if trigger.fallback {
                firing.wants_narration = true;
                continue;
            }
            let Some(script) = skill.script(&trigger.script) else { continue };
            let Some(input) = fill_input(trigger, script, sentence) else { continue };
            candidates.push(MatchedScript {
                skill,
                script,
                input,
                narrate: trigger.narrate,
                trigger_match: hit,
            });
        }
    }
    // The sort is stable, so that equals stay in the order of the catalog.
    candidates.sort_by_key(|fired| {
        let (weight, priority) = (fired.trigger_match.weight, fired.skill.priority);
        (std::cmp::Reverse(weight), std::cmp::Reverse(priority), fired.trigger_match.span.start)
    });
    for fired in candidates {
        if firing.actions.len() < steps_max
            && !firing.actions.iter().any(|chosen| is_redundant(chosen, &fired))
        {
            firing.actions.push(fired);
        }
    }
    firing
        .actions
        .sort_by_key(|fired| (fired.trigger_match.span.start, fired.trigger_match.span.end));
    firing
}

/// Whether the weaker one is the same script, or was called only by words that the stronger one took.
fn is_redundant(stronger: &MatchedScript<'_>, weaker: &MatchedScript<'_>) -> bool {
    let same_script =
        Arc::ptr_eq(stronger.skill, weaker.skill) && stronger.script.name == weaker.script.name;
    let took = |span: &Range<usize>| {
        // A pattern often spans half the sentence; only phrases are known to mean all their words.
        let TriggerMatch { phrases, patterns, .. } = &stronger.trigger_match;
        phrases.iter().any(|taken| taken.start <= span.start && span.end <= taken.end)
            || patterns.contains(span)
    };
    same_script
        || weaker.trigger_match.phrases.iter().chain(&weaker.trigger_match.patterns).all(took)
}

/// Whether the player says something besides what called for these: a clause in which none of them was called
/// for, and which has words that tell something else.
pub(super) fn has_unmatched_clause(sentence: &str, actions: &[MatchedScript<'_>]) -> bool {
    let places = actions.iter().flat_map(|fired| {
        let TriggerMatch { span, phrases, patterns, .. } = &fired.trigger_match;
        [span].into_iter().chain(phrases).chain(patterns)
    });
    let places: Vec<&Range<usize>> = places.collect();
    let heard: BTreeSet<String> = places
        .iter()
        .flat_map(|place| content_stems(&sentence[(*place).clone()]))
        .filter(|stem| !QUESTION_STEMS.contains(&stem.as_str()))
        .collect();
    split_clauses(sentence).into_iter().any(|clause| {
        let is_heard = places.iter().any(|at| at.start < clause.end && clause.start < at.end);
        let stems = if is_heard { Vec::new() } else { content_stems(&sentence[clause]) };
        !stems.is_empty() && stems.iter().all(|stem| !heard.contains(stem))
    })
}

/// Where and why a trigger fires.
#[derive(Debug)]
struct TriggerMatch {
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

fn match_trigger(
    trigger: &Trigger,
    sentence: &str,
    words: &[StemmedWord],
    memory: &mut PhraseCache,
) -> Option<TriggerMatch> {
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
        let said = clip(found.as_str(), QUOTE_CHARS_MAX);
        offer(inside.count().max(1), &span, format!("the player's words `{said}` fit a pattern"));
        patterns.push(span);
    }
    let (weight, span, reason) = best?;
    Some(TriggerMatch { span, weight, phrases, patterns, reason })
}

fn find_stems(words: &[StemmedWord], stems: &[String]) -> Option<Range<usize>> {
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
pub(super) enum ExampleMatch<'c> {
    /// The sentence is like one that called for this script.
    Action(MatchedScript<'c>),
    /// The sentence is like one that was narrated.
    Narration,
    /// The sentence is like none.
    NoMatch,
}

/// The script whose example is most like the sentence, if one is like enough.
pub(super) fn match_examples<'c>(
    catalog: &'c Catalog,
    disabled: &[String],
    sentence: &str,
) -> ExampleMatch<'c> {
    let asked: BTreeSet<String> = content_stems(sentence).into_iter().collect();
    let shots: Vec<ExampleSentence<'c>> =
        usable_skills(catalog, disabled).flat_map(example_sentences).collect();
    let rarity = StemWeights::of(&shots);
    let mut alike: Vec<(f64, &ExampleSentence<'c>)> = shots
        .iter()
        .map(|shot| (rarity.similarity(&asked, &shot.stems), shot))
        .filter(|(score, _)| *score >= SIMILARITY_MIN)
        .collect();
    alike.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(y.skill.priority.cmp(&x.skill.priority)));
    for (_, shot) in alike {
        if let Some(likeness) = shot.to_match(sentence) {
            return likeness;
        }
    }
    ExampleMatch::NoMatch
}

/// One example with a sentence.
struct ExampleSentence<'c> {
    skill: &'c Arc<Skill>,
    script: &'c Script,
    sentence: &'c str,
    input: &'c Object,
    stems: BTreeSet<String>,
}

fn example_sentences(skill: &Arc<Skill>) -> impl Iterator<Item = ExampleSentence<'_>> {
    skill.examples.iter().filter_map(move |example| {
        let sentence = example.sentence.as_deref()?;
        Some(ExampleSentence {
            skill,
            script: skill.script(&example.script)?,
            sentence,
            input: &example.input,
            stems: content_stems(sentence).into_iter().collect(),
        })
    })
}

impl<'c> ExampleSentence<'c> {
    /// The input comes from the sentence where a trigger knows how, else from the example.
    fn to_match(&self, sentence: &str) -> Option<ExampleMatch<'c>> {
        let own: Vec<&Trigger> = self
            .skill
            .triggers
            .iter()
            .filter(|trigger| trigger.script == self.script.name)
            .collect();
        if own.iter().any(|trigger| trigger.fallback) {
            return Some(ExampleMatch::Narration);
        }
        let filled = own.iter().find_map(|trigger| {
            Some((fill_input(trigger, self.script, sentence)?, trigger.narrate))
        });
        let narrate = own.first().is_none_or(|trigger| trigger.narrate);
        let from_example = || Some((validated(self.script, self.input.clone())?, narrate));
        let (input, narrate) = filled.or_else(from_example)?;
        Some(ExampleMatch::Action(MatchedScript {
            skill: self.skill,
            script: self.script,
            input,
            narrate,
            trigger_match: TriggerMatch {
                span: 0..sentence.len(),
                weight: 0,
                phrases: Vec::new(),
                patterns: Vec::new(),
                reason: format!(
                    "the player's words are like `{}`",
                    clip(self.sentence, QUOTE_CHARS_MAX)
                ),
            },
        }))
    }
}

/// How much a stem tells: the fewer examples have it, the more.
struct StemWeights {
    examples: usize,
    examples_by_stem: BTreeMap<String, usize>,
}

impl StemWeights {
    fn of(shots: &[ExampleSentence<'_>]) -> StemWeights {
        let mut having = BTreeMap::new();
        for stem in shots.iter().flat_map(|shot| &shot.stems) {
            *having.entry(stem.clone()).or_insert(0) += 1;
        }
        StemWeights { examples: shots.len(), examples_by_stem: having }
    }

    fn weight(&self, stem: &str) -> f64 {
        let having = self.examples_by_stem.get(stem).copied().unwrap_or(1) as f64;
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
