//! A campaign's files become the documents that a story plays, or a list of everything that is wrong with them.

use std::{collections::BTreeMap, slice};

use narratoria_conditions::CompiledCondition;
use narratoria_protocol::{
    CompiledCampaign, LORE_DOCUMENT, PEOPLE_DOCUMENT, PLOT_DOCUMENT, digest::sha256,
};
use narratoria_story_view::{CONDITIONS_DOCUMENT, CompiledConditions};
use plot_skill::{
    compile::conditions_of,
    definition::{FactionDefinition, PlotDefinition},
    document::{GATES_DOCUMENT, PlotDocument, texts_document},
};
use serde::Serialize;
use understanding::understand;
use world_model::{
    change::check_changes as check_changes_of,
    check::WorldFault,
    definition::{FactionNames, WorldDefinition},
    world::World,
};

use crate::{
    assemble::{AssembledWorld, MadeParts, WorldSources, assemble, manifest_text},
    beats::convert_beats,
    conditions::ConditionCompiler,
    costs::{check_costs, cost_of_all},
    cover::check_cover,
    documents::{CampaignDocuments, read_documents},
    files::CampaignSource,
    grammar::{check_grammar, read_grammar},
    kept::note_kept_fields,
    kinds::FileKind,
    lore::{heading, lore_entries},
    names::{CampaignNames, NameKind},
    people::join_people,
    plot::assemble_plot,
    possible::Possibilities,
    problem::{CampaignProblem, CampaignProblems, ProblemWeight},
    rules::check_names,
    sense::check_sense,
    tree::Tree,
    walk::spots,
};

/// The document of the world's skill.
pub(crate) const WORLD_DOCUMENT: &str = "world.json";

/// The definitions of a campaign before they become documents. The checker walks through these.
#[derive(Debug, Clone)]
pub struct CampaignParts {
    /// The title.
    pub title: String,
    /// Its version.
    pub version: String,
    /// Places, doors, things, people, the player and threads.
    pub world: WorldDefinition,
    /// Qualities, decks, endings, hints and factions.
    pub plot: PlotDefinition,
    /// Each condition by its text.
    pub conditions: BTreeMap<String, CompiledCondition>,
    /// The parts that no file of the author contains.
    pub(crate) made: MadeParts,
    /// The seed that the missing parts were made with.
    pub(crate) seed: u64,
}

impl CampaignParts {
    /// The highest cost of all its conditions together; never more than [`crate::CONDITIONS_COST_MAX`].
    pub fn conditions_cost(&self) -> u64 {
        cost_of_all(&self.world, &self.plot, &self.conditions)
    }
}

/// The result of reading a campaign.
#[derive(Debug)]
pub struct CompileResult {
    /// The documents; none if there is an error.
    pub campaign: Option<CompiledCampaign>,
    /// The definitions behind the documents; none if there is an error.
    pub parts: Option<CampaignParts>,
    /// Everything that was found, errors first.
    pub problems: Vec<CampaignProblem>,
    /// How many errors, warnings and notes there are, kept or not.
    pub counts: [usize; 3],
}

/// Reads, checks and compiles a campaign. `name` is the name of its folder. Equal files and an equal seed give equal
/// bytes; without a seed it follows from the premise.
pub fn compile(source: &CampaignSource, name: &str, seed: Option<u64>) -> CompileResult {
    let mut problems = source.problems.clone();
    let parts = read(source, seed, &mut problems);
    let mut campaign = None;
    if let Some((parts, documents)) = parts.as_ref().filter(|_| !problems.has_errors()) {
        match write(parts, documents, &mut problems)
            .map(|documents| CompiledCampaign::build(name, &parts.version, &parts.title, documents))
        {
            Ok(Ok(built)) => campaign = Some(built),
            Ok(Err(fault)) => problems.error("", None, fault.to_string()),
            Err(what) => problems.error("", None, what),
        }
    }
    // Writing the documents may find errors too, and a campaign with an error cannot be played.
    let campaign = campaign.filter(|_| !problems.has_errors());
    let counts = [ProblemWeight::Error, ProblemWeight::Warning, ProblemWeight::Note]
        .map(|weight| problems.count(weight));
    let parts = parts.map(|(parts, _)| parts).filter(|_| counts[0] == 0);
    CompileResult { campaign, parts, problems: problems.into_sorted(), counts }
}

