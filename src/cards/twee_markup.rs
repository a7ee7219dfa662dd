//! The markup of a passage of Twine: links, macros, conditions and code → pieces, and notes about what is not read.

use crate::{
    CardProblem, ImportNotes, PassageLink, StorySource, StoryTest, StoryValue,
    card_text::one_line,
    logic::{parse_settings, parse_test, parse_value},
    passage_text::{LINK_MARK, plain},
    piece_builder::{PieceBuilder, with_deeds},
    variants::{StoryArm, StoryPiece},
};

/// Longest macro that is looked for, in bytes. An opening bracket without its end is text.
const MACRO_BYTES: usize = 20_000;

/// Openings without an end that a passage may have. Each costs a search; after these, what opens is text.
const MISSES_MAX: usize = 200;

/// Hooks of Harlowe within each other that are read.
const HOOKS_MAX: usize = 64;

/// Values of one case of a `<<switch>>`.
const CASE_VALUES_MAX: usize = 16;

/// The pieces of a passage.
pub(crate) fn read_markup(
    body: &str,
    passage: &str,
    dialect: TweeDialect,
    notes: &mut ImportNotes,
) -> Result<Vec<StoryPiece>, CardProblem> {
    let body = body.replace(LINK_MARK, "");
    let mut reader = MarkupReader {
        passage,
        dialect,
        notes,
        built: PieceBuilder::default(),
        told: 0,
        hooks: 0,
        misses: 0,
        open_quotes: 0,
    };
    match dialect {
        TweeDialect::Chapbook => reader.sections(&body),
        TweeDialect::Common => reader.read(&body),
    }
    reader.built.finish()
}

/// The story format of a Twee text, as far as its markup is read in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TweeDialect {
    /// SugarCube, Harlowe, Snowman and others.
    Common,
    Chapbook,
}

struct MarkupReader<'a, 'n> {
    passage: &'a str,
    dialect: TweeDialect,
    notes: &'n mut ImportNotes,
    built: PieceBuilder,
    /// Bytes of hooks so far: each level is read once more.
    told: usize,
    /// Conditions of Harlowe that nest now.
    hooks: usize,
    /// Openings without an end so far.
    misses: usize,
    /// Macros so far whose quotation marks have no end.
    open_quotes: usize,
}

impl MarkupReader<'_, '_> {
    fn read(&mut self, body: &str) {
        let mut rest = body;
        while let Some(first) = rest.chars().next() {
            if self.built.is_too_deep() {
                return;
            }
            let taken = self
                .comment(rest)
                .or_else(|| self.link(rest))
                .or_else(|| self.code(rest))
                .or_else(|| self.sugar_cube(rest))
                .or_else(|| self.harlowe(rest))
                .or_else(|| self.template(rest))
                .or_else(|| self.insert(rest))
                .or_else(|| self.tag(rest))
                .or_else(|| self.variable(rest));
            rest = match taken {
                Some(length) => &rest[length..],
                None => {
                    self.built.text(first.encode_utf8(&mut [0; 4]));
                    &rest[first.len_utf8()..]
                }
            };
        }
    }

    /// A Chapbook passage: a section of variables, and texts behind modifiers.
    fn sections(&mut self, body: &str) {
        const UNSEEN: &[&str] = &["javascript", "css", "note", "n.b.", "fixme", "todo"];
        let mut rest = body;
        if let Some((variables, after)) = body.split_once("\n--\n") {
            for line in variables.lines().filter(|line| !line.trim().is_empty()) {
                let settings = line
                    .split_once(':')
                    .and_then(|(name, value)| parse_settings(&format!("{name} = {value}")));
                match settings {
                    Some(settings) => self.built.set(settings),
                    None => self.not_mapped(line, "a variable of Chapbook"),
                }
            }
            rest = after;
        }
        let (mut is_unseen, mut told) = (false, String::new());
        for line in rest.lines() {
            let modifier = line.trim().strip_prefix('[').and_then(|line| line.strip_suffix(']'));
            match modifier.filter(|modifier| !modifier.starts_with('[')) {
                Some(modifier) => {
                    self.read(&std::mem::take(&mut told));
                    let lower = modifier.trim().to_lowercase();
                    is_unseen = UNSEEN.iter().any(|unseen| lower.starts_with(unseen));
                    self.modifier(modifier.trim(), &lower, is_unseen);
                }
                None if is_unseen => {}
                None => {
                    told += line;
                    told.push('\n');
                }
            }
        }
        self.read(&told);
    }

