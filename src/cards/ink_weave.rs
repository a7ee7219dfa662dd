//! The weave of ink: lines of text, choices and gathers of one knot → passages and links.

use std::collections::BTreeSet;

use crate::{
    ImportNotes, LinkOffer, PASSAGE_LINKS_MAX, PASSAGES_MAX, PassageLink, StoryPassage,
    branching::tidy_text, card_text::one_line, note::NOTE_CHARS,
};

/// The label of a link that has no words of its own.
pub(crate) const GO_ON: &str = "Go on";

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
    Text(String),
    Divert(String),
    Choice { label: String, said: String, divert: Option<String>, sticky: bool },
    Gather { name: Option<String>, words: Option<String> },
}

impl WeaveItem {
    pub(crate) fn plain(kind: WeaveKind) -> WeaveItem {
        WeaveItem { kind, level: 0 }
    }

    /// Reads a line. Returns `None` if it has no text. A text keeps the divert at its end.
    pub(crate) fn parse(line: &str, notes: &mut ImportNotes) -> Option<WeaveItem> {
        if is_logic(line) {
            notes.not_mapped(format!("`{line}`"), "ink's variables and logic");
            return None;
        }
        let (marks, rest) = marks_of(line);
        match marks.chars().next() {
            Some('*' | '+') => Some(choice(marks, rest, notes)),
            Some('-') => {
                let (name, rest) = label_of(rest);
                let level = marks.matches('-').count();
                let words = Some(inline(rest, notes)).filter(|words| !words.is_empty());
                Some(WeaveItem {
                    kind: WeaveKind::Gather { name: name.map(str::to_owned), words },
                    level,
                })
            }
            _ => {
                let text = inline(line, notes);
                (!text.is_empty()).then(|| WeaveItem::plain(WeaveKind::Text(text)))
            }
        }
    }
}

fn is_logic(line: &str) -> bool {
    let words =
        ["VAR ", "CONST ", "LIST ", "INCLUDE ", "EXTERNAL ", "TODO:", "TODO ", "~", "<-", "return"];
    words.iter().any(|word| line.starts_with(word))
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

/// `(name)` at the beginning.
fn label_of(text: &str) -> (Option<&str>, &str) {
    let inner = text.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    match inner {
        Some((name, rest)) if is_name(name.trim()) => (Some(name.trim()), rest.trim()),
        _ => (None, text),
    }
}

fn choice(marks: &str, text: &str, notes: &mut ImportNotes) -> WeaveItem {
    let level = marks.chars().filter(|char| "*+".contains(*char)).count();
    let (_, mut text) = label_of(text);
    let mut conditions = Vec::new();
    while let Some((condition, rest)) = text.strip_prefix('{').and_then(|rest| rest.split_once('}'))
    {
        conditions.push(condition);
        text = rest.trim_start();
    }
    // Each note names the choice by its beginning: a line may have a hundred thousand conditions.
    let shown = one_line(&text.chars().take(NOTE_CHARS).collect::<String>());
    for condition in conditions {
        let what = format!("choice `{shown}`: `{{{condition}}}`");
        notes.not_mapped(what, "a condition of ink; the choice is always offered");
    }
    let (words, divert) = match text.split_once("->") {
        Some((words, divert)) => (words, Some(divert.trim().to_owned())),
        None => (text, None),
    };
    let (label, said) = match words.split_once('[').and_then(|(before, rest)| {
        rest.split_once(']').map(|(shown, after)| (before, shown, after))
    }) {
        // Words in brackets appear in the choice but not in the text that follows it.
        Some((before, shown, after)) => (format!("{before}{shown}"), format!("{before}{after}")),
        None => (words.to_owned(), words.to_owned()),
    };
    let (label, said) = (inline(&label, notes), inline(&said, notes));
    let sticky = marks.starts_with('+');
    WeaveItem { kind: WeaveKind::Choice { label, said, divert, sticky }, level }
}

/// The words of a line: the first of alternatives, without conditions, glue and tags.
fn inline(line: &str, notes: &mut ImportNotes) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('{') {
        text += before;
        let Some((logic, after)) = after.split_once('}') else {
            text += after;
            rest = "";
            break;
        };
        notes.not_mapped(
            format!("`{{{logic}}}`"),
            "ink's logic within a line; the first text of it is told",
        );
        let words = logic.trim_start_matches(['&', '~', '!']);
        let words = words.split_once(':').map_or(words, |(_, words)| words);
        let is_variable = !logic.contains([':', '|']);
        text += if is_variable { "" } else { words.split('|').next().unwrap_or_default() };
        rest = after;
    }
    text += rest;
    if let Some((words, tag)) =
        text.split_once('#').map(|(words, tag)| (words.to_owned(), tag.to_owned()))
    {
        if !tag.trim_start().starts_with("title:") && !tag.trim_start().starts_with("author:") {
            notes.not_mapped("tags", format!("`#{tag}` is for programs, not for readers"));
        }
        text = words;
    }
    one_line(&text.replace("<>", " ").replace('\\', ""))
}

