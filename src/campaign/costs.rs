//! Limits the cost of all conditions of a campaign together. Evaluation bounds the cost of each, but a turn asks for
//! all of them, and the fuel of the script that does so is limited.

use std::{cmp::Reverse, collections::BTreeMap};

use narratoria_conditions::{FactBound, cost_bound};
use plot_skill::{
    compile::{ConditionsByText, choice_ids, conditions_of},
    definition::PlotDefinition,
};
use world_model::definition::WorldDefinition;

use crate::{
    conditions::CONDITION_PATHS, documents::CampaignDocuments, problem::CampaignProblems,
    walk::spots,
};

/// The most that all conditions of a campaign may cost together, in the units of
/// [`narratoria_conditions::CONDITION_COST_MAX`]: each turn asks for all of them. A unit takes up to 500 instructions of
/// `plot/advance`, which has fuel for 2,000,000,000, so half of the fuel is left for everything else.
pub const CONDITIONS_COST_MAX: u64 = 2_000_000;

/// How often a condition of the map counts: a sentence may have several deeds, and each asks for exits, looks and
/// topics again.
const MAP_TIMES: u64 = 10;

/// The conditions that the error names, the most expensive first.
const NAMED_MAX: usize = 3;

/// One place where a condition stands.
struct ConditionUse {
    /// Words for the place.
    owner: String,
    text: String,
    cost: u64,
}

/// Reports a campaign whose conditions cost too much together.
pub(crate) fn check_costs(
    world: &WorldDefinition,
    plot: &PlotDefinition,
    conditions: &ConditionsByText,
    documents: &CampaignDocuments,
    problems: &mut CampaignProblems,
) {
    let mut uses = condition_uses(world, plot, conditions);
    let sum = sum(&uses);
    if sum <= CONDITIONS_COST_MAX {
        return;
    }
    // The sort keeps the order of equals.
    uses.sort_by_key(|one| Reverse(one.cost));
    let named: Vec<String> =
        uses.iter().take(NAMED_MAX).map(|one| format!("{} {}", one.owner, one.cost)).collect();
    let what = format!(
        "the {} conditions of the campaign look at up to {sum} values in a turn, the limit is {CONDITIONS_COST_MAX}; {}: \
         make loops shorter, or keep in a quality what they find",
        uses.len(),
        named.join(", ")
    );
    let at = uses.first().and_then(|first| line_of(&first.text, documents));
    let (file, line) = at.map_or(("plot", None), |(file, line)| (file, Some(line)));
    problems.error(file, line, what);
}

/// Returns the highest cost of all conditions of a campaign together.
pub(crate) fn cost_of_all(
    world: &WorldDefinition,
    plot: &PlotDefinition,
    conditions: &ConditionsByText,
) -> u64 {
    sum(&condition_uses(world, plot, conditions))
}

fn sum(uses: &[ConditionUse]) -> u64 {
    uses.iter().fold(0, |sum, one| sum.saturating_add(one.cost))
}

fn condition_uses(
    world: &WorldDefinition,
    plot: &PlotDefinition,
    conditions: &ConditionsByText,
) -> Vec<ConditionUse> {
    let variables = fact_bounds(world, plot);
    let mut bounds: BTreeMap<&str, u64> = BTreeMap::new();
    for (text, condition) in conditions {
        bounds.insert(text, cost_bound(&condition.node, &variables));
    }
    let counted = |times: u64, (owner, text): (String, String)| {
        let cost = bounds.get(text.as_str()).copied().unwrap_or(0).saturating_mul(times);
        ConditionUse { owner, text, cost }
    };
    let of_plot = conditions_of(plot).into_iter().map(|one| counted(1, one));
    let of_map = world_model::check::conditions_of(world).into_iter();
    of_plot.chain(of_map.map(|one| counted(MAP_TIMES, one))).collect()
}

/// The file and the line of a condition.
fn line_of<'d>(text: &str, documents: &'d CampaignDocuments) -> Option<(&'d str, usize)> {
    CONDITION_PATHS.into_iter().find_map(|(kind, path)| {
        documents.of(kind).find_map(|document| {
            let spots = spots(&document.node, path);
            let spot = spots.into_iter().find(|spot| spot.node.text() == Some(text))?;
            Some((document.path.as_str(), spot.node.line))
        })
    })
}