    /// The modifier of Chapbook that stands above a text.
    fn modifier(&mut self, modifier: &str, lower: &str, is_unseen: bool) {
        if lower == "else" && self.built.next_arm(StoryTest::Known(true)) {
            return;
        }
        self.built.end_branch();
        let condition = |word: &str| {
            let text = lower.starts_with(word).then(|| modifier[word.len()..].split(';').next())?;
            parse_test(text?, self.passage)
        };
        if let Some(test) = condition("if ") {
            self.built.begin_branch(test);
        } else if let Some(test) = condition("unless ") {
            self.built.begin_branch(test.negated());
        } else if is_unseen {
            self.not_mapped(
                &format!("[{modifier}]"),
                "a modifier of Chapbook; its text is not for readers",
            );
        } else if !["continue", "cont", "cont'd"].contains(&lower) {
            self.not_mapped(
                &format!("[{modifier}]"),
                "a modifier of Chapbook; its text is always told",
            );
        }
    }

    /// A link with these words.
    fn link_of(&mut self, label: &str, target: &str) -> PassageLink {
        let (label, target) = (self.label_of(label), one_line(target));
        let label = if label.is_empty() { target.clone() } else { label };
        PassageLink { label, target, ..PassageLink::default() }
    }

    /// The words of a link. Code and variables in them are left out.
    fn label_of(&mut self, label: &str) -> String {
        let (mut told, mut rest) = (String::new(), label);
        let mut is_whole = true;
        while let Some(first) = rest.chars().next() {
            let code = [("<%", "%>"), ("<<", ">>")]
                .into_iter()
                .find_map(|(open, close)| self.inner(rest, open, close).map(|(_, length)| length));
            match code.or_else(|| variable_of(rest).map(|name| name.len() + 1)) {
                Some(length) => {
                    is_whole = false;
                    rest = &rest[length..];
                }
                None => {
                    told.push(first);
                    rest = &rest[first.len_utf8()..];
                }
            }
        }
        if !is_whole {
            self.not_mapped(
                label,
                "code or a variable in the words of a link; nothing stands for it",
            );
        }
        plain(&one_line(&told))
    }

    fn not_mapped(&mut self, what: &str, why: &str) {
        self.notes.not_mapped(format!("passage `{}`: `{}`", self.passage, one_line(what)), why);
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
        self.not_mapped(macro_text, "a macro of Twine; text within it is always told");
    }

    /// The condition of a macro. One that a campaign cannot ask for holds always, with a note.
    fn test(&mut self, macro_text: &str, condition: &str) -> StoryTest {
        parse_test(condition, self.passage).unwrap_or_else(|| {
            let why =
                "a condition that a campaign cannot ask for; the first text of it is always told";
            self.not_mapped(macro_text, why);
            StoryTest::Known(true)
        })
    }

    /// Changes of variables.
    fn set(&mut self, macro_text: &str, changes: &str) {
        match parse_settings(changes) {
            Some(settings) => self.built.set(settings),
            None => self.not_mapped(macro_text, "a change that a campaign has no words for"),
        }
    }

    /// The value of a variable in the text.
    fn print(&mut self, macro_text: &str, value: &str) {
        match parse_test(value, self.passage) {
            Some(StoryTest::Truthy(source)) => self.built.push(StoryPiece::Value(source)),
            _ => self.not_mapped(macro_text, "a value; nothing stands for it"),
        }
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
        let (link, length) = self.bracket_link(rest)?;
        self.built.push(StoryPiece::Link(link));
        Some(length)
    }

    /// `[[label->target]]` in its forms, with a change behind it.
    fn bracket_link(&mut self, rest: &str) -> Option<(PassageLink, usize)> {
        let (mut content, length) = self.inner(rest, "[[", "]]")?;
        if content.contains('\n') {
            return None;
        }
        let mut settings = Vec::new();
        if let Some((link, setter)) = content.split_once("][") {
            match parse_settings(setter) {
                Some(set) => settings = set,
                None => self.not_mapped(
                    &format!("[{setter}]"),
                    "a change that a campaign has no words for",
                ),
            }
            content = link;
        }
        let (label, target) = content
            .rsplit_once("->")
            .or_else(|| content.split_once("<-").map(|(target, label)| (label, target)))
            .or_else(|| content.split_once('|'))
            .unwrap_or((content, content));
        Some((PassageLink { settings, ..self.link_of(label, target) }, length))
    }

