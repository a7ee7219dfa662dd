//! Rules that no schema can say about single documents: times, directions, lengths, places of things, bounds.

use std::collections::{BTreeMap, BTreeSet};

use narratoria_protocol::nearest::nearest;
use world_model::{
    check::{NAME_CHARS_MAX, OPENING_WORDS_MAX, TEXT_CHARS_MAX},
    definition::DIRECTIONS,
};

use crate::{
    documents::{CampaignDocuments, Document},
    kinds::{FileKind, is_generated},
    names::{CampaignNames, NameKind},
    problem::CampaignProblems,
    rules::{owned, quoted},
    tree::{Node, Tree},
    walk::{Spot, slug, spots},
};

/// Texts of the world and their places.
const TEXTS: [(FileKind, &str); 32] = [
    (FileKind::Manifest, "title"),
    (FileKind::Player, "name"),
    (FileKind::Player, "description"),
    (FileKind::Start, "opening"),
    (FileKind::Places, "place.description"),
    (FileKind::Places, "place.looks.description"),
    (FileKind::Places, "place.scenery.description"),
    (FileKind::Places, "place.scenery.looks.description"),
    (FileKind::Places, "place.exits.blocked"),
    (FileKind::Places, "door.description"),
    (FileKind::Things, "thing.description"),
    (FileKind::Things, "thing.looks.description"),
    (FileKind::Things, "thing.text"),
    (FileKind::Things, "thing.reactions.says"),
    (FileKind::Things, "verb.says"),
    (FileKind::People, "person.description"),
    (FileKind::People, "person.looks.description"),
    (FileKind::People, "person.greeting"),
    (FileKind::People, "person.thanks"),
    (FileKind::People, "person.thanks_after"),
    (FileKind::People, "person.topics.says"),
    (FileKind::People, "person.topics.after"),
    (FileKind::People, "person.greetings.says"),
    (FileKind::People, "person.schedule.doing"),
    (FileKind::People, "person.fallback"),
    (FileKind::People, "person.listens"),
    (FileKind::People, "person.reactions.says"),
    (FileKind::People, "person.reactions.does"),
    (FileKind::Threads, "thread.opening"),
    (FileKind::Threads, "thread.ending"),
    (FileKind::Threads, "thread.unresolved"),
    (FileKind::Threads, "thread.stages.says"),
];

/// Names that the player says.
const NAMES: [(FileKind, &str); 9] = [
    (FileKind::Places, "place.name"),
    (FileKind::Places, "place.scenery.name"),
    (FileKind::Places, "door.name"),
    (FileKind::Things, "thing.name"),
    (FileKind::Things, "verb.name"),
    (FileKind::People, "person.name"),
    (FileKind::Profile, "name"),
    (FileKind::Factions, "faction.name"),
    (FileKind::Threads, "thread.name"),
];

/// The fields that say where a thing is.
const HOLDERS: [&str; 7] = ["place", "in", "on", "with", "carried", "worn", "later"];

/// Reports everything of this kind.
pub(crate) fn check_sense(
    documents: &CampaignDocuments,
    names: &CampaignNames,
    problems: &mut CampaignProblems,
) {
    let mut check = SenseCheck { problems };
    for (kind, path) in TEXTS {
        for document in documents.of(kind) {
            for spot in spots(&document.node, path) {
                check.text(document, path, spot);
            }
        }
    }
    for (kind, path) in NAMES {
        for document in documents.of(kind) {
            spots(&document.node, path).into_iter().for_each(|spot| check.name(document, spot));
        }
    }
    for document in &documents.documents {
        match document.kind {
            FileKind::Places => check.exits(document),
            FileKind::Things => {
                spots(&document.node, "thing").into_iter().for_each(|it| check.thing(document, it));
            }
            FileKind::People => check.people(document),
            FileKind::Start => check.start(document),
            FileKind::Qualities => check.qualities(document),
            FileKind::Deck | FileKind::Beats => check.storylets(document),
            FileKind::Endings => check.endings(document),
            _ => {}
        }
    }
    silent_people(documents, problems);
    unreachable_places(documents, names, problems);
    unused_doors(documents, names, problems);
}

struct SenseCheck<'p> {
    problems: &'p mut CampaignProblems,
}

