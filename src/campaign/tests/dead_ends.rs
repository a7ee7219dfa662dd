//! Dead ends of the plot: campaigns with one planted, and those of the program, which have none.

use crate::{CampaignSource, DeadEnd, WalkOptions, compile, walk_campaign};

/// Compiles a campaign of two places, a person, an apple and the given files. Returns its dead ends.
fn harbour(files: &[(&str, &str)]) -> Vec<DeadEnd> {
    let common = [
        ("manifest.json", r#"{ "title": "The Harbour", "version": "1.0.0" }"#),
        ("world/setting.md", "A small harbour.\n"),
        ("plot/premise.md", "Somebody has cut the ropes.\n"),
        (
            "world/places.toml",
            "[[place]]\nname = \"quay\"\ndescription = \"It is quiet.\"\nexits = [{ direction = \"north\", to = \"mill\" }]\n\
             [[place]]\nname = \"mill\"\ndescription = \"It stands still.\"\nexits = [{ direction = \"south\", to = \"quay\" }]\n",
        ),
        (
            "world/things.toml",
            "[[thing]]\nname = \"apple\"\ndescription = \"It is red.\"\nplace = \"quay\"\nedible = true\n",
        ),
        (
            "characters/people.toml",
            "[[person]]\nname = \"Mina Holt\"\npronoun = \"she\"\ndescription = \"She wears oilskins.\"\nplace = \"quay\"\n",
        ),
        (
            "characters/player/player.toml",
            "name = \"Ada\"\ndescription = \"A sailor.\"\nplace = \"quay\"\n",
        ),
    ];
    let source = CampaignSource::in_memory(common.into_iter().chain(files.iter().copied()));
    let result = compile(&source, "harbour", Some(1));
    let problems: Vec<String> = result.problems.iter().map(ToString::to_string).collect();
    let parts = result.parts.unwrap_or_else(|| panic!("{problems:#?}"));
    let options = WalkOptions { walks: 40, turns: 80, seed: 7, threads: 2 };
    let report = walk_campaign(&parts, options, &|| {}, &|| false).unwrap();
    assert!(report.dead_ends.is_empty() || !report.is_clean());
    let text = report.render_text();
    assert_eq!(text.contains("\ndead ends: "), !report.dead_ends.is_empty(), "{text}");
    report.dead_ends
}

/// Checks the ways into dead ends: the deed, the storylets that fired, and the reason that rules out each ending.
#[track_caller]
fn check(files: &[(&str, &str)], expect: &[(&str, &str, &[&str])]) {
    let mut found: Vec<(String, String, Vec<String>)> = Vec::new();
    for one in harbour(files) {
        let endings = one.endings.iter().map(|ending| format!("{}: {}", ending.id, ending.because));
        let way = (one.deed, one.fired.join(", "), endings.collect());
        if !found.contains(&way) {
            found.push(way);
        }
    }
    let expect: Vec<(String, String, Vec<String>)> = expect
        .iter()
        .map(|(deed, fired, endings)| {
            let endings = endings.iter().map(|ending| (*ending).to_owned());
            ((*deed).to_owned(), (*fired).to_owned(), endings.collect())
        })
        .collect();
    found.sort();
    assert_eq!(found, expect);
}

#[test]
fn a_thing_that_was_given_away_for_good_is_missed_by_the_ending_that_needs_it() {
    let deck = r#"
        [[storylet]]
        id = "she-begs"
        at = "quay"
        present = "Mina Holt"
        text = "She looks at the apple, and has not eaten."
        choices = [
          { label = "Give it to her", changes = [{ remove = "apple" }] },
          { label = "Keep it", text = "She looks away." },
        ]
    "#;
    let ending = "[[ending]]\nid = \"fed\"\ntitle = \"Fed\"\nwhen = \"'apple' in carried && place == 'mill' && turn > 9\"\ntext = \"The horse eats it.\"\n";
    check(
        &[("plot/decks/apple.toml", deck), ("plot/endings.toml", ending)],
        &[("Give it to her", "", &["fed: `apple` is gone"])],
    );
}

#[test]
fn the_choice_that_skips_the_only_rung_that_leads_on_is_found() {
    let qualities = "[ladder]\ndebt = [\"quiet\", \"engaged\", \"resolved\", \"lost\"]\n";
    let deck = r#"
        [[storylet]]
        id = "asked"
        on = { verb = "talk", target = "Mina Holt" }
        when = "debt == 'quiet'"
        text = "She asks for the money."
        choices = [{ label = "Promise it", sets = { debt = "engaged" } }, { label = "Laugh", sets = { debt = "lost" } }]
        [[storylet]]
        id = "paid"
        at = "mill"
        when = "debt == 'engaged'"
        text = "You count it out."
        sets = { debt = "resolved" }
    "#;
    let ending = "[[ending]]\nid = \"even\"\ntitle = \"Even\"\nwhen = \"debt == 'resolved' && place == 'quay'\"\ntext = \"You are even.\"\n";
    check(
        &[
            ("plot/qualities.toml", qualities),
            ("plot/decks/debt.toml", deck),
            ("plot/endings.toml", ending),
        ],
        // An offer lapses where the player goes away, and she asks only once.
        &[
            (
                "Laugh",
                "",
                &[
                    "even: `debt` stays `lost` because `paid` cannot happen: `debt` stays `lost` because `asked` has \
                   happened already",
                ],
            ),
            (
                "go north",
                "",
                &[
                    "even: `debt` stays `quiet` because `paid` cannot happen: `debt` stays `quiet` because `asked` has \
                   happened already",
                ],
            ),
        ],
    );
}

#[test]
fn a_time_that_is_over_and_a_count_that_cannot_be_full_any_more_are_found() {
    let qualities = "[counter]\nropes = { to = 3 }\n";
    let deck = r#"
        [[storylet]]
        id = "first-rope"
        at = "mill"
        text = "You mend the first."
        raises = { ropes = 2 }
        choices = [{ label = "Leave the rest", raises = { ropes = -1 } }, { label = "Mend the rest", raises = { ropes = 1 } }]
    "#;
    let ending = "[[ending]]\nid = \"moored\"\ntitle = \"Moored\"\nwhen = \"ropes == 3 && turn > 20 && turn < 22 && place == 'mill'\"\ntext = \"She lies still.\"\n";
    let found = harbour(&[
        ("plot/qualities.toml", qualities),
        ("plot/decks/ropes.toml", deck),
        ("plot/endings.toml", ending),
    ]);
    let reasons: std::collections::BTreeSet<&str> =
        found.iter().map(|one| one.endings[0].because.as_str()).collect();
    let reasons: Vec<&str> = reasons.into_iter().collect();
    assert_eq!(
        reasons,
        [
            "`ropes == 3` cannot come: it stays 1",
            "`ropes == 3` cannot come: it stays 2",
            "`turn < 22` is over: it is 22"
        ]
    );
}

#[test]
fn a_way_that_does_not_lead_back_and_a_person_who_is_gone_are_found() {
    let places = "[[place]]\nname = \"quay\"\ndescription = \"It is quiet.\"\nexits = [{ direction = \"north\", to = \"mill\" }]\n\
         [[place]]\nname = \"mill\"\ndescription = \"It stands still.\"\n\
         exits = [{ direction = \"south\", to = \"quay\" }, { direction = \"down\", to = \"cellar\" }]\n\
         [[place]]\nname = \"cellar\"\ndescription = \"It is low.\"\nexits = [{ direction = \"east\", to = \"cave\" }]\n\
         [[place]]\nname = \"cave\"\ndescription = \"It is wet.\"\nexits = [{ direction = \"west\", to = \"cellar\" }]\n";
    let deck = r#"
        [[storylet]]
        id = "she-leaves"
        at = "mill"
        when = "turn > 6"
        text = "Mina walks off."
        changes = [{ remove = "Mina Holt" }]
    "#;
    let ending = "[[ending]]\nid = \"friends\"\ntitle = \"Friends\"\nwhen = \"'Mina Holt' in present && turn > 60\"\ntext = \"She nods.\"\n";
    let found = harbour(&[
        ("world/places.toml", places),
        ("plot/decks/leave.toml", deck),
        ("plot/endings.toml", ending),
    ]);
    let ways: std::collections::BTreeSet<(&str, &str)> =
        found.iter().map(|one| (one.deed.as_str(), one.endings[0].because.as_str())).collect();
    assert!(ways.contains(&("go down", "`Mina Holt` is out of reach")), "{ways:?}");
    assert!(ways.iter().any(|(_, because)| *because == "`Mina Holt` is gone"), "{ways:?}");
    let told: Vec<&DeadEnd> =
        found.iter().filter(|one| one.endings[0].because == "`Mina Holt` is gone").collect();
    assert!(told.iter().all(|one| one.fired == ["she-leaves"]), "{told:?}");
}

#[test]
fn a_campaign_whose_endings_stay_possible_has_no_dead_end() {
    let ending = "[[ending]]\nid = \"late\"\ntitle = \"Late\"\nwhen = \"day > 60 && 'apple' in here\"\ntext = \"It is old.\"\n\
         [[ending]]\nid = \"later\"\ntitle = \"Later\"\nwhen = \"day > 61\"\ntext = \"It is older.\"\n";
    check(&[("plot/endings.toml", ending)], &[]);
}
