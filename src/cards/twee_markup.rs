//! The markup of a passage of Twine: links, macros and markup → plain text, links, and notes about macros.

use crate::{
    ImportNotes, PassageLink, branching::tidy_text, card_text::one_line, entities::decode,
};

/// Longest macro that is looked for, in bytes. An opening bracket without its end is text.
const MACRO_BYTES: usize = 20_000;

/// Openings without an end that a passage may have. Each costs a search; after these, what opens is text.
const MISSES_MAX: usize = 200;

/// Marks a link in the text until it is known whether its line has words.
const LINK_MARK: char = '\u{e000}';

/// The text and the links of a passage.
pub(crate) fn read_markup(
    body: &str,
    passage: &str,
    dialect: TweeDialect,
    notes: &mut ImportNotes,
) -> (String, Vec<PassageLink>) {
    let mut body = body.replace(LINK_MARK, "");
    if dialect == TweeDialect::Chapbook {
        body = without_sections(&body, passage, notes);
    }
    let (text, links) = (String::new(), Vec::new());
    let mut reader = MarkupReader { passage, dialect, notes, text, links, misses: 0 };
    reader.read(&body);
    let MarkupReader { text, links, .. } = reader;
    let mut labels = links.iter().map(|link| link.label.as_str());
    let mut shown_text = String::new();
    for line in text.lines() {
        let words = line.trim_matches(|char: char| {
            char == LINK_MARK || char.is_whitespace() || "*-+#|,;.•>".contains(char)
        });
        // A line of nothing but links is the list of choices.
        let alone = words.is_empty() && line.contains(LINK_MARK);
        let mut shown = String::new();
        for char in line.chars() {
            match char {
                LINK_MARK => shown += labels.next().unwrap_or_default(),
                char => shown.push(char),
            }
        }
        if !alone {
            shown_text += &plain(&shown);
        }
        shown_text.push('\n');
    }
    (tidy_text(&shown_text), links)
}

/// The story format of a Twee text, as far as its markup is read in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TweeDialect {
    /// SugarCube, Harlowe, Snowman and others.
    Common,
    Chapbook,
}

/// A Chapbook passage without its section of variables, and without the text of modifiers that readers never see.
fn without_sections(body: &str, passage: &str, notes: &mut ImportNotes) -> String {
    const UNSEEN: &[&str] = &["javascript", "css", "note", "n.b.", "fixme", "todo"];
    let shown = |text: &str| format!("passage `{passage}`: `{}`", one_line(text));
    let mut rest = body;
    if let Some((variables, after)) = body.split_once("\n--\n") {
        for line in variables.lines().filter(|line| !line.trim().is_empty()) {
            notes.not_mapped(shown(line), "a variable of Chapbook");
        }
        rest = after;
    }
    let mut told = String::new();
    let mut is_unseen = false;
    for line in rest.lines() {
        let modifier = line.trim().strip_prefix('[').and_then(|line| line.strip_suffix(']'));
        match modifier.filter(|modifier| !modifier.starts_with('[')) {
            Some(modifier) => {
                let modifier = modifier.trim().to_lowercase();
                is_unseen = UNSEEN.iter().any(|unseen| modifier.starts_with(unseen));
                let why = match is_unseen {
                    true => "a modifier of Chapbook; its text is not for readers",
                    false => "a modifier of Chapbook; its text is always told",
                };
                notes.not_mapped(shown(line), why);
            }
            None if is_unseen => {}
            None => {
                told += line;
                told.push('\n');
            }
        }
    }
    told
}

struct MarkupReader<'a, 'n> {
    passage: &'a str,
    dialect: TweeDialect,
    notes: &'n mut ImportNotes,
    text: String,
    links: Vec<PassageLink>,
    /// Openings without an end so far.
    misses: usize,
}

impl MarkupReader<'_, '_> {
    fn read(&mut self, body: &str) {
        let mut rest = body;
        while let Some(first) = rest.chars().next() {
            let taken = self
                .comment(rest)
                .or_else(|| self.link(rest))
                .or_else(|| self.sugar_cube(rest))
                .or_else(|| self.harlowe(rest))
                .or_else(|| self.template(rest))
                .or_else(|| self.insert(rest))
                .or_else(|| self.code(rest))
                .or_else(|| self.tag(rest));
            rest = match taken {
                Some(length) => &rest[length..],
                None => {
                    self.variable(rest);
                    self.text.push(first);
                    &rest[first.len_utf8()..]
                }
            };
        }
    }