/// Reads everything up to the definitions. They are whole even if there are errors, so that one run finds all errors.
fn read(
    source: &CampaignSource,
    seed: Option<u64>,
    problems: &mut CampaignProblems,
) -> Option<(CampaignParts, CampaignDocuments)> {
    let documents = read_documents(source, problems);
    let names = CampaignNames::collect(&documents, problems);
    check_names(&documents, &names, problems);
    check_sense(&documents, &names, problems);
    note_kept_fields(&documents, problems);
    check_cover(source, &documents, problems);
    let mut conditions = ConditionCompiler::compile_all(&documents, &names, problems);
    let beats = convert_beats(&documents, &names, problems);
    let joined = join_people(&documents, &names, problems);
    let premise = premise_text(&documents);
    let title = manifest_text(&documents, "title").unwrap_or_else(|| "Untitled".to_owned());
    let sources = WorldSources {
        documents: &documents,
        given_places: &names.given_places,
        title: &title,
        premise: &premise,
        seed: seed.unwrap_or_else(|| seed_of(&premise)),
    };
    let AssembledWorld { mut world, made, notes } = assemble(&sources, &joined, problems);
    if !problems.has_errors() {
        for note in notes {
            problems.note("", None, format!("generated: {note}"));
        }
    }
    let plot = assemble_plot(&documents, &beats, &world.opening, problems);
    world.wordings = read_grammar(&documents, problems);
    world.factions = plot.factions.faction.iter().map(names_of).collect();
    for (place, text) in conditions_of(&plot) {
        for fault in conditions.compile(&text) {
            // Faults of conditions in files have been reported with their lines.
            if !problems.iter().any(|problem| problem.message.contains(&fault)) {
                problems.error("plot", None, format!("{place}: {fault}"));
            }
        }
    }
    if !problems.has_errors() {
        Possibilities::of(&plot, &conditions.compiled, &documents).report(&names, problems);
        // The world itself refuses the remaining faults, without lines.
        for fault in world_model::check::check(&world).err().unwrap_or_default() {
            let (file, line) = place_of_fault(&fault, &documents, &names);
            problems.error(&file, line, fault.message);
        }
        check_costs(&world, &plot, &conditions.compiled, &documents, problems);
        if !problems.has_errors() {
            let begun = World::begin(world.clone());
            check_changes(&plot, &begun, &names, problems);
            check_examples(&documents, &begun, problems);
            check_grammar(&world, &begun, problems);
        }
    }
    let version = manifest_text(&documents, "version").unwrap_or_else(|| "0.0.0".to_owned());
    let conditions = conditions.compiled;
    let seed = sources.seed;
    let parts = CampaignParts { title, version, world, plot, conditions, made, seed };
    Some((parts, documents))
}

/// Returns the part of a faction that the world knows.
fn names_of(faction: &FactionDefinition) -> FactionNames {
    FactionNames { name: faction.name.clone(), aliases: faction.aliases.clone() }
}

/// Returns the file and line of a fault: the line of its text, otherwise that of the first name that a file declares.
fn place_of_fault(
    fault: &WorldFault,
    documents: &CampaignDocuments,
    names: &CampaignNames,
) -> (String, Option<usize>) {
    let wrong = fault.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let is_text = |text: &str| wrong.is_some_and(|wrong| text.trim() == wrong);
    for document in &documents.documents {
        if let Some(line) = document.node.line_of_text(&is_text) {
            return (document.path.clone(), Some(line));
        }
    }
    let kinds =
        [NameKind::Person, NameKind::Thing, NameKind::Place, NameKind::Door, NameKind::Thread];
    for name in &fault.names {
        let mut declared = kinds.into_iter().flat_map(|kind| names.declared(kind));
        if let Some((_, at)) = declared.find(|(declared, _)| declared == name) {
            return (at.file.clone(), Some(at.line));
        }
    }
    let mut pages = documents.texts.iter();
    let page = pages.find(|(_, (_, text))| wrong.is_some_and(|wrong| text.contains(wrong)));
    (page.map_or("world", |(path, _)| path.as_str()).to_owned(), None)
}

/// Checks that the changes of storylets are possible: a door can be unlocked, a wall cannot.
fn check_changes(
    plot: &PlotDefinition,
    world: &World,
    names: &CampaignNames,
    problems: &mut CampaignProblems,
) {
    let places: BTreeMap<&str, _> = names.declared(NameKind::Storylet).collect();
    for storylet in plot.decks.iter().flat_map(|(_, deck)| &deck.storylet) {
        let chosen = storylet.choices.iter().flat_map(|choice| &choice.changes);
        for change in storylet.changes.iter().chain(chosen) {
            if let Err(fault) = check_changes_of(world, slice::from_ref(change)) {
                let at = places.get(storylet.id.as_str());
                let file = at.map_or("plot", |at| at.file.as_str());
                let what = format!("`{}`: `changes`: {fault}", storylet.id);
                problems.error(file, at.map(|at| at.line), what);
            }
        }
    }
}