impl SenseCheck<'_> {
    fn error(&mut self, document: &Document, owner: &str, line: usize, what: &str) {
        self.problems.error(&document.path, Some(line), owned(owner, what));
    }

    fn warning(&mut self, document: &Document, owner: &str, line: usize, what: &str) {
        self.problems.warning(&document.path, Some(line), owned(owner, what));
    }

    fn text(&mut self, document: &Document, path: &str, spot: Spot<'_>) {
        let Some(text) = spot.node.text() else { return };
        // In a file about a single thing, the field's name is enough to find the text.
        let field = path.rsplit('.').next().unwrap_or(path);
        let text_words = if path.contains('.') {
            "the text".to_owned()
        } else {
            format!("the text of `{field}`")
        };
        let chars = text.chars().count();
        if chars > TEXT_CHARS_MAX {
            let what = format!(
                "{text_words} has {chars} characters, the limit is {TEXT_CHARS_MAX}: shorten it"
            );
            self.error(document, spot.owner, spot.node.line, &what);
        }
        if let Some(odd) = text.chars().find(|c| c.is_control() && *c != '\n') {
            let what = format!(
                "{text_words} has the control character `{}`: remove it",
                odd.escape_default()
            );
            self.error(document, spot.owner, spot.node.line, &what);
        }
    }

    fn name(&mut self, document: &Document, spot: Spot<'_>) {
        let Some(name) = spot.node.text() else { return };
        let odd = name.chars().find(|c| c.is_control() || "{}<>\u{201c}\u{201d}\"".contains(*c));
        let what = if name.trim().is_empty() {
            "a name is empty: write one".to_owned()
        } else if name.trim() != name {
            "the name begins or ends with a blank: remove it".to_owned()
        } else if name.chars().count() > NAME_CHARS_MAX {
            format!("the name is longer than {NAME_CHARS_MAX} characters: shorten it")
        } else if let Some(odd) = odd {
            format!("the name has `{}`, which no name has: remove it", odd.escape_default())
        } else if world_model::words::has_article(name)
            && document.kind != FileKind::Threads
            && document.kind != FileKind::Factions
            // Who belongs to the player may be called so: `your sister`.
            && !(document.kind == FileKind::People && name.starts_with("your "))
        {
            let (article, rest) = name.split_once(' ').unwrap_or((name, ""));
            format!("a name has no article: write `{rest}` without `{article}`")
        } else {
            return;
        };
        self.error(document, name, spot.node.line, &what);
    }

    fn exits(&mut self, document: &Document) {
        for place in spots(&document.node, "place") {
            let mut used = BTreeSet::new();
            let name = place.node.text_of("name").unwrap_or_default();
            for exit in place.node.get("exits").map(Node::items).unwrap_or_default() {
                let Some(node) = exit.get("direction") else { continue };
                let Some(direction) = node.text() else { continue };
                if !DIRECTIONS.contains(&direction) {
                    let way_out = match nearest(direction, DIRECTIONS) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("directions are {}", quoted(DIRECTIONS)),
                    };
                    let what = format!("there is no direction `{direction}`; {way_out}");
                    self.error(document, name, node.line, &what);
                } else if !used.insert(direction) {
                    let what = format!("a second exit `{direction}`: give it another direction");
                    self.error(document, name, node.line, &what);
                }
            }
        }
    }

    /// A thing is in exactly one place.
    fn thing(&mut self, document: &Document, spot: Spot<'_>) {
        let node = spot.node;
        let is_said = |key: &&&str| match node.get(key).map(|it| &it.tree) {
            Some(Tree::Bool(value)) => *value,
            Some(_) => true,
            None => false,
        };
        let said: Vec<&str> = HOLDERS.iter().filter(is_said).copied().collect();
        let name = node.text_of("name").unwrap_or_default();
        if said.is_empty() {
            let what = format!("is nowhere: say one of {}", quoted(&HOLDERS));
            self.error(document, name, node.line, &what);
        } else if said.len() > 1 {
            let what = format!("is in {} places, {}: keep one of them", said.len(), quoted(&said));
            self.error(document, name, node.line, &what);
        }
    }

    fn people(&mut self, document: &Document) {
        for spot in spots(&document.node, "person.schedule.from") {
            self.time(document, spot);
        }
        for spot in spots(&document.node, "person.pronoun") {
            let pronoun = spot.node.text().unwrap_or_default();
            if !["he", "she", "they", "it"].contains(&pronoun) {
                let what =
                    format!("the pronoun `{pronoun}` is none of `he`, `she`, `they` and `it`");
                self.error(document, spot.owner, spot.node.line, &what);
            }
        }
        for spot in spots(&document.node, "person.topics") {
            let about = spot.node.get("about").map(Node::items).unwrap_or_default();
            if about.is_empty() && spot.node.get("about").is_some() {
                let what = "a topic has no name: write `about = [\"…\"]`";
                self.error(document, spot.owner, spot.node.line, what);
            }
        }
    }

    fn time(&mut self, document: &Document, spot: Spot<'_>) {
        let Some(time) = spot.node.text() else { return };
        if !is_time(time) {
            let what = format!("`{time}` is no time of day: write it as `17:30`");
            self.error(document, spot.owner, spot.node.line, &what);
        }
    }

    fn start(&mut self, document: &Document) {
        for spot in spots(&document.node, "time") {
            self.time(document, spot);
        }
        for spot in spots(&document.node, "opening") {
            let words = spot.node.text().unwrap_or_default().split_whitespace().count();
            if words > OPENING_WORDS_MAX {
                let what = format!(
                    "the opening has {words} words, the limit is {OPENING_WORDS_MAX}: move the rest into a storylet"
                );
                self.error(document, "", spot.node.line, &what);
            }
        }
    }

    fn qualities(&mut self, document: &Document) {
        for entry in document.node.get("ladder").map(Node::entries).unwrap_or_default() {
            let rungs: Vec<&str> = entry.node.items().iter().filter_map(Node::text).collect();
            if rungs.len() < 2 {
                self.error(document, &entry.key, entry.line, "a ladder has at least two rungs");
            }
            let mut seen = BTreeSet::new();
            for rung in rungs {
                if !seen.insert(rung) {
                    let what = format!("the rung `{rung}` stands twice: remove one");
                    self.error(document, &entry.key, entry.line, &what);
                }
            }
        }
        for entry in document.node.get("counter").map(Node::entries).unwrap_or_default() {
            let of = |key: &str| match &entry.node.get(key)?.tree {
                Tree::Number(number) => number.as_i64(),
                _ => None,
            };
            let (from, to) = (of("from").unwrap_or(0), of("to").unwrap_or(i64::MAX));
            let start = of("start").unwrap_or(from);
            if from > to {
                let what = format!("goes from {from} to {to}: `from` must be the smaller one");
                self.error(document, &entry.key, entry.line, &what);
            } else if !(from..=to).contains(&start) {
                let what = format!("starts at {start}, outside {from} to {to}");
                self.error(document, &entry.key, entry.line, &what);
            }
        }
    }

    fn storylets(&mut self, document: &Document) {
        for spot in spots(&document.node, "storylet") {
            let node = spot.node;
            let id = node.text_of("id").unwrap_or_default();
            self.id(document, node);
            let has = |key: &str| node.get(key).is_some();
            if has("text") && has("texts") {
                let what = "has `text` and `texts`: keep one of them";
                self.error(document, id, node.line, what);
            }
            let effects = [
                "text",
                "texts",
                "sets",
                "raises",
                "changes",
                "reputation",
                "feelings",
                "opens",
                "closes",
                "remember",
                "choices",
            ];
            if !effects.iter().any(|key| has(key)) {
                let what = "tells nothing and changes nothing: give it a `text`";
                self.warning(document, id, node.line, what);
            }
            self.choices(document, node, id);
        }
        for base in ["storylet", "storylet.choices"] {
            for spot in spots(&document.node, &format!("{base}.changes")) {
                self.change(document, spot);
            }
        }
    }

    fn id(&mut self, document: &Document, node: &Node) {
        let Some(id_node) = node.get("id") else { return };
        let Some(id) = id_node.text() else { return };
        let is_part = |part: &str| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        };
        if !id.split(['-', '_']).all(is_part) || id.len() > NAME_CHARS_MAX {
            let meant = slug(id);
            let what = format!(
                "the id must be small letters, digits and hyphens, at most {NAME_CHARS_MAX}: such as `{}`",
                if meant.is_empty() { "the-cut-rope" } else { &meant }
            );
            self.error(document, id, id_node.line, &what);
        }
    }

    fn choices(&mut self, document: &Document, node: &Node, id: &str) {
        let mut seen = BTreeMap::new();
        for choice in node.get("choices").map(Node::items).unwrap_or_default() {
            let Some(label) = choice.text_of("label") else { continue };
            let when = choice.text_of("when");
            let Some((other, other_when)) = seen.insert(slug(label), (label, when)) else {
                continue;
            };
            // Conditions may tell them apart: then one of them is offered.
            if when.is_none() || other_when.is_none() || when == other_when {
                let what =
                    format!("the choices `{other}` and `{label}` cannot be told apart: rename one");
                self.error(document, id, choice.line, &what);
            }
        }
    }

    /// Exactly one verb.
    fn change(&mut self, document: &Document, spot: Spot<'_>) {
        let entries = spot.node.entries();
        let verbs: Vec<&str> =
            entries.iter().map(|entry| entry.key.as_str()).filter(|key| *key != "to").collect();
        let has_to = entries.len() > verbs.len();
        let what = match verbs.as_slice() {
            ["move"] if !has_to => "a change with `move` says where with `to`".to_owned(),
            ["move"] => return,
            [_] if !has_to => return,
            [verb] => format!("a change with `{verb}` has no `to`: remove it"),
            [] => "a change says what changes, such as `unlock = \"oak door\"`".to_owned(),
            many => format!(
                "a change does one thing, this one has {}: write several changes",
                quoted(many)
            ),
        };
        self.error(document, spot.owner, spot.node.line, &what);
    }

    fn endings(&mut self, document: &Document) {
        for spot in spots(&document.node, "ending") {
            let (node, id) = (spot.node, spot.node.text_of("id").unwrap_or_default());
            self.id(document, node);
            match (node.get("text").is_some(), node.get("file").is_some()) {
                (true, true) => {
                    self.error(document, id, node.line, "has `text` and `file`: keep one of them")
                }
                (false, false) => self.error(
                    document,
                    id,
                    node.line,
                    "has no last page: write `text`, or `file = \"endings/NAME.md\"`",
                ),
                _ => {}
            }
        }
    }
}