    fn sugar_cube(&mut self, rest: &str) -> Option<usize> {
        let plain = self.inner(rest, "<<", ">>")?;
        let is_quoted = self.open_quotes < MISSES_MAX && plain.0.contains(['"', '\'']);
        let quoted = is_quoted.then(|| quoted_macro(rest)).flatten();
        self.open_quotes += usize::from(is_quoted && quoted.is_none());
        let (content, length) = quoted.unwrap_or(plain);
        let content = content.trim();
        let shown = format!("<<{content}>>");
        let (name, arguments) = content.split_once(char::is_whitespace).unwrap_or((content, ""));
        let arguments = arguments.trim();
        match name {
            "if" => {
                let test = self.test(&shown, arguments);
                self.built.begin_branch(test);
            }
            "elseif" => {
                let test = self.test(&shown, arguments);
                self.built.next_arm(test);
            }
            "else" => match arguments.strip_prefix("if ") {
                Some(condition) => {
                    let test = self.test(&shown, condition);
                    self.built.next_arm(test);
                }
                None => {
                    self.built.next_arm(StoryTest::Known(true));
                }
            },
            "switch" => match parse_test(arguments, self.passage) {
                Some(StoryTest::Truthy(source)) => self.built.begin_switch(source),
                _ => {
                    self.test(&shown, "");
                    self.built.begin_branch(StoryTest::Known(false));
                }
            },
            "case" => {
                let values = case_values(arguments).unwrap_or_default();
                if values.is_empty() || !self.built.next_case(&values) {
                    self.note(&shown);
                    self.built.next_arm(StoryTest::Known(true));
                }
            }
            "default" => {
                self.built.next_arm(StoryTest::Known(true));
            }
            "/if" | "/switch" => {
                self.built.end_branch();
            }
            "silently" | "silent" => self.built.begin_silence(),
            "/silently" | "/silent" => {
                self.built.end_silence();
            }
            "link" | "button" => self.sugar_cube_link(&shown, arguments),
            "/link" | "/button" => {
                self.built.end_link();
            }
            "goto" => match texts(arguments).as_slice() {
                [target, ..] => self.built.push(StoryPiece::Divert(Some(one_line(target)))),
                [] => self.note(&shown),
            },
            "set" => self.set(&shown, arguments),
            "print" | "=" | "-" => self.print(&shown, arguments),
            name if name.starts_with('/') => {}
            _ => self.note(&shown),
        }
        Some(length)
    }

    fn sugar_cube_link(&mut self, shown: &str, arguments: &str) {
        let link = match texts(arguments).as_slice() {
            [label, target, ..] => Some(self.link_of(label, target)),
            [label] => {
                let label = self.label_of(label);
                Some(PassageLink { label, ..PassageLink::default() })
            }
            [] => self.bracket_link(arguments).map(|(link, _)| link),
        };
        match link {
            Some(link) => self.built.begin_link(link),
            None => self.note(shown),
        }
    }

    /// `(name: …)`, and the hook in brackets that may follow.
    fn harlowe(&mut self, rest: &str) -> Option<usize> {
        let content = rest.strip_prefix('(')?;
        let name_len = content.find(|char: char| !char.is_ascii_alphanumeric() && char != '-')?;
        if name_len == 0 || !content[name_len..].starts_with(':') {
            return None;
        }
        let length = self.closing(rest, '(', ')')?;
        let (name, arguments) = (&content[..name_len], rest[name_len + 2..length - 1].trim());
        let shown = &rest[..length];
        let hook = &rest[length..];
        // Two brackets are a link, and three a hook that begins with one.
        let is_hook = hook.starts_with('[') && (!hook.starts_with("[[") || hook.starts_with("[[["));
        let hook_length = match is_hook {
            true => self.closing(hook, '[', ']'),
            false => None,
        };
        let inner = hook_length.map(|hook_length| &hook[1..hook_length - 1]);
        let name = name.to_ascii_lowercase().replace('-', "");
        match (name.as_str(), inner) {
            ("if" | "unless" | "elseif" | "else", Some(inner)) => {
                let test = match name.as_str() {
                    "else" => StoryTest::Known(true),
                    "unless" => self.test(shown, arguments).negated(),
                    _ => self.test(shown, arguments),
                };
                let pieces = self.hook(inner, true);
                let arm = StoryArm { test, pieces };
                match name.as_str() {
                    "if" | "unless" => self.built.push(StoryPiece::Branch(vec![arm])),
                    // Without a condition before it, it is text.
                    _ => {
                        if let Err(pieces) = self.built.add_arm(arm) {
                            self.note(shown);
                            self.built.extend(pieces);
                        }
                    }
                }
            }
            ("link" | "linkreveal" | "linkrepeat" | "linkgoto" | "linkrevealgoto", _) => {
                let deeds = inner.map(|inner| self.hook(inner, false)).unwrap_or_default();
                self.harlowe_link(shown, &name, arguments, deeds);
            }
            ("goto", _) => match texts(arguments).as_slice() {
                [target, ..] => self.built.push(StoryPiece::Divert(Some(one_line(target)))),
                [] => self.note(shown),
            },
            ("set", _) => self.set(shown, arguments),
            ("print", _) => self.print(shown, arguments),
            _ => {
                self.note(shown);
                let pieces = inner.map(|inner| self.hook(inner, false)).unwrap_or_default();
                self.built.extend(pieces);
            }
        }
        Some(length + hook_length.unwrap_or(0))
    }

