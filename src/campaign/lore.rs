//! Lore and the pages about the setting become entries that a planner reads when a sentence names them.

use std::collections::BTreeMap;

use narratoria_protocol::{LoreEntry, visible::clip};

use crate::{
    documents::CampaignDocuments,
    kinds::{FileKind, stem},
    problem::CampaignProblems,
    tree::Tree,
    walk::spots,
};

/// Longest text of one entry, in characters. A longer page is split at its headings, and then at its paragraphs.
pub const LORE_ENTRY_CHARS_MAX: usize = 2400;

/// Most entries of a campaign.
pub const LORE_ENTRIES_MAX: usize = 1000;

/// Most keywords of one entry.
const KEYWORDS_MAX: usize = 50;

/// Longest keyword, in characters.
const KEYWORD_CHARS_MAX: usize = 60;

/// The line of a keywords file that makes an entry count always.
const ALWAYS: &str = "*";

/// Returns all entries: those that always count first, then lore by its files.
pub(crate) fn lore_entries(
    documents: &CampaignDocuments,
    problems: &mut CampaignProblems,
) -> Vec<LoreEntry> {
    let mut entries = Vec::new();
    let always = [
        (FileKind::Premise, "premise"),
        (FileKind::Setting, "setting"),
        (FileKind::Rules, "rules"),
        (FileKind::Constraints, "constraints"),
    ];
    for (kind, name) in always {
        if let Some((_, text)) = documents.text(kind) {
            let (_, body) = heading(text);
            // The beginning of a page says its topic; planners read the rest when its words come up.
            for (n, part) in parts(body).into_iter().enumerate() {
                let name = if n == 0 { name.to_owned() } else { format!("{name}: {}", part.name) };
                let keywords = if n == 0 { Vec::new() } else { keywords_in(&part.name) };
                entries.push(LoreEntry { name, keywords, text: part.text, always: n == 0 });
            }
        }
    }
    entries.extend(manner(documents));
    entries.extend(player_rules(documents));
    let keywords = keyword_files(documents, problems);
    for (path, (kind, text)) in &documents.texts {
        if *kind != FileKind::Lore {
            continue;
        }
        let (title, body) = heading(text);
        let title = title.map_or_else(|| stem(path).replace(['-', '_'], " "), str::to_owned);
        let given = keywords.get(path.trim_end_matches(".md")).cloned().unwrap_or_default();
        if body.trim().is_empty() {
            problems.warning(path, None, "is empty: write something, or remove it".to_owned());
            continue;
        }
        let always = given.iter().any(|word| word == ALWAYS);
        for (n, part) in parts(body).into_iter().enumerate() {
            let name = if n == 0 { title.clone() } else { format!("{title}: {}", part.name) };
            let mut words: Vec<String> = given.iter().filter(|it| *it != ALWAYS).cloned().collect();
            words.extend(keywords_in(&part.name));
            entries.push(LoreEntry {
                name,
                keywords: words,
                text: part.text,
                always: always && n == 0,
            });
        }
    }
    if entries.len() > LORE_ENTRIES_MAX {
        let what = format!("the lore has {} parts, the limit is {LORE_ENTRIES_MAX}", entries.len());
        problems.error("lore", None, what);
    }
    entries
}

/// Returns the fields of the manifest that say how to narrate the campaign.
fn manner(documents: &CampaignDocuments) -> Option<LoreEntry> {
    let fields = [
        ("genre", "Genre"),
        ("tone", "Tone"),
        ("content_rating", "For"),
        ("rules_hint", "Rules"),
        ("hydration_guidance", "Guidance"),
    ];
    let manifest = documents.of(FileKind::Manifest).next()?;
    let lines = fields.iter().filter_map(|(key, word)| {
        let text = manifest.node.text_of(key)?.trim();
        (!text.is_empty()).then(|| world_model::words::ended(&format!("{word}: {text}")))
    });
    always_entry("manner", lines.collect())
}

