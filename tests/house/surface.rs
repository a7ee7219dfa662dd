//! The surface that other programs and players depend on, one line each: contracts, arguments of the program, settings
//! and limits.
//!
//! A line is a kind, a name and a value. Words that only explain are no part of it.

use std::fmt::Write as _;

use crate::{
    code::{has_word, ident_at, is_ident, without_text},
    sources::{at, each_source_file, names_in, read},
};

/// The derives of clap: a type with one of them is a part of the command line.
const OF_CLAP: &[&str] = &["Args", "Parser", "Subcommand", "ValueEnum"];

/// All lines, sorted.
pub(crate) fn lines() -> Vec<String> {
    let mut lines = Vec::new();
    for (folder, ending) in [("contracts", ".json"), ("contracts/wit", ".wit")] {
        for name in names_in(folder).iter().filter(|name| name.ends_with(ending)) {
            let digest = digest(&without_prose(&read(&format!("{folder}/{name}"))));
            lines.push(format!("contract {name} {digest}"));
        }
    }
    each_source_file("src/cli", &mut |_, text| lines.extend(arguments(&text)));
    if at("src/cli.rs").is_file() {
        lines.extend(arguments(&read("src/cli.rs")));
    }
    for page in names_in("docs").iter().filter(|name| name.ends_with(".md")) {
        let text = read(&format!("docs/{page}"));
        lines.extend(settings(&text));
        let page = page.trim_end_matches(".md");
        lines.extend(limits(&text).map(|limit| format!("limit {page}/{limit}")));
    }
    lines.sort();
    lines
}

/// A contract without its descriptions and comments.
fn without_prose(contract: &str) -> String {
    const PROSE: &[&str] = &["//", "\"description\": \"", "\"title\": \"", "\"$comment\": \""];
    let lines = contract.lines().map(str::trim);
    let kept = lines.filter(|line| !PROSE.iter().any(|prose| line.starts_with(prose)));
    // The last of several fields has no comma, so a description behind it would change it.
    kept.map(|line| line.trim_end_matches(',')).collect::<Vec<_>>().join("\n")
}

/// The limits of a page, `NAME value`: rows of tables with a constant in the second column.
fn limits(page: &str) -> impl Iterator<Item = String> {
    page.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, _, name, value, ..] = cells[..] else { return None };
        let name = name.strip_prefix('`')?.strip_suffix("_MAX`")?;
        Some(format!("{name}_MAX {value}"))
    })
}

/// The settings of a page, `setting --flag key, variable, default, bounds`: rows of six columns that begin with a flag.
fn settings(page: &str) -> impl Iterator<Item = String> {
    page.lines().filter(|line| line.starts_with("| `--")).filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, flag, key, variable, default, bounds, _, _] = cells[..] else { return None };
        let flag = flag.trim_start_matches('`').split([' ', '`']).next()?;
        let value = [key, variable, default, bounds].map(|cell| cell.replace('`', "")).join(", ");
        Some(format!("setting {flag} {value}"))
    })
}

/// The arguments that a source declares, `argument Type --flag digest`: the fields and variants of types that clap
/// reads. The digest is that of attributes and type, not of visibility.
fn arguments(source: &str) -> Vec<String> {
    let text: Vec<char> = source.chars().collect();
    // As long as the text, so that a position is one in both.
    let code: Vec<char> = without_text(source).chars().collect();
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = position(&code, from, "#[derive(") {
        from = at + 1;
        let derive_end = closing(&code, at + 1);
        let derived: String = code[at..derive_end].iter().collect();
        if !OF_CLAP.iter().any(|name| has_word(&derived, name)) {
            continue;
        }
        let Some(open) = (derive_end..code.len()).find(|at| code[*at] == '{') else { break };
        let head: String = code[derive_end..open].iter().collect();
        let keyword =
            ["struct ", "enum "].iter().find_map(|word| Some(head.find(word)? + word.len()));
        let Some(name_at) = keyword else { continue };
        let name = ident_at(&head[name_at..]);
        for (start, end) in members(&code, open) {
            found.extend(argument(&text[start..end]).map(|line| format!("argument {name} {line}")));
        }
    }
    found
}

/// Returns the position of the next `what`.
fn position(code: &[char], from: usize, what: &str) -> Option<usize> {
    let what: Vec<char> = what.chars().collect();
    (from..code.len()).find(|at| code[*at..].starts_with(&what))
}

