//! The names that a campaign declares: each with its kind, its file and its line.

use std::collections::{BTreeMap, BTreeSet};

use narratoria_protocol::nearest::nearest;

use crate::{
    documents::{CampaignDocuments, Document},
    kinds::{FileKind, is_generated},
    problem::CampaignProblems,
    tree::{Node, Tree},
    walk::spots,
};

/// The kind of thing that a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameKind {
    Place,
    Door,
    Thing,
    Person,
    Scenery,
    Faction,
    Storylet,
    Ending,
    Thread,
    Topic,
    Ladder,
    Counter,
}

impl NameKind {
    /// The word for one of them.
    pub(crate) fn word(self) -> &'static str {
        match self {
            NameKind::Place => "place",
            NameKind::Door => "door",
            NameKind::Thing => "thing",
            NameKind::Person => "person",
            NameKind::Scenery => "part of a place",
            NameKind::Faction => "faction",
            NameKind::Storylet => "storylet",
            NameKind::Ending => "ending",
            NameKind::Thread => "thread",
            NameKind::Topic => "topic",
            NameKind::Ladder => "ladder",
            NameKind::Counter => "counter",
        }
    }
}

/// The place of a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeclaredAt {
    pub(crate) file: String,
    pub(crate) line: usize,
}

/// All declared names.
#[derive(Debug, Clone, Default)]
pub(crate) struct CampaignNames {
    declared: BTreeMap<NameKind, BTreeMap<String, DeclaredAt>>,
    /// The declared names in small letters, each with its spelling.
    folded: BTreeMap<NameKind, BTreeMap<String, String>>,
    /// Kinds of which not all are known, because a file cannot be read.
    unknown: BTreeSet<NameKind>,
    /// Other names of places, doors, things, people and parts.
    aliases: BTreeSet<String>,
    /// The rungs of each ladder, from its first.
    pub(crate) ladders: BTreeMap<String, Vec<String>>,
    /// Places that files of the format name, if no file has places.
    pub(crate) given_places: Vec<String>,
    /// Paths of 007's endings.
    pub(crate) ending_files: BTreeSet<String>,
}

/// Kinds that share their names: no two things may have one name, because a sentence of the player must mean one thing.
const SHARED: [NameKind; 4] = [NameKind::Place, NameKind::Door, NameKind::Thing, NameKind::Person];

/// Names that conditions use for facts of the world. No quality may have one.
pub(crate) const RESERVED: [&str; 22] = [
    "place", "hour", "minute", "day", "turn", "light", "present", "carried", "worn", "here",
    "visited", "met", "open", "lit", "dead", "fired", "done", "learned", "standing", "feeling",
    "chosen", "state",
];

/// The fields that declare names: the kind of file, the path in it, and the kind of name.
const DECLARATIONS: [(FileKind, &str, NameKind); 14] = [
    (FileKind::Places, "place.name", NameKind::Place),
    (FileKind::Places, "place.scenery.name", NameKind::Scenery),
    (FileKind::Places, "door.name", NameKind::Door),
    (FileKind::Things, "thing.name", NameKind::Thing),
    (FileKind::People, "person.name", NameKind::Person),
    (FileKind::Profile, "name", NameKind::Person),
    (FileKind::Factions, "faction.name", NameKind::Faction),
    (FileKind::Deck, "storylet.id", NameKind::Storylet),
    (FileKind::Beats, "storylet.id", NameKind::Storylet),
    (FileKind::BeatsJson, "beats.id", NameKind::Storylet),
    (FileKind::Endings, "ending.id", NameKind::Ending),
    (FileKind::Threads, "thread.name", NameKind::Thread),
    (FileKind::Deck, "storylet.opens.thread", NameKind::Thread),
    (FileKind::Beats, "storylet.opens.thread", NameKind::Thread),
];

/// Fields that may declare a name more than once, so that a second declaration is not an error.
const REPEATED: [(FileKind, &str, NameKind); 4] = [
    (FileKind::Deck, "storylet.choices.opens.thread", NameKind::Thread),
    (FileKind::Beats, "storylet.choices.opens.thread", NameKind::Thread),
    (FileKind::People, "person.topics.about", NameKind::Topic),
    (FileKind::Profile, "inventory", NameKind::Thing),
];

