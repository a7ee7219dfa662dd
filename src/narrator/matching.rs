//! Matches a sentence with the triggers and examples of skills. Pure.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Range,
    sync::Arc,
};

use super::{
    meaning::{NearScript, SentenceForm, SentencePart, probability},
    schema_filling::complete_input,
    slot_filling::{CaptureGroups, collect_groups, fill_fields, fill_input, validated},
    unfit_input::UnfitInput,
    words::{StemmedWord, content_stems, split_clauses, split_words},
};
use narratoria_protocol::{Object, visible::clip};
use narratoria_skills::{
    Catalog, FollowUp, PackageOrigin, Script, Skill, StateValueLists, Trigger,
};

/// Least similarity of a sentence and an example that counts as a match.
const SIMILARITY_MIN: f64 = 0.5;

/// Most stemmed phrases in the cache. A catalog of 256 skills has fewer.
const PHRASES_MAX: usize = 50_000;

/// Stems that questions about any topic share.
const QUESTION_STEMS: [&str; 4] = ["what", "which", "where", "how"];

/// Longest piece of the sentence that a reason quotes.
const QUOTE_CHARS_MAX: usize = 80;

/// A script that the sentence calls for, and its input.
#[derive(Debug)]
pub(super) struct MatchedScript<'c> {
    pub(super) skill: &'c Arc<Skill>,
    pub(super) script: &'c Script,
    pub(super) input: Object,
    pub(super) narrate: bool,
    /// Steps that follow it, and the groups that fill their inputs.
    pub(super) follow_ups: &'c [FollowUp],
    pub(super) groups: CaptureGroups,
    trigger_match: TriggerMatch,
}

impl MatchedScript<'_> {
    /// Why the script matched, for people.
    pub(super) fn reason(&self) -> &str {
        &self.trigger_match.reason
    }

    /// Returns true if both run the same script.
    pub(super) fn is_same(&self, other: &MatchedScript<'_>) -> bool {
        Arc::ptr_eq(self.skill, other.skill) && self.script.name == other.script.name
    }
}

/// The stems of trigger phrases.
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

#[derive(Debug, Default)]
pub(super) struct SentenceMatch<'c> {
    /// In the order of the words. Each script appears once, and no two match the same words.
    pub(super) actions: Vec<MatchedScript<'c>>,
    /// True if a `fallback` trigger matched: the player asks for narration.
    pub(super) wants_narration: bool,
    /// Triggers of installed packages that fired, and whose scripts do not accept the input.
    pub(super) unfit: Vec<UnfitInput>,
}

pub(super) fn usable_skills<'c>(
    catalog: &'c Catalog,
    disabled: &[String],
) -> impl Iterator<Item = &'c Arc<Skill>> {
    catalog.iter().filter(|skill| !disabled.contains(&skill.name))
}

/// The skills that a plan may use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SkillChoice<'a, 'c> {
    pub(super) catalog: &'c Catalog,
    pub(super) disabled: &'a [String],
    /// Skills that come after others that fit as well.
    pub(super) unreliable: &'a [String],
    pub(super) state: &'a Object,
    /// The values that inputs draw from this state.
    pub(super) state_values: &'a StateValueLists,
}

impl SkillChoice<'_, '_> {
    pub(super) fn is_unreliable(&self, skill: &Skill) -> bool {
        self.unreliable.contains(&skill.name)
    }
}

/// The scripts whose phrases or patterns occur in the sentence, at most `steps_max`.
pub(super) fn match_triggers<'c>(
    choice: SkillChoice<'_, 'c>,
    sentence: &str,
    phrases: &mut PhraseCache,
    steps_max: usize,
) -> SentenceMatch<'c> {
    let words = split_words(sentence);
    let mut found = SentenceMatch::default();
    let mut candidates = Vec::new();
    for skill in usable_skills(choice.catalog, choice.disabled) {
        for trigger in skill.triggers.iter().filter(|trigger| trigger.counts_in(choice.state)) {
            let Some(trigger_match) = match_trigger(trigger, sentence, &words, phrases) else {
                continue;
            };
            if trigger.fallback {
                found.wants_narration = true;
                continue;
            }
            // The patterns of the built-in skills say themselves what they do not mean.
            let is_installed = skill.origin != PackageOrigin::BuiltIn;
            if is_installed && is_no_request(sentence, &trigger_match.span) {
                continue;
            }
            let Some(script) = skill.script(&trigger.script) else { continue };
            let input = trigger_input(choice, (skill, script), trigger, sentence);
            let Some(input) = input else {
                if is_installed {
                    let values = choice.state_values;
                    found.unfit.extend(UnfitInput::of(skill, script, trigger, sentence, values));
                }
                continue;
            };
            candidates.push(MatchedScript {
                skill,
                script,
                input,
                narrate: trigger.narrate,
                follow_ups: &trigger.follow_ups,
                groups: collect_groups(trigger, sentence),
                trigger_match,
            });
        }
    }
    // The sort is stable: equal matches stay in catalog order.
    candidates.sort_by_key(|matched| {
        let (weight, priority) = (matched.trigger_match.weight, matched.skill.priority);
        let is_unreliable = choice.is_unreliable(matched.skill);
        let start = matched.trigger_match.span.start;
        (std::cmp::Reverse(weight), is_unreliable, std::cmp::Reverse(priority), start)
    });
    for matched in candidates {
        if found.actions.len() < steps_max
            && !found.actions.iter().any(|chosen| is_redundant(chosen, &matched))
        {
            found.actions.push(matched);
        }
    }
    found
        .actions
        .sort_by_key(|matched| (matched.trigger_match.span.start, matched.trigger_match.span.end));
    found
}

