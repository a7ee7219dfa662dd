//! The words of a line of ink, or of a block of its logic over several lines: text, diverts, conditions and changes.

use crate::{
    ImportNotes, LOGIC_NESTING_MAX, LinkOffer, PassageLink, StorySource, StoryTest, TestOperator,
    card_text::one_line,
    logic::{parse_settings, parse_test, parse_value},
    note::NOTE_CHARS,
    variants::{StoryArm, StoryPiece},
};

/// Conditions of one choice that are read.
const CHOICE_CONDITIONS_MAX: usize = 16;

/// Braces without an end that a line may have. Each costs a search; after these, what stands behind them is text.
const MISSES_MAX: usize = 200;

/// What ink calls alternatives that change from visit to visit.
const ALTERNATIVES: &[&str] =
    &["stopping", "cycle", "shuffle", "once", "shuffle once", "shuffle stopping"];

/// A choice of ink.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WeaveChoice {
    pub(crate) name: Option<String>,
    pub(crate) label: String,
    pub(crate) said: Vec<StoryPiece>,
    pub(crate) divert: Option<String>,
    pub(crate) when: StoryTest,
    pub(crate) sticky: bool,
}

/// `(name)` at the beginning.
pub(crate) fn label_of(text: &str) -> (Option<&str>, &str) {
    let inner = text.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    match inner {
        Some((name, rest)) if is_name(name.trim()) => (Some(name.trim()), rest.trim()),
        _ => (None, text),
    }
}

pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || char == '_')
}

/// Reads a choice without its marks.
pub(crate) fn choice_line(text: &str, sticky: bool, notes: &mut ImportNotes) -> WeaveChoice {
    let (name, mut text) = label_of(text);
    let mut conditions = Vec::new();
    while let Some(inner) = text.strip_prefix('{')
        && let Some(end) = closing_brace(inner)
    {
        conditions.push(&inner[..end]);
        text = inner[end + 1..].trim_start();
    }
    // Each note names the choice by its beginning: a line may have a hundred thousand conditions.
    let shown = one_line(&text.chars().take(NOTE_CHARS).collect::<String>());
    let mut when = StoryTest::Known(true);
    for (at, condition) in conditions.into_iter().enumerate() {
        match parse_test(condition, "").filter(|_| at < CHOICE_CONDITIONS_MAX) {
            Some(test) => when = StoryTest::all([when, test]),
            None => notes.not_mapped(
                format!("choice `{shown}`: `{{{condition}}}`"),
                "a condition that a campaign cannot ask for; the choice is offered without it",
            ),
        }
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
    let label = ink_pieces(&label, notes);
    let label = one_line(&first_text(&label, &shown, notes));
    let said = ink_pieces(&said, notes);
    WeaveChoice { name: name.map(str::to_owned), label, said, divert, when, sticky }
}

/// The words of a choice: of arms the first.
fn first_text(pieces: &[StoryPiece], shown: &str, notes: &mut ImportNotes) -> String {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            StoryPiece::Text(words) => text += words,
            StoryPiece::Branch(arms) => {
                let why =
                    "a condition within the words of a choice; its first text is always shown";
                notes.not_mapped(format!("choice `{shown}`"), why);
                if let Some(arm) = arms.first() {
                    text += &first_text(&arm.pieces, shown, notes);
                }
            }
            StoryPiece::Value(source) => notes.not_mapped(
                format!("choice `{shown}`: `{}`", source.name()),
                "a variable in the words of a choice; nothing stands for it",
            ),
            _ => {}
        }
    }
    text
}

/// Reads words of ink. Lines are paragraphs.
pub(crate) fn ink_pieces(text: &str, notes: &mut ImportNotes) -> Vec<StoryPiece> {
    let mut reader = InkReader { notes, pieces: Vec::new(), misses: 0 };
    reader.lines(text, 0);
    reader.pieces
}

struct InkReader<'n> {
    notes: &'n mut ImportNotes,
    pieces: Vec<StoryPiece>,
    /// Braces without an end so far.
    misses: usize,
}