/// Fields of the format that name places. The place where the story begins comes first.
const LOCATIONS: [(FileKind, &str); 3] = [
    (FileKind::PlayerTemplate, "starting_location"),
    (FileKind::BeatsJson, "beats.location"),
    (FileKind::Profile, "metadata.first_appearance"),
];

/// Most places that are taken from there: as many as a made world has without those behind its lock and in its dark.
const GIVEN_PLACES_MAX: usize = 4;

/// Longest location that is a name and no sentence, in words.
const LOCATION_WORDS_MAX: usize = 4;

impl CampaignNames {
    /// Collects all names, and reports those that stand twice.
    pub(crate) fn collect(
        documents: &CampaignDocuments,
        problems: &mut CampaignProblems,
    ) -> CampaignNames {
        let mut names = CampaignNames::default();
        for (kind, _, named) in DECLARATIONS.into_iter().chain(REPEATED) {
            if documents.unread.contains(&kind) {
                names.unknown.insert(named);
            }
        }
        if documents.unread.contains(&FileKind::Qualities) {
            names.unknown.extend([NameKind::Ladder, NameKind::Counter]);
        }
        for (kind, path, named) in DECLARATIONS {
            for document in documents.of(kind) {
                names.declare_all(document, path, named, problems);
            }
        }
        for (kind, path, named) in REPEATED {
            for document in documents.of(kind) {
                for spot in spots(&document.node, path) {
                    names.add_once(named, spot.node, &document.path);
                }
            }
        }
        for kind in [FileKind::Places, FileKind::Things, FileKind::People] {
            for path in [
                "place.aliases",
                "place.scenery.aliases",
                "door.aliases",
                "thing.aliases",
                "person.aliases",
            ] {
                let nodes = documents.of(kind).flat_map(|document| spots(&document.node, path));
                names
                    .aliases
                    .extend(nodes.filter_map(|spot| spot.node.text()).map(str::to_lowercase));
            }
        }
        names.template_things(documents);
        names.locations(documents);
        names.qualities(documents, problems);
        let endings = documents.texts.iter().filter(|(_, (kind, _))| *kind == FileKind::Ending);
        for (path, _) in endings {
            names.ending_files.insert(path.clone());
        }
        names
    }

    /// Files that name themselves are no second declaration: a profile of a person of `people.toml`.
    fn declare_all(
        &mut self,
        document: &Document,
        path: &str,
        named: NameKind,
        problems: &mut CampaignProblems,
    ) {
        for spot in spots(&document.node, path) {
            let Some(name) = spot.node.text() else { continue };
            let is_joined = document.kind == FileKind::Profile
                || named == NameKind::Scenery
                || (named == NameKind::Person && is_generated(&document.path));
            let is_reopened = named == NameKind::Thread && document.kind != FileKind::Threads;
            if is_joined && named == NameKind::Person {
                self.refuse_other_spelling(name, spot.node.line, &document.path, problems);
            }
            if is_joined || is_reopened {
                self.add_once(named, spot.node, &document.path);
                continue;
            }
            self.refuse_second(name, named, spot.node.line, &document.path, problems);
            self.add_once(named, spot.node, &document.path);
        }
    }

    /// A profile is joined with a person by the name, so both are written alike.
    fn refuse_other_spelling(
        &self,
        name: &str,
        line: usize,
        file: &str,
        problems: &mut CampaignProblems,
    ) {
        let known = self.folded.get(&NameKind::Person).and_then(|it| it.get(&name.to_lowercase()));
        if let Some(known) = known.filter(|known| *known != name) {
            let what =
                format!("`{name}` must be written `{known}`, as where the person is declared");
            problems.error(file, Some(line), what);
        }
    }