/// The input that a trigger fills from a sentence, if the script accepts it.
fn trigger_input(
    choice: SkillChoice<'_, '_>,
    (skill, script): (&Skill, &Script),
    trigger: &Trigger,
    sentence: &str,
) -> Option<Object> {
    let values = choice.state_values;
    if skill.origin == PackageOrigin::BuiltIn {
        return fill_input(trigger, script, sentence, values);
    }
    let own = fill_fields(trigger, script, sentence, values)?;
    complete_input(own, &Object::new(), (skill, script), sentence, values)
}

/// Returns true if the clause around a match does not ask for it: "don't", "used to", "if only".
fn is_no_request(sentence: &str, span: &Range<usize>) -> bool {
    let clauses = split_clauses(sentence).into_iter().filter(|clause| overlap(clause, span));
    let mut forms = clauses.map(|clause| SentenceForm::of(&sentence[clause]));
    forms.any(SentenceForm::is_no_request)
}

/// Returns true if both have a byte in common.
fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Returns true if both are the same script, or the stronger match covers all words of the weaker one.
fn is_redundant(stronger: &MatchedScript<'_>, weaker: &MatchedScript<'_>) -> bool {
    let same_script = stronger.is_same(weaker);
    let covers = |span: &Range<usize>| {
        // A pattern often spans half the sentence. Only a phrase is known to need all its words.
        let TriggerMatch { phrases, patterns, .. } = &stronger.trigger_match;
        phrases.iter().any(|covered| covered.start <= span.start && span.end <= covered.end)
            || patterns.contains(span)
    };
    same_script
        || weaker.trigger_match.phrases.iter().chain(&weaker.trigger_match.patterns).all(covers)
}

/// Matches the rest of a sentence that no trigger has matched: the whole sentence, or its other clauses. Returns `None`
/// if no script takes the rest, or if nothing is left.
pub(super) fn match_rest<'c>(
    choice: SkillChoice<'_, 'c>,
    sentence: &str,
    actions: &[MatchedScript<'c>],
) -> Option<MatchedScript<'c>> {
    let mut best: Option<MatchedScript<'c>> = None;
    let rank = |skill: &Skill| (!choice.is_unreliable(skill), skill.priority);
    let rest = match actions {
        [] => sentence.to_owned(),
        actions => unmatched_clauses(sentence, actions).join(" and "),
    };
    if rest.trim().is_empty() {
        return None;
    }
    for skill in usable_skills(choice.catalog, choice.disabled) {
        if best.as_ref().is_some_and(|best| rank(best.skill) >= rank(skill)) {
            continue;
        }
        let takes = |trigger: &&Trigger| trigger.takes_rest && trigger.counts_in(choice.state);
        let filled = skill.triggers.iter().filter(takes).find_map(|trigger| {
            let script = skill.script(&trigger.script)?;
            Some(MatchedScript {
                skill,
                script,
                input: fill_input(trigger, script, &rest, choice.state_values)?,
                narrate: trigger.narrate,
                follow_ups: &trigger.follow_ups,
                groups: collect_groups(trigger, &rest),
                trigger_match: TriggerMatch {
                    span: 0..0,
                    weight: 0,
                    phrases: Vec::new(),
                    patterns: Vec::new(),
                    reason: "takes what no other skill was asked for".to_owned(),
                },
            })
        });
        best = filled.or(best);
    }
    best
}

