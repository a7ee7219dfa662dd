//! World books and lore: each entry that is switched on is a file with its keywords beside it.

use super::{
    folder_import::{CampaignText, FolderImport},
    paths::{BOOKS, FolderFiles, keywords_path},
    plain_text::{plain_prose, pretty, shorten, slug},
    profile::person_name,
    sections::{lore_text, parts_of, split_title, without_headings},
};
use crate::{
    BookEntry, ImportNotes, MacroNames, WorldBook, book::is_pattern, card_text::one_line,
    taken_names::TakenNames,
};
use narratoria_protocol::visible::clip;

/// The line of a keywords file that marks an entry as constant.
pub(crate) const ALWAYS: &str = "*";

/// Keywords of one entry, besides [`ALWAYS`], and the longest in characters, as campaigns have them.
const KEYWORDS: usize = 49;
const KEYWORD_CHARS: usize = 60;

/// Most parts of lore in a folder, and their bytes: a campaign has at most a thousand parts, and 8 MiB of text.
pub(crate) const LORE_PARTS_MAX: usize = 900;
const LORE_BYTES: usize = 5 << 20;

/// Topics of a person, names of one, and words of what is said about it, within the limits of worlds.
const TOPICS: usize = 50;
const TOPIC_NAMES: usize = 12;
const TOPIC_WORDS: usize = 120;

/// Longest text of one entry, in bytes.
const ENTRY_BYTES: usize = 900_000;

/// Longest title of an entry, in characters.
const TITLE_CHARS: usize = 80;

/// A file of lore that an entry becomes.
pub(crate) struct LoreFile {
    /// The entry's place in its book.
    pub(crate) place: String,
    /// `lore/NAME.md`.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) keywords: String,
}

impl LoreFile {
    pub(crate) fn keywords_path(&self) -> String {
        keywords_path(&self.path)
    }
}

/// Returns the files of a book. They depend on the book, its name and the names of people alone.
pub(crate) fn lore_files(
    book: &WorldBook,
    name: &str,
    names: &MacroNames,
    notes: &mut ImportNotes,
) -> Vec<LoreFile> {
    let mut taken = TakenNames::default();
    let mut files = Vec::new();
    for (at, entry) in book.entries.iter().enumerate() {
        let title = title_of(entry, at);
        let shown = format!("entry `{title}`");
        // Its name is taken even if it has no file: switching it on must not rename the others.
        let stem = taken.take(slug(&title, "entry"), '-');
        let without_decorators = plain_content(&entry.content, &shown, notes);
        let text = names.tell(&without_decorators, &shown, notes);
        if !entry.enabled {
            notes.not_mapped(shown, "its author switched it off");
            continue;
        }
        if text.trim().is_empty() {
            notes.not_mapped(shown, "it has no text");
            continue;
        }
        let mut keywords: Vec<String> = Vec::new();
        if entry.constant {
            keywords.push(ALWAYS.to_owned());
        }
        keywords.extend(words_of(entry, names, &shown, notes));
        if keywords.is_empty() {
            // Readers then find the entry by its title.
            keywords.push(
                one_line(&title.replace([',', ';'], " ")).chars().take(KEYWORD_CHARS).collect(),
            );
        }
        files.push(LoreFile {
            place: entry.place.clone(),
            path: format!("lore/{name}-{stem}.md"),
            text: format!("# {title}\n\n{}\n", lore_text(&text)),
            keywords: keywords.iter().map(|key| format!("{key}\n")).collect(),
        });
    }
    files
}

/// What a person knows of a book: the names of a topic, and the words about it.
pub(crate) fn topics(
    book: &WorldBook,
    name: &str,
    names: &MacroNames,
    notes: &mut ImportNotes,
) -> Vec<(Vec<String>, String)> {
    // The notes are those of the lore.
    let files = lore_files(book, name, names, &mut ImportNotes::default());
    let count = files.len();
    let mut topics = Vec::new();
    for file in files {
        let keys = file.keywords.lines().filter(|key| *key != ALWAYS);
        let mut about: Vec<String> = Vec::new();
        for key in keys.filter_map(topic_name).take(TOPIC_NAMES) {
            if !about.contains(&key) {
                about.push(key);
            }
        }
        let (_, body) = split_title(&file.text);
        let says = shorten(&one_line(&plain_prose(&without_headings(body))), TOPIC_WORDS);
        if !about.is_empty() && !says.is_empty() {
            topics.push((about, says));
        }
        if topics.len() >= TOPICS {
            break;
        }
    }
    if count > TOPICS {
        let why = format!("a person has at most {TOPICS} topics; the other entries are lore");
        notes.changed(format!("{count} entries of the book"), why);
    }
    topics
}

/// The name of a topic that a keyword is. `None` for one without a word besides an article.
fn topic_name(key: &str) -> Option<String> {
    let name = person_name(key);
    key.contains(name.as_str()).then_some(name)
}

/// The plain words of an entry, as many as an entry of lore can have.
fn words_of(
    entry: &BookEntry,
    names: &MacroNames,
    shown: &str,
    notes: &mut ImportNotes,
) -> Vec<String> {
    let words = entry.keys.iter().filter(|key| !(entry.patterns || is_pattern(key)));
    let told = words.map(|key| one_line(&names.tell(key, shown, notes).replace([',', ';'], " ")));
    let told: Vec<String> = told.filter(|key| !key.is_empty() && key != ALWAYS).collect();
    let (mut short, long): (Vec<String>, Vec<String>) =
        told.into_iter().partition(|key| key.chars().count() <= KEYWORD_CHARS);
    if !long.is_empty() {
        notes.not_mapped(
            shown,
            format!("{} keywords are longer than {KEYWORD_CHARS} characters", long.len()),
        );
    }
    if short.len() > KEYWORDS {
        notes
            .not_mapped(shown, format!("it has {} keywords, and {KEYWORDS} are used", short.len()));
        short.truncate(KEYWORDS);
    }
    short
}

