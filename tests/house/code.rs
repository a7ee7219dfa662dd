//! Reads Rust source only as closely as the rules need: it finds code, text, tests and the ends of functions.
//! Everything removed becomes spaces, so that positions stay true.

/// The source with comments and the insides of strings and characters made blank.
pub(crate) fn without_text(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut code = String::with_capacity(source.len());
    let mut at = 0;
    while at < chars.len() {
        let end = text_end(&chars, at);
        match end {
            Some(end) => {
                code.extend(chars[at..end].iter().copied().map(blank));
                at = end;
            }
            None => {
                code.push(chars[at]);
                at += 1;
            }
        }
    }
    code
}

/// The code with every item that only tests have made blank.
pub(crate) fn without_tests(code: &str) -> String {
    let mut rest = code;
    let mut kept = String::with_capacity(code.len());
    while let Some((start, end)) = test_mark(rest) {
        let end = end + item_len(&rest[end..]);
        kept.push_str(&rest[..start]);
        kept.extend(rest[start..end].chars().map(blank));
        rest = &rest[end..];
    }
    kept + rest
}

/// Returns the beginning and end of the next `#[cfg(test)]` or `#[cfg(all(test, …))]`.
pub(crate) fn test_mark(code: &str) -> Option<(usize, usize)> {
    let marks = ["#[cfg(test)", "#[cfg(all(test,"];
    let start = marks.iter().filter_map(|mark| code.find(mark)).min()?;
    let len = code[start..].find(']')? + 1;
    Some((start, start + len))
}

/// One function: the line of its `fn`, counted from 0, how many lines it takes, and its name.
pub(crate) struct Function<'c> {
    pub(crate) line_idx: usize,
    pub(crate) lines: usize,
    pub(crate) name: &'c str,
}

/// Every function that has a body.
pub(crate) fn functions(code: &str) -> Vec<Function<'_>> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let name: &str = ident_at(&code[at + 3..]);
        if is_ident_end(&code[..at]) || name.is_empty() {
            continue;
        }
        let item = &code[at..at + item_len(&code[at..])];
        if item.ends_with('}') {
            let line_idx = code[..at].matches('\n').count();
            found.push(Function { line_idx, lines: item.matches('\n').count() + 1, name });
        }
    }
    found
}

/// Returns true if `code` has `word`, not as part of a longer name.
pub(crate) fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let after = &code[at + word.len()..];
        let open_end = word.ends_with(|c: char| !is_ident(c));
        !is_ident_end(&code[..at]) && (open_end || !after.starts_with(is_ident))
    })
}

/// The name at the beginning of `code`; empty if something else stands there.
pub(crate) fn ident_at(code: &str) -> &str {
    &code[..code.find(|c| !is_ident(c)).unwrap_or(code.len())]
}

/// Returns the end of the comment, string or character that begins at `at`. Returns `None` if code begins there.
fn text_end(chars: &[char], at: usize) -> Option<usize> {
    let here = |n: usize| chars.get(at + n).copied().unwrap_or('\0');
    let after_name = at > 0 && is_ident(chars[at - 1]) && !matches!(chars[at - 1], 'b' | 'c');
    match (here(0), here(1)) {
        ('/', '/') => Some(find(chars, at, |c| c == '\n').unwrap_or(chars.len())),
        ('/', '*') => Some(block_comment_end(chars, at)),
        ('"', _) => Some(quoted_end(chars, at + 1, '"')),
        ('r', '"' | '#') if !after_name => raw_string_end(chars, at),
        // A lifetime has no quote after its first letter.
        ('\'', '\\') => Some(quoted_end(chars, at + 1, '\'')),
        ('\'', _) if here(2) == '\'' => Some(at + 3),
        _ => None,
    }
}

fn block_comment_end(chars: &[char], at: usize) -> usize {
    let (mut end, mut depth) = (at, 0_usize);
    while end < chars.len() {
        match (chars[end], chars.get(end + 1)) {
            ('/', Some('*')) => (depth, end) = (depth + 1, end + 2),
            ('*', Some('/')) => (depth, end) = (depth - 1, end + 2),
            _ => end += 1,
        }
        if depth == 0 {
            break;
        }
    }
    end.min(chars.len())
}

fn quoted_end(chars: &[char], mut at: usize, quote: char) -> usize {
    while at < chars.len() && chars[at] != quote {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

/// None for a raw identifier such as `r#type`.
fn raw_string_end(chars: &[char], at: usize) -> Option<usize> {
    let open = find(chars, at + 1, |c| c != '#')?;
    if chars[open] != '"' {
        return None;
    }
    let hashes = open - at - 1;
    let closes = |end: &usize| {
        chars[*end] == '"' && chars[end + 1..].iter().take_while(|c| **c == '#').count() >= hashes
    };
    Some((open + 1..chars.len()).find(closes).map_or(chars.len(), |end| end + 1 + hashes))
}

fn find(chars: &[char], from: usize, what: impl Fn(char) -> bool) -> Option<usize> {
    (from..chars.len()).find(|at| what(chars[*at]))
}

/// How long the item is that begins here: up to its closing brace, or the semicolon of one without.
fn item_len(code: &str) -> usize {
    let (mut braces, mut others) = (0_usize, 0_usize);
    for (at, c) in code.char_indices() {
        match c {
            '(' | '[' => others += 1,
            ')' | ']' => others = others.saturating_sub(1),
            '{' => braces += 1,
            '}' => {
                braces = braces.saturating_sub(1);
                if braces == 0 {
                    return at + 1;
                }
            }
            ';' if braces == 0 && others == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

fn blank(c: char) -> char {
    if c == '\n' { '\n' } else { ' ' }
}

pub(crate) fn is_ident(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_ident_end(code: &str) -> bool {
    code.ends_with(is_ident)
}

#[track_caller]
fn check_blank(source: &str, expect: &str) {
    let code = without_tests(&without_text(source));
    assert_eq!(code.split_whitespace().collect::<Vec<_>>().join(" "), expect);
    assert_eq!(code.matches('\n').count(), source.matches('\n').count());
}

#[test]
fn comments_and_strings_are_no_code() {
    check_blank("a // b\nc /* d /* e */ f */ g", "a c g");
    check_blank(r#"a("b \" c", b'"', '\'', 'x', d::<'static>)"#, "a( , b , , , d::<'static>)");
    check_blank(r###"a(r#"b " c"#, br"d\", r#type, for"e")"###, "a( , b , r#type, for )");
    check_blank("a(\"never closed", "a(");
}

#[test]
fn tests_are_no_code() {
    check_blank("a #[cfg(test)] mod tests { fn b() { c } } d", "a d");
    check_blank("a #[cfg(test)] mod tests; b #[cfg(test)] use c::{d, e}; f", "a b ; f");
    check_blank("a #[cfg(test)] fn b(c: [u8; 3]) { d } e", "a e");
    check_blank(
        "a #[cfg(all(test, feature = \"b\"))] mod tests; #[cfg(unix)] c",
        "a #[cfg(unix)] c",
    );
}

#[test]
fn functions_are_measured_from_their_name_to_their_brace() {
    let code = "fn a(b: [u8; 2]) -> fn(u8) {\n  c\n}\ntrait T { fn d(); }\nasync fn e() { { } }";
    let found: Vec<String> =
        functions(code).iter().map(|f| format!("{}@{}+{}", f.name, f.line_idx, f.lines)).collect();
    assert_eq!(found, ["a@0+3", "e@4+1"]);
}