/// Returns true if the sentence has a clause that none of these scripts matched and that has content words of its own.
pub(super) fn has_unmatched_clause(sentence: &str, actions: &[MatchedScript<'_>]) -> bool {
    !unmatched_clauses(sentence, actions).is_empty()
}

/// The clauses that none of these scripts matched and that have content words of their own, in order.
fn unmatched_clauses<'t>(sentence: &'t str, actions: &[MatchedScript<'_>]) -> Vec<&'t str> {
    let spans: Vec<&Range<usize>> =
        actions.iter().flat_map(|matched| matched.trigger_match.places()).collect();
    let matched_stems: BTreeSet<String> = spans
        .iter()
        .flat_map(|place| content_stems(&sentence[(*place).clone()]))
        .filter(|stem| !QUESTION_STEMS.contains(&stem.as_str()))
        .collect();
    let is_unmatched = |clause: &Range<usize>| {
        let stems = match is_matched(clause, actions) {
            true => Vec::new(),
            false => content_stems(&sentence[clause.clone()]),
        };
        !stems.is_empty() && stems.iter().all(|stem| !matched_stems.contains(stem))
    };
    let clauses = split_clauses(sentence).into_iter().filter(is_unmatched);
    clauses.map(|clause| sentence[clause].trim()).collect()
}

/// Returns true if one of these scripts matched words of the clause.
pub(super) fn is_matched(clause: &Range<usize>, actions: &[MatchedScript<'_>]) -> bool {
    let mut places = actions.iter().flat_map(|matched| matched.trigger_match.places());
    places.any(|place| overlap(place, clause))
}

/// The script that a part of the sentence asks for by its meaning, if its input can be filled.
pub(super) fn match_by_meaning<'c>(
    choice: SkillChoice<'_, 'c>,
    sentence: &str,
    part: &SentencePart,
    near: &NearScript,
) -> Option<MatchedScript<'c>> {
    let skill = usable_skills(choice.catalog, choice.disabled)
        .find(|skill| Arc::ptr_eq(skill, &near.skill))?;
    let script = &skill.scripts[near.script_idx];
    let text = sentence[part.range.clone()].trim();
    let own: Vec<&Trigger> = skill
        .triggers
        .iter()
        .filter(|trigger| trigger.script == script.name && trigger.counts_in(choice.state))
        .collect();
    let filled =
        own.iter().find_map(|trigger| fill_fields(trigger, script, text, choice.state_values));
    let (filled, read) = (filled.unwrap_or_default(), &near.read_input);
    let input = complete_input(filled, read, (skill, script), text, choice.state_values)?;
    let likely = probability(near.log_odds);
    Some(MatchedScript {
        skill,
        script,
        input,
        narrate: own.first().is_none_or(|trigger| trigger.narrate),
        follow_ups: own.first().map_or(&[], |trigger| &trigger.follow_ups),
        groups: own.first().map_or_else(CaptureGroups::none, |own| collect_groups(own, text)),
        trigger_match: TriggerMatch {
            span: part.range.clone(),
            weight: 0,
            phrases: Vec::new(),
            patterns: Vec::new(),
            reason: format!(
                "the player's words `{}` mean what it does, with a probability of {likely:.2}",
                clip(text, QUOTE_CHARS_MAX)
            ),
        },
    })
}

/// A match of a trigger: its place and its reason.
#[derive(Debug)]
struct TriggerMatch {
    /// The bytes of the strongest match.
    span: Range<usize>,
    /// Words in `span`: the more, the more specific.
    weight: usize,
    /// The places of the trigger's phrases.
    phrases: Vec<Range<usize>>,
    /// The places that the trigger's patterns match.
    patterns: Vec<Range<usize>>,
    reason: String,
}

impl TriggerMatch {
    /// Every place that it matches.
    fn places(&self) -> impl Iterator<Item = &Range<usize>> {
        [&self.span].into_iter().chain(&self.phrases).chain(&self.patterns)
    }
}

fn match_trigger(
    trigger: &Trigger,
    sentence: &str,
    words: &[StemmedWord],
    phrase_cache: &mut PhraseCache,
) -> Option<TriggerMatch> {
    let mut best: Option<(usize, Range<usize>, String)> = None;
    let mut offer = |weight: usize, span: &Range<usize>, reason: String| {
        if best.as_ref().is_none_or(|(most, ..)| weight > *most) {
            best = Some((weight, span.clone(), reason));
        }
    };
    let (mut phrases, mut patterns) = (Vec::new(), Vec::new());
    for phrase in &trigger.phrases {
        let stems = phrase_cache.stems(phrase);
        if let Some(span) = find_stems(words, stems) {
            offer(stems.len(), &span, format!("the player's words contain `{phrase}`"));
            phrases.push(span);
        }
    }
    for pattern in &trigger.patterns {
        // An empty match carries no information.
        let Some(found) = pattern.find(sentence).filter(|found| !found.is_empty()) else {
            continue;
        };
        let span = found.range();
        let inside = words.iter().filter(|word| span.start < word.end && word.start < span.end);
        let quoted = clip(found.as_str(), QUOTE_CHARS_MAX);
        offer(inside.count().max(1), &span, format!("the player's words `{quoted}` fit a pattern"));
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

/// The result of comparing a sentence with the examples.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one of them at a time")]
pub(super) enum ExampleMatch<'c> {
    /// The sentence resembles an example of this script.
    Action(MatchedScript<'c>),
    /// The sentence resembles an example of narration.
    Narration,
    NoMatch,
}

/// The script with the most similar example, if one reaches [`SIMILARITY_MIN`].
pub(super) fn match_examples<'c>(choice: SkillChoice<'_, 'c>, sentence: &str) -> ExampleMatch<'c> {
    let asked: BTreeSet<String> = content_stems(sentence).into_iter().collect();
    let examples: Vec<ExampleSentence<'c>> =
        usable_skills(choice.catalog, choice.disabled).flat_map(example_sentences).collect();
    let weights = StemWeights::of(&examples);
    let mut matches: Vec<(f64, &ExampleSentence<'c>)> = examples
        .iter()
        .map(|example| (weights.similarity(&asked, &example.stems), example))
        .filter(|(score, _)| *score >= SIMILARITY_MIN)
        .collect();
    let rank = |example: &ExampleSentence<'_>| {
        (choice.is_unreliable(example.skill), std::cmp::Reverse(example.skill.priority))
    };
    matches.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(rank(x).cmp(&rank(y))));
    for (_, example) in matches {
        if let Some(found) = example.to_match(choice, sentence) {
            return found;
        }
    }
    ExampleMatch::NoMatch
}

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
    /// A trigger takes the input from the sentence if it can; else the example's own input is used.
    fn to_match(&self, choice: SkillChoice<'_, 'c>, sentence: &str) -> Option<ExampleMatch<'c>> {
        let own: Vec<&Trigger> = self
            .skill
            .triggers
            .iter()
            .filter(|trigger| trigger.script == self.script.name)
            .collect();
        let counts = |trigger: &&Trigger| trigger.counts_in(choice.state);
        let has_other = !own.is_empty();
        let own: Vec<&Trigger> = own.into_iter().filter(counts).collect();
        if has_other && own.is_empty() {
            return None;
        }
        if own.iter().any(|trigger| trigger.fallback) {
            return Some(ExampleMatch::Narration);
        }
        let filled = own.iter().find_map(|trigger| {
            let input = fill_input(trigger, self.script, sentence, choice.state_values)?;
            Some((input, trigger.narrate))
        });
        let narrate = own.first().is_none_or(|trigger| trigger.narrate);
        let from_example = || {
            let input = self.input.clone();
            Some((validated(self.script, input, choice.state_values)?, narrate))
        };
        let (input, narrate) = filled.or_else(from_example)?;
        Some(ExampleMatch::Action(MatchedScript {
            skill: self.skill,
            script: self.script,
            input,
            narrate,
            follow_ups: &[],
            groups: CaptureGroups::none(),
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

/// Weights of stems: the fewer examples contain a stem, the more it weighs.
struct StemWeights {
    examples: usize,
    examples_by_stem: BTreeMap<String, usize>,
}

impl StemWeights {
    fn of(examples: &[ExampleSentence<'_>]) -> StemWeights {
        let mut examples_by_stem = BTreeMap::new();
        for stem in examples.iter().flat_map(|example| &example.stems) {
            *examples_by_stem.entry(stem.clone()).or_insert(0) += 1;
        }
        StemWeights { examples: examples.len(), examples_by_stem }
    }

    fn weight(&self, stem: &str) -> f64 {
        let count = self.examples_by_stem.get(stem).copied().unwrap_or(1) as f64;
        (1.0 + self.examples as f64 / count).ln()
    }

    /// Weighted Jaccard similarity: 1 for equal sets, 0 for disjoint ones.
    fn similarity(&self, a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
        let sum = |stems: &mut dyn Iterator<Item = &String>| -> f64 {
            stems.map(|stem| self.weight(stem)).sum()
        };
        let all = sum(&mut a.union(b));
        if all > 0.0 { sum(&mut a.intersection(b)) / all } else { 0.0 }
    }
}
