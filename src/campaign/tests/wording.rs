//! Words of a model for the missing parts of a campaign: the answers that count, the reasons why others do not, and
//! that the campaign stays valid.

use proptest::{
    strategy::{Strategy, ValueTree},
    string::string_regex,
    test_runner::TestRunner,
};
use serde_json::{Map, Value, json};

use super::shown;
use crate::{CampaignParts, CampaignSource, CampaignWording, WordingRequest, compile, made_files};

/// A campaign with the files that every campaign has, and these.
fn ferry(more: &[(&str, &str)]) -> CampaignSource {
    let bare = [
        ("manifest.json", r#"{ "title": "The Ferry", "version": "1.0.0", "tone": "quiet" }"#),
        ("world/setting.md", "A ferry house on a wide river. The old signal mast is rusted.\n"),
        ("plot/premise.md", "You wait for the ferry with a glass bell, and it does not come.\n"),
    ];
    CampaignSource::in_memory(bare.iter().chain(more).copied())
}

fn parts_of(source: &CampaignSource, seed: u64) -> CampaignParts {
    let result = compile(source, "ferry", Some(seed));
    result.parts.unwrap_or_else(|| panic!("seed {seed}: {:?}", result.problems))
}

/// Answers each request, and returns the files and the tally.
fn worded(
    source: &CampaignSource,
    seed: u64,
    mut answer: impl FnMut(&WordingRequest) -> Result<String, String>,
) -> (Vec<(String, String)>, crate::WordingTally) {
    let mut wording = CampaignWording::begin(source, Some(seed), parts_of(source, seed));
    let total = wording.total();
    let mut asked = 0;
    while let Some(request) = wording.next_request() {
        asked += 1;
        assert_eq!(request.number, asked);
        match answer(&request) {
            Ok(text) => wording.accept(&text),
            Err(why) => wording.keep(&why),
        }
    }
    assert_eq!(asked, total);
    let (parts, tally) = wording.finish("scripted");
    (made_files(&parts, &|path| source.texts.contains_key(path)), tally)
}

/// The campaign with these files in its folder has nothing wrong and lacks nothing.
#[track_caller]
fn check_valid(source: &CampaignSource, files: &[(String, String)], seed: u64) -> CampaignParts {
    let texts = source.texts.iter().map(|(path, bytes)| (path.clone(), bytes.clone()));
    let more = files.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes()));
    let result = compile(&CampaignSource::in_memory(texts.chain(more)), "ferry", Some(seed));
    assert_eq!(shown(&result), "", "seed {seed}");
    let parts = result.parts.unwrap();
    assert!(made_files(&parts, &|_| false).is_empty(), "seed {seed}: something is missing");
    parts
}

/// The fields of a request: key and schema.
fn fields(request: &WordingRequest) -> &Map<String, Value> {
    request.schema["properties"].as_object().unwrap()
}

/// The line of the request about a field.
fn line<'r>(request: &'r WordingRequest, key: &str) -> &'r str {
    let start = format!("- `{key}`: ");
    request.task.lines().find(|line| line.starts_with(&start)).unwrap()
}

/// An answer as a good model would write it: each field is new, and has the names that it must have.
fn good_answer(request: &WordingRequest) -> String {
    const FIRST: [&str; 6] = ["Tove", "Runa", "Bram", "Siv", "Odd", "Maud"];
    const COLOURS: [&str; 11] =
        ["grey", "brown", "pale", "dim", "cold", "damp", "worn", "bare", "still", "narrow", "low"];
    let colour = COLOURS[request.number % COLOURS.len()];
    let answers = fields(request).iter().map(|(key, schema)| {
        let pattern = schema["pattern"].as_str().unwrap_or_default();
        let words = if key == "name" && pattern.starts_with("^[A-Z]") {
            json!(format!("{} Fallow", FIRST[request.number % FIRST.len()]))
        } else if key == "name" {
            json!(format!("{colour} landing"))
        } else if schema["type"] == "array" {
            json!([format!("Not a {colour} word about it."), format!("The {colour} water knows.")])
        } else {
            let required = line(request, key).split("it must name ").nth(1).unwrap_or("the river.");
            let about = request.number;
            json!(format!("Something {colour}, {about} times told of {key}, beside {required}"))
        };
        (key.clone(), words)
    });
    Value::Object(answers.collect()).to_string()
}

