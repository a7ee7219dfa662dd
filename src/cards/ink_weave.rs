//! The weave of ink: lines of text, choices and gathers of one knot → passages and links.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    ImportNotes, LinkOffer, PASSAGE_LINKS_MAX, PASSAGES_MAX, PassageLink, SourceChange,
    StorySetting, StorySource, StoryTest, StoryValue,
    branching::GO_ON,
    ink_words::{WeaveChoice, choice_line, ink_pieces, label_of},
    passage_text::ink_text,
    variants::{DraftPassage, StoryArm, StoryPiece},
};

/// A knot or a stitch with its lines.
pub(crate) struct InkKnot {
    pub(crate) name: String,
    pub(crate) items: Vec<WeaveItem>,
}

/// A line of a knot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WeaveItem {
    pub(crate) kind: WeaveKind,
    /// The number of its marks; 0 for text.
    pub(crate) level: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WeaveKind {
    Told(Vec<StoryPiece>),
    Choice(Box<WeaveChoice>),
    Gather { name: Option<String>, words: Vec<StoryPiece> },
}

/// The names that conditions and diverts use.
#[derive(Default)]
pub(crate) struct InkNames {
    /// Knots, stitches, and labels of gathers and choices.
    pub(crate) places: BTreeSet<String>,
    /// Variables, with the values that they begin with.
    pub(crate) variables: BTreeMap<String, Option<StoryValue>>,
}

impl WeaveItem {
    pub(crate) fn told(pieces: Vec<StoryPiece>) -> WeaveItem {
        WeaveItem { kind: WeaveKind::Told(pieces), level: 0 }
    }

    /// Reads a line, or several that a block of logic joins.
    pub(crate) fn parse(line: &str, notes: &mut ImportNotes) -> WeaveItem {
        let (marks, rest) = marks_of(line);
        match marks.chars().next() {
            Some('*' | '+') => {
                let level = marks.chars().filter(|char| "*+".contains(*char)).count();
                let choice = choice_line(rest, marks.starts_with('+'), notes);
                WeaveItem { kind: WeaveKind::Choice(Box::new(choice)), level }
            }
            Some('-') => {
                let (name, rest) = label_of(rest);
                let level = marks.matches('-').count();
                let (name, words) = (name.map(str::to_owned), ink_pieces(rest, notes));
                WeaveItem { kind: WeaveKind::Gather { name, words }, level }
            }
            _ => WeaveItem::told(ink_pieces(line, notes)),
        }
    }

    /// The label by which conditions know it.
    pub(crate) fn label(&self) -> Option<&str> {
        match &self.kind {
            WeaveKind::Told(_) => None,
            WeaveKind::Choice(choice) => choice.name.as_deref(),
            WeaveKind::Gather { name, .. } => name.as_deref(),
        }
    }

    /// What it tells.
    pub(crate) fn pieces(&self) -> &[StoryPiece] {
        match &self.kind {
            WeaveKind::Told(pieces) => pieces,
            WeaveKind::Choice(choice) => &choice.said,
            WeaveKind::Gather { words, .. } => words,
        }
    }
}

/// The marks at the beginning of a line, which may have blanks between them, and the rest.
fn marks_of(line: &str) -> (&str, &str) {
    let Some(mark) = line.chars().next().filter(|char| "*+-".contains(*char)) else {
        return ("", line);
    };
    if line.starts_with("->") {
        return ("", line);
    }
    let mut end = 0;
    for (at, char) in line.char_indices() {
        // The `-` of a divert is no mark.
        if char == mark && !line[at..].starts_with("->") {
            end = at + 1;
        } else if char != ' ' {
            break;
        }
    }
    (&line[..end], line[end..].trim())
}

struct Weaver<'w, 'n> {
    knot: &'w str,
    names: &'w InkNames,
    passages: &'w mut Vec<DraftPassage>,
    notes: &'n mut ImportNotes,
    made: usize,
    /// Passages that are yet to be made. Not by recursion: a knot may have thousands of gathers.
    jobs: Vec<WeaveJob<'w>>,
}

/// Lines that become a passage.
struct WeaveJob<'w> {
    name: String,
    words: Vec<StoryPiece>,
    items: &'w [WeaveItem],
    /// The next passage, unless a divert leads elsewhere.
    after: Option<String>,
}