    /// A link of Harlowe, and what happens when it is taken. Without a target it reveals its hook, which is told.
    fn harlowe_link(&mut self, shown: &str, name: &str, arguments: &str, deeds: Vec<StoryPiece>) {
        let link = match texts(arguments).as_slice() {
            [label, target, ..] => self.link_of(label, target),
            [label] if name == "linkgoto" => self.link_of(label, label),
            [label] => PassageLink { label: self.label_of(label), ..PassageLink::default() },
            [] => {
                let target = if name == "linkgoto" { arguments } else { "" };
                self.link_of(target, target)
            }
        };
        match with_deeds(link, &deeds) {
            Some(link) => self.built.push(StoryPiece::Link(link)),
            None => {
                self.note(shown);
                self.built.extend(deeds);
            }
        }
    }

    /// The pieces of a hook. Hooks may nest; each level is read once more, so only some levels are.
    fn hook(&mut self, inner: &str, is_condition: bool) -> Vec<StoryPiece> {
        self.told += inner.len();
        let depth = nesting(inner);
        let before = self.built.begin_hook();
        self.hooks += usize::from(is_condition);
        if self.told > crate::STORY_TEXT_BYTES_MAX {
            self.not_mapped("hooks", "they nest too deep");
        } else if self.hooks > crate::LOGIC_NESTING_MAX {
            self.built.refuse_depth();
        } else if depth > HOOKS_MAX {
            self.not_mapped("hooks", "they nest too deep; nothing in them is told");
        } else {
            self.read(inner);
        }
        self.hooks -= usize::from(is_condition);
        self.built.end_hook(before)
    }

    /// Snowman's `<% code %>` and `<%= value %>`.
    fn template(&mut self, rest: &str) -> Option<usize> {
        let (content, length) = self.inner(rest, "<%", "%>")?;
        let shown = format!("<%{}%>", one_line(content));
        let code = content.trim();
        let condition = |code: &str| {
            let inner = code.strip_suffix('{')?.trim().strip_prefix('(')?.strip_suffix(')')?;
            Some(inner.to_owned())
        };
        let after_brace = code.strip_prefix('}').map(str::trim);
        let is_read = if let Some(value) = code.strip_prefix(['=', '-']) {
            self.print(&shown, value);
            true
        } else if let Some(inner) = code.strip_prefix("if").and_then(|it| condition(it.trim())) {
            let test = self.test(&shown, &inner);
            self.built.begin_branch(test);
            true
        } else if let Some(after) = after_brace {
            let other = after.strip_prefix("else").map(str::trim);
            match other {
                None if after.is_empty() => self.built.end_branch(),
                None => false,
                Some("{") => self.built.next_arm(StoryTest::Known(true)),
                Some(other) => match other.strip_prefix("if").and_then(|it| condition(it.trim())) {
                    Some(inner) => {
                        let test = self.test(&shown, &inner);
                        self.built.next_arm(test)
                    }
                    None => false,
                },
            }
        } else {
            let settings = parse_settings(code);
            let is_read = settings.is_some();
            self.built.set(settings.unwrap_or_default());
            is_read
        };
        if !is_read {
            self.not_mapped(&shown, "code of Snowman; text between such pieces is always told");
        }
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
        let shown = format!("{{{}}}", one_line(content));
        match (argument("link to"), parse_test(content, self.passage)) {
            (Some(target), _) => {
                let label = argument("label").unwrap_or_else(|| target.clone());
                let link = self.link_of(&label, &target);
                self.built.push(StoryPiece::Link(link));
            }
            (None, Some(StoryTest::Truthy(source @ StorySource::Variable(_)))) => {
                self.built.push(StoryPiece::Value(source));
            }
            (None, _) => self.not_mapped(&shown, "an insert of Chapbook; nothing stands for it"),
        }
        Some(length)
    }

