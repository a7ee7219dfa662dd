//! The cost of a campaign's conditions in the component that asks for them: at the limit of the sum, fuel is left.

use std::path::Path;

use narratoria_campaign::{CONDITIONS_COST_MAX, CampaignSource, CompileResult, compile};
use narratoria_protocol::Object;
use serde_json::json;

use crate::kit::walks::{Components, large};

/// The fuel of `plot/advance`.
const FUEL: u64 = 2_000_000_000;

/// Compiles a campaign with a storylet for each condition, and `people` people with the player.
fn campaign(conditions: &[String], people: usize) -> CompileResult {
    let storylets: String = conditions
        .iter()
        .enumerate()
        .map(|(at, when)| {
            format!("[[storylet]]\nid = \"s{at}\"\nwhen = \"{when}\"\ntext = \"It is {at}.\"\n")
        })
        .collect();
    let people: String = (0..people)
        .map(|at| format!("[[person]]\nname = \"Person {at:03} of the long name\"\ndescription = \"A person.\"\nplace = \"yard\"\n"))
        .collect();
    let place = "[[place]]\nname = \"yard\"\ndescription = \"A yard.\"\n";
    let files = [
        ("manifest.json", r#"{ "title": "Costs", "version": "1.0.0" }"#.to_owned()),
        ("world/setting.md", "A yard.".to_owned()),
        ("plot/premise.md", "A yard.".to_owned()),
        ("world/places.toml", place.to_owned()),
        ("characters/people.toml", people),
        ("characters/player/player.toml", "name = \"Ada\"\nplace = \"yard\"\n".to_owned()),
        ("plot/qualities.toml", "[ladder]\nlevel = [\"none\", \"low\"]\n".to_owned()),
        ("plot/decks/a.toml", storylets),
    ];
    compile(&CampaignSource::in_memory(files), "costs", None)
}

fn documents(result: &CompileResult) -> Object {
    let campaign = result.campaign.as_ref().unwrap_or_else(|| panic!("{:#?}", result.problems));
    let documents = campaign.documents().iter();
    documents.map(|(path, text)| (path.clone(), serde_json::from_str(text).unwrap())).collect()
}

/// The fuel of the first moment of such a campaign.
async fn fuel_of(result: &CompileResult, scratch: &Path) -> u64 {
    let mut components = Components::of(documents(result), scratch);
    components.run_counted("world", "create", json!({ "campaign": true }), 0).await;
    let begin = json!({ "begin": true, "seed": 1 });
    components.run_counted("plot", "advance", begin, 0).await.1
}

const NINE: &str = "[1, 2, 3, 4, 5, 6, 7, 8, 9]";

/// Conditions that take much work for each unit of their cost.
fn shapes() -> Vec<(&'static str, String)> {
    let nested = |body: &str| format!("{NINE}.all(a, {NINE}.all(b, {NINE}.all(c, {body})))");
    vec![
        ("loops", nested("true")),
        ("numbers", nested("a * b + c > 0")),
        (
            "texts",
            nested(
                "'a text of forty bytes, as long as any is' < 'a text of forty bytes, as long as any iss'",
            ),
        ),
        ("names", nested("'Person 199 of the long name' in present")),
        ("lists", nested("size([a, b, c]) == 3")),
        ("maps", nested("{'a': a, 'b': b}.all(k, true)")),
        ("faults", nested("1 / (a - a) == 1")),
        ("fields", nested("{'a': 1, 'b': 2}.c == 1")),
        ("fractions", nested("string(1.0e-300 / 3.0) != 'x'")),
        ("joined", nested("'a text of forty bytes, as long as any is' + 'another' != 'x'")),
        ("parsed", nested("double('123456.789012e-300') > 0.0")),
    ]
}

/// A condition of exactly this cost, from 1 to 42.
fn filler(cost: u64) -> String {
    let first = if cost % 2 == 1 { "true" } else { "!true" };
    format!("{first}{}", " && true".repeat(((cost - 1) / 2) as usize))
}

#[tokio::test]
async fn a_campaign_at_the_limit_begins_and_one_above_it_is_refused() {
    let (_, shape) = shapes().swap_remove(0);
    let of_one = campaign(std::slice::from_ref(&shape), 1);
    let cost = of_one.parts.as_ref().unwrap().conditions_cost();
    let copies = usize::try_from(CONDITIONS_COST_MAX / cost).unwrap();
    let mut conditions = vec![shape; copies];
    let mut left = CONDITIONS_COST_MAX % cost;
    while left > 0 {
        let part = left.min(41);
        conditions.push(filler(part));
        left -= part;
    }
    let full = campaign(&conditions, 1);
    assert_eq!(full.parts.as_ref().unwrap().conditions_cost(), CONDITIONS_COST_MAX);
    let scratch = tempfile::tempdir().unwrap();
    let fuel = fuel_of(&full, scratch.path()).await;
    assert!(fuel < FUEL / 3 * 2, "{fuel}");

    conditions.push(filler(1));
    let above = campaign(&conditions, 1);
    assert!(above.campaign.is_none() && above.parts.is_none());
    let problem = above.problems.first().unwrap().to_string();
    assert!(problem.starts_with("plot/decks/a.toml:3: the "), "{problem}");
    let sum = format!(
        "look at up to {} values in a turn, the limit is {CONDITIONS_COST_MAX}",
        CONDITIONS_COST_MAX + 1
    );
    assert!(problem.contains(&sum), "{problem}");
    assert!(
        problem.contains(&format!("the storylet `s0` {cost}, the storylet `s1` {cost}")),
        "{problem}"
    );
    assert_eq!(above.counts[0], 1);
}

/// The campaigns of the program, and one of 300 places with 1,000 storylets.
#[test]
fn large_campaigns_are_far_below_the_limit() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("campaigns");
    let bundled = ["every-last-spoon", "her-worship", "last-reading", "little-saltby"];
    let sources =
        bundled.map(|name| (name, CampaignSource::read_folder(&root.join(name)).unwrap()));
    for (name, source) in sources.into_iter().chain([("large", large())]) {
        let cost = compile(&source, name, None).parts.unwrap().conditions_cost();
        eprintln!("{name}: {cost}");
        assert!(cost < CONDITIONS_COST_MAX / 10, "{name}: {cost}");
    }
}

/// Prints the fuel for a unit of cost.
#[tokio::test]
#[ignore = "measures"]
async fn fuel_of_a_unit_of_cost() {
    let scratch = tempfile::tempdir().unwrap();
    for (name, shape) in shapes() {
        let people = if name == "names" { 200 } else { 1 };
        let when = |copies: u64| -> Vec<String> {
            (0..copies).map(|at| format!("turn < {} && {shape}", 1_000 + at)).collect()
        };
        let one = campaign(&when(1), people);
        let parts = one.parts.as_ref().unwrap_or_else(|| panic!("{:#?}", one.problems));
        let cost = parts.conditions_cost();
        let copies = (1_000_000 / cost).max(1);
        let none = fuel_of(&campaign(&["false".to_owned()], people), scratch.path()).await;
        let all = fuel_of(&campaign(&when(copies), people), scratch.path()).await;
        eprintln!("{name}: {} for a unit ({cost} units each)", (all - none) / (cost * copies));
    }
}