/// Returns the template's rules for the player's character.
fn player_rules(documents: &CampaignDocuments) -> Option<LoreEntry> {
    let template = &documents.of(FileKind::PlayerTemplate).next()?.node;
    let texts = |path: &str| -> Vec<String> {
        let texts = spots(template, path).into_iter().filter_map(|spot| spot.node.text());
        texts.map(str::to_owned).collect()
    };
    let mut lines = texts("constraints.custom");
    for (key, sentence) in [
        ("no_magic", "There is no magic."),
        ("must_be_human", "The player is human."),
        ("fixed_background", "The player's past is given."),
        ("era_locked", "Nothing is of another time."),
    ] {
        let is_set = |spot: &crate::walk::Spot<'_>| spot.node.tree == Tree::Bool(true);
        if spots(template, &format!("constraints.{key}")).iter().any(is_set) {
            lines.push(sentence.to_owned());
        }
    }
    for (key, word) in [
        ("allowed_races", "Kinds of people"),
        ("allowed_classes", "Trades"),
        ("allowed_backgrounds", "Pasts"),
    ] {
        let names = texts(&format!("{key}.name"));
        if !names.is_empty() {
            lines.push(format!("{word} that the player can have: {}.", names.join(", ")));
        }
    }
    let themes = texts("themes");
    if !themes.is_empty() {
        lines.push(format!("Themes: {}.", themes.join(", ")));
    }
    always_entry("player", lines)
}

fn always_entry(name: &str, lines: Vec<String>) -> Option<LoreEntry> {
    let text = clip(&lines.join(" "), LORE_ENTRY_CHARS_MAX).into_owned();
    let entry = LoreEntry { name: name.to_owned(), keywords: Vec::new(), text, always: true };
    (!lines.is_empty()).then_some(entry)
}

struct PagePart {
    name: String,
    text: String,
}

/// The first heading of a page, and the rest.
pub(crate) fn heading(text: &str) -> (Option<&str>, &str) {
    let text = text.trim_start();
    match text.strip_prefix("# ") {
        Some(rest) => {
            let (title, body) = rest.split_once('\n').unwrap_or((rest, ""));
            (Some(title.trim()), body.trim_start())
        }
        None => (None, text),
    }
}

/// A page in parts that are short enough; a short page is one part.
fn parts(body: &str) -> Vec<PagePart> {
    let mut found: Vec<PagePart> = vec![PagePart { name: String::new(), text: String::new() }];
    for paragraph in body.split("\n\n").map(str::trim).filter(|it| !it.is_empty()) {
        let title = paragraph.strip_prefix("## ").map(|rest| rest.lines().next().unwrap_or(rest));
        let last = found.last().map_or(0, |part| part.text.chars().count());
        let added = paragraph.chars().count();
        let is_full = last > 0 && last + added > LORE_ENTRY_CHARS_MAX;
        let begins = title.is_some() && body.chars().count() > LORE_ENTRY_CHARS_MAX && last > 0;
        if is_full || begins {
            let name = title.map_or_else(|| format!("part {}", found.len() + 1), str::to_owned);
            found.push(PagePart { name, text: String::new() });
        }
        if let Some(part) = found.last_mut() {
            if !part.text.is_empty() {
                part.text.push_str("\n\n");
            }
            part.text.push_str(&clip(paragraph, LORE_ENTRY_CHARS_MAX));
        }
    }
    found.retain(|part| !part.text.is_empty());
    found
}

/// `NAME.keywords.txt` by the path of its page without the ending.
fn keyword_files(
    documents: &CampaignDocuments,
    problems: &mut CampaignProblems,
) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for (path, (kind, text)) in &documents.texts {
        if *kind != FileKind::Keywords {
            continue;
        }
        let page = path.trim_end_matches(".keywords.txt");
        let words = text.split(['\n', ',', ';']).map(str::trim).filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(str::to_owned).collect();
        if words.len() > KEYWORDS_MAX {
            let what = format!("it has {} keywords, the limit is {KEYWORDS_MAX}", words.len());
            problems.error(path, None, what);
        }
        if let Some(long) = words.iter().find(|word| word.chars().count() > KEYWORD_CHARS_MAX) {
            let what = format!(
                "the keyword `{long}` is longer than {KEYWORD_CHARS_MAX} characters: write one keyword a line"
            );
            problems.error(path, None, what);
        }
        let is_page = documents.texts.contains_key(&format!("{page}.md"));
        let is_media = documents
            .media
            .iter()
            .any(|media| media.rsplit_once('.').is_some_and(|(stem, _)| stem == page));
        if !is_page && !is_media {
            let what = format!("there is no file `{page}.md` that these keywords belong to");
            problems.warning(path, None, what);
        }
        found.insert(page.to_owned(), words.into_iter().take(KEYWORDS_MAX).collect());
    }
    found
}

/// The words of a name that say something.
fn keywords_in(name: &str) -> Vec<String> {
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3);
    words.map(str::to_lowercase).filter(|word| word.parse::<u64>().is_err()).collect()
}
