//! Translates the `pattern` of a schema so that llguidance and the validator cannot disagree. It reads the small common
//! part of all dialects: ASCII classes, bounded repetition, whole-text anchors.
//!
//! The translation matches the same texts or fewer. A pattern with anything else (look-around, back references, word
//! boundaries, flags, Unicode classes) is not translated.

/// Longest pattern that is translated, in bytes.
const PATTERN_BYTES_MAX: usize = 512;
/// Deepest nesting of groups.
const GROUP_DEPTH_MAX: usize = 16;
/// Most characters of a pattern with its counted repetitions written out: each is a state of the grammar.
const SIZE_MAX: u64 = 1_000;
/// The characters that a dot matches: no control characters, no line ends of any dialect.
const DOT: &str = r"[^\x{0}-\x{1f}\x{7f}-\x{9f}\x{2028}\x{2029}]";

/// The pattern of a whole text; none if it cannot be translated.
pub(crate) fn translate(pattern: &str) -> Option<String> {
    if pattern.len() > PATTERN_BYTES_MAX {
        return None;
    }
    let (inner, from_start) = match pattern.strip_prefix('^') {
        Some(inner) => (inner, true),
        None => (pattern, false),
    };
    // An escaped dollar is no anchor; a backslash that is itself escaped is too rare to count.
    let (inner, to_end) = match inner.strip_suffix('$') {
        Some(inner) if !inner.ends_with('\\') => (inner, true),
        _ => (inner, false),
    };
    let mut reader = PatternTranslator { rest: inner, out: String::new(), depth: 0 };
    let (has_choice, _) = reader.choice()?;
    let is_whole = reader.rest.is_empty();
    // `^a|b$` anchors each branch at one end only.
    if !is_whole || (has_choice && (from_start || to_end)) {
        return None;
    }
    let free = |is_anchored: bool| if is_anchored { "" } else { "(?s:.*)" };
    Some(format!("^{}(?:{}){}$", free(from_start), reader.out, free(to_end)))
}

struct PatternTranslator<'p> {
    rest: &'p str,
    out: String,
    depth: usize,
}

impl PatternTranslator<'_> {
    fn next(&mut self) -> Option<char> {
        let mut letters = self.rest.chars();
        let next = letters.next()?;
        self.rest = letters.as_str();
        Some(next)
    }

    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Translates branches up to the end or a closing parenthesis. Returns whether there are several, and their size.
    fn choice(&mut self) -> Option<(bool, u64)> {
        let (mut has_choice, mut size) = (false, 0);
        while !self.rest.is_empty() && !self.rest.starts_with(')') {
            if self.eat("|") {
                self.out.push('|');
                has_choice = true;
            } else {
                size += self.piece()?;
            }
        }
        Some((has_choice, size))
    }

    fn piece(&mut self) -> Option<u64> {
        let mut size = 1;
        match self.next()? {
            '(' => size = self.group()?,
            '[' => self.class()?,
            '.' => self.out.push_str(DOT),
            '\\' => {
                let (letters, is_class) = escaped(self.next()?)?;
                match is_class {
                    true => self.out.push_str(&format!("[{letters}]")),
                    false => literal(letters.chars().next()?, &mut self.out),
                }
            }
            '*' | '+' | '?' | '{' | '}' | ']' | '^' | '$' => return None,
            plain if plain.is_control() => return None,
            plain => literal(plain, &mut self.out),
        }
        size = size.saturating_mul(self.repetition()?);
        (size <= SIZE_MAX).then_some(size)
    }

    fn group(&mut self) -> Option<u64> {
        if !self.eat("?:") && self.rest.starts_with('?') {
            return None;
        }
        self.depth += 1;
        if self.depth > GROUP_DEPTH_MAX {
            return None;
        }
        self.out.push_str("(?:");
        let (_, size) = self.choice()?;
        self.out.push(')');
        self.depth -= 1;
        self.eat(")").then_some(size)
    }

    /// How many times the grammar writes out the last piece.
    fn repetition(&mut self) -> Option<u64> {
        let mut times = 1;
        if let Some(sign) = self.rest.chars().next().filter(|it| matches!(it, '*' | '+' | '?')) {
            self.next();
            self.out.push(sign);
        } else if self.eat("{") {
            let (inside, rest) = self.rest.split_once('}')?;
            self.rest = rest;
            let (least, most) = inside.split_once(',').unwrap_or((inside, inside));
            let count = |text: &str| text.parse().ok().filter(|count: &u64| *count <= SIZE_MAX);
            let least = count(least)?;
            let most = if most.is_empty() { None } else { Some(count(most)?) };
            if most.is_some_and(|most| most < least) {
                return None;
            }
            times = most.unwrap_or(least).max(1);
            let most = most.map_or(String::new(), |most| most.to_string());
            self.out.push_str(&format!("{{{least},{most}}}"));
        } else {
            return Some(times);
        }
        // A lazy repetition matches the same texts; a possessive one, or one of a repetition, may not.
        self.eat("?");
        match self.rest.starts_with(['*', '+', '?', '{']) {
            true => None,
            false => Some(times),
        }
    }

    /// A class of ASCII characters; one that excludes some becomes the printable rest.
    fn class(&mut self) -> Option<()> {
        let is_negated = self.eat("^");
        let mut members: Vec<(char, char)> = Vec::new();
        while !self.eat("]") {
            if ["&&", "--", "~~"].iter().any(|set| self.rest.starts_with(set)) {
                return None;
            }
            let (low, is_class) = self.member()?;
            if is_class {
                members.extend(ranges(&low));
                continue;
            }
            let low = low.chars().next()?;
            let is_range = self.rest.starts_with('-') && !self.rest.starts_with("-]");
            if !is_range {
                members.push((low, low));
                continue;
            }
            self.next();
            let (high, is_class) = self.member()?;
            let high = high.chars().next()?;
            if is_class || high < low {
                return None;
            }
            members.push((low, high));
        }
        if is_negated {
            let printable = ' '..='~';
            let is_out = |it: &char| !members.iter().any(|(low, high)| (low..=high).contains(&it));
            members = printable.filter(is_out).map(|it| (it, it)).collect();
        }
        if members.is_empty() {
            return None;
        }
        self.out.push('[');
        for (low, high) in members {
            literal(low, &mut self.out);
            if low != high {
                self.out.push('-');
                literal(high, &mut self.out);
            }
        }
        self.out.push(']');
        Some(())
    }

    fn member(&mut self) -> Option<(String, bool)> {
        match self.next()? {
            '\\' => escaped(self.next()?),
            '[' => None,
            plain if plain.is_control() => None,
            plain => Some((plain.to_string(), false)),
        }
    }
}

