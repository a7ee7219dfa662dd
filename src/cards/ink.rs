//! ink → a story of passages, as far as its text is knots, choices, diverts and gathers. Logic gets a note.

use std::collections::BTreeSet;

use narratoria_protocol::bounded_text;

use crate::{
    BranchingStory, CardProblem, INK_NESTING_MAX, ImportNotes, STORY_TEXT_BYTES_MAX, StoryFormat,
    StoryPassage,
    ink_weave::{InkKnot, WeaveItem, WeaveKind, is_name, read_weave},
};

/// The name of the part before the first knot. No knot can have it.
const INK_START: &str = "the beginning";

/// Returns true if a text looks like ink: it has a knot and a divert or a choice.
pub(crate) fn is_ink(text: &str) -> bool {
    let is_knot = |line: &str| knot_name(line).is_some();
    let mut lines = text.lines().map(str::trim);
    lines.any(is_knot)
        && text.lines().any(|line| line.contains("->") || line.trim_start().starts_with(['*', '+']))
}

/// Reads an ink text.
pub(crate) fn parse_ink(
    bytes: &[u8],
    notes: &mut ImportNotes,
) -> Result<BranchingStory, CardProblem> {
    let text = bounded_text(bytes, STORY_TEXT_BYTES_MAX)
        .map_err(|problem| CardProblem::Text { problem })?;
    let mut knots = split_knots(&without_comments(text), notes)?;
    // Lines before the first knot are the beginning, if they tell anything.
    if knots.first().is_some_and(|knot| knot.items.is_empty()) && knots.len() > 1 {
        knots.remove(0);
    }
    let names: BTreeSet<String> = knots.iter().map(|knot| knot.name.clone()).collect();
    let mut passages: Vec<StoryPassage> = Vec::new();
    for knot in &knots {
        read_weave(knot, &names, &mut passages, notes);
    }
    tell_together(&mut passages);
    if passages.iter().all(|passage| passage.text.is_empty() && passage.links.is_empty()) {
        return Err(CardProblem::Shape(
            "is an ink text that tells nothing; a knot begins with a line such as `=== start ===`"
                .to_owned(),
        ));
    }
    let start = passages.first().map(|passage| passage.name.clone()).unwrap_or_default();
    let mut story = BranchingStory::build(StoryFormat::Ink, passages, &start, text, notes)?;
    story.title = tag_of(text, "title");
    story.author = tag_of(text, "author");
    Ok(story)
}

/// Joins passages that ink tells one after the other without a choice, if at least one of them has no text: the story begins
/// at the first passage with text or choices, and a passage that only leads to choices offers them itself.
fn tell_together(passages: &mut Vec<StoryPassage>) {
    let is_passed = |passage: &StoryPassage| passage.text.is_empty() && passage.goes_on().is_some();
    // Each step removes a passage.
    while let Some(target) =
        passages.first().filter(|first| is_passed(first)).and_then(|first| first.goes_on())
        && let Some(at) = passages.iter().position(|passage| passage.name == target)
        && at > 0
        && !passages.iter().any(|passage| passage.leads_to(&passages[0].name))
    {
        let start = passages.remove(at);
        passages[0] = start;
    }
    for at in 0..passages.len() {
        let Some(target) = passages[at].goes_on() else { continue };
        let choices = passages.iter().find(|passage| {
            passage.name == target && passage.text.is_empty() && passage.goes_on().is_none()
        });
        let Some(choices) = choices.filter(|choices| !choices.links.is_empty()) else { continue };
        let (links, name) = (choices.links.clone(), choices.name.clone());
        passages[at].links = links;
        passages[at].same_links_as = Some(name);
    }
}

/// `# title: …` before the first knot.
fn tag_of(text: &str, name: &str) -> String {
    let head = text.lines().take_while(|line| knot_name(line.trim()).is_none());
    let mut tags = head.filter_map(|line| {
        line.trim().strip_prefix('#')?.trim().strip_prefix(name)?.strip_prefix(':')
    });
    tags.next().unwrap_or_default().trim().to_owned()
}

/// `== name ==` and `=== name`; a function is none.
fn knot_name(line: &str) -> Option<&str> {
    let head = line.strip_prefix("==")?.trim_start_matches('=').trim();
    let head = head.trim_end_matches('=').trim();
    let name = head.split(['(', ' ']).next().unwrap_or_default();
    is_name(name).then_some(name)
}

fn stitch_name(line: &str) -> Option<&str> {
    let head = line.strip_prefix('=').filter(|head| !head.starts_with('='))?.trim();
    let name = head.split(['(', ' ']).next().unwrap_or_default();
    is_name(name).then_some(name)
}

fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("/*") {
        plain += &rest[..at];
        let Some(end) = rest[at..].find("*/") else { return plain };
        // Lines stay lines.
        plain.extend(rest[at..at + end].chars().filter(|char| *char == '\n'));
        rest = &rest[at + end + 2..];
    }
    plain += rest;
    let lines = plain.lines().map(|line| match line.find("//") {
        Some(at) if !line[..at].ends_with(':') => &line[..at],
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn split_knots(text: &str, notes: &mut ImportNotes) -> Result<Vec<InkKnot>, CardProblem> {
    let mut knots = vec![InkKnot { name: INK_START.to_owned(), items: Vec::new() }];
    let mut knot = String::new();
    let (mut skipping, mut braces) = (false, 0_usize);
    for line in text.lines().map(str::trim) {
        if braces > 0 {
            braces = count_braces(braces, line);
            continue;
        }
        if line.starts_with("==") {
            skipping = line.trim_start_matches('=').trim().starts_with("function ");
            match knot_name(line).filter(|_| !skipping) {
                Some(name) => {
                    name.clone_into(&mut knot);
                    if line.contains('(') {
                        notes.not_mapped(format!("knot `{name}`"), "its parameters");
                    }
                    knots.push(InkKnot { name: knot.clone(), items: Vec::new() });
                }
                None => notes.not_mapped(format!("`{line}`"), "a function of ink, or no name"),
            }
            continue;
        }
        if skipping || line.is_empty() {
            continue;
        }
        if let Some(name) = stitch_name(line) {
            let is_first =
                knots.last().is_some_and(|last| last.name == knot && last.items.is_empty());
            // The first stitch of a knot without lines is where the knot begins.
            if is_first && !knot.is_empty() {
                let divert = WeaveItem::plain(WeaveKind::Divert(format!("{knot}.{name}")));
                knots.last_mut().into_iter().for_each(|last| last.items.push(divert.clone()));
            }
            knots.push(InkKnot { name: format!("{knot}.{name}"), items: Vec::new() });
            continue;
        }
        if opens_block(line) {
            notes.not_mapped(format!("`{line}`"), "a block of ink's logic over several lines");
            braces = count_braces(0, line);
            continue;
        }
        let Some(item) = WeaveItem::parse(line, notes) else { continue };
        if item.level > INK_NESTING_MAX {
            let (count, limit) = (item.level, INK_NESTING_MAX);
            return Err(CardProblem::TooMany { count, what: "levels of choices", limit });
        }
        knots.last_mut().into_iter().for_each(|last| last.items.push(item.clone()));
    }
    Ok(knots)
}

/// A `{` that this line does not close.
fn opens_block(line: &str) -> bool {
    line.starts_with('{') && count_braces(0, line) > 0
}

fn count_braces(open: usize, line: &str) -> usize {
    line.bytes().fold(open, |open, byte| match byte {
        b'{' => open + 1,
        b'}' => open.saturating_sub(1),
        _ => open,
    })
}