    fn inner<'t>(&mut self, text: &'t str, open: &str, close: &str) -> Option<(&'t str, usize)> {
        if self.misses >= MISSES_MAX || !text.starts_with(open) {
            return None;
        }
        let found = inner(text, open, close);
        self.misses += usize::from(found.is_none());
        found
    }

    fn closing(&mut self, text: &str, open: char, close: char) -> Option<usize> {
        if self.misses >= MISSES_MAX {
            return None;
        }
        let found = closing(text, open, close);
        self.misses += usize::from(found.is_none());
        found
    }

    fn note(&mut self, macro_text: &str) {
        let shown = one_line(macro_text);
        self.notes.not_mapped(
            format!("passage `{}`: `{shown}`", self.passage),
            "a macro of Twine; text within it is always told",
        );
    }

    fn comment(&mut self, rest: &str) -> Option<usize> {
        for (open, close) in [("<!--", "-->"), ("/*", "*/"), ("/%", "%/")] {
            if rest.starts_with(open) {
                return Some(self.inner(rest, open, close)?.1);
            }
        }
        None
    }

    fn link(&mut self, rest: &str) -> Option<usize> {
        let (mut content, length) = self.inner(rest, "[[", "]]")?;
        if content.contains('\n') {
            return None;
        }
        if let Some((link, setter)) = content.split_once("][") {
            self.note(&format!("[{setter}]"));
            content = link;
        }
        let (label, target) = content
            .rsplit_once("->")
            .or_else(|| content.split_once("<-").map(|(target, label)| (label, target)))
            .or_else(|| content.split_once('|'))
            .unwrap_or((content, content));
        self.add_link(label, target);
        Some(length)
    }

    fn add_link(&mut self, label: &str, target: &str) {
        let (label, target) = (plain(&one_line(label)), one_line(target));
        let label = if label.is_empty() { target.clone() } else { label };
        self.links.push(PassageLink { label, target, ..PassageLink::default() });
        self.text.push(LINK_MARK);
    }

    fn sugar_cube(&mut self, rest: &str) -> Option<usize> {
        let (content, length) = self.inner(rest, "<<", ">>")?;
        let content = content.trim();
        let (name, arguments) = content.split_once(char::is_whitespace).unwrap_or((content, ""));
        if name.starts_with('/') {
            return Some(length);
        }
        match (name, two_texts(arguments)) {
            ("link" | "button", Some((label, target))) => self.add_link(&label, &target),
            ("link" | "button", None) if arguments.trim().starts_with("[[") => {
                self.link(arguments.trim())?;
            }
            _ => self.note(&format!("<<{content}>>")),
        }
        Some(length)
    }

    /// `(name: …)`, and the brackets of the hook that may follow.
    fn harlowe(&mut self, rest: &str) -> Option<usize> {
        let content = rest.strip_prefix('(')?;
        let name_len = content.find(|char: char| !char.is_ascii_alphanumeric() && char != '-')?;
        if name_len == 0 || !content[name_len..].starts_with(':') {
            return None;
        }
        let length = self.closing(rest, '(', ')')?;
        let (name, arguments) = (&content[..name_len], &rest[name_len + 2..length - 1]);
        match (name, two_texts(&arguments.replace(',', " "))) {
            ("link-goto" | "link-reveal-goto", Some((label, target))) => {
                self.add_link(&label, &target)
            }
            ("link-goto", None) => {
                let target = arguments.trim().trim_matches(['"', '\'']);
                self.add_link(target, target);
            }
            _ => self.note(&rest[..length]),
        }
        // The hook's text stays; its brackets are removed.
        let hook = &rest[length..];
        if hook.starts_with('[')
            && !hook.starts_with("[[")
            && let Some(hook_length) = self.closing(hook, '[', ']')
        {
            let inner = hook[1..hook_length - 1].to_owned();
            if self.text.len() + inner.len() <= crate::STORY_TEXT_BYTES_MAX {
                self.hook(&inner);
            }
            return Some(length + hook_length);
        }
        Some(length)
    }

    /// Hooks may nest; each level is read once more, so only some levels are.
    fn hook(&mut self, inner: &str) {
        let depth = inner.bytes().filter(|byte| *byte == b'[').count();
        if depth > 64 {
            self.text += inner;
        } else {
            self.read(inner);
        }
    }

    /// Snowman's `<% code %>` and `<%= value %>`.
    fn template(&mut self, rest: &str) -> Option<usize> {
        let (content, length) = self.inner(rest, "<%", "%>")?;
        let shown = one_line(content);
        self.notes.not_mapped(
            format!("passage `{}`: `<%{shown}%>`", self.passage),
            "code of Snowman; text between such pieces is always told",
        );
        Some(length)
    }

    /// Chapbook's `{value}` and `{name: …}`.
    fn insert(&mut self, rest: &str) -> Option<usize> {
        if self.dialect != TweeDialect::Chapbook {
            return None;
        }
        let (content, length) = self.inner(rest, "{", "}")?;
        if content.contains('\n') {
            return None;
        }
        let argument = |name: &str| {
            let (_, value) = content.split_once(&format!("{name}:"))?;
            let quote =
                value.trim_start().chars().next().filter(|char| matches!(char, '"' | '\''))?;
            value.trim_start()[1..].split_once(quote).map(|(value, _)| value.to_owned())
        };
        match argument("link to") {
            Some(target) => {
                let label = argument("label").unwrap_or_else(|| target.clone());
                self.add_link(&label, &target);
            }
            None => self.notes.not_mapped(
                format!("passage `{}`: `{{{}}}`", self.passage, one_line(content)),
                "an insert of Chapbook; nothing stands for it",
            ),
        }
        Some(length)
    }

    /// The content of `<script>` and `<style>` is never told.
    fn code(&mut self, rest: &str) -> Option<usize> {
        for (open, close) in [("<script", "</script>"), ("<style", "</style>")] {
            let is_it = rest.get(..open.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(open));
            if is_it && let Some((_, length)) = self.inner(rest, &rest[..open.len()], close) {
                let what = format!("passage `{}`: `{open}>`", self.passage);
                self.notes.not_mapped(what, "code of a page");
                return Some(length);
            }
        }
        None
    }

    /// Tags of HTML. `<br>` ends a line.
    fn tag(&mut self, rest: &str) -> Option<usize> {
        let is_tag = |char: char| char.is_ascii_alphabetic() || char == '/';
        rest.strip_prefix('<').filter(|after| after.starts_with(is_tag))?;
        let (content, length) = self.inner(rest, "<", ">")?;
        let name = content.trim_start_matches('/');
        let name_len = name.find(|char: char| !char.is_ascii_alphanumeric()).unwrap_or(name.len());
        let name = name[..name_len].to_ascii_lowercase();
        if !name.starts_with(|char: char| char.is_ascii_alphabetic()) || content.contains('<') {
            return None;
        }
        match name.as_str() {
            "br" | "p" | "div" | "hr" | "li" => self.text.push('\n'),
            "b" | "strong" => self.text += "**",
            "i" | "em" => self.text.push('*'),
            "span" | "u" | "small" | "center" | "blockquote" => {}
            _ if content.starts_with('/') => {}
            _ => {
                let what = format!("passage `{}`: `<{name}>`", self.passage);
                self.notes.not_mapped(what, "a tag of HTML");
            }
        }
        Some(length)
    }

    fn variable(&mut self, rest: &str) {
        let Some(name) = rest.strip_prefix('$') else { return };
        if !name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_') {
            return;
        }
        let end = name.find(|char: char| !char.is_ascii_alphanumeric() && char != '_');
        let name = &name[..end.unwrap_or(name.len())];
        let what = format!("passage `{}`: `${name}`", self.passage);
        self.notes.not_mapped(what, "a variable of Twine; its name stands in the text");
    }
}