    fn refuse_second(
        &self,
        name: &str,
        named: NameKind,
        line: usize,
        file: &str,
        problems: &mut CampaignProblems,
    ) {
        let lower = name.to_lowercase();
        let rivals: &[NameKind] = if SHARED.contains(&named) { &SHARED } else { &[named] };
        let taken = rivals.iter().find_map(|rival| {
            let other = self.folded.get(rival)?.get(&lower)?;
            Some((*rival, other, self.declared.get(rival)?.get(other)?))
        });
        let Some((rival, other, at)) = taken else { return };
        let (rival, word) = (rival.word(), named.word());
        let place = if at.file == file {
            format!("line {}", at.line)
        } else {
            format!("{}:{}", at.file, at.line)
        };
        let what = match (other == name, rival == word) {
            (true, true) => {
                format!("a second {word} `{name}`, the first is in {place}: rename one of them")
            }
            (true, false) => {
                format!("`{name}` is a {word} here and a {rival} in {place}: rename one of them")
            }
            (false, _) => format!(
                "the {word} `{name}` and the {rival} `{other}` in {place} differ only in capital letters: rename one of them"
            ),
        };
        problems.error(file, Some(line), what);
    }

    fn add_once(&mut self, named: NameKind, node: &Node, file: &str) {
        if let Some(name) = node.text() {
            let at = DeclaredAt { file: file.to_owned(), line: node.line };
            let known = self.declared.entry(named).or_default();
            known.entry(name.to_owned()).or_insert(at);
            let folded = self.folded.entry(named).or_default();
            folded.entry(name.to_lowercase()).or_insert_with(|| name.to_owned());
        }
    }

    /// Declares the player's starting items as things.
    fn template_things(&mut self, documents: &CampaignDocuments) {
        for document in documents.of(FileKind::PlayerTemplate) {
            for spot in spots(&document.node, "starting_items") {
                self.add_once(NameKind::Thing, spot.node, &document.path);
            }
        }
    }

    /// Declares the locations that other files name as places, if no file has places.
    fn locations(&mut self, documents: &CampaignDocuments) {
        if documents.of(FileKind::Places).next().is_some()
            || documents.unread.contains(&FileKind::Places)
        {
            return;
        }
        for (kind, path) in LOCATIONS {
            for document in documents.of(kind) {
                for spot in spots(&document.node, path) {
                    let name = spot.node.text().and_then(location_name);
                    let is_new = |name: &str| {
                        let known = self.folded.get(&NameKind::Place);
                        !known.is_some_and(|known| known.contains_key(&name.to_lowercase()))
                    };
                    let Some(name) = name.filter(|name| is_new(name)) else { continue };
                    if self.given_places.len() < GIVEN_PLACES_MAX {
                        let node = Node { line: spot.node.line, tree: Tree::Text(name.clone()) };
                        self.add_once(NameKind::Place, &node, &document.path);
                        self.given_places.push(name);
                    }
                }
            }
        }
    }

    fn qualities(&mut self, documents: &CampaignDocuments, problems: &mut CampaignProblems) {
        for document in documents.of(FileKind::Qualities) {
            let file = &document.path;
            let of = |key: &str| document.node.get(key).map(Node::entries).unwrap_or_default();
            let ladders = of("ladder").iter().map(|entry| (NameKind::Ladder, entry));
            let counters = of("counter").iter().map(|entry| (NameKind::Counter, entry));
            for (kind, entry) in ladders.chain(counters) {
                let name = &entry.key;
                if RESERVED.contains(&name.as_str()) {
                    let what = format!(
                        "`{name}` has a meaning of its own in conditions: give the {} another name",
                        kind.word()
                    );
                    problems.error(file, Some(entry.line), what);
                } else if !crate::shape::is_identifier(name) {
                    let what = format!(
                        "`{name}` cannot be used in conditions: write small letters, digits and `_`, such as `trust_of_mina`"
                    );
                    problems.error(file, Some(entry.line), what);
                }
                let other =
                    if kind == NameKind::Ladder { NameKind::Counter } else { NameKind::Ladder };
                if self.has(other, name) {
                    let what = format!("`{name}` is a ladder and a counter: rename one of them");
                    problems.error(file, Some(entry.line), what);
                }
                let at = DeclaredAt { file: file.clone(), line: entry.line };
                self.declared.entry(kind).or_default().entry(name.clone()).or_insert(at);
                if kind == NameKind::Ladder {
                    let rungs = entry.node.items().iter().filter_map(Node::text);
                    self.ladders.insert(name.clone(), rungs.map(str::to_owned).collect());
                }
            }
        }
    }