fn title_of(entry: &BookEntry, at: usize) -> String {
    let first_key = entry.keys.iter().find(|key| !is_pattern(key));
    let title = match (entry.title.trim(), first_key) {
        ("", Some(key)) => key.as_str(),
        ("", None) => "",
        (title, _) => title,
    };
    let title: String = one_line(title).trim_start_matches('#').chars().take(TITLE_CHARS).collect();
    match title.trim() {
        "" => format!("Entry {}", at + 1),
        title => title.to_owned(),
    }
}

/// The content without the lines `@@name value` at its beginning, which steer programs.
fn plain_content(content: &str, shown: &str, notes: &mut ImportNotes) -> String {
    let mut rest = content.trim_start();
    while rest.starts_with("@@") {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        notes.not_mapped(format!("{shown}: `{}`", line.trim()), "an instruction to a program");
        rest = after.trim_start();
    }
    rest.to_owned()
}

/// Writes the files of a book into a folder, as far as they fit.
pub(super) fn put_lore(
    book: &WorldBook,
    name: &str,
    names: &MacroNames,
    folder: &mut FolderImport<'_>,
) {
    let (mut count, mut bytes) = folder.lore_size();
    let mut left_out = 0_usize;
    for file in lore_files(book, name, names, folder.notes) {
        let parts = parts_of(&file.text);
        if count + parts > LORE_PARTS_MAX
            || bytes + file.text.len() > LORE_BYTES
            || file.text.len() > ENTRY_BYTES
        {
            left_out += 1;
            continue;
        }
        count += parts;
        bytes += file.text.len();
        let keywords = file.keywords_path();
        folder.put(file.path, file.text);
        folder.put(keywords, file.keywords);
    }
    if left_out > 0 {
        let why = format!(
            "an import has at most {LORE_PARTS_MAX} parts of lore and {LORE_BYTES} bytes in them"
        );
        folder.notes.not_mapped(format!("{left_out} entries of the book `{name}`"), why);
    }
}

/// A book of its own: its entries, and the document for the way back.
pub(super) fn import_book(book: &WorldBook, stem: &str, folder: &mut FolderImport<'_>) {
    let title = if book.name.is_empty() { stem } else { &book.name };
    let name = folder.free_name(&slug(title, "book"), &["lore/{}-", "cards/books/{}.json"]);
    let names = folder.names("the character");
    folder.put(format!("{BOOKS}{name}.json"), pretty(&book.original));
    if let Some(damaged) = &book.damaged {
        folder.put(format!("{BOOKS}{name}.damaged.txt"), damaged.clone());
    }
    put_lore(book, &name, &names, folder);
    let title = clip(&one_line(title), TITLE_CHARS).into_owned();
    let setting = setting_of(book, &names);
    folder.complete(&CampaignText { title: &title, setting: &setting, ..CampaignText::default() });
    // A world is made of what the premise says: the words of the book, and none of the importer's.
    let premise = format!("{}\n", without_headings(&setting).trim());
    folder.put_if_missing("plot/premise.md", premise);
    folder.record(&format!("{BOOKS}{name}"), &names.player, "");
}

/// Returns a setting: the constant entries of the book, otherwise its first entry.
fn setting_of(book: &WorldBook, names: &MacroNames) -> String {
    let mut quiet = ImportNotes::default();
    let usable = |entry: &&BookEntry| entry.enabled && !entry.content.trim().is_empty();
    let constant: Vec<&BookEntry> =
        book.entries.iter().filter(usable).filter(|entry| entry.constant).take(3).collect();
    let chosen = match constant.is_empty() {
        true => book.entries.iter().filter(usable).take(1).collect(),
        false => constant,
    };
    let texts = chosen.iter().map(|entry| {
        let content = plain_content(&entry.content, "", &mut quiet);
        shorten(&names.tell(&content, "", &mut quiet), 120)
    });
    let text = texts.collect::<Vec<_>>().join("\n\n");
    if text.is_empty() { "The world of the book.".to_owned() } else { text }
}

/// A lore file as it stands in a folder.
pub(crate) struct FoundLore {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) keywords: Vec<String>,
    pub(crate) always: bool,
}

pub(crate) fn found_lore(files: &FolderFiles) -> Vec<FoundLore> {
    let is_lore = |path: &String| path.starts_with("lore/") && path.ends_with(".md");
    let mut found = Vec::new();
    for (path, content) in files.iter().filter(|(path, _)| is_lore(path)) {
        let text = String::from_utf8_lossy(content);
        let (title, body) = split_title(&text);
        let stem = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".md");
        let words = files.get(&keywords_path(path)).map(|words| String::from_utf8_lossy(words));
        let (keywords, always) = read_keywords(words.as_deref().unwrap_or_default());
        let title = title.map_or_else(|| stem.replace(['-', '_'], " "), str::to_owned);
        found.push(FoundLore {
            path: path.clone(),
            title,
            body: body.to_owned(),
            keywords,
            always,
        });
    }
    found
}

pub(crate) fn read_keywords(text: &str) -> (Vec<String>, bool) {
    let words = text.lines().flat_map(|line| line.split(',')).map(str::trim);
    let (always, words): (Vec<&str>, Vec<&str>) =
        words.filter(|word| !word.is_empty()).partition(|word| *word == ALWAYS);
    (words.into_iter().map(str::to_owned).collect(), !always.is_empty())
}