/// `17:30`.
fn is_time(text: &str) -> bool {
    let is_number = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
    text.split_once(':').is_some_and(|(hour, minute)| {
        is_number(hour) && is_number(minute) && hour < "24" && minute < "60"
    })
}

/// The fields with which a person answers what they have no topic for.
const ANSWERS: [&str; 3] = ["fallback", "listens", "reactions"];

/// Most people whom the note about them names.
const SILENT_NAMES_MAX: usize = 12;

/// People who have nothing of their own for what they know nothing about. A profile may have it in `speech_patterns`.
fn silent_people(documents: &CampaignDocuments, problems: &mut CampaignProblems) {
    let profiles: BTreeSet<String> = documents
        .of(FileKind::Profile)
        .filter(|document| document.node.get("speech_patterns").is_some())
        .filter_map(|document| document.node.text_of("name").map(str::to_lowercase))
        .collect();
    // Generated files complete people of others.
    for document in documents.of(FileKind::People).filter(|it| !is_generated(&it.path)) {
        let people = spots(&document.node, "person").into_iter().filter(|person| {
            let has = |key: &&str| person.node.get(key).is_some();
            let name = person.node.text_of("name").unwrap_or_default().to_lowercase();
            !ANSWERS.iter().any(has) && !profiles.contains(&name)
        });
        let names: Vec<&str> = people.filter_map(|person| person.node.text_of("name")).collect();
        let (named, more) = names.split_at(names.len().min(SILENT_NAMES_MAX));
        if named.is_empty() {
            continue;
        }
        let more = match more.len() {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        let what = format!(
            "{}{more}: no words for what no topic fits, so lines of the program stand in for them: write {}",
            quoted(named),
            quoted(&ANSWERS)
        );
        problems.note(&document.path, None, what);
    }
}

/// Places that no exit and no change leads to.
fn unreachable_places(
    documents: &CampaignDocuments,
    names: &CampaignNames,
    problems: &mut CampaignProblems,
) {
    let mut ways: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut first = None;
    for document in documents.of(FileKind::Places) {
        for place in spots(&document.node, "place") {
            let Some(name) = place.node.text_of("name") else { continue };
            first = first.or(Some(name));
            let to = spots(place.node, "exits.to").into_iter().filter_map(|it| it.node.text());
            ways.entry(name).or_default().extend(to);
        }
    }
    let begin = documents.of(FileKind::Player).find_map(|it| it.node.text_of("place")).or(first);
    let decks = documents.of(FileKind::Deck).chain(documents.of(FileKind::Beats));
    let sent = decks.flat_map(|deck| {
        let own = spots(&deck.node, "storylet.changes.send");
        own.into_iter().chain(spots(&deck.node, "storylet.choices.changes.send"))
    });
    let mut open: Vec<&str> =
        begin.into_iter().chain(sent.filter_map(|it| it.node.text())).collect();
    let mut seen = BTreeSet::new();
    while let Some(place) = open.pop() {
        if seen.insert(place) {
            open.extend(ways.get(place).into_iter().flatten());
        }
    }
    // Made places lead to each other.
    if !documents.unread.is_empty() || documents.of(FileKind::Places).next().is_none() {
        return;
    }
    for (place, at) in names.declared(NameKind::Place) {
        if !seen.contains(place) {
            let what =
                format!("`{place}`: no exit leads here, and no storylet sends the player here");
            problems.warning(&at.file, Some(at.line), what);
        }
    }
}

/// Doors that no exit names stand nowhere.
fn unused_doors(
    documents: &CampaignDocuments,
    names: &CampaignNames,
    problems: &mut CampaignProblems,
) {
    let files = || documents.of(FileKind::Places);
    let exits = files().flat_map(|document| spots(&document.node, "place.exits.door"));
    let used: BTreeSet<&str> = exits.filter_map(|spot| spot.node.text()).collect();
    for (door, at) in names.declared(NameKind::Door).filter(|(door, _)| !used.contains(door)) {
        let what = format!("`{door}`: no exit has this door, so it stands nowhere");
        problems.warning(&at.file, Some(at.line), what);
    }
}
