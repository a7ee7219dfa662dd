//! Compiles every condition of a campaign, and reports the faults of each, with its line.

use std::collections::BTreeMap;

use narratoria_conditions::CompiledCondition;
use narratoria_plan::{ConditionVariable, ConditionVocabulary, VariableKind};
use plot_skill::compile::choice_ids;

use crate::{
    documents::CampaignDocuments,
    kinds::FileKind,
    names::{CampaignNames, NameKind},
    problem::CampaignProblems,
    rules::owned,
    tree::Node,
    walk::spots,
};

/// The fields that hold conditions.
pub(crate) const CONDITION_PATHS: [(FileKind, &str); 14] = [
    (FileKind::Places, "place.looks.when"),
    (FileKind::Places, "place.scenery.looks.when"),
    (FileKind::Places, "place.exits.when"),
    (FileKind::Things, "thing.looks.when"),
    (FileKind::People, "person.looks.when"),
    (FileKind::People, "person.topics.when"),
    (FileKind::People, "person.greetings.when"),
    (FileKind::People, "person.reactions.when"),
    (FileKind::Deck, "storylet.when"),
    (FileKind::Deck, "storylet.choices.when"),
    (FileKind::Beats, "storylet.when"),
    (FileKind::Beats, "storylet.choices.when"),
    (FileKind::Endings, "ending.when"),
    (FileKind::Hints, "hint.when"),
];

/// Compiled conditions by the text that their author wrote.
#[derive(Debug, Default)]
pub(crate) struct ConditionCompiler {
    vocabulary: Option<ConditionVocabulary>,
    /// True if the campaign is known to have no faction.
    has_no_faction: bool,
    pub(crate) compiled: BTreeMap<String, CompiledCondition>,
}

impl ConditionCompiler {
    /// Compiles all conditions of the documents.
    pub(crate) fn compile_all(
        documents: &CampaignDocuments,
        names: &CampaignNames,
        problems: &mut CampaignProblems,
    ) -> ConditionCompiler {
        let mut conditions = ConditionCompiler::default();
        // Conditions are about qualities; without them each would only be reported again.
        if !names.knows(&[NameKind::Ladder]) {
            return conditions;
        }
        let factions = [NameKind::Faction];
        conditions.has_no_faction =
            names.knows(&factions) && names.all(NameKind::Faction).next().is_none();
        let vocabulary = ConditionVocabulary::new(variables(documents, names));
        match vocabulary {
            Ok(vocabulary) => conditions.vocabulary = Some(vocabulary),
            // Another check reports the names of qualities with their lines; this one reports the remaining faults.
            Err(faults) => {
                for fault in faults {
                    problems.error("plot/qualities.toml", None, fault);
                }
                return conditions;
            }
        }
        for (kind, path) in CONDITION_PATHS {
            for document in documents.of(kind) {
                for spot in spots(&document.node, path) {
                    let Some(text) = spot.node.text() else { continue };
                    for fault in conditions.compile(text) {
                        let what = owned(spot.owner, &format!("`when`: {fault}"));
                        problems.error(&document.path, Some(spot.node.line), what);
                    }
                }
            }
        }
        conditions
    }

    /// Compiles one condition and returns its faults.
    pub(crate) fn compile(&mut self, text: &str) -> Vec<String> {
        let Some(vocabulary) = &self.vocabulary else { return Vec::new() };
        if self.compiled.contains_key(text) {
            return Vec::new();
        }
        match vocabulary.compile(text) {
            // A vocabulary without names allows any name.
            Ok(_) if self.has_no_faction && text.contains("standing[") => {
                vec!["there is no faction: write `world/factions.toml`".to_owned()]
            }
            Ok(compiled) => {
                self.compiled.insert(text.to_owned(), compiled);
                Vec::new()
            }
            Err(faults) => faults,
        }
    }
}

