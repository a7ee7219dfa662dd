//! Limits the cost of regular expressions before anything compiles them. A few characters can stand for megabytes
//! (`\w{1000}{1000}`), and a thousand small patterns for as much; so each pattern is measured, and the measures are
//! summed. Pure.

use std::{borrow::Cow, cell::RefCell};

use regex_automata::{nfa::thompson, util::syntax};

/// Largest pattern: its states as the compiler lays them out, in bytes. Enough for a hundred alternative words.
pub const PATTERN_BYTES_MAX: usize = 256 << 10;

/// Most bytes of all patterns of a package, a plan or a form together, measured in the same way. The program keeps a
/// few times as much.
pub const PATTERNS_BYTES_MAX: usize = 1 << 20;

/// Longest text of all those patterns together. Reading a pattern takes longer than its size tells.
pub const PATTERNS_TEXT_BYTES_MAX: usize = 32 << 10;

/// Deepest nesting of groups in a pattern.
const PATTERN_DEPTH_MAX: u32 = 32;

/// Deepest nesting of assertions. Each level may read the whole text for each of its letters, without
/// one failed try that a limit could count.
const ASSERTION_DEPTH_MAX: usize = 1;

/// The openings of assertions and atomic groups.
const ASSERTIONS: [&str; 5] = ["(?=", "(?!", "(?<=", "(?<!", "(?>"];

/// Bytes that each pattern costs, however small it is.
const PATTERN_BYTES_LEAST: usize = 8 << 10;

/// Rest of the budget for the patterns of one package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternBudget {
    bytes_left: usize,
    text_bytes_left: usize,
}

/// How a pattern is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternDialect {
    /// As the `regex` crate reads it.
    Plain { ignores_case: bool },
    /// As a JSON Schema has it.
    Ecma,
}

/// The measure of one pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PatternSize {
    pub bytes: usize,
    pub states: usize,
    /// It has references to groups, or looks around: only trying tells whether it matches.
    pub backtracks: bool,
}

/// Why a pattern is refused before it is compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternFault {
    #[error("is not a pattern: {reason}")]
    Syntax { reason: String },
    #[error("the compiled pattern is larger than {PATTERN_BYTES_MAX} bytes")]
    TooLarge,
    #[error(
        "looks around within what it looks around for; that costs too much on a long text: one level is allowed"
    )]
    NestedAssertions,
    #[error("all patterns here together are larger than {PATTERNS_BYTES_MAX} bytes")]
    SumTooLarge,
    #[error("all patterns here together have more than {PATTERNS_TEXT_BYTES_MAX} bytes of text")]
    SumTooLong,
    #[error("{reason}")]
    Catalog { reason: String },
}

impl Default for PatternBudget {
    fn default() -> PatternBudget {
        PatternBudget { bytes_left: PATTERNS_BYTES_MAX, text_bytes_left: PATTERNS_TEXT_BYTES_MAX }
    }
}

impl PatternBudget {
    /// Measures a pattern and subtracts its size from the budget.
    pub fn take(
        &mut self,
        pattern: &str,
        dialect: PatternDialect,
    ) -> Result<PatternSize, PatternFault> {
        self.take_text(pattern)?;
        let size = match measure(pattern, dialect, PATTERN_BYTES_MAX.min(self.bytes_left)) {
            Err(PatternFault::TooLarge) if self.bytes_left < PATTERN_BYTES_MAX => {
                return Err(PatternFault::SumTooLarge);
            }
            measured => measured?,
        };
        self.take_bytes(size)?;
        Ok(size)
    }

    /// Subtracts the size of a pattern that was measured before.
    pub(super) fn take_again(
        &mut self,
        pattern: &str,
        size: PatternSize,
    ) -> Result<(), PatternFault> {
        self.take_text(pattern)?;
        self.take_bytes(size)
    }

    fn take_text(&mut self, pattern: &str) -> Result<(), PatternFault> {
        self.text_bytes_left =
            self.text_bytes_left.checked_sub(pattern.len()).ok_or(PatternFault::SumTooLong)?;
        Ok(())
    }

    fn take_bytes(&mut self, size: PatternSize) -> Result<(), PatternFault> {
        let bytes = size.bytes.max(PATTERN_BYTES_LEAST);
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or(PatternFault::SumTooLarge)?;
        Ok(())
    }

    /// Bytes that patterns have taken.
    pub fn bytes_taken(&self) -> usize {
        PATTERNS_BYTES_MAX - self.bytes_left
    }
}

