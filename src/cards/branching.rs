//! Stories that branch: passages of text with links, whichever format they come from.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    CardProblem, ImportNotes, PASSAGE_LINKS_MAX, PASSAGES_MAX, StorySetting, StorySource,
    StoryTest, StoryVariable, taken_names::TakenNames,
};

/// The label of a link that has no words of its own.
pub(crate) const GO_ON: &str = "Go on";

/// The format of a branching story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoryFormat {
    /// Twee 3, the text form of Twine.
    Twee,
    /// ink.
    Ink,
}

/// A story of passages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchingStory {
    /// The format that it was read from.
    pub format: StoryFormat,
    /// Its title; may be empty.
    pub title: String,
    /// Its author; may be empty.
    pub author: String,
    /// The passage that it begins with: an index.
    pub start: usize,
    /// At least one. Names differ.
    pub passages: Vec<StoryPassage>,
    /// What its conditions ask for.
    pub variables: BTreeMap<StorySource, StoryVariable>,
    /// The text as it was read.
    pub original: String,
}

/// A passage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoryPassage {
    /// Its name.
    pub name: String,
    /// The name that readers know, where another way to read the passage has it.
    pub title: Option<String>,
    /// Plain text, in paragraphs.
    pub text: String,
    /// The passages that follow. A passage without links ends the story.
    pub links: Vec<PassageLink>,
    /// The name of the passage whose links these are: one that is taken there is taken here.
    pub same_links_as: Option<String>,
    /// What it changes when it is told.
    pub settings: Vec<StorySetting>,
    /// The condition of this way to read it, before it changes anything.
    pub guard: StoryTest,
}

/// A link of a passage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassageLink {
    /// The choice, as the reader sees it.
    pub label: String,
    /// The text that follows the choice.
    pub text: String,
    /// The name of the passage that it leads to.
    pub target: String,
    /// When it is offered.
    pub offer: LinkOffer,
    /// The condition without which it is not offered.
    pub when: StoryTest,
    /// What it changes when it is taken.
    pub settings: Vec<StorySetting>,
    /// It is the link before it under another condition: only one of them is offered.
    pub is_alternative: bool,
}

/// When a link is offered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LinkOffer {
    /// Each time its passage is told.
    #[default]
    Always,
    /// Until it is taken.
    Once,
    /// When each other link of its passage was taken.
    Last,
    /// Always, and it is no choice: the text goes on there.
    WayOn,
}

impl PassageLink {
    /// The text goes on in another passage.
    pub(crate) fn way_on(target: String) -> PassageLink {
        let label = GO_ON.to_owned();
        PassageLink { label, target, offer: LinkOffer::WayOn, ..PassageLink::default() }
    }
}

impl StoryPassage {
    pub(crate) fn leads_to(&self, name: &str) -> bool {
        self.links.iter().any(|link| link.target == name)
    }
}

impl BranchingStory {
    /// A story of these passages: links that lead nowhere are taken out, with a note.
    pub(crate) fn build(
        format: StoryFormat,
        mut passages: Vec<StoryPassage>,
        start: &str,
        original: &str,
        notes: &mut ImportNotes,
    ) -> Result<BranchingStory, CardProblem> {
        if passages.len() > PASSAGES_MAX {
            let (count, limit) = (passages.len(), PASSAGES_MAX);
            return Err(CardProblem::TooMany { count, what: "passages", limit });
        }
        // A name that occurs twice would make two passages one.
        let mut taken = TakenNames::default();
        for passage in &mut passages {
            passage.name = distinct_name(std::mem::take(&mut passage.name), &mut taken, notes);
        }
        let names: BTreeSet<String> = passages.iter().map(|passage| passage.name.clone()).collect();
        for passage in &mut passages {
            if passage.links.len() > PASSAGE_LINKS_MAX {
                let (count, limit) = (passage.links.len(), PASSAGE_LINKS_MAX);
                return Err(CardProblem::TooMany { count, what: "links in one passage", limit });
            }
            let name = passage.name.clone();
            passage.links.retain(|link| {
                let is_there = names.contains(&link.target);
                if !is_there {
                    let why = format!("leads to `{}`, and there is no such passage", link.target);
                    notes.not_mapped(format!("passage `{name}`: link `{}`", link.label), why);
                }
                is_there
            });
        }
        let start = passages.iter().position(|passage| passage.name == start).unwrap_or(0);
        let (title, author, variables) = (String::new(), String::new(), BTreeMap::new());
        let story = BranchingStory {
            format,
            title,
            author,
            start,
            passages,
            variables,
            original: original.to_owned(),
        };
        for name in story.unreached() {
            notes.loose(format!("passage `{name}`"), "no link leads to it");
        }
        Ok(story)
    }

    /// Names of the passages that no way from the start leads to.
    fn unreached(&self) -> Vec<&str> {
        let by_name: BTreeMap<&str, usize> = self
            .passages
            .iter()
            .enumerate()
            .map(|(at, passage)| (passage.name.as_str(), at))
            .collect();
        let mut seen = vec![false; self.passages.len()];
        let mut open = vec![self.start];
        while let Some(at) = open.pop() {
            let Some(passage) = self.passages.get(at) else { continue };
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            open.extend(passage.links.iter().filter_map(|link| by_name.get(link.target.as_str())));
        }
        let missed = self.passages.iter().zip(seen).filter(|(_, seen)| !seen);
        missed.map(|(passage, _)| passage.name.as_str()).collect()
    }
}

/// A name that no other passage has: the second of a name gets a number, with a note.
pub(crate) fn distinct_name(
    wanted: String,
    taken: &mut TakenNames,
    notes: &mut ImportNotes,
) -> String {
    let name = taken.take(wanted.clone(), ' ');
    if name != wanted {
        notes.changed(
            format!("passage `{wanted}`"),
            "two passages have this name; the second gets a number",
        );
    }
    name
}

/// Paragraphs without blanks at their ends, one empty line between them.
pub(crate) fn tidy_text(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() && lines.last().is_none_or(|last| last.is_empty()) {
            continue;
        }
        lines.push(line);
    }
    lines.join("\n").trim().to_owned()
}