    /// Returns true if this exact name is declared.
    pub(crate) fn has(&self, kind: NameKind, name: &str) -> bool {
        self.declared.get(&kind).is_some_and(|known| known.contains_key(name))
    }

    /// Returns true if all names of these kinds are known.
    pub(crate) fn knows(&self, kinds: &[NameKind]) -> bool {
        kinds.iter().all(|kind| !self.unknown.contains(kind))
    }

    /// All names of a kind, sorted.
    pub(crate) fn all(&self, kind: NameKind) -> impl Iterator<Item = &str> {
        self.declared.get(&kind).into_iter().flat_map(|known| known.keys().map(String::as_str))
    }

    /// Names of a kind with their places.
    pub(crate) fn declared(&self, kind: NameKind) -> impl Iterator<Item = (&str, &DeclaredAt)> {
        let known = self.declared.get(&kind).into_iter().flatten();
        known.map(|(name, at)| (name.as_str(), at))
    }

    /// Returns the fault of a name that must be of one of these kinds. Returns `None` if it is, or if not all names are
    /// known.
    pub(crate) fn fault(&self, name: &str, kinds: &[NameKind]) -> Option<String> {
        if kinds.iter().any(|kind| self.has(*kind, name)) || !self.knows(kinds) {
            return None;
        }
        let words: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
        let words = words.join(" or ");
        let known = || kinds.iter().flat_map(|kind| self.all(*kind));
        let lower = name.to_lowercase();
        let folded = kinds.iter().find_map(|kind| self.folded.get(kind)?.get(&lower));
        if let Some(folded) = folded {
            return Some(format!("`{name}` must be written `{folded}`, like its declaration"));
        }
        if let Some(near) = nearest(name, known()) {
            return Some(format!("there is no {words} `{name}`; did you mean `{near}`?"));
        }
        let whole = known().find(|known| known.split(' ').any(|word| word == name));
        if let Some(whole) = whole {
            return Some(format!("there is no {words} `{name}`; did you mean `{whole}`?"));
        }
        let other = SHARED
            .iter()
            .chain(&[NameKind::Scenery, NameKind::Faction])
            .find(|kind| self.has(**kind, name));
        Some(match other {
            Some(other) => format!("`{name}` is a {}, here stands a {words}", other.word()),
            None => format!("there is no {words} `{name}`: add it, or leave this out"),
        })
    }

    /// Returns true if the player can use this word as a name or an alias.
    pub(crate) fn is_spoken(&self, name: &str) -> bool {
        let lower = name.to_lowercase();
        self.aliases.contains(&lower)
            || SHARED
                .iter()
                .chain(&[NameKind::Scenery])
                .any(|kind| self.folded.get(kind).is_some_and(|known| known.contains_key(&lower)))
    }

    /// The name of a thing, person, door, place or part that is nearest to a word.
    pub(crate) fn nearest_spoken(&self, name: &str) -> Option<String> {
        let known = SHARED.iter().chain(&[NameKind::Scenery]).flat_map(|kind| self.all(*kind));
        nearest(name, known)
    }
}

/// A location as the name of a place: without an article, and nothing if it is a sentence.
fn location_name(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('.');
    let lower = text.to_lowercase();
    let article = ["the ", "a ", "an "].into_iter().find(|article| lower.starts_with(article));
    let name = article.map_or(text, |article| &text[article.len()..]).trim();
    let is_name = name.split_whitespace().count() <= LOCATION_WORDS_MAX
        && name.chars().count() <= world_model::check::NAME_CHARS_MAX
        && name.chars().any(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || " -'\u{2019}".contains(c));
    is_name.then(|| name.to_owned())
}
