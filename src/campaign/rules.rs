//! Rules about names, in one table: which field of which file names what. A field that is not here is plain text.

use narratoria_protocol::nearest::nearest;
use world_model::action::Verb;

use crate::{
    documents::{CampaignDocuments, Document},
    kinds::FileKind,
    names::{CampaignNames, NameKind},
    problem::CampaignProblems,
    walk::{Spot, key_spots, spots},
};

/// A field that names something of these kinds.
struct NameRule {
    kind: FileKind,
    path: &'static str,
    names: &'static [NameKind],
}

macro_rules! name_rules {
    ($($kind:ident $path:literal => $($name:ident)|+;)*) => {
        &[$(NameRule { kind: FileKind::$kind, path: $path, names: &[$(NameKind::$name),+] }),*]
    };
}

/// Names in the files of the world, its people and its plot.
const NAME_RULES: &[NameRule] = name_rules! {
    Places "place.exits.to" => Place;
    Places "place.exits.door" => Door;
    Places "door.key" => Thing;
    Things "thing.place" => Place;
    Things "thing.in" => Thing;
    Things "thing.on" => Thing;
    Things "thing.with" => Person;
    Things "thing.hidden" => Thing | Scenery;
    Things "thing.container.key" => Thing;
    Things "thing.light.needs" => Thing;
    Things "thing.reactions.with" => Thing | Person;
    Things "thing.reactions.reveals" => Thing;
    Things "thing.reactions.opens" => Door | Thing;
    People "person.place" => Place;
    People "person.schedule.place" => Place;
    People "person.wants" => Thing;
    People "person.gives" => Thing;
    People "person.bars" => Place;
    People "person.faction" => Faction;
    Factions "faction.members" => Person;
    Player "place" => Place;
    Threads "thread.goal.to" => Person;
    BeatsJson "beats.conditions.requires_beat" => Storylet;
    BeatsJson "beats.conditions.requires_any_beat" => Storylet;
    BeatsJson "beats.outcomes.triggers_beat" => Storylet;
    BeatsJson "beats.timeout.fallback_beat" => Storylet;
};

/// Names in a storylet, below `storylet`.
const STORYLET_RULES: &[(&str, &[NameKind])] = &[
    ("at", &[NameKind::Place]),
    ("present", &[NameKind::Person]),
    ("claims", &[NameKind::Person, NameKind::Thing, NameKind::Place, NameKind::Faction]),
    ("choices.then", &[NameKind::Storylet]),
];

/// Fields below a storylet or a choice that name things.
const CHANGE_RULES: &[(&str, &[NameKind])] = &[
    ("changes.move", &[NameKind::Thing, NameKind::Person]),
    ("changes.unlock", &[NameKind::Door, NameKind::Thing]),
    ("changes.lock", &[NameKind::Door, NameKind::Thing]),
    ("changes.open", &[NameKind::Door, NameKind::Thing]),
    ("changes.close", &[NameKind::Door, NameKind::Thing]),
    ("changes.light", &[NameKind::Thing]),
    ("changes.douse", &[NameKind::Thing]),
    ("changes.reveal", &[NameKind::Thing]),
    ("changes.remove", &[NameKind::Thing, NameKind::Person]),
    ("changes.kill", &[NameKind::Person]),
    ("changes.hurt", &[NameKind::Person]),
    ("changes.send", &[NameKind::Place]),
];

/// The kinds of things that a player can name.
const SPOKEN: [NameKind; 5] =
    [NameKind::Place, NameKind::Door, NameKind::Thing, NameKind::Person, NameKind::Scenery];

/// The files with storylets, and the paths in them whose fields say what happens.
const STORYLETS: [FileKind; 2] = [FileKind::Deck, FileKind::Beats];
const HAPPENINGS: [&str; 2] = ["storylet", "storylet.choices"];

/// Reports each name that is not declared.
pub(crate) fn check_names(
    documents: &CampaignDocuments,
    names: &CampaignNames,
    problems: &mut CampaignProblems,
) {
    let things = documents.of(FileKind::Things);
    let verbs = things.flat_map(|document| spots(&document.node, "verb.name"));
    let verbs = verbs.filter_map(|spot| spot.node.text().map(str::to_owned)).collect();
    let mut check = NameCheck { names, verbs, problems };
    for rule in NAME_RULES {
        for document in documents.of(rule.kind) {
            check.fields(document, rule.path, rule.names);
        }
    }
    for kind in STORYLETS {
        for document in documents.of(kind) {
            check.storylets(document);
        }
    }
    for document in documents.of(FileKind::People) {
        check.qualities(document, "person.topics");
        check.qualities(document, "person.greetings");
    }
    for document in documents.of(FileKind::Threads) {
        check.goals(document);
    }
    for document in documents.of(FileKind::Endings) {
        check.ending_files(document);
    }
}

