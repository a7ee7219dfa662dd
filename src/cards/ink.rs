//! ink → a story of passages, as far as its text is knots, choices, diverts and gathers. Logic gets a note.

use narratoria_protocol::bounded_text;

use crate::{
    BranchingStory, CardProblem, INK_NESTING_MAX, ImportNotes, LinkOffer, STORY_TEXT_BYTES_MAX,
    SourceChange, StoryFormat, StorySource, StoryValue,
    ink_weave::{InkKnot, InkNames, WeaveItem, WeaveKind, read_weave},
    ink_words::{count_braces, is_name},
    logic::parse_settings,
    passage_text::ink_text,
    twee::is_twee,
    variants::{DraftPassage, StoryPiece, ToldPassages, tell_passages, visit_pieces},
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

/// Returns true if a file is ink: by its name, unless its content is another known kind, or by its content.
pub(crate) fn is_ink_file(name: &str, bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(narratoria_protocol::without_byte_order_mark(bytes));
    let is_named = name.to_lowercase().ends_with(".ink");
    text.is_ok_and(|text| {
        !is_twee(text)
            && (is_named || (is_ink(text) && !text.trim_start().starts_with(['{', '[', '<'])))
    })
}

/// Reads an ink text.
pub(crate) fn parse_ink(
    bytes: &[u8],
    notes: &mut ImportNotes,
) -> Result<BranchingStory, CardProblem> {
    let text = bounded_text(bytes, STORY_TEXT_BYTES_MAX)
        .map_err(|problem| CardProblem::Text { problem })?;
    let mut declared = InkNames::default();
    let mut knots = split_knots(&without_comments(text), &mut declared, notes)?;
    // Lines before the first knot are the beginning, if they tell anything.
    if knots.first().is_some_and(|knot| knot.items.is_empty()) && knots.len() > 1 {
        knots.remove(0);
    }
    let names = names_of(&knots, declared);
    let mut passages: Vec<DraftPassage> = Vec::new();
    for knot in &knots {
        read_weave(knot, &names, &mut passages, notes);
    }
    tell_together(&mut passages);
    if passages.iter().all(|passage| passage.pieces.is_empty() && passage.links.is_empty()) {
        return Err(CardProblem::Shape(
            "is an ink text that tells nothing; a knot begins with a line such as `=== start ===`"
                .to_owned(),
        ));
    }
    let start = passages.first().map(|passage| passage.name.clone()).unwrap_or_default();
    let known = |(name, value): (String, Option<StoryValue>)| Some((name, value?));
    let first = names.variables.into_iter().filter_map(known).collect();
    let told = tell_passages(passages, &first, &start, ink_text, notes)?;
    let ToldPassages { passages, variables, start } = told;
    let mut story = BranchingStory::build(StoryFormat::Ink, passages, &start, text, notes)?;
    story.variables = variables;
    story.title = tag_of(text, "title");
    story.author = tag_of(text, "author");
    Ok(story)
}

/// Joins passages that ink tells one after the other without a choice, if at least one of them has no text: the story begins
/// at the first passage with text or choices, and a passage that only leads to choices offers them itself.
fn tell_together(passages: &mut Vec<DraftPassage>) {
    let is_passed =
        |passage: &DraftPassage| passage.pieces.is_empty() && goes_on(passage).is_some();
    // Each step removes a passage.
    while let Some(target) = passages.first().filter(|first| is_passed(first)).and_then(goes_on)
        && let Some(at) = passages.iter().position(|passage| passage.name == target)
        && at > 0
        && !passages.iter().any(|passage| leads_to(passage, &passages[0].name))
    {
        let start = passages.remove(at);
        passages[0] = start;
    }
    for at in 0..passages.len() {
        let Some(target) = goes_on(&passages[at]) else { continue };
        let choices = passages.iter().find(|passage| {
            passage.name == target && passage.pieces.is_empty() && goes_on(passage).is_none()
        });
        let Some(choices) = choices.filter(|choices| !choices.links.is_empty()) else { continue };
        let (links, name) = (choices.links.clone(), choices.name.clone());
        passages[at].links = links;
        passages[at].same_links_as = Some(name);
    }
}

/// The passage that this one leads to without a choice.
fn goes_on(passage: &DraftPassage) -> Option<String> {
    match passage.links.as_slice() {
        [only] if only.offer == LinkOffer::WayOn => Some(only.target.clone()),
        _ => None,
    }
}

fn leads_to(passage: &DraftPassage, name: &str) -> bool {
    let mut leads = passage.links.iter().any(|link| link.target == name);
    visit_pieces(&passage.pieces, &mut |piece| {
        leads |= matches!(piece, StoryPiece::Divert(Some(target)) if target == name);
    });
    leads
}

/// The names of knots, stitches, labels and variables.
fn names_of(knots: &[InkKnot], mut names: InkNames) -> InkNames {
    for knot in knots {
        names.places.insert(knot.name.clone());
        for item in &knot.items {
            let label = item.label().map(|label| format!("{}.{label}", knot.name));
            names.places.extend(label);
            visit_pieces(item.pieces(), &mut |piece| {
                if let StoryPiece::Set(setting) = piece
                    && let StorySource::Variable(name) = &setting.source
                {
                    names.variables.entry(name.clone()).or_default();
                }
            });
        }
    }
    names
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
pub(crate) fn knot_name(line: &str) -> Option<&str> {
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

fn split_knots(
    text: &str,
    declared: &mut InkNames,
    notes: &mut ImportNotes,
) -> Result<Vec<InkKnot>, CardProblem> {
    let mut knots = vec![InkKnot { name: INK_START.to_owned(), items: Vec::new() }];
    let mut knot = String::new();
    let mut skipping = false;
    // The lines of a block whose braces are open.
    let (mut block, mut braces) = (String::new(), 0_usize);
    for line in text.lines().map(str::trim) {
        if line.starts_with("==") {
            if braces > 0 {
                notes.not_mapped(format!("`{block}`"), "a block of ink's logic without its end");
                (block, braces) = (String::new(), 0);
            }
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
        if skipping || (line.is_empty() && braces == 0) {
            continue;
        }
        if braces == 0 && declares(line, declared, notes) {
            continue;
        }
        if let Some(name) = stitch_name(line).filter(|_| braces == 0) {
            begin_stitch(&knot, name, &mut knots);
            continue;
        }
        braces = count_braces(braces, line);
        if braces > 0 || !block.is_empty() {
            block += line;
            block.push('\n');
            if braces > 0 {
                continue;
            }
        }
        let whole = std::mem::take(&mut block);
        let whole = if whole.is_empty() { line } else { whole.trim() };
        let item = WeaveItem::parse(whole, notes);
        if matches!(&item.kind, WeaveKind::Told(pieces) if pieces.is_empty()) {
            continue;
        }
        if item.level > INK_NESTING_MAX {
            let (count, limit) = (item.level, INK_NESTING_MAX);
            return Err(CardProblem::TooMany { count, what: "levels of choices", limit });
        }
        if let Some(last) = knots.last_mut() {
            last.items.push(item);
        }
    }
    if braces > 0 {
        notes.not_mapped(format!("`{block}`"), "a block of ink's logic without its end");
    }
    Ok(knots)
}

/// The first stitch of a knot without lines is where the knot begins.
fn begin_stitch(knot: &str, stitch: &str, knots: &mut Vec<InkKnot>) {
    let name = format!("{knot}.{stitch}");
    if let Some(last) = knots.last_mut()
        && last.name == knot
        && last.items.is_empty()
        && !knot.is_empty()
    {
        last.items.push(WeaveItem::told(vec![StoryPiece::Divert(Some(name.clone()))]));
    }
    knots.push(InkKnot { name, items: Vec::new() });
}

/// A line that declares something and tells nothing. Returns false if it is another line.
fn declares(line: &str, declared: &mut InkNames, notes: &mut ImportNotes) -> bool {
    const OTHERS: &[&str] = &["LIST ", "INCLUDE ", "EXTERNAL ", "TODO:", "TODO ", "<-", "return"];
    let variable = ["VAR ", "CONST "].iter().find_map(|word| line.strip_prefix(word));
    if variable.is_none() && !OTHERS.iter().any(|word| line.starts_with(word)) {
        return false;
    }
    let settings = variable.and_then(parse_settings);
    match settings.as_deref() {
        Some([setting]) => {
            if let (StorySource::Variable(name), SourceChange::To(value)) =
                (&setting.source, &setting.change)
            {
                declared.variables.insert(name.clone(), Some(value.clone()));
            }
        }
        _ if line.starts_with("INCLUDE ") => notes.not_mapped(
            format!("`{line}`"),
            "another file, which is read where `campaign import` finds it beside this one",
        ),
        _ => notes.not_mapped(format!("`{line}`"), "ink's variables and logic"),
    }
    true
}