/// Returns the text between `open` and `close`, and the length of all three.
fn inner<'t>(text: &'t str, open: &str, close: &str) -> Option<(&'t str, usize)> {
    let content = text.strip_prefix(open)?;
    let mut limit = content.len().min(MACRO_BYTES);
    while !content.is_char_boundary(limit) {
        limit -= 1;
    }
    let end = content[..limit].find(close)?;
    Some((&content[..end], open.len() + end + close.len()))
}

/// The length of a text in brackets. Brackets in quotation marks do not count.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let (mut depth, mut quote) = (0_usize, None);
    for (at, char) in text.char_indices() {
        if at > MACRO_BYTES {
            return None;
        }
        match quote {
            Some(mark) if char == mark => quote = None,
            Some(_) => {}
            None if char == '"' && open == '(' => quote = Some(char),
            None if char == open => depth += 1,
            None if char == close => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + char.len_utf8());
                }
            }
            None => {}
        }
    }
    None
}

/// Two texts in quotation marks.
fn two_texts(arguments: &str) -> Option<(String, String)> {
    let mut texts = Vec::new();
    let mut rest = arguments.trim();
    while texts.len() < 2 {
        let mark = rest.chars().next().filter(|char| matches!(char, '"' | '\''))?;
        let end = rest[1..].find(mark)?;
        texts.push(rest[1..=end].to_owned());
        rest = rest[end + 2..].trim_start();
    }
    let second = texts.pop()?;
    Some((texts.pop()?, second))
}

/// Markup of Twine as Markdown.
fn plain(text: &str) -> String {
    let bold = text.replace("''", "**");
    let is_address = |at: usize| bold[..at].ends_with(':');
    let marks: Vec<usize> =
        bold.match_indices("//").map(|(at, _)| at).filter(|at| !is_address(*at)).collect();
    // One alone is no markup, or part of an address.
    let pairs = marks.len() / 2 * 2;
    let mut plain = String::with_capacity(bold.len());
    let mut from = 0;
    for at in &marks[..pairs] {
        plain += &bold[from..*at];
        plain.push('*');
        from = at + 2;
    }
    plain += &bold[from..];
    one_line(&decode(plain.trim().trim_start_matches('!')))
}