/// Appends the passages of a knot.
pub(crate) fn read_weave(
    knot: &InkKnot,
    names: &InkNames,
    passages: &mut Vec<DraftPassage>,
    notes: &mut ImportNotes,
) {
    let job =
        WeaveJob { name: knot.name.clone(), words: Vec::new(), items: &knot.items, after: None };
    let (made, jobs) = (0, vec![job]);
    let mut weaver = Weaver { knot: &knot.name, names, passages, notes, made, jobs };
    // One more than allowed is enough to be refused.
    while let Some(job) = weaver.jobs.pop().filter(|_| weaver.passages.len() <= PASSAGES_MAX) {
        weaver.weave(job);
    }
}

impl<'w> Weaver<'w, '_> {
    fn new_name(&mut self, kind: &str) -> String {
        self.made += 1;
        format!("{}, {kind} {}", self.knot, self.made)
    }

    fn weave(&mut self, job: WeaveJob<'w>) {
        let WeaveJob { name, words, items, after } = job;
        let at = self.passages.len();
        self.passages.push(DraftPassage { name, ..DraftPassage::default() });
        let head = items.iter().position(|item| item.level > 0).unwrap_or(items.len());
        let (told, rest) = items.split_at(head);
        let (pieces, divert) = self.told(words, told);
        self.passages[at].pieces = pieces;
        if let Some(divert) = divert {
            self.go_on(at, Some(divert));
            return;
        }
        let Some(first) = rest.first() else {
            self.go_on(at, after.map(|after| (after, true)));
            return;
        };
        if let WeaveKind::Gather { .. } = &first.kind {
            let gather = self.gather(first, &rest[1..], after);
            self.go_on(at, Some((gather, true)));
            return;
        }
        let levels = rest.iter().map(|item| item.level).filter(|level| *level > 0);
        let level = levels.min().unwrap_or(1);
        let is_gather =
            |item: &WeaveItem| matches!(item.kind, WeaveKind::Gather { .. }) && item.level <= level;
        let end = rest.iter().position(is_gather).unwrap_or(rest.len());
        let (choices, later) = rest.split_at(end);
        let next = match later.split_first() {
            Some((gather, later)) => Some(self.gather(gather, later, after)),
            None => after,
        };
        self.choices(at, choices, level, next);
    }

    fn choices(&mut self, at: usize, items: &'w [WeaveItem], level: usize, next: Option<String>) {
        let is_choice =
            |item: &WeaveItem| item.level == level && matches!(item.kind, WeaveKind::Choice { .. });
        let mut rest = items;
        // Deeper choices before the first of this level belong to none; they count as of this level.
        while let Some((first, after)) = rest.split_first() {
            // One more than allowed is enough to be refused.
            if self.passages[at].links.len() > PASSAGE_LINKS_MAX {
                return;
            }
            let end = after.iter().position(is_choice).unwrap_or(after.len());
            let (body, others) = after.split_at(end);
            rest = others;
            let WeaveKind::Choice(choice) = &first.kind else { continue };
            let mut label = choice.label.as_str();
            let mut offer = if choice.sticky { LinkOffer::Always } else { LinkOffer::Once };
            let when = self.test(&choice.when);
            if label.is_empty() {
                // ink takes a choice without words if no other choice remains.
                if self.passages[at].links.is_empty()
                    && others.is_empty()
                    && when == StoryTest::Known(true)
                {
                    self.only_way(at, choice, body, next.as_deref());
                    continue;
                }
                self.notes.changed(
                    format!("knot `{}`", self.knot),
                    format!("a choice without words, which ink takes when no other is left: “{GO_ON}” is offered then"),
                );
                (label, offer) = (GO_ON, LinkOffer::Last);
            }
            let mut settings = Vec::new();
            if let Some(name) = &choice.name {
                let source = StorySource::Visits(format!("{}.{name}", self.knot));
                settings.push(StorySetting { source, change: SourceChange::By(1) });
            }
            let (pieces, target) = self.choice_target(choice, body, next.as_deref());
            settings.extend(pieces.iter().filter_map(|piece| match piece {
                StoryPiece::Set(setting) => Some(setting.clone()),
                _ => None,
            }));
            let (text, target) = match target {
                Some(target) => (text_of(&pieces), target),
                None => {
                    let name = self.end_name(label);
                    self.passages.push(DraftPassage {
                        name: name.clone(),
                        pieces,
                        ..DraftPassage::default()
                    });
                    (String::new(), name)
                }
            };
            let label = label.to_owned();
            let link =
                PassageLink { label, text, target, offer, when, settings, is_alternative: false };
            self.passages[at].links.push(link);
        }
    }

    /// Goes on as a choice that the reader never sees.
    fn only_way(
        &mut self,
        at: usize,
        choice: &'w WeaveChoice,
        body: &'w [WeaveItem],
        next: Option<&str>,
    ) {
        let after = next.map(str::to_owned);
        let divert = choice.divert.as_deref().filter(|divert| !divert.is_empty());
        if divert.is_none() && body.iter().any(|item| item.level > 0) {
            let name = self.branch(choice.said.clone(), body, after);
            return self.go_on(at, Some((name, true)));
        }
        let (pieces, way) = match divert {
            Some(divert) => {
                let pieces = self.resolved(&choice.said);
                (pieces, Some(self.resolve(divert).map_or((String::new(), false), |it| it)))
            }
            None => self.told(choice.said.clone(), body),
        };
        if !self.passages[at].pieces.is_empty() && !pieces.is_empty() {
            self.passages[at].pieces.push(paragraph());
        }
        self.passages[at].pieces.extend(pieces);
        self.go_on(at, way.or(after.map(|after| (after, true))));
    }

    /// A passage of its own for what follows a choice. Returns its name.
    fn branch(
        &mut self,
        words: Vec<StoryPiece>,
        items: &'w [WeaveItem],
        after: Option<String>,
    ) -> String {
        let name = self.new_name("branch");
        self.jobs.push(WeaveJob { name: name.clone(), words, items, after });
        name
    }

    /// The choice that ends the story names the end.
    fn end_name(&mut self, label: &str) -> String {
        let is_taken = |name: &str| {
            self.names.places.contains(name)
                || self.passages.iter().any(|passage| passage.name == name)
        };
        match is_taken(label) {
            true => self.new_name("end"),
            false => label.to_owned(),
        }
    }

    /// What is told on the way, and the passage. No passage ends the story.
    fn choice_target(
        &mut self,
        choice: &'w WeaveChoice,
        body: &'w [WeaveItem],
        next: Option<&str>,
    ) -> (Vec<StoryPiece>, Option<String>) {
        let divert = choice.divert.as_deref().filter(|divert| !divert.is_empty());
        let items: &'w [WeaveItem] = if divert.is_some() { &[] } else { body };
        let has_branch = |pieces: &[StoryPiece]| {
            pieces.iter().any(|piece| matches!(piece, StoryPiece::Branch(_) | StoryPiece::Value(_)))
        };
        let is_long = items.iter().any(|item| item.level > 0)
            || has_branch(&choice.said)
            || items.iter().any(|item| has_branch(item.pieces()));
        if is_long {
            let mut words = choice.said.clone();
            words.extend(divert.map(|divert| StoryPiece::Divert(Some(divert.to_owned()))));
            let name = self.branch(words, items, next.map(str::to_owned));
            return (Vec::new(), Some(name));
        }
        if let Some(divert) = divert {
            let pieces = self.resolved(&choice.said);
            return (pieces, self.resolve(divert).map(|(target, _)| target));
        }
        let (pieces, divert) = self.told(choice.said.clone(), items);
        let target = match (divert, next) {
            (Some((target, true)), _) => Some(target),
            (Some((_, false)), _) => None,
            (None, next) => next.map(str::to_owned),
        };
        (pieces, target)
    }

    /// Pieces up to a divert, and where that leads: a passage, or the end.
    fn told(
        &mut self,
        words: Vec<StoryPiece>,
        items: &[WeaveItem],
    ) -> (Vec<StoryPiece>, Option<(String, bool)>) {
        let mut told: Vec<StoryPiece> = Vec::new();
        let lines = items.iter().map(WeaveItem::pieces);
        for pieces in std::iter::once(words.as_slice()).chain(lines) {
            if !told.is_empty() && !pieces.is_empty() {
                told.push(paragraph());
            }
            for piece in self.resolved(pieces) {
                match piece {
                    StoryPiece::Divert(Some(target)) => return (told, Some((target, true))),
                    StoryPiece::Divert(None) => return (told, Some((String::new(), false))),
                    piece => told.push(piece),
                }
            }
        }
        (told, None)
    }

    /// Pieces with the passages and variables that their names mean.
    fn resolved(&mut self, pieces: &[StoryPiece]) -> Vec<StoryPiece> {
        let mut resolved = Vec::with_capacity(pieces.len());
        for piece in pieces {
            resolved.push(match piece {
                StoryPiece::Divert(Some(divert)) => {
                    StoryPiece::Divert(self.resolve(divert).map(|(target, _)| target))
                }
                StoryPiece::Value(source) => match self.source(source) {
                    Some(source) => StoryPiece::Value(source),
                    None => piece.clone(),
                },
                StoryPiece::Branch(arms) => {
                    let arm = |arm: &StoryArm| {
                        let (test, pieces) = (self.test(&arm.test), self.resolved(&arm.pieces));
                        StoryArm { test, pieces }
                    };
                    StoryPiece::Branch(arms.iter().map(arm).collect())
                }
                StoryPiece::Link(link) => StoryPiece::Link(self.resolved_link(link)),
                piece => piece.clone(),
            });
        }
        resolved
    }

    /// A choice within a block of logic.
    fn resolved_link(&mut self, link: &PassageLink) -> PassageLink {
        let when = self.test(&link.when);
        let target = match self.resolve(&link.target) {
            Some((target, _)) => target,
            None => {
                let name = self.end_name(&link.label);
                let pieces = vec![StoryPiece::Text(link.text.clone())];
                self.passages.push(DraftPassage {
                    name: name.clone(),
                    pieces,
                    ..DraftPassage::default()
                });
                name
            }
        };
        PassageLink { target, when, ..link.clone() }
    }

    /// The variable or the passage that a name in a condition means.
    fn source(&self, source: &StorySource) -> Option<StorySource> {
        let StorySource::Variable(name) = source else { return Some(source.clone()) };
        if self.names.variables.contains_key(name) {
            return Some(source.clone());
        }
        let near = self.near(name);
        let place = near.into_iter().find(|near| self.names.places.contains(near));
        place.map(StorySource::Visits)
    }

    fn test(&mut self, test: &StoryTest) -> StoryTest {
        let mut unknown = None;
        test.visit(&mut |source, _| {
            if self.source(source).is_none() {
                unknown = Some(source.name().to_owned());
            }
        });
        if let Some(unknown) = unknown {
            self.notes.not_mapped(
                format!("knot `{}`: `{unknown}` in a condition", self.knot),
                "the story has neither a variable nor a knot of this name; the condition always holds",
            );
            return StoryTest::Known(true);
        }
        test.map(&|test| match test {
            StoryTest::Truthy(source) => {
                self.source(source).map_or_else(|| test.clone(), StoryTest::Truthy)
            }
            StoryTest::Compare(source, operator, value) => {
                let compare = |source| StoryTest::Compare(source, *operator, value.clone());
                self.source(source).map_or_else(|| test.clone(), compare)
            }
            test => test.clone(),
        })
    }

    fn gather(
        &mut self,
        at: &'w WeaveItem,
        items: &'w [WeaveItem],
        after: Option<String>,
    ) -> String {
        let (label, words) = match &at.kind {
            WeaveKind::Gather { name, words } => (name.as_deref(), words.clone()),
            _ => (None, Vec::new()),
        };
        let name = match label {
            Some(label) => format!("{}.{label}", self.knot),
            None => self.new_name("gather"),
        };
        self.jobs.push(WeaveJob { name: name.clone(), words, items, after });
        name
    }

    fn go_on(&mut self, at: usize, target: Option<(String, bool)>) {
        if let Some((target, true)) = target {
            self.passages[at].links.push(PassageLink::way_on(target));
        }
    }

    /// Resolves the target of a divert. Returns `None` if the divert ends the story.
    fn resolve(&mut self, divert: &str) -> Option<(String, bool)> {
        let name = divert.split(['(', '#']).next().unwrap_or_default().trim();
        if name.contains("->") {
            self.notes.not_mapped(
                format!("`-> {divert}`"),
                "a tunnel of ink; it leads there and not back",
            );
        }
        let name = name.split("->").next().unwrap_or_default().trim();
        if ["END", "DONE", ""].contains(&name) {
            return None;
        }
        let near = self.near(name);
        let found = near.iter().find(|near| self.names.places.contains(*near));
        // A wrong name is noted when links are checked.
        let label = || match name.contains('.') {
            true => name.to_owned(),
            false => format!("{}.{name}", self.knot),
        };
        Some((found.cloned().unwrap_or_else(label), true))
    }

    /// The full names that a name may mean here, the nearest first.
    fn near(&self, name: &str) -> [String; 3] {
        let knot = self.knot.split('.').next().unwrap_or_default();
        [format!("{}.{name}", self.knot), format!("{knot}.{name}"), name.to_owned()]
    }
}

/// The end of a paragraph.
fn paragraph() -> StoryPiece {
    StoryPiece::Text("\n\n".to_owned())
}

/// The text of pieces that have no conditions.
fn text_of(pieces: &[StoryPiece]) -> String {
    let texts = pieces.iter().filter_map(|piece| match piece {
        StoryPiece::Text(text) => Some(text.as_str()),
        _ => None,
    });
    ink_text(&texts.collect::<String>(), &[])
}