struct Weaver<'w, 'n> {
    knot: &'w str,
    names: &'w BTreeSet<String>,
    passages: &'w mut Vec<StoryPassage>,
    notes: &'n mut ImportNotes,
    made: usize,
    /// Passages that are yet to be made. Not by recursion: a knot may have thousands of gathers.
    jobs: Vec<WeaveJob<'w>>,
}

/// Lines that become a passage.
struct WeaveJob<'w> {
    name: String,
    words: Option<&'w str>,
    items: &'w [WeaveItem],
    /// The next passage, unless a divert leads elsewhere.
    after: Option<String>,
}

/// Appends the passages of a knot.
pub(crate) fn read_weave(
    knot: &InkKnot,
    names: &BTreeSet<String>,
    passages: &mut Vec<StoryPassage>,
    notes: &mut ImportNotes,
) {
    let job = WeaveJob { name: knot.name.clone(), words: None, items: &knot.items, after: None };
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
        self.passages.push(StoryPassage { name, ..StoryPassage::default() });
        let head = items.iter().position(|item| item.level > 0).unwrap_or(items.len());
        let (told, rest) = items.split_at(head);
        let (text, divert) = self.told(words, told);
        self.passages[at].text = text;
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
            let WeaveKind::Choice { label, said, divert, sticky } = &first.kind else { continue };
            let mut label = label.as_str();
            let mut offer = if *sticky { LinkOffer::Always } else { LinkOffer::Once };
            if label.is_empty() {
                // ink takes a choice without words if no other choice remains.
                if self.passages[at].links.is_empty() && others.is_empty() {
                    self.only_way(at, divert.as_deref(), body, next.as_deref());
                    continue;
                }
                self.notes.changed(
                    format!("knot `{}`", self.knot),
                    format!("a choice without words, which ink takes when no other is left: “{GO_ON}” is offered then"),
                );
                (label, offer) = (GO_ON, LinkOffer::Last);
            }
            let target = self.choice_target(divert.as_deref(), body, next.as_deref());
            let (text, target) = match target {
                ChoiceTarget::Passage(text, target) => (join(said, &text), target),
                ChoiceTarget::Ends(text) => {
                    let name = self.end_name(label);
                    let text = join(said, &text);
                    self.passages.push(StoryPassage {
                        name: name.clone(),
                        text,
                        ..StoryPassage::default()
                    });
                    (String::new(), name)
                }
            };
            let label = label.to_owned();
            self.passages[at].links.push(PassageLink { label, text, target, offer });
        }
    }

    /// Goes on as a choice that the reader never sees.
    fn only_way(
        &mut self,
        at: usize,
        divert: Option<&str>,
        body: &'w [WeaveItem],
        next: Option<&str>,
    ) {
        if let Some(divert) = divert.filter(|divert| !divert.is_empty()) {
            let target = self.resolve(divert);
            return self.go_on(at, target);
        }
        let after = next.map(str::to_owned);
        if body.iter().any(|item| item.level > 0) {
            let name = self.new_name("branch");
            self.jobs.push(WeaveJob { name: name.clone(), words: None, items: body, after });
            return self.go_on(at, Some((name, true)));
        }
        let (text, way) = self.told(None, body);
        self.passages[at].text = join(&self.passages[at].text, &text);
        self.go_on(at, way.or(after.map(|after| (after, true))));
    }

    /// The choice that ends the story names the end.
    fn end_name(&mut self, label: &str) -> String {
        let is_taken = |name: &str| {
            self.names.contains(name) || self.passages.iter().any(|passage| passage.name == name)
        };
        match is_taken(label) {
            true => self.new_name("end"),
            false => label.to_owned(),
        }
    }

    fn choice_target(
        &mut self,
        divert: Option<&str>,
        body: &'w [WeaveItem],
        next: Option<&str>,
    ) -> ChoiceTarget {
        let end = |weaver: &mut Self, divert: &str, text: String| match weaver.resolve(divert) {
            Some((target, _)) => ChoiceTarget::Passage(text, target),
            None => ChoiceTarget::Ends(text),
        };
        if let Some(divert) = divert.filter(|divert| !divert.is_empty()) {
            return end(self, divert, String::new());
        }
        if body.iter().any(|item| item.level > 0) {
            let name = self.new_name("branch");
            let after = next.map(str::to_owned);
            self.jobs.push(WeaveJob { name: name.clone(), words: None, items: body, after });
            return ChoiceTarget::Passage(String::new(), name);
        }
        let (text, divert) = self.told(None, body);
        match (divert, next) {
            (Some((target, true)), _) => ChoiceTarget::Passage(text, target),
            (Some((_, false)), _) => ChoiceTarget::Ends(text),
            (None, Some(next)) => ChoiceTarget::Passage(text, next.to_owned()),
            (None, None) => ChoiceTarget::Ends(text),
        }
    }

    /// Text up to a divert, and where that leads: a passage, or the end.
    fn told(
        &mut self,
        words: Option<&str>,
        items: &[WeaveItem],
    ) -> (String, Option<(String, bool)>) {
        let mut lines = Vec::new();
        let of_items = items.iter().filter_map(|item| match &item.kind {
            WeaveKind::Text(text) => Some(split_divert(text)),
            WeaveKind::Divert(divert) => Some(("", Some(divert.as_str()))),
            _ => None,
        });
        for (text, divert) in words.map(split_divert).into_iter().chain(of_items) {
            lines.push(text);
            if let Some(divert) = divert {
                let target = self.resolve(divert).unwrap_or((String::new(), false));
                return (tidy_text(&lines.join("\n\n")), Some(target));
            }
        }
        (tidy_text(&lines.join("\n\n")), None)
    }

    fn gather(
        &mut self,
        at: &'w WeaveItem,
        items: &'w [WeaveItem],
        after: Option<String>,
    ) -> String {
        let (label, words) = match &at.kind {
            WeaveKind::Gather { name, words } => (name.as_deref(), words.as_deref()),
            _ => (None, None),
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
            let label = GO_ON.to_owned();
            let offer = LinkOffer::WayOn;
            let link = PassageLink { label, target, offer, ..PassageLink::default() };
            self.passages[at].links.push(link);
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
        let knot = self.knot.split('.').next().unwrap_or_default();
        let near = [format!("{}.{name}", self.knot), format!("{knot}.{name}"), name.to_owned()];
        let found = near.iter().find(|near| self.names.contains(*near));
        // A label of a gather is known only when it has been read; a wrong name is noted when links are checked.
        let label = || match name.contains('.') {
            true => name.to_owned(),
            false => format!("{}.{name}", self.knot),
        };
        Some((found.cloned().unwrap_or_else(label), true))
    }
}

enum ChoiceTarget {
    /// The text on the way, and the passage.
    Passage(String, String),
    /// The story ends with this text.
    Ends(String),
}

fn split_divert(text: &str) -> (&str, Option<&str>) {
    match text.split_once("->") {
        Some((text, divert)) => (text.trim(), Some(divert.trim())),
        None => (text, None),
    }
}

fn join(first: &str, second: &str) -> String {
    match (first.is_empty(), second.is_empty()) {
        (true, _) => second.to_owned(),
        (_, true) => first.to_owned(),
        _ => format!("{first}\n\n{second}"),
    }
}

pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || char == '_')
}