/// The characters of an escape, and whether they are a class.
fn escaped(letter: char) -> Option<(String, bool)> {
    match letter {
        'd' => Some(("0-9".to_owned(), true)),
        'w' => Some(("0-9A-Za-z_".to_owned(), true)),
        's' => Some((" ".to_owned(), true)),
        'n' => Some(("\n".to_owned(), false)),
        mark if mark.is_ascii_punctuation() => Some((mark.to_string(), false)),
        _ => None,
    }
}

/// The ranges of a class that [`escaped`] returns.
fn ranges(class: &str) -> Vec<(char, char)> {
    match class {
        "0-9" => vec![('0', '9')],
        " " => vec![(' ', ' ')],
        _ => vec![('0', '9'), ('A', 'Z'), ('a', 'z'), ('_', '_')],
    }
}

/// A character that stands for itself, inside of a class and outside.
fn literal(letter: char, out: &mut String) {
    if letter.is_ascii_alphanumeric() || letter == ' ' {
        out.push(letter);
    } else {
        out.push_str(&format!("\\x{{{:x}}}", u32::from(letter)));
    }
}

#[cfg(test)]
mod tests {
    use super::translate;

    #[test]
    fn a_translated_pattern_uses_only_syntax_that_all_dialects_share() {
        let cases = [
            "^[A-Z]{2,5}$",
            "^\\d+(\\.\\d{1,2})?$",
            "a|b",
            "^(?:a|b)+?$",
            "^[^/]+$",
            "x.y",
            "^#[0-9a-f-]{6}$",
            "",
            "^a|b$",
            "(?=a)b",
            "\\bword\\b",
            "(a)\\1",
            "^[[:alpha:]]$",
            "a**",
            "\\p{L}",
            "^(a{100}){100}$",
            "\\$",
        ];
        let line = |case: &&str| {
            let out = translate(case).unwrap_or_else(|| "-".to_owned());
            format!("{case}   {}", if out.len() > 60 { "(long)" } else { &out })
        };
        let table: Vec<String> = cases.iter().map(line).collect();
        insta::assert_snapshot!(table.join("\n"), @r#"
        ^[A-Z]{2,5}$   ^(?:[A-Z]{2,5})$
        ^\d+(\.\d{1,2})?$   ^(?:[0-9]+(?:\x{2e}[0-9]{1,2})?)$
        a|b   ^(?s:.*)(?:a|b)(?s:.*)$
        ^(?:a|b)+?$   ^(?:(?:a|b)+)$
        ^[^/]+$   (long)
        x.y   (long)
        ^#[0-9a-f-]{6}$   ^(?:\x{23}[0-9a-f\x{2d}]{6,6})$
           ^(?s:.*)(?:)(?s:.*)$
        ^a|b$   -
        (?=a)b   -
        \bword\b   -
        (a)\1   -
        ^[[:alpha:]]$   -
        a**   -
        \p{L}   -
        ^(a{100}){100}$   -
        \$   ^(?s:.*)(?:\x{24})(?s:.*)$
        "#);
    }
}