struct NameCheck<'c> {
    names: &'c CampaignNames,
    /// The author's own verbs.
    verbs: Vec<String>,
    problems: &'c mut CampaignProblems,
}

impl NameCheck<'_> {
    fn fields(&mut self, document: &Document, path: &str, kinds: &[NameKind]) {
        for spot in spots(&document.node, path) {
            if let Some(name) = spot.node.text().filter(|name| !name.is_empty()) {
                self.name(document, spot.owner, spot.node.line, name, kinds);
            }
        }
    }

    fn name(
        &mut self,
        document: &Document,
        owner: &str,
        line: usize,
        name: &str,
        kinds: &[NameKind],
    ) {
        if let Some(what) = self.names.fault(name, kinds) {
            self.error(document, owner, line, &what);
        }
    }

    fn error(&mut self, document: &Document, owner: &str, line: usize, what: &str) {
        let message = owned(owner, what);
        self.problems.error(&document.path, Some(line), message);
    }

    fn storylets(&mut self, document: &Document) {
        for (path, kinds) in STORYLET_RULES {
            self.fields(document, &format!("storylet.{path}"), kinds);
        }
        for base in HAPPENINGS {
            for (path, kinds) in CHANGE_RULES {
                self.fields(document, &format!("{base}.{path}"), kinds);
            }
            for spot in spots(&document.node, &format!("{base}.changes.to")) {
                self.destination(document, spot);
            }
            self.qualities(document, base);
            let keys = [("reputation", NameKind::Faction), ("feelings", NameKind::Person)];
            for (field, kind) in keys {
                for (owner, entry) in key_spots(&document.node, &format!("{base}.{field}")) {
                    self.name(document, owner, entry.line, &entry.key, &[kind]);
                }
            }
            for spot in spots(&document.node, &format!("{base}.closes")) {
                self.closed(document, spot);
            }
        }
        for spot in spots(&document.node, "storylet.on.verb") {
            self.verb(document, spot);
        }
        for path in ["storylet.on.target", "storylet.on.with"] {
            for spot in spots(&document.node, path) {
                self.spoken(document, spot);
            }
        }
    }

    /// `you`, a place, `in X`, `on X` or `with PERSON`.
    fn destination(&mut self, document: &Document, spot: Spot<'_>) {
        let Some(to) = spot.node.text() else { return };
        let line = spot.node.line;
        let within = [
            ("in ", &[NameKind::Thing][..]),
            ("on ", &[NameKind::Thing][..]),
            ("with ", &[NameKind::Person][..]),
        ];
        for (word, kinds) in within {
            if let Some(name) = to.strip_prefix(word) {
                return self.name(document, spot.owner, line, name, kinds);
            }
        }
        if to == "you" || self.names.has(NameKind::Place, to) {
            return;
        }
        let person = self.names.fault(to, &[NameKind::Person]).is_none();
        if person {
            let what = format!("`to = \"{to}\"` is a person: write `to = \"with {to}\"`");
            return self.error(document, spot.owner, line, &what);
        }
        let place = self.names.fault(to, &[NameKind::Place]).unwrap_or_default();
        let what = format!("{place} (`to` is `you`, a place, `in X`, `on X` or `with PERSON`)");
        self.error(document, spot.owner, line, &what);
    }

    fn qualities(&mut self, document: &Document, base: &str) {
        if !self.names.knows(&[NameKind::Ladder]) {
            return;
        }
        for (owner, entry) in key_spots(&document.node, &format!("{base}.sets")) {
            if !self.names.has(NameKind::Ladder, &entry.key) {
                let what = match self.names.has(NameKind::Counter, &entry.key) {
                    true => format!("`{}` is a counter: use `raises`", entry.key),
                    false => self.quality_fault(&entry.key, NameKind::Ladder),
                };
                self.error(document, owner, entry.line, &what);
                continue;
            }
            let rungs = &self.names.ladders[&entry.key];
            let Some(rung) = entry.node.text() else { continue };
            if !rungs.iter().any(|known| known == rung) {
                let way_out = match nearest(rung, rungs) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("its rungs are {}", quoted(rungs)),
                };
                let what = format!("the ladder `{}` has no rung `{rung}`; {way_out}", entry.key);
                self.error(document, owner, entry.node.line, &what);
            }
        }
        for (owner, entry) in key_spots(&document.node, &format!("{base}.raises")) {
            if !self.names.has(NameKind::Counter, &entry.key) {
                let what = match self.names.has(NameKind::Ladder, &entry.key) {
                    true => format!("`{}` is a ladder: use `sets`", entry.key),
                    false => self.quality_fault(&entry.key, NameKind::Counter),
                };
                self.error(document, owner, entry.line, &what);
            }
        }
    }

    fn quality_fault(&self, name: &str, kind: NameKind) -> String {
        let word = kind.word();
        match nearest(name, self.names.all(kind)) {
            Some(near) => format!("there is no {word} `{name}`; did you mean `{near}`?"),
            None => format!("there is no {word} `{name}`: declare it in plot/qualities.toml"),
        }
    }

    fn verb(&mut self, document: &Document, spot: Spot<'_>) {
        let Some(verb) = spot.node.text() else { return };
        let words: Vec<String> = verb_words().chain(self.verbs.iter().cloned()).collect();
        if words.iter().any(|word| word == verb) {
            return;
        }
        let way_out = match nearest(verb, &words) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("verbs are {}", quoted(&words)),
        };
        self.error(
            document,
            spot.owner,
            spot.node.line,
            &format!("there is no verb `{verb}`; {way_out}"),
        );
    }

    /// Any word of a description can be examined, so only a likely slip is an error.
    fn spoken(&mut self, document: &Document, spot: Spot<'_>) {
        let Some(name) = spot.node.text() else { return };
        if self.names.is_spoken(name) || !self.names.knows(&SPOKEN) {
            return;
        }
        match self.names.nearest_spoken(name) {
            Some(near) => {
                let what = format!("nothing is called `{name}`; did you mean `{near}`?");
                self.error(document, spot.owner, spot.node.line, &what);
            }
            None => {
                let what = format!(
                    "nothing is called `{name}`: it must be a word of a description, or this never fires"
                );
                let message = owned(spot.owner, &what);
                self.problems.warning(&document.path, Some(spot.node.line), message);
            }
        }
    }

    fn closed(&mut self, document: &Document, spot: Spot<'_>) {
        let Some(name) = spot.node.text() else { return };
        if self.names.has(NameKind::Thread, name) || !self.names.knows(&[NameKind::Thread]) {
            return;
        }
        let way_out = match nearest(name, self.names.all(NameKind::Thread)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`opens` it before".to_owned(),
        };
        let what = format!("no storylet opens the thread `{name}`; {way_out}");
        self.error(document, spot.owner, spot.node.line, &what);
    }

    fn goals(&mut self, document: &Document) {
        for spot in spots(&document.node, "thread.goal") {
            let goal = spot.node;
            let target = goal.text_of("target").unwrap_or_default();
            let kinds: &[NameKind] = match goal.text_of("kind").unwrap_or_default() {
                "held" | "given" | "lit" | "read" => &[NameKind::Thing],
                "reached" => &[NameKind::Place],
                "opened" => &[NameKind::Door, NameKind::Thing],
                "learned" => &[NameKind::Topic],
                kind => {
                    let words = ["held", "given", "reached", "opened", "lit", "read", "learned"];
                    let way_out = match nearest(kind, words) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("goals are {}", quoted(&words)),
                    };
                    let what = format!("there is no goal `{kind}`; {way_out}");
                    self.error(document, spot.owner, goal.line, &what);
                    continue;
                }
            };
            let line = goal.get("target").map_or(goal.line, |node| node.line);
            self.name(document, spot.owner, line, target, kinds);
        }
    }

    fn ending_files(&mut self, document: &Document) {
        for spot in spots(&document.node, "ending.file") {
            let Some(file) = spot.node.text() else { continue };
            let path = format!("plot/{file}");
            if self.names.ending_files.contains(&path) {
                continue;
            }
            let known = self.names.ending_files.iter().map(|path| path.trim_start_matches("plot/"));
            let way_out = match nearest(file, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "write it, such as `endings/the-tide.md`".to_owned(),
            };
            let what = format!("there is no file `plot/{file}`; {way_out}");
            self.error(document, spot.owner, spot.node.line, &what);
        }
    }
}

/// The message with the thing that it is about.
pub(crate) fn owned(owner: &str, what: &str) -> String {
    if owner.is_empty() { what.to_owned() } else { format!("`{owner}`: {what}") }
}

/// The verbs of the world as a campaign writes them, and the word for the first moment of a story.
fn verb_words() -> impl Iterator<Item = String> {
    // The author's verbs stand under their own names.
    let words = Verb::ALL.iter().filter(|verb| **verb != Verb::Own);
    let words = words.filter_map(|verb| serde_json::to_value(verb).ok());
    let words = words.filter_map(|word| word.as_str().map(str::to_owned));
    words.chain(["begin".to_owned()])
}

/// Words between backquotes.
pub(crate) fn quoted<W: AsRef<str>>(words: &[W]) -> String {
    words.iter().map(|word| format!("`{}`", word.as_ref())).collect::<Vec<_>>().join(", ")
}