impl InkReader<'_> {
    /// Lines, of which a block may join several.
    fn lines(&mut self, text: &str, depth: usize) {
        let mut rest = text.trim();
        let mut after_choice = false;
        while !rest.is_empty() {
            let end = line_end(rest);
            let line = rest[..end].trim();
            rest = rest[end..].trim_start();
            if depth > 0 && (line.starts_with(['*', '+']) || after_choice) {
                after_choice = true;
                self.choice(line);
                continue;
            }
            if !self.pieces.is_empty() && !line.is_empty() {
                self.text("\n\n");
            }
            self.line(line, depth);
        }
    }

    /// A choice within a block. It is read if it says where it leads on its one line.
    fn choice(&mut self, line: &str) {
        let marks = line.len() - line.trim_start_matches(['*', '+', ' ']).len();
        let sticky = line.starts_with('+');
        let choice = choice_line(&line[marks..], sticky, self.notes);
        let is_text = |piece: &StoryPiece| matches!(piece, StoryPiece::Text(_));
        let is_plain = choice.said.iter().all(is_text) && choice.name.is_none();
        let (label, when) = (choice.label, choice.when);
        match choice.divert.filter(|target| !target.is_empty() && is_plain && !label.is_empty()) {
            Some(target) if marks > 0 => {
                let text = one_line(&first_text(&choice.said, &label, self.notes));
                let offer = if sticky { LinkOffer::Always } else { LinkOffer::Once };
                let link =
                    PassageLink { label, text, target, offer, when, ..PassageLink::default() };
                self.pieces.push(StoryPiece::Link(link));
            }
            _ => {
                self.notes.not_mapped(format!("`{line}`"), "a choice within a block of ink's logic")
            }
        }
    }

    fn line(&mut self, line: &str, depth: usize) {
        if let Some(change) = line.strip_prefix('~') {
            let change = change.trim();
            let change = change.strip_prefix("temp ").unwrap_or(change);
            match parse_settings(change) {
                Some(settings) => self.pieces.extend(settings.into_iter().map(StoryPiece::Set)),
                None => self.notes.not_mapped(format!("`{line}`"), "ink's variables and logic"),
            }
            return;
        }
        let mut rest = line;
        while let Some(at) = rest.find(['{', '#', '-']) {
            self.text(&rest[..at]);
            rest = &rest[at..];
            if let Some(divert) = rest.strip_prefix("->") {
                self.pieces.push(StoryPiece::Divert(Some(divert.trim().to_owned())));
                return;
            }
            if let Some(tag) = rest.strip_prefix('#') {
                if !tag.trim_start().starts_with("title:")
                    && !tag.trim_start().starts_with("author:")
                {
                    let what = format!("`#{tag}` is for programs, not for readers");
                    self.notes.not_mapped("tags", what);
                }
                return;
            }
            let inner = rest.strip_prefix('{');
            if inner.is_some() && self.misses >= MISSES_MAX {
                return self.text(&rest.replace(['{', '}'], ""));
            }
            match inner.and_then(|inner| Some((inner, closing_brace(inner)?))) {
                Some((inner, end)) => {
                    self.logic(&inner[..end], depth);
                    rest = &inner[end + 1..];
                }
                // A brace without its end is left out, and what stands behind it is text.
                None if inner.is_some() => {
                    self.misses += 1;
                    rest = rest[1..].trim_start_matches('{');
                }
                None => {
                    self.text("-");
                    rest = &rest[1..];
                }
            }
        }
        self.text(rest);
    }

    fn text(&mut self, text: &str) {
        let text = text.replace("<>", " ").replace('\\', "");
        match self.pieces.last_mut() {
            _ if text.is_empty() => {}
            Some(StoryPiece::Text(last)) => last.push_str(&text),
            _ => self.pieces.push(StoryPiece::Text(text)),
        }
    }

    /// The pieces of a part.
    fn within(&mut self, text: &str, depth: usize) -> Vec<StoryPiece> {
        let outer = std::mem::take(&mut self.pieces);
        self.lines(text, depth + 1);
        std::mem::replace(&mut self.pieces, outer)
    }

    /// What stands between braces.
    fn logic(&mut self, logic: &str, depth: usize) {
        if depth >= LOGIC_NESTING_MAX {
            let what = format!("`{{{logic}}}`");
            return self
                .notes
                .not_mapped(what, "ink's logic nests too deep; nothing of it is told");
        }
        if logic.contains('\n') {
            return self.block(logic, depth);
        }
        match split_once_outside(logic, ':') {
            Some((condition, words)) => {
                let arms = split_outside(words, '|');
                let Some(test) = parse_test(condition, "") else {
                    return self.first_of(logic, arms.first().unwrap_or(&""), depth);
                };
                let mut branch = Vec::new();
                for (at, words) in arms.into_iter().take(2).enumerate() {
                    let pieces = self.edged(words, depth);
                    let test = if at == 0 { test.clone() } else { StoryTest::Known(true) };
                    branch.push(StoryArm { test, pieces });
                }
                self.pieces.push(StoryPiece::Branch(branch));
            }
            None if logic.contains('|') => {
                let words = logic.trim_start_matches(['&', '~', '!']);
                let first = split_outside(words, '|').first().copied().unwrap_or_default();
                self.first_of(logic, first, depth);
            }
            None => match parse_test(logic, "") {
                Some(StoryTest::Truthy(source)) => self.pieces.push(StoryPiece::Value(source)),
                _ => self.first_of(logic, "", depth),
            },
        }
    }

    /// The pieces of words within a line, with the blanks at their edges.
    fn edged(&mut self, words: &str, depth: usize) -> Vec<StoryPiece> {
        let mut pieces = self.within(words, depth);
        let blank = || StoryPiece::Text(" ".to_owned());
        if words.starts_with(' ') {
            pieces.insert(0, blank());
        }
        let is_open = !matches!(pieces.last(), Some(StoryPiece::Divert(_)));
        if words.ends_with(' ') && is_open {
            pieces.push(blank());
        }
        pieces
    }

    fn first_of(&mut self, logic: &str, first: &str, depth: usize) {
        let why = "ink's logic within a line; the first text of it is told";
        self.notes.not_mapped(format!("`{{{logic}}}`"), why);
        let pieces = self.edged(first, depth);
        for piece in pieces {
            match piece {
                StoryPiece::Text(text) => self.text(&text),
                piece => self.pieces.push(piece),
            }
        }
    }

    /// A block over several lines: a condition with an `else`, or arms with a condition each.
    fn block(&mut self, logic: &str, depth: usize) {
        let arms = block_arms(logic);
        let (head, arms) = match arms.split_first() {
            Some((head, arms)) => (*head, arms),
            None => return,
        };
        let shown =
            format!("`{{{}`", one_line(&logic.chars().take(NOTE_CHARS).collect::<String>()));
        let (condition, first) = split_once_outside(head, ':').unwrap_or((head, ""));
        let condition = condition.trim();
        if ALTERNATIVES.contains(&condition) {
            let why = "alternatives of ink; the first of them is told";
            self.notes.not_mapped(shown, why);
            let first = arms.first().map(|arm| arm.trim_start()).unwrap_or_default();
            let pieces = self.within(first.strip_prefix('-').unwrap_or(first), depth);
            return self.pieces.extend(pieces);
        }
        let mut branch = Vec::new();
        let mut unknown = false;
        let subject = parse_test(condition, "");
        // `{ x: - 1: … - 2: … }` compares, and `{ x: … - else: … }` asks.
        let compares = first.trim().is_empty() && !condition.is_empty() && !arms.is_empty() && {
            let cases = arms.iter().filter_map(|arm| split_once_outside(arm, ':'));
            cases.clone().count() == arms.len()
                && cases.clone().any(|(case, _)| parse_value(case_of(case)).is_some())
        };
        if !condition.is_empty() && !compares {
            unknown |= subject.is_none();
            let test = subject.clone().unwrap_or(StoryTest::Known(true));
            branch.push(StoryArm { test, pieces: self.within(first, depth) });
        }
        for arm in arms {
            let arm = arm.trim_start();
            let arm = arm.strip_prefix('-').unwrap_or(arm);
            let (case, words) = split_once_outside(arm, ':').unwrap_or((arm, ""));
            let test = match (case.trim(), &subject) {
                ("else", _) => Some(StoryTest::Known(true)),
                (case, Some(StoryTest::Truthy(source))) if compares => is_value(source, case),
                (_, _) if compares => None,
                (case, _) => parse_test(case, ""),
            };
            unknown |= test.is_none();
            let pieces = self.within(words, depth);
            branch.push(StoryArm { test: test.unwrap_or(StoryTest::Known(true)), pieces });
        }
        if unknown {
            let why = "a condition that a campaign cannot ask for; its first text is always told";
            self.notes.not_mapped(shown, why);
        }
        self.pieces.push(StoryPiece::Branch(branch));
    }
}