/// The sentences of the first screen teach the player, so the world must understand them.
fn check_examples(documents: &CampaignDocuments, world: &World, problems: &mut CampaignProblems) {
    for document in documents.of(FileKind::Start) {
        for spot in spots(&document.node, "first.examples") {
            let Some(sentence) = spot.node.text() else { continue };
            let meaning = understand(world, sentence);
            let is_missing = meaning.actions.iter().any(|action| action.missing.is_some());
            let what = if !meaning.unclear.is_empty() {
                format!("may mean {}: say which", meaning.unclear.join(" or "))
            } else if meaning.unknown || meaning.actions.is_empty() || is_missing {
                "is not understood where the story begins: write another one".to_owned()
            } else if !meaning.certainty.is_said() {
                "is only guessed at where the story begins: write it in plainer words".to_owned()
            } else {
                continue;
            };
            let what = format!("the example `{sentence}` {what}");
            problems.warning(&document.path, Some(spot.node.line), what);
        }
    }
}

/// Returns the premise without its heading, with the manifest's words about parts that may be generated.
fn premise_text(documents: &CampaignDocuments) -> String {
    let premise = documents.text(FileKind::Premise).map_or("", |(_, text)| heading(text).1);
    premise.trim().to_owned()
}

fn seed_of(premise: &str) -> u64 {
    let digest = sha256(premise.as_bytes());
    digest.get(..15).and_then(|hex| u64::from_str_radix(hex, 16).ok()).unwrap_or(0)
}

/// The documents: path → text.
fn write(
    parts: &CampaignParts,
    documents: &CampaignDocuments,
    problems: &mut CampaignProblems,
) -> Result<BTreeMap<String, String>, String> {
    let plot = plot_skill::compile::compile(&parts.plot, &parts.conditions)
        .map_err(|faults| faults.join("; "))?;
    let mut conditions = CompiledConditions::default();
    for (_, text) in world_model::check::conditions_of(&parts.world) {
        if let Some(compiled) = parts.conditions.get(&text) {
            conditions.conditions.insert(text, compiled.node.clone());
        }
    }
    let names = CampaignNames::collect(documents, &mut CampaignProblems::default());
    let joined = join_people(documents, &names, &mut CampaignProblems::default());
    let mut written = BTreeMap::new();
    written.insert(WORLD_DOCUMENT.to_owned(), json(&parts.world)?);
    written.insert(GATES_DOCUMENT.to_owned(), json(&plot.gates)?);
    written.insert(PLOT_DOCUMENT.to_owned(), json(&StartedPlot::of(&plot.plot, documents))?);
    written.insert(CONDITIONS_DOCUMENT.to_owned(), json(&conditions)?);
    written.insert(PEOPLE_DOCUMENT.to_owned(), json(&joined.entries)?);
    written.insert(LORE_DOCUMENT.to_owned(), json(&lore_entries(documents, problems))?);
    for (deck, texts) in &plot.texts {
        written.insert(texts_document(deck), json(texts)?);
    }
    Ok(written)
}

/// The plot's document, with the fields that only the host reads, by `CampaignStart` of `narratoria-protocol`.
#[derive(Serialize)]
struct StartedPlot<'p> {
    #[serde(flatten)]
    plot: &'p PlotDocument,
    /// The summary of the beginning for a returning player.
    #[serde(skip_serializing_if = "str::is_empty")]
    recap: &'p str,
    /// Whether ticks may bring people into the story whom the campaign does not have.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    strangers_in_ticks: bool,
}

impl<'p> StartedPlot<'p> {
    fn of(plot: &'p PlotDocument, documents: &'p CampaignDocuments) -> StartedPlot<'p> {
        let recap = documents.of(FileKind::Start).find_map(|it| it.node.text_of("recap"));
        let allowed =
            documents.of(FileKind::Manifest).find_map(|it| it.node.get("strangers_in_ticks"));
        StartedPlot {
            plot,
            recap: recap.unwrap_or_default().trim(),
            strangers_in_ticks: allowed.is_some_and(|node| node.tree == Tree::Bool(true)),
        }
    }
}

fn json(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(value).map_err(|error| error.to_string())
}
