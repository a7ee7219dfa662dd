//! Walks through campaigns: their reports, and that they can be repeated.

use std::path::Path;

use super::{full, minimal, shown};
use crate::{
    CampaignParts, CampaignSource, CampaignSurvey, UnansweredTopic, WalkOptions, WalkReport,
    WalkReportPage, compile, one_walk, walk_campaign,
};

/// Two places and a debt. `never` waits for a value that nothing sets.
fn harbour() -> CampaignParts {
    let files = [
        ("manifest.json", r#"{ "title": "The Harbour", "version": "1.0.0" }"#),
        ("world/setting.md", "A small harbour.\n"),
        ("plot/premise.md", "Somebody has cut the ropes.\n"),
        (
            "world/places.toml",
            r#"
            [[place]]
            name = "quay"
            description = "Planks and a crane. A heap of nets lies in the corner."
            exits = [{ direction = "north", to = "mill" }]
            [[place]]
            name = "mill"
            description = "The wheel stands still."
            exits = [{ direction = "south", to = "quay" }, { direction = "down", to = "cellar" }]
            [[place]]
            name = "cellar"
            description = "A low room. Nothing leads out of it."
            "#,
        ),
        (
            "characters/people.toml",
            r#"
            [[person]]
            name = "Mina Holt"
            pronoun = "she"
            description = "A woman in oilskins."
            place = "quay"
            topics = [{ about = ["ropes"], says = "Cut clean through." },
                      { about = ["money"], says = "You owe me.", when = "debt == 'resolved' && trust > 5" }]
            "#,
        ),
        (
            "characters/player/player.toml",
            "name = \"Ada\"\ndescription = \"A sailor.\"\nplace = \"quay\"\n",
        ),
        (
            "plot/qualities.toml",
            "[ladder]\ndebt = [\"quiet\", \"resolved\"]\n[counter]\ntrust = { to = 3 }\n",
        ),
        (
            "plot/decks/ropes.toml",
            r#"
            [[storylet]]
            id = "asked"
            on = { verb = "ask", target = "Mina Holt" }
            text = "Mina Hold looks away."
            sets = { debt = "resolved" }
            raises = { trust = 1 }
            [[storylet]]
            id = "never"
            when = "trust == 3"
            text = "The tide turns at last, and the harbour with it."
            [[storylet]]
            id = "tide"
            cooldown = 3
            text = "The tide is coming in, slow and grey as ever."
            "#,
        ),
        (
            "plot/endings.toml",
            "[[ending]]\nid = \"paid\"\ntitle = \"Paid\"\nwhen = \"debt == 'resolved' && place == 'mill'\"\ntext = \"You are even.\"\n\
             [[ending]]\nid = \"rich\"\ntitle = \"Rich\"\nwhen = \"trust == 3\"\ntext = \"You are rich.\"\n",
        ),
    ];
    let result = compile(&CampaignSource::in_memory(files), "harbour", Some(1));
    let problems: Vec<String> = result.problems.iter().map(ToString::to_string).collect();
    result.parts.unwrap_or_else(|| panic!("{problems:#?}"))
}

fn options(walks: usize) -> WalkOptions {
    WalkOptions { walks, turns: 160, seed: 7, threads: 2 }
}

#[test]
fn walks_say_what_never_happens_and_why() {
    let report = walk_campaign(&harbour(), options(40), &|| {}, &|| false).unwrap();
    let never: Vec<&str> = report.never_fired.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(never, ["never"]);
    assert!(report.never_fired[0].failed[0].0.starts_with("when: trust == 3"), "{report:?}");
    let reached: Vec<(&str, bool)> =
        report.endings.iter().map(|one| (one.id.as_str(), one.walks > 0)).collect();
    assert_eq!(reached, [("paid", true), ("rich", false)]);
    assert!(report.stuck.iter().all(|one| one.place == "cellar") && !report.stuck.is_empty());
    let topics: Vec<&str> = report.unanswered.iter().map(|one| one.topic.as_str()).collect();
    assert_eq!(topics, ["money"]);
    assert!(report.repeated[0].0.starts_with("The tide is coming in"), "{report:?}");
    assert_eq!(report.survey.one_way, ["mill, down to cellar"]);
    assert!(!report.is_clean());
}

#[test]
fn a_topic_that_is_meant_to_be_rare_is_no_finding() {
    let mut parts = harbour();
    for topic in parts.world.people.iter_mut().flat_map(|person| &mut person.topics) {
        topic.rare = topic.about == ["money"];
    }
    let report = walk_campaign(&parts, options(4), &|| {}, &|| false).unwrap();
    assert_eq!(report.unanswered, []);
    let report = walk_campaign(&harbour(), options(4), &|| {}, &|| false).unwrap();
    let text = report.render_text();
    let topics =
        "topics that were never answered (`rare = true` where that is meant):\n  Mina Holt: money";
    assert!(text.contains(topics), "{text}");
}

#[test]
fn a_refrain_may_stand_in_two_storylets_and_come_again_soon() {
    let mut parts = harbour();
    let findings = |parts: &CampaignParts| {
        let report = walk_campaign(parts, options(4), &|| {}, &|| false).unwrap();
        (report.survey.doubles.len(), report.repeated.len())
    };
    let storylets = &mut parts.plot.decks[0].1.storylet;
    let sentence = "The tide is coming in, slow and grey as ever.".to_owned();
    storylets.iter_mut().for_each(|storylet| storylet.text = Some(sentence.clone()));
    assert_eq!(
        storylets.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(),
        ["asked", "never", "tide"]
    );
    storylets[2].refrain = true;
    // Two of the three are left.
    assert_eq!(findings(&parts).0, 1);
    parts.plot.decks[0].1.storylet[1].refrain = true;
    assert_eq!(findings(&parts), (0, 0));
}

#[test]
fn an_exit_that_is_meant_to_be_one_way_is_no_finding() {
    let mut parts = harbour();
    for exit in parts.world.places.iter_mut().flat_map(|place| &mut place.exits) {
        exit.one_way = exit.to == "cellar";
    }
    let report = walk_campaign(&parts, options(1), &|| {}, &|| false).unwrap();
    assert_eq!(report.survey.one_way, [""; 0]);
}

/// Each finding alone makes a report that `--strict` refuses.
#[test]
fn a_report_is_clean_without_any_finding_only() {
    let mut clean = walk_campaign(&harbour(), options(40), &|| {}, &|| false).unwrap();
    clean.never_fired.clear();
    clean.endings.retain(|ending| ending.walks > 0);
    clean.stuck.clear();
    clean.dead_ends.clear();
    clean.unanswered.clear();
    clean.repeated.clear();
    clean.survey = CampaignSurvey::default();
    // Nouns of storylets are only a list for the author to read.
    clean.survey.told_nouns.push("tide: shell".to_owned());
    assert!(clean.is_clean(), "{clean:?}");
    let topic = UnansweredTopic { person: "Mina".into(), topic: "money".into(), when: None };
    let faults: [fn(&mut WalkReport); 5] = [
        |report| report.repeated.push(("The tide is coming in.".to_owned(), 2)),
        |report| report.survey.one_way.push("mill, down to cellar".to_owned()),
        |report| report.survey.doubles.push("The tide is coming in. (a, b)".to_owned()),
        |report| report.survey.unknown_nouns.push("quay: crane".to_owned()),
        |report| report.survey.spellings.push("Minna (1×), like Mina".to_owned()),
    ];
    for fault in faults {
        let mut report = clean.clone();
        fault(&mut report);
        assert!(!report.is_clean(), "{report:?}");
    }
    clean.unanswered.push(topic);
    assert!(!clean.is_clean());
}

#[test]
fn what_a_storylet_gives_and_what_is_nowhere_is_listed() {
    let mut parts = harbour();
    let (_, deck) = &mut parts.plot.decks[0];
    let text = "Mina hands you a shell. \u{201c}Take the ladder,\u{201d} she says. You pick up the tin whistle.";
    deck.storylet[0].text = Some(text.to_owned());
    let report = walk_campaign(&parts, options(1), &|| {}, &|| false).unwrap();
    let id = &parts.plot.decks[0].1.storylet[0].id;
    assert_eq!(report.survey.told_nouns, [format!("{id}: shell"), format!("{id}: whistle")]);
}

/// A player who reads of a thing in the first sentences looks at it.
#[test]
fn words_of_the_opening_and_of_the_player_can_be_examined() {
    let mut parts = harbour();
    parts.world.opening = "A lantern swings in the fog. Nobody holds it.".to_owned();
    parts.world.player.description = "You have a spanner, and no ship.".to_owned();
    let report = walk_campaign(&parts, options(1), &|| {}, &|| false).unwrap();
    assert_eq!(report.survey.unknown_nouns, [""; 0]);
    let mut world = world_model::world::World::begin(parts.world);
    let mut look = |noun: &str| {
        let meaning = understanding::understand(&world, &format!("x {noun}"));
        let mut dice = world_model::act::Dice::new(None, 0);
        let told = world_model::act::act(&mut world, &meaning.actions[0], &mut dice);
        told.facts.iter().map(|fact| fact.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(look("lantern"), ["A lantern swings in the fog."]);
    assert_eq!(look("spanner"), ["You have a spanner, and no ship."]);
}

#[test]
fn equal_seeds_give_equal_reports_on_any_number_of_threads() {
    let parts = harbour();
    let text = |threads: usize| {
        // More than know the same.
        let options = WalkOptions { threads, ..options(70) };
        walk_campaign(&parts, options, &|| {}, &|| false).unwrap().render_text()
    };
    assert_eq!(text(1), text(2));
    assert_eq!(text(1), text(5));
    assert_eq!(one_walk(&parts, 3, 50), one_walk(&parts, 3, 50));
    assert_ne!(one_walk(&parts, 3, 50), one_walk(&parts, 4, 50));
}

#[test]
fn the_page_holds_the_map_and_no_markup_of_the_author() {
    let mut parts = harbour();
    parts.title = "<b>The \"Harbour\"</b>".to_owned();
    let report = walk_campaign(&parts, options(4), &|| {}, &|| false).unwrap();
    let page = WalkReportPage { report: &report, world: &parts.world }.to_string();
    assert!(page.contains("<title>&lt;b&gt;The &quot;Harbour&quot;&lt;/b&gt;</title>"), "{page}");
    assert_eq!(page.matches("<rect ").count(), 3);
    for outside in ["<script", "http:", "https:", "<img", "<link"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

/// The campaigns of the program.
fn bundled() -> Vec<(String, CampaignParts)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../campaigns");
    let mut folders: Vec<_> =
        std::fs::read_dir(root).unwrap().map(|one| one.unwrap().path()).collect();
    folders.sort();
    let folders = folders.into_iter().filter(|path| path.join("manifest.json").is_file());
    let found: Vec<(String, CampaignParts)> = folders
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let result = compile(&CampaignSource::read_folder(&path).unwrap(), &name, None);
            (name, result.parts.unwrap())
        })
        .collect();
    assert_eq!(found.len(), 4, "campaigns of the program");
    found
}

/// Walks through each bundled campaign, and fails where its author should look at something.
#[track_caller]
fn check_bundled(walks: usize) {
    let mut faults = String::new();
    for (name, parts) in bundled() {
        let begin = std::time::Instant::now();
        let options = WalkOptions { walks, ..WalkOptions::default() };
        let report = walk_campaign(&parts, options, &|| {}, &|| false).unwrap();
        let text = report.render_text();
        eprintln!("== {name}: {:.1} s\n{text}", begin.elapsed().as_secs_f32());
        if !report.is_clean() {
            faults += &format!("{name}: {text}\n");
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

/// Twice as many as `campaign check --strict` makes, because one walk in a hundred reaches the rarest ending.
#[test]
fn four_hundred_walks_through_each_bundled_campaign_find_no_fault() {
    check_bundled(2 * WalkOptions::default().walks);
}

/// An author begins with a campaign that CI lets pass.
#[test]
fn a_strict_check_of_each_template_finds_no_fault() {
    for (name, files) in [("minimal", minimal()), ("full", full())] {
        let result = compile(&CampaignSource::in_memory(files), name, None);
        let warnings = &result.counts[..2];
        assert_eq!(warnings, [0, 0], "{name}: {}", shown(&result));
        let walks = WalkOptions::default();
        let report = walk_campaign(&result.parts.unwrap(), walks, &|| {}, &|| false).unwrap();
        assert!(report.is_clean(), "{name}: {}", report.render_text());
    }
}

/// `make walks`; prints the findings of the walks.
#[test]
#[ignore = "a minute: `make walks`"]
fn every_storylet_and_every_ending_of_the_bundled_campaigns_is_reached() {
    let walks = std::env::var("WALKS").ok().and_then(|text| text.parse().ok());
    check_bundled(walks.unwrap_or(WalkOptions::default().walks));
}
