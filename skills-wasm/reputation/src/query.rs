//! The script `query-reputation`: the player's standing with a faction, and the things that it opens.

use narratoria_facts::{capitalised, name_of};
use narratoria_sdk::{Ctx, Done, SkillError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    phrase::the_faction,
    rank::Rank,
    settings::ReputationSettings,
    standings::{Standings, name_in_world},
};

/// Whose opinion to ask for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReputationQuery {
    /// The faction's name; all that the story knows where this is missing.
    #[serde(default)]
    #[schemars(extend("valuesFrom" = "/world/factions", "openWithoutList" = true))]
    faction: Option<String>,
    /// Whether the player asked, and gets the answer as a text.
    #[serde(default)]
    aloud: bool,
}

/// What it is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReputationAnswer {
    /// The faction's name; empty where the input names none that the story knows.
    faction: String,
    /// From -100 to 100; 0 of a player who is not known.
    #[schemars(range(min = -100, max = 100))]
    standing: i64,
    /// The word for the standing.
    rank: Rank,
    /// What is open to the player now.
    open: Vec<String>,
    /// Every faction that the story knows.
    factions: Vec<FactionStanding>,
    /// The answer for the player, where `aloud` asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// One faction's opinion.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct FactionStanding {
    /// The faction's name.
    pub(crate) faction: String,
    /// From -100 to 100.
    #[schemars(range(min = -100, max = 100))]
    pub(crate) standing: i64,
    /// The word for the standing.
    pub(crate) rank: Rank,
}

impl FactionStanding {
    pub(crate) fn of(faction: &str, standing: f64) -> FactionStanding {
        let rank = Rank::of(standing);
        FactionStanding { faction: faction.to_owned(), standing: standing.round() as i64, rank }
    }
}

/// Answers with the player's standing with a faction, or with every faction.
pub fn query_reputation(
    ctx: &mut Ctx,
    input: ReputationQuery,
) -> Result<Done<ReputationAnswer>, SkillError> {
    let settings = ReputationSettings::read(ctx);
    let standings = Standings::read(ctx, settings.decay_per_day);
    let asked = input.faction.as_deref().and_then(name_of);
    let asked = asked.map(|name| name_in_world(ctx, &name).unwrap_or(name));
    let faction = asked.as_deref().and_then(|name| standings.known(name)).unwrap_or_default();
    let standing = standings.standing_of(faction);
    let open = open_now(&settings, &standings);
    let factions: Vec<FactionStanding> = standings
        .names()
        .map(|name| FactionStanding::of(name, standings.standing_of(name)))
        .collect();
    let text = input.aloud.then(|| {
        let because = standings.because(faction);
        answer(faction, asked.as_deref(), because, &factions, &open)
    });
    let one = FactionStanding::of(faction, standing);
    let summary = if faction.is_empty() {
        format!("{} factions have an opinion", factions.len())
    } else {
        format!("{faction}: {}, {}", one.standing, one.rank.word())
    };
    let output = ReputationAnswer {
        faction: one.faction,
        standing: one.standing,
        rank: one.rank,
        open,
        factions,
        text,
    };
    Ok(Done::ok().summary(summary).output(output))
}

/// Returns the things behind all open gates.
fn open_now(settings: &ReputationSettings, standings: &Standings) -> Vec<String> {
    let is_open = |gate: &&crate::gate::Gate| {
        // The story may know a faction only by its gate: then its standing is 0.
        let faction = standings.names().find(|name| gate.is_of(name)).unwrap_or_default();
        gate.is_open_at(standings.standing_of(faction))
    };
    settings.gates.iter().filter(is_open).map(|gate| gate.what.clone()).collect()
}

/// Returns the answer in sentences. `asked` is the name that the player used, which the story need not know.
fn answer(
    faction: &str,
    asked: Option<&str>,
    because: Option<&str>,
    factions: &[FactionStanding],
    open: &[String],
) -> String {
    let mut sentences = Vec::new();
    let about = factions.iter().filter(|one| faction.is_empty() || one.faction == faction);
    if faction.is_empty() && factions.is_empty() {
        sentences.push("You have made no name for yourself yet, good or bad.".to_owned());
    } else if let (true, Some(asked)) = (faction.is_empty(), asked) {
        sentences.push(format!("You mean nothing to {}, as far as you know.", the_faction(asked)));
    }
    for one in about {
        sentences.push(format!("You are {} by {}.", one.rank.word(), the_faction(&one.faction)));
    }
    if let Some(because) = because {
        sentences.push(format!("They remember: {because}.").replace("..", "."));
    }
    if !open.is_empty() && !factions.is_empty() {
        sentences.push(format!("Open to you on the strength of it: {}.", open.join(", ")));
    }
    capitalised(&sentences.join(" "))
}