/// The most that each variable can be in this campaign. Another version of it may have left a few names in the state; these
/// are within the margin.
fn fact_bounds(world: &WorldDefinition, plot: &PlotDefinition) -> BTreeMap<String, FactBound> {
    let places = longest(world.places.iter().map(|one| one.name.as_str()));
    let things = longest(world.things.iter().map(|one| one.name.as_str()));
    let people = longest(world.people.iter().map(|one| one.name.as_str()));
    let doors = longest(world.doors.iter().map(|one| one.name.as_str()));
    let storylets = || plot.decks.iter().flat_map(|(_, deck)| &deck.storylet);
    let choices: Vec<String> = storylets()
        .flat_map(|one| choice_ids(&one.id, one.choices.iter().map(|choice| choice.label.as_str())))
        .collect();
    let topics: Vec<String> = world
        .people
        .iter()
        .flat_map(|person| {
            let about = person.topics.iter().filter_map(|topic| topic.about.first());
            about.map(|about| format!("{}: {about}", person.name))
        })
        .collect();
    let factions = longest(plot.factions.faction.iter().map(|one| one.name.as_str()));
    let list = |(count, bytes): NameSizes| FactBound::list(count, FactBound::text(bytes));
    let numbers = |(count, bytes): NameSizes| FactBound::numbers(count, bytes);
    let of_all = [
        ("place", FactBound::text(places.1)),
        ("light", FactBound::text("bright".len())),
        ("present", list(people)),
        ("met", list(people)),
        ("dead", list(people)),
        ("carried", list(things)),
        ("worn", list(things)),
        ("here", list(things)),
        ("lit", list(things)),
        ("visited", list(places)),
        ("open", list((doors.0 + things.0, doors.1.max(things.1)))),
        ("fired", list(longest(storylets().map(|one| one.id.as_str())))),
        ("chosen", list(longest(choices.iter().map(String::as_str)))),
        ("learned", list(longest(topics.iter().map(String::as_str)))),
        ("done", list(longest(world.threads.iter().map(|one| one.name.as_str())))),
        ("standing", numbers(factions)),
        ("feeling", numbers(people)),
    ];
    let mut bounds: BTreeMap<String, FactBound> =
        of_all.into_iter().map(|(name, bound)| (name.to_owned(), bound)).collect();
    for (name, rungs) in &plot.qualities.ladder {
        bounds.insert(name.clone(), FactBound::text(longest(rungs.iter().map(String::as_str)).1));
    }
    bounds
}

/// How many names there are, and the bytes of the longest.
type NameSizes = (usize, usize);

fn longest<'n>(names: impl Iterator<Item = &'n str>) -> NameSizes {
    names.fold((0, 0), |(count, bytes), name| (count + 1, bytes.max(name.len())))
}

#[cfg(test)]
mod tests {
    use super::CONDITIONS_COST_MAX;
    use crate::{CampaignSource, CompileResult, compile};

    const NINE: &str = "[1, 2, 3, 4, 5, 6, 7, 8, 9]";

    /// A campaign with a storylet for each condition.
    fn campaign(conditions: &[String]) -> CompileResult {
        let storylets = conditions.iter().enumerate().map(|(at, when)| {
            format!("[[storylet]]\nid = \"s{at}\"\nwhen = \"{when}\"\ntext = \"It is {at}.\"\n")
        });
        let place = "[[place]]\nname = \"yard\"\ndescription = \"A yard.\"\n";
        let files = [
            ("manifest.json", r#"{ "title": "Costs", "version": "1.0.0" }"#.to_owned()),
            ("world/setting.md", "A yard.".to_owned()),
            ("plot/premise.md", "A yard.".to_owned()),
            ("world/places.toml", place.to_owned()),
            ("characters/player/player.toml", "name = \"Ada\"\nplace = \"yard\"\n".to_owned()),
            ("plot/qualities.toml", "[ladder]\nlevel = [\"none\", \"low\"]\n".to_owned()),
            ("plot/decks/a.toml", storylets.collect()),
        ];
        compile(&CampaignSource::in_memory(files), "costs", None)
    }

    /// A condition of exactly this cost.
    fn filler(cost: u64) -> String {
        let first = if cost % 2 == 1 { "true" } else { "!true" };
        format!("{first}{}", " && true".repeat(((cost - 1) / 2) as usize))
    }

    #[test]
    fn conditions_at_the_limit_are_accepted_and_one_unit_above_it_is_an_error() {
        let loops =
            (0..3).fold("turn > 0".to_owned(), |body, at| format!("{NINE}.all(v{at}, {body})"));
        let cost = campaign(std::slice::from_ref(&loops)).parts.unwrap().conditions_cost();
        let copies = usize::try_from(CONDITIONS_COST_MAX / cost).unwrap();
        let mut conditions = vec![loops; copies];
        let mut left = CONDITIONS_COST_MAX % cost;
        while left > 0 {
            let part = left.min(41);
            conditions.push(filler(part));
            left -= part;
        }
        let full = campaign(&conditions);
        assert!(full.parts.is_some(), "{:#?}", full.problems.first());
        assert_eq!(full.parts.unwrap().conditions_cost(), CONDITIONS_COST_MAX);
        assert!(full.campaign.is_some());

        conditions.push(filler(1));
        let above = campaign(&conditions);
        assert!(above.campaign.is_none() && above.parts.is_none());
        assert_eq!(above.counts[0], 1);
        let sum = CONDITIONS_COST_MAX + 1;
        assert_eq!(
            above.problems[0].to_string(),
            format!(
                "plot/decks/a.toml:3: the {} conditions of the campaign look at up to {sum} values in a turn, the limit is \
                 {CONDITIONS_COST_MAX}; the storylet `s0` {cost}, the storylet `s1` {cost}, the storylet `s2` {cost}: make \
                 loops shorter, or keep in a quality what they find",
                conditions.len()
            )
        );
    }
}