/// Returns the position behind the bracket that closes the one at `open`.
fn closing(code: &[char], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code.iter().enumerate().skip(open) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

/// Returns the beginning and end of each member between the brace at `open` and its end.
fn members(code: &[char], open: usize) -> Vec<(usize, usize)> {
    let end = closing(code, open) - 1;
    let (mut found, mut start, mut at) = (Vec::new(), open + 1, open + 1);
    let mut angles = 0_usize;
    while at < end {
        match code[at] {
            '(' | '[' | '{' => at = closing(code, at) - 1,
            '<' => angles += 1,
            '>' => angles = angles.saturating_sub(1),
            ',' if angles == 0 => {
                found.push((start, at));
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    found.push((start, end));
    found
}

/// Returns a member as `--flag digest`, or as `name digest` if it has no flag. Returns `None` if there is no member.
fn argument(member: &[char]) -> Option<String> {
    let member: String = member.iter().collect();
    let lines = member.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let member = lines.collect::<Vec<_>>().join(" ");
    let mut rest = member.trim();
    let mut attributes = String::new();
    while rest.starts_with("#[") {
        let code: Vec<char> = without_text(rest).chars().collect();
        let end = closing(&code, 1);
        let attribute: String = rest.chars().take(end).collect();
        rest = rest[attribute.len()..].trim_start();
        attributes += &attribute;
    }
    if let Some(public) = rest.strip_prefix("pub") {
        let public = public.trim_start();
        rest =
            if public.starts_with('(') { public.split_once(')')?.1 } else { public }.trim_start();
    }
    let name = ident_at(rest.trim_start_matches("r#"));
    if name.is_empty() {
        return None;
    }
    let words: String = format!("{attributes}{rest}").split_whitespace().collect();
    let digest = digest(&words.replace(",)", ")"));
    let shown = match long_flag(&attributes) {
        Some(Some(flag)) => format!("--{flag}"),
        Some(None) => format!("--{}", kebab(name)),
        None => kebab(name),
    };
    Some(format!("{shown} {digest}"))
}

/// Returns `None` if the attributes give no long flag, otherwise the flag unless it follows from the field's name.
fn long_flag(attributes: &str) -> Option<Option<&str>> {
    let code = without_text(attributes);
    if !has_word(&code, "long") {
        return None;
    }
    let named = attributes.split("long = \"").nth(1);
    Some(named.and_then(|rest| rest.split('"').next()))
}

/// `TwoWords` and `two_words` as `two-words`.
fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for (at, c) in name.char_indices().filter(|(_, c)| is_ident(*c)) {
        if c.is_uppercase() && at > 0 {
            kebab.push('-');
        }
        kebab.extend(if c == '_' { '-' } else { c }.to_lowercase());
    }
    kebab
}

/// FNV-1a: short, and the same on every machine and with every compiler.
fn digest(text: &str) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    let mut hex = String::new();
    write!(hex, "{hash:016x}").unwrap();
    hex
}

#[test]
fn the_digest_is_that_of_fnv() {
    assert_eq!(digest(""), "cbf29ce484222325");
    assert_eq!(digest("foobar"), "85944171f73967e8");
}

#[test]
fn words_that_explain_are_no_part_of_a_contract() {
    let schema = |words: &str, kind: &str| {
        format!("{{\n  \"type\": \"{kind}\"{words}\n}}\n").replace(";", ",\n  ")
    };
    let bare = without_prose(&schema("", "object"));
    assert_eq!(without_prose(&schema("; \"description\": \"Say, one.\"", "object")), bare);
    assert_ne!(without_prose(&schema("", "array")), bare);
    assert_ne!(without_prose(&schema("; \"description\": { \"const\": 1 }", "object")), bare);
    assert_eq!(without_prose("  /// Says it.\n  say: func();\n"), "say: func();");
}

#[test]
fn limits_and_settings_are_rows_of_tables() {
    let page = "| what | constant | value | why |\n|---|---|---|---|\n| lines | `LINES_MAX` | 7 | few |\n| `X_MAX` in words | no | 1 | |\n";
    assert_eq!(limits(page).collect::<Vec<_>>(), ["LINES_MAX 7"]);
    let page = "| flag | key | variable | default | bounds | meaning |\n| `--slow MS` | `slow` | `SLOW` | 5 | 1 to 9 | Waits |\n| `--other` | elsewhere |\n";
    assert_eq!(settings(page).collect::<Vec<_>>(), ["setting --slow slow, SLOW, 5, 1 to 9"]);
}

/// The names that `arguments` finds, without their digests.
#[track_caller]
fn check(source: &str, expect: &[&str]) {
    let found = arguments(source);
    let names: Vec<&str> = found.iter().filter_map(|line| Some(line.rsplit_once(' ')?.0)).collect();
    assert_eq!(names, expect);
}

#[test]
fn arguments_are_the_members_of_what_clap_derives() {
    check(
        r#"
        /// Text, with a comma.
        #[derive(Debug, Args)]
        #[command(name = "{")]
        pub(crate) struct RunArgs {
            /// Which one, or `{`?
            #[arg(long, value_name = "A,B")]
            pub(crate) story_name: Option<String>,
            #[cfg(feature = "llama")]
            #[arg(long = "other", default_value_t = f(1, 2))]
            map: BTreeMap<u8, Vec<(u8, u8)>>,
            pub file: PathBuf,
        }
        #[derive(Debug, Clone)]
        struct Inner { long: u8 }
        #[derive(Subcommand)]
        enum Verb {
            /// Says it
            SayIt(SayArgs),
            #[command(hide = true)]
            Embed { program: PathBuf, to: u8 },
        }
        "#,
        &[
            "argument RunArgs --story-name",
            "argument RunArgs --other",
            "argument RunArgs file",
            "argument Verb say-it",
            "argument Verb embed",
        ],
    );
}

#[test]
fn an_argument_changes_with_its_attributes_and_its_type_alone() {
    let field = |text: &str| arguments(&format!("#[derive(Args)] struct A {{ {text} }}"));
    let first = field("/// Says,\n/// it.\n#[arg(long)] pub(crate) story: String");
    assert_eq!(field("/// Other.\n#[arg(\n    long,\n)]\npub story:\n    String,"), first);
    assert_ne!(field("#[arg(long)] story: Option<String>"), first);
    assert_ne!(field("#[arg(long, hide = true)] story: String"), first);
}