    /// Code and its like are never told.
    fn code(&mut self, rest: &str) -> Option<usize> {
        const CODE: &[(&str, &str)] = &[
            ("<script", "</script>"),
            ("<style", "</style>"),
            ("<<script", "<</script>>"),
            ("<<widget", "<</widget>>"),
        ];
        for (open, close) in CODE {
            let is_it = rest.get(..open.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(open));
            if is_it && let Some((_, length)) = self.inner(rest, &rest[..open.len()], close) {
                self.not_mapped(&format!("{open}>"), "code of a page");
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
            "br" | "p" | "div" | "hr" | "li" => self.built.text("\n"),
            "b" | "strong" => self.built.text("**"),
            "i" | "em" => self.built.text("*"),
            "span" | "u" | "small" | "center" | "blockquote" => {}
            _ if content.starts_with('/') => {}
            _ => {
                let what = format!("passage `{}`: `<{name}>`", self.passage);
                self.notes.not_mapped(what, "a tag of HTML");
            }
        }
        Some(length)
    }

    /// `$name` in a text.
    fn variable(&mut self, rest: &str) -> Option<usize> {
        let name = variable_of(rest)?;
        self.built.push(StoryPiece::Value(StorySource::Variable(name.to_owned())));
        Some(name.len() + 1)
    }
}

/// The name of the variable that a text begins with.
fn variable_of(rest: &str) -> Option<&str> {
    let name = rest.strip_prefix('$')?;
    name.strip_prefix(|char: char| char.is_ascii_alphabetic() || char == '_')?;
    let mut end = 0;
    for part in name.split('.') {
        let length = part.find(|char: char| !char.is_ascii_alphanumeric() && char != '_');
        if end > 0 && !part.starts_with(|char: char| char.is_ascii_alphabetic()) {
            break;
        }
        end += usize::from(end > 0) + length.unwrap_or(part.len());
        if length.is_some() {
            break;
        }
    }
    name.get(..end)
}

/// How deep brackets nest in a text.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
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

/// A macro of SugarCube whose end does not stand in quotation marks, and its length. `None` if they have no end.
fn quoted_macro(text: &str) -> Option<(&str, usize)> {
    let content = text.strip_prefix("<<")?;
    let mut quote = None;
    for (at, byte) in content.bytes().enumerate().take(MACRO_BYTES) {
        match quote {
            Some(mark) if byte == mark => quote = None,
            // An apostrophe that begins no quotation.
            Some(_) if byte == b'\n' => return None,
            Some(_) => {}
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            None if content.as_bytes()[at..].starts_with(b">>") => {
                return Some((&content[..at], at + 4));
            }
            None => {}
        }
    }
    None
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

/// Texts in quotation marks, with blanks or commas between them.
fn texts(arguments: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = arguments.trim();
    while texts.len() < 2
        && let Some(mark) = rest.chars().next().filter(|char| matches!(char, '"' | '\''))
        && let Some(end) = rest[1..].find(mark)
    {
        texts.push(rest[1..=end].to_owned());
        rest = rest[end + 2..].trim_start().trim_start_matches(',').trim_start();
    }
    texts
}

/// The values of a `<<case>>`.
fn case_values(arguments: &str) -> Option<Vec<StoryValue>> {
    let mut values = Vec::new();
    let mut rest = arguments.trim();
    while let Some(first) = rest.chars().next() {
        if values.len() >= CASE_VALUES_MAX {
            return None;
        }
        let end = match first {
            '"' | '\'' => rest[1..].find(first)? + 2,
            _ => rest.find(char::is_whitespace).unwrap_or(rest.len()),
        };
        values.push(parse_value(&rest[..end])?);
        rest = rest[end..].trim_start();
    }
    Some(values)
}
