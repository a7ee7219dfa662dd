//! The report of `campaign check`, as text and as a document.

use serde::Serialize;

use crate::{compile::CompileResult, problem::CampaignProblem, walks::WalkReport};

/// The findings about a campaign, for people and programs.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CampaignFindings {
    /// The version of this document.
    pub v: u32,
    /// The name of the campaign's folder.
    pub campaign: String,
    /// The title; empty if it cannot be read.
    pub title: String,
    /// True if it can be played.
    pub ok: bool,
    /// How many errors there are, listed or not.
    pub errors: usize,
    /// How many warnings.
    pub warnings: usize,
    /// How many notes.
    pub notes: usize,
    /// The numbers of its parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<CampaignSize>,
    /// Errors first, then by file and line.
    pub findings: Vec<CampaignProblem>,
    /// The results of random walks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub walks: Option<WalkReport>,
}

/// The numbers of the parts of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CampaignSize {
    /// Places.
    pub places: usize,
    /// Doors.
    pub doors: usize,
    /// Things.
    pub things: usize,
    /// People.
    pub people: usize,
    /// Rows of `grammar.gram`.
    pub wordings: usize,
    /// Factions.
    pub factions: usize,
    /// Decks, that of beats included.
    pub decks: usize,
    /// Storylets of all decks.
    pub storylets: usize,
    /// Ladders and counters.
    pub qualities: usize,
    /// Endings.
    pub endings: usize,
    /// Bytes of the compiled documents.
    pub bytes: usize,
}

impl CampaignFindings {
    /// The findings of a compilation.
    pub fn of(name: &str, result: &CompileResult) -> CampaignFindings {
        let [errors, warnings, notes] = result.counts;
        CampaignFindings {
            v: 1,
            campaign: name.to_owned(),
            title: result.parts.as_ref().map(|parts| parts.title.clone()).unwrap_or_default(),
            ok: result.campaign.is_some(),
            errors,
            warnings,
            notes,
            size: size(result),
            findings: result.problems.clone(),
            walks: None,
        }
    }

    /// Adds the results of random walks.
    #[must_use]
    pub fn with_walks(mut self, walks: Option<WalkReport>) -> CampaignFindings {
        self.walks = walks;
        self
    }

    /// Returns the findings for people: a line each, the size of the campaign, and the counts.
    pub fn render_text(&self) -> String {
        let mut text = String::new();
        for finding in &self.findings {
            text += &format!("{finding}\n");
        }
        let listed = self.findings.len();
        let found = self.errors + self.warnings + self.notes;
        if found > listed {
            text += &format!("… and {} more\n", found - listed);
        }
        if let Some(size) = &self.size {
            text += &format!("{}\n", size.render_text());
        }
        let count = |count: usize, word: &str| {
            format!("{count} {word}{}", if count == 1 { "" } else { "s" })
        };
        let sum = [(self.errors, "error"), (self.warnings, "warning"), (self.notes, "note")];
        let sum: Vec<String> = sum.into_iter().map(|(n, word)| count(n, word)).collect();
        text += &format!("{}: {}\n", self.campaign, sum.join(", "));
        match &self.walks {
            Some(walks) => format!("{text}\n{}", walks.render_text()),
            None => text,
        }
    }
}

impl CampaignSize {
    fn render_text(&self) -> String {
        let count = |count: usize, one: &str, many: &str| {
            format!("{count} {}", if count == 1 { one } else { many })
        };
        let mut parts = vec![
            count(self.places, "place", "places"),
            count(self.people, "person", "people"),
            count(self.things, "thing", "things"),
            count(self.factions, "faction", "factions"),
            count(self.storylets, "storylet", "storylets"),
            count(self.decks, "deck", "decks"),
            count(self.endings, "ending", "endings"),
        ];
        if self.wordings > 0 {
            parts.push(count(self.wordings, "wording", "wordings"));
        }
        parts.join(", ")
    }
}

fn size(result: &CompileResult) -> Option<CampaignSize> {
    let (parts, campaign) = (result.parts.as_ref()?, result.campaign.as_ref()?);
    let (world, plot) = (&parts.world, &parts.plot);
    Some(CampaignSize {
        places: world.places.len(),
        doors: world.doors.len(),
        things: world.things.len(),
        people: world.people.len(),
        wordings: world.wordings.len(),
        factions: plot.factions.faction.len(),
        decks: plot.decks.len(),
        storylets: plot.decks.iter().map(|(_, deck)| deck.storylet.len()).sum(),
        qualities: plot.qualities.ladder.len() + plot.qualities.counter.len(),
        endings: plot.endings.ending.len(),
        bytes: campaign.documents().values().map(String::len).sum(),
    })
}