thread_local! {
    /// Measures all patterns of a thread. A new compiler fills half a megabyte before its first class of letters.
    static COMPILER: RefCell<thompson::Compiler> = RefCell::new(thompson::Compiler::new());
}

fn measure(
    pattern: &str,
    dialect: PatternDialect,
    bytes_max: usize,
) -> Result<PatternSize, PatternFault> {
    let (text, ignores_case) = match dialect {
        PatternDialect::Plain { ignores_case } => (Cow::Borrowed(pattern), ignores_case),
        PatternDialect::Ecma => {
            let text = jsonschema_regex::to_rust_regex(pattern).map_err(|()| {
                PatternFault::Syntax { reason: "no ECMA-262 engine reads it".to_owned() }
            })?;
            (text, false)
        }
    };
    let build = |text: &str| {
        let syntax =
            syntax::Config::new().case_insensitive(ignores_case).nest_limit(PATTERN_DEPTH_MAX);
        let config = thompson::Config::new().nfa_size_limit(Some(bytes_max));
        COMPILER.with_borrow_mut(|compiler| {
            compiler.syntax(syntax).configure(config).build(text).map_err(Box::new)
        })
    };
    let (built, backtracks) = match build(&text) {
        Err(error) if dialect == PatternDialect::Ecma && error.size_limit().is_none() => {
            let simple = without_backtracking(&text);
            match build(&simple) {
                Ok(nfa) => (Ok(nfa), true),
                // The first message is about the author's text.
                Err(second) if second.size_limit().is_none() => (Err(error), true),
                Err(second) => (Err(second), true),
            }
        }
        built => (built, false),
    };
    match built {
        Ok(_) if backtracks && assertion_depth(&text) > ASSERTION_DEPTH_MAX => {
            Err(PatternFault::NestedAssertions)
        }
        Ok(nfa) => {
            let (bytes, states) = (nfa.memory_usage(), nfa.states().len());
            Ok(PatternSize { bytes, states, backtracks })
        }
        Err(error) if error.size_limit().is_some() => Err(PatternFault::TooLarge),
        Err(error) => Err(PatternFault::Syntax { reason: syntax_error(&error) }),
    }
}

/// The parser draws a picture over several lines; the last line names the error.
fn syntax_error(error: &thompson::BuildError) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    let text = cause.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").to_owned()
}

/// The pattern without its assertions and references, for its size: what an assertion looks for becomes a group, and
/// a reference to a group becomes nothing.
fn without_backtracking(pattern: &str) -> String {
    let (mut simple, mut rest, mut in_class) = (String::new(), pattern, false);
    while let Some(letter) = rest.chars().next() {
        let assertion =
            ASSERTIONS.into_iter().find(|opening| !in_class && rest.starts_with(opening));
        if let Some(opening) = assertion {
            simple.push_str("(?:");
            rest = &rest[opening.len()..];
        } else if letter == '\\' {
            let after = &rest[1..];
            let length = 1 + reference_length(after, in_class).unwrap_or_else(|| {
                let escaped = after.chars().next().map_or(0, char::len_utf8);
                simple.push_str(&rest[..1 + escaped]);
                escaped
            });
            rest = &rest[length..];
        } else {
            match letter {
                '[' => in_class = true,
                ']' => in_class = false,
                _ => {}
            }
            simple.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    simple
}

/// How deep assertions nest.
fn assertion_depth(pattern: &str) -> usize {
    let (mut groups, mut depth, mut deepest) = (Vec::new(), 0, 0);
    let (mut rest, mut in_class) = (pattern, false);
    while let Some(letter) = rest.chars().next() {
        let mut length = letter.len_utf8();
        match letter {
            '\\' => length += rest[1..].chars().next().map_or(0, char::len_utf8),
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => {
                let is_assertion = ASSERTIONS.iter().any(|opening| rest.starts_with(opening));
                groups.push(is_assertion);
                depth += usize::from(is_assertion);
                deepest = deepest.max(depth);
            }
            ')' if !in_class => depth -= usize::from(groups.pop().unwrap_or_default()),
            _ => {}
        }
        rest = &rest[length..];
    }
    deepest
}

/// The length of a reference to a group, `1` or `k<name>`, where one stands after a backslash.
fn reference_length(after: &str, in_class: bool) -> Option<usize> {
    if in_class {
        return None;
    }
    if after.starts_with("k<") {
        return Some(after.find('>')? + 1);
    }
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && !after.starts_with('0')).then_some(digits)
}