fn variables(documents: &CampaignDocuments, names: &CampaignNames) -> Vec<ConditionVariable> {
    let known = |kinds: &[NameKind]| -> Vec<String> {
        // If not all names are known, any name is accepted.
        let all = kinds.iter().filter(|_| names.knows(kinds)).flat_map(|kind| names.all(*kind));
        all.map(str::to_owned).collect()
    };
    let list = |what: &str, kinds: &[NameKind]| VariableKind::Names {
        what: what.to_owned(),
        known: known(kinds),
    };
    let person = NameKind::Person;
    let numbers = |what: &str, kind: NameKind| VariableKind::Numbers {
        what: what.to_owned(),
        known: known(&[kind]),
    };
    let mut found = vec![
        (
            "place",
            VariableKind::Name { what: "place".to_owned(), known: known(&[NameKind::Place]) },
        ),
        ("hour", VariableKind::Whole),
        ("minute", VariableKind::Whole),
        ("day", VariableKind::Whole),
        ("turn", VariableKind::Whole),
        (
            "light",
            VariableKind::Name {
                what: "light".to_owned(),
                known: ["bright", "dim", "dark"].map(str::to_owned).to_vec(),
            },
        ),
        ("present", list("person", &[person])),
        ("carried", list("thing", &[NameKind::Thing])),
        ("worn", list("thing", &[NameKind::Thing])),
        ("here", list("thing", &[NameKind::Thing])),
        ("visited", list("place", &[NameKind::Place])),
        ("met", list("person", &[person])),
        ("open", list("door or container", &[NameKind::Door, NameKind::Thing])),
        ("lit", list("thing", &[NameKind::Thing])),
        ("dead", list("person", &[person])),
        ("fired", list("storylet", &[NameKind::Storylet])),
        ("done", list("thread", &[NameKind::Thread])),
        ("learned", VariableKind::Names { what: "topic".to_owned(), known: topics(documents) }),
        ("standing", numbers("faction", NameKind::Faction)),
        ("feeling", numbers("person", person)),
        ("chosen", VariableKind::Names { what: "choice".to_owned(), known: choices(documents) }),
    ];
    for (name, rungs) in &names.ladders {
        found.push((name, VariableKind::Ladder { rungs: rungs.clone() }));
    }
    found.extend(names.all(NameKind::Counter).map(|name| (name, VariableKind::Whole)));
    // Leaves out a variable with a fault of its own: another check reports it with its line.
    let is_fine = |name: &str, kind: &VariableKind| match kind {
        VariableKind::Ladder { rungs } => {
            let mut sorted = rungs.clone();
            sorted.sort();
            sorted.dedup();
            rungs.len() > 1 && sorted.len() == rungs.len() && crate::shape::is_identifier(name)
        }
        _ => crate::shape::is_identifier(name),
    };
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|(name, kind)| is_fine(name, kind) && seen.insert((*name).to_owned()));
    found
        .into_iter()
        .map(|(name, kind)| ConditionVariable { name: name.to_owned(), kind })
        .collect()
}

/// `Person: topic`, by the first name of each topic.
fn topics(documents: &CampaignDocuments) -> Vec<String> {
    let people = documents.of(FileKind::People).flat_map(|it| spots(&it.node, "person"));
    let topics = people.flat_map(|person| {
        let name = person.node.text_of("name").unwrap_or_default();
        let topics = person.node.get("topics").map(Node::items).unwrap_or_default();
        let first = topics.iter().filter_map(|it| it.get("about")?.items().first()?.text());
        first.map(move |topic| format!("{name}: {topic}"))
    });
    topics.collect()
}

/// The id of each choice.
fn choices(documents: &CampaignDocuments) -> Vec<String> {
    let decks = documents.of(FileKind::Deck).chain(documents.of(FileKind::Beats));
    let storylets = decks.flat_map(|deck| spots(&deck.node, "storylet"));
    let choices = storylets.flat_map(|storylet| {
        let id = storylet.node.text_of("id").unwrap_or_default();
        let choices = storylet.node.get("choices").map(Node::items).unwrap_or_default();
        let labels = choices.iter().filter_map(|choice| choice.text_of("label"));
        choice_ids(id, labels)
    });
    choices.collect()
}