#[test]
fn a_model_writes_the_words_of_what_is_missing_and_the_campaign_is_valid() {
    let source = ferry(&[]);
    let (files, tally) = worded(&source, 7, |request| Ok(good_answer(request)));
    let parts = check_valid(&source, &files, 7);
    // Two people cannot share a surname; everything else counts.
    assert!(tally.written * 10 >= tally.asked * 9, "{tally:#?}");
    assert!(tally.kept.iter().all(|why| why.contains("`name`: it is too like ")), "{tally:#?}");
    for (path, text) in &files {
        let is_worded = text.contains("\ngenerated = true\ngenerated_by = \"scripted\"\n");
        assert!(is_worded, "{path}:\n{text}");
    }
    let names = |name: &str| parts.world.places.iter().any(|place| place.name.ends_with(name));
    assert!(names("landing"), "{:?}", parts.world.places);
    assert_eq!(parts.world.player.name.split(' ').next_back(), Some("Fallow"));
    assert!(parts.world.people.iter().all(|person| person.fallback.len() == 2));
    // The prize is the thing that the premise names, even if a model writes the words.
    assert!(parts.world.things.iter().any(|thing| thing.name == "glass bell"));
}

#[test]
fn a_request_has_what_the_model_must_know() {
    let source = ferry(&[]);
    let mut wording = CampaignWording::begin(&source, Some(7), parts_of(&source, 7));
    let mut all = format!("{}\n", wording.background());
    while let Some(request) = wording.next_request() {
        let is_shown = ["the player", "the place", "the person", "the things", "the thread"]
            .iter()
            .any(|kind| request.about.starts_with(kind) && !all.contains(&format!("# {kind}")));
        if is_shown {
            all += &format!("\n# {} ({})\n{}", request.about, request.chars_max, request.task);
            all += &format!("{}\n", request.schema["properties"]);
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn what_a_person_wrote_is_not_asked_for() {
    let people = "[[person]]\nname = \"Ida Lund\"\npronoun = \"she\"\ndescription = \"A woman in a yellow coat.\"\nlistens = [\"Mind the step.\"]\n";
    let player = "name = \"Robin Fenn\"\n";
    let lore = "The ferry house has a signal room above the stairs, and a kitchen.\n";
    let source = ferry(&[
        ("characters/people.toml", people),
        ("characters/player/player.toml", player),
        ("lore/house.md", lore),
    ]);
    let mut abouts = Vec::new();
    let (files, _) = worded(&source, 3, |request| {
        let keys: Vec<&str> = fields(request).keys().map(String::as_str).collect();
        abouts.push(format!("{}: {}", request.about, keys.join(", ")));
        Ok(good_answer(request))
    });
    let parts = check_valid(&source, &files, 3);
    let ida = parts.world.people.iter().find(|person| person.name == "Ida Lund").unwrap();
    assert_eq!(ida.description, "A woman in a yellow coat.");
    assert_eq!(parts.world.player.name, "Robin Fenn");
    let of = |about: &str| abouts.iter().find(|line| line.starts_with(about)).unwrap();
    assert_eq!(of("the player"), "the player: description");
    let ida = of("the person `Ida Lund`");
    assert!(ida.contains(": greeting") && !ida.contains("answers"), "{ida}");
    let kitchen = abouts.iter().find(|line| line.starts_with("the place `kitchen`"));
    assert!(kitchen.is_none_or(|line| line == "the place `kitchen`: description"), "{abouts:?}");
    // A campaign in which nothing is missing has nothing to ask for.
    let whole = CampaignSource::in_memory(super::minimal());
    let wording =
        CampaignWording::begin(&whole, None, compile(&whole, "bridge", None).parts.unwrap());
    assert_eq!(wording.total(), 0);
}

#[test]
fn words_that_do_not_belong_to_the_campaign_keep_those_of_the_blocks_with_the_reason() {
    let source = ferry(&[]);
    let blocks = made_files(&parts_of(&source, 7), &|_| false);
    let with = |key: &'static str, words: Value| {
        move |request: &WordingRequest| {
            let has = fields(request).contains_key(key);
            if has { Ok(json!({key: words}).to_string()) } else { Err("not asked".to_owned()) }
        }
    };
    let mut told = String::new();
    let mut refused = |answer: &dyn Fn(&WordingRequest) -> Result<String, String>| {
        let (files, tally) = worded(&source, 7, answer);
        assert_eq!(files, blocks, "{tally:?}");
        let mut why = tally.kept.iter().filter(|why| !why.ends_with("not asked"));
        told +=
            &format!("{}\n", why.find(|why| !why.contains("lacks it")).unwrap_or(&String::new()));
    };
    for text in ["", "[]", "no JSON", "{\"description\": 1, \"description\": 2}", "{}"] {
        refused(&|_| Ok(text.to_owned()));
    }
    refused(&|_| Err("its time was over while it wrote".to_owned()));
    let long = "A wall of stone and more stone. ".repeat(20);
    for text in [
        long.as_str(),
        "Stone.",
        "**Stone** and moss everywhere.",
        "A wall with {name} on it.",
        "Stone and \u{1b}[2J moss everywhere.",
        "A note from Sven lies here.",
        "Somebody who asks questions and listens to the answers.",
    ] {
        refused(&with("description", json!(text)));
    }
    refused(&with("description", json!(["a list"])));
    refused(&with("opening", json!("There is something behind it, and nobody says what.")));
    refused(&with("answers", json!(["Only one answer here."])));
    let taken = parts_of(&source, 7).world.people[0].name.clone();
    for name in [taken.as_str(), "you", "Up North", "Robin  Ashe", "X", "Mina\nHolt", "of glass"] {
        refused(&with("name", json!(name)));
    }
    insta::assert_snapshot!(told);
}

/// Any answer that the schema allows, drawn at random.
fn any_answer(request: &WordingRequest, runner: &mut TestRunner) -> String {
    let mut draw = |schema: &Value| {
        let pattern = schema["pattern"].as_str().unwrap();
        let strategy = string_regex(pattern.trim_matches(['^', '$'])).unwrap();
        strategy.new_tree(runner).unwrap().current()
    };
    let fields = fields(request).iter().map(|(key, schema)| {
        let words = match schema["items"].is_object() {
            true => json!([draw(&schema["items"]), draw(&schema["items"])]),
            false => json!(draw(schema)),
        };
        (key.clone(), words)
    });
    Value::Object(fields.collect()).to_string()
}

/// A corridor does not tell of the roof: where that is, the text of a model does not know, and nobody there can look at it.
#[test]
fn a_description_by_a_model_names_no_other_place_or_thing() {
    let source = ferry(&[]);
    let plain = check_valid(&source, &worded(&source, 7, |_| Err("no time".to_owned())).0, 7);
    let far = plain.world.places.last().unwrap().name.clone();
    let (files, tally) = worded(&source, 7, |request| {
        let answers = fields(request).iter().map(|(key, schema)| {
            let words = match schema["type"].as_str() {
                Some("array") => json!([]),
                _ => json!(format!(
                    "Word {} of it. The {far} lies to the east of it.",
                    request.number
                )),
            };
            (key.clone(), words)
        });
        Ok(Value::Object(answers.collect()).to_string())
    });
    let refused = format!("`description`: it names `{far}`, of which it was to say nothing");
    assert!(tally.kept.iter().any(|why| why.ends_with(&refused)), "{tally:#?}");
    let parts = check_valid(&source, &files, 7);
    for place in parts.world.places.iter().filter(|place| place.name != far) {
        assert!(!place.description.contains("lies to the east of it"), "{}", place.description);
    }
}

#[test]
fn whatever_a_model_writes_the_campaign_is_valid() {
    let premises = [
        "",
        "A lighthouse keeper and her brother wait for the relief boat.",
        // One of them is `your sister`.
        "Two sisters run a bakery, and the bank will take it on Friday.",
    ];
    let mut written = 0;
    for seed in 0..6 {
        let premise = premises[usize::try_from(seed).unwrap() % premises.len()];
        let source = match premise {
            "" => ferry(&[("world/rules.md", "Nobody dies.\n")]),
            premise => {
                let mut source = ferry(&[]);
                source.texts.insert("plot/premise.md".to_owned(), premise.into());
                source
            }
        };
        let mut runner = TestRunner::deterministic();
        let (files, tally) = worded(&source, seed, |request| Ok(any_answer(request, &mut runner)));
        check_valid(&source, &files, seed);
        written += tally.written;
    }
    assert!(written > 20, "only {written} texts and names counted");
}
