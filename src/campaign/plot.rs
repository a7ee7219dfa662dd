//! Puts the plot of a campaign together from its files: decks, qualities, endings, hints, factions, the opening.

use plot_skill::definition::{
    DECKS_MAX, DeckDefinition, ENDINGS_MAX, EndingDefinition, EndingsDefinition,
    FactionsDefinition, HintsDefinition, PlotDefinition, QUALITIES_MAX, QualitiesDefinition,
    STORYLET_CHARS_MAX, STORYLETS_MAX, StoryletDefinition,
};
use serde::Deserialize;

use crate::{
    assemble::{read_all, read_document},
    beats::ConvertedBeats,
    documents::CampaignDocuments,
    kinds::{FileKind, stem},
    lore::heading,
    our_files::StartFile,
    problem::CampaignProblems,
    walk::slug,
};

/// The deck of beats, whether they stand in `beats.toml` or in `beats.json`.
const BEATS_DECK: &str = "beats";

/// The plot as its author wrote it, and beats as storylets.
pub(crate) fn assemble_plot(
    documents: &CampaignDocuments,
    beats: &ConvertedBeats,
    opening: &str,
    problems: &mut CampaignProblems,
) -> PlotDefinition {
    let mut plot = PlotDefinition { opening: opening.to_owned(), ..PlotDefinition::default() };
    for file in read_all::<QualitiesDefinition>(documents, FileKind::Qualities, problems) {
        plot.qualities.ladder.extend(file.ladder);
        plot.qualities.counter.extend(file.counter);
    }
    for file in read_all::<FactionsDefinition>(documents, FileKind::Factions, problems) {
        plot.factions.faction.extend(file.faction);
    }
    for file in read_all::<HintsDefinition>(documents, FileKind::Hints, problems) {
        plot.hints.hint.extend(file.hint);
    }
    for file in read_all::<StartFile>(documents, FileKind::Start, problems) {
        plot.examples.extend(file.first.examples);
    }
    plot.decks = decks(documents, beats, problems);
    plot.endings = endings(documents, beats, problems);
    limits(&plot, problems);
    plot
}

fn decks(
    documents: &CampaignDocuments,
    beats: &ConvertedBeats,
    problems: &mut CampaignProblems,
) -> Vec<(String, DeckDefinition)> {
    let mut decks: Vec<(String, DeckDefinition)> = Vec::new();
    for document in documents.documents.iter().filter(|document| document.fits) {
        let id = match document.kind {
            FileKind::Deck => stem(&document.path).to_lowercase(),
            FileKind::Beats => BEATS_DECK.to_owned(),
            _ => continue,
        };
        let is_id =
            |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric());
        if !id.split(['-', '_']).all(is_id) {
            let what = format!(
                "a deck has a name in small letters, digits and hyphens, such as `{}.toml`",
                slug(&id)
            );
            problems.error(&document.path, None, what);
            continue;
        }
        match read_document::<DeckDefinition>(document) {
            Ok(deck) => match decks.iter_mut().find(|(known, _)| *known == id) {
                Some((_, known)) => known.storylet.extend(deck.storylet),
                None => decks.push((id, deck)),
            },
            Err(error) => problems.error(&document.path, None, error.to_string()),
        }
    }
    let converted: Vec<StoryletDefinition> = beats
        .storylets
        .iter()
        .filter_map(|storylet| StoryletDefinition::deserialize(storylet).ok())
        .collect();
    if !converted.is_empty() {
        match decks.iter_mut().find(|(known, _)| known == BEATS_DECK) {
            Some((_, known)) => known.storylet.extend(converted),
            None => {
                let deck = DeckDefinition { storylet: converted, ..DeckDefinition::default() };
                decks.push((BEATS_DECK.to_owned(), deck));
            }
        }
    }
    decks.sort_by(|a, b| a.0.cmp(&b.0));
    decks
}

/// Endings of `endings.toml` with their texts, and those pages that nothing names: they end the story with its last beat.
fn endings(
    documents: &CampaignDocuments,
    beats: &ConvertedBeats,
    problems: &mut CampaignProblems,
) -> EndingsDefinition {
    let mut all = EndingsDefinition::default();
    for file in read_all::<EndingsDefinition>(documents, FileKind::Endings, problems) {
        all.ending.extend(file.ending);
    }
    let mut named = Vec::new();
    for ending in &mut all.ending {
        let Some(file) = ending.file.take() else { continue };
        let path = format!("plot/{file}");
        if let Some((_, text)) = documents.texts.get(&path) {
            ending.text = Some(heading(text).1.trim().to_owned());
        }
        named.push(path);
    }
    let pages = documents.texts.iter().filter(|(_, (kind, _))| *kind == FileKind::Ending);
    let free: Vec<(&String, &str)> = pages
        .filter(|(path, _)| !named.contains(path))
        .map(|(path, (_, text))| (path, text.as_str()))
        .collect();
    for (n, (path, text)) in free.iter().enumerate() {
        let Some(last) = beats.last.as_ref().filter(|_| n == 0 && all.ending.is_empty()) else {
            let what = "no condition leads here, so it is never reached: name it in plot/endings.toml with `file` and `when`";
            problems.warning(path, None, what.to_owned());
            continue;
        };
        let (title, body) = heading(text);
        let title = title.map_or_else(|| stem(path).replace(['-', '_'], " "), str::to_owned);
        problems.note(
            path,
            None,
            format!("has no condition: the story ends here after the beat `{last}`"),
        );
        all.ending.push(EndingDefinition {
            id: slug(stem(path)),
            title,
            when: format!("'{last}' in fired"),
            text: Some(body.trim().to_owned()),
            ..EndingDefinition::default()
        });
    }
    all
}

fn limits(plot: &PlotDefinition, problems: &mut CampaignProblems) {
    let storylets: usize = plot.decks.iter().map(|(_, deck)| deck.storylet.len()).sum();
    let qualities = plot.qualities.ladder.len() + plot.qualities.counter.len();
    let counts = [
        ("plot/decks", "decks", plot.decks.len(), DECKS_MAX),
        ("plot/decks", "storylets", storylets, STORYLETS_MAX),
        ("plot/qualities.toml", "qualities", qualities, QUALITIES_MAX),
        ("plot/endings.toml", "endings", plot.endings.ending.len(), ENDINGS_MAX),
    ];
    for (file, what, count, max) in counts {
        if count > max {
            problems.error(
                file,
                None,
                format!("the campaign has {count} {what}, the limit is {max}"),
            );
        }
    }
    let long = plot.decks.iter().flat_map(|(_, deck)| &deck.storylet).find(|storylet| {
        let texts = storylet.text.iter().chain(&storylet.texts);
        texts.into_iter().any(|text| text.chars().count() > STORYLET_CHARS_MAX)
    });
    if let Some(storylet) = long {
        let what = format!(
            "a text of `{}` is longer than {STORYLET_CHARS_MAX} characters: split it",
            storylet.id
        );
        problems.error("plot", None, what);
    }
}