/// The case of an arm without its mark.
fn case_of(arm: &str) -> &str {
    arm.trim().trim_start_matches('-').trim()
}

fn is_value(source: &StorySource, value: &str) -> Option<StoryTest> {
    let value = parse_value(value)?;
    Some(StoryTest::Compare(source.clone(), TestOperator::Equal, value))
}

/// The parts of a block: what stands before its first arm, and each arm with its mark.
fn block_arms(logic: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut from, mut at, mut depth) = (0, 0, 0_usize);
    for line in logic.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if depth == 0 && trimmed.starts_with('-') && !trimmed.starts_with("->") {
            parts.push(&logic[from..at]);
            from = at;
        }
        depth = count_braces(depth, line);
        at += line.len();
    }
    parts.push(&logic[from..]);
    parts
}

pub(crate) fn count_braces(open: usize, line: &str) -> usize {
    line.bytes().fold(open, |open, byte| match byte {
        b'{' => open + 1,
        b'}' => open.saturating_sub(1),
        _ => open,
    })
}

/// Where the brace ends whose content the text begins with.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return Some(at),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Where the first line ends that no brace goes on after.
fn line_end(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0);
    for line in text.split_inclusive('\n') {
        depth = count_braces(depth, line);
        at += line.len();
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

fn split_once_outside(text: &str, sign: char) -> Option<(&str, &str)> {
    let at = places_outside(text, sign).next()?;
    Some((&text[..at], &text[at + sign.len_utf8()..]))
}

fn split_outside(text: &str, sign: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut from = 0;
    for at in places_outside(text, sign) {
        parts.push(&text[from..at]);
        from = at + sign.len_utf8();
    }
    parts.push(&text[from..]);
    parts
}

/// Where a sign stands outside braces. Two of it in a row are another sign.
fn places_outside(text: &str, sign: char) -> impl Iterator<Item = usize> {
    let mut depth = 0_usize;
    let bytes = text.as_bytes();
    text.char_indices().filter_map(move |(at, char)| {
        match char {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_double = sign == '|'
            && (bytes.get(at + 1) == Some(&b'|') || (at > 0 && bytes.get(at - 1) == Some(&b'|')));
        (char == sign && depth == 0 && !is_double).then_some(at)
    })
}
