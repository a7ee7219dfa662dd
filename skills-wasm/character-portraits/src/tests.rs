//! Whole calls: what is drawn, kept and found again.

use narratoria_sdk::{Value, json, testing};
use proptest::prelude::*;

use super::{
    drawing::draw,
    generate::{GenerateInput, GenerateOutput},
    generate_portrait,
    look::PortraitLook,
    lookup::{LookupInput, LookupOutput},
    lookup_portrait,
};

fn generate(input: Value, state: &Value) -> testing::CallResult {
    testing::call(generate_portrait, input).state(state).run()
}

fn svg(name: &str, description: &str) -> String {
    draw(name, description, &PortraitLook::of(name, description, None))
}

/// The names of the elements and attributes, and the tags that are open at the end.
fn elements(svg: &str) -> (Vec<String>, Vec<String>) {
    let (mut names, mut open) = (Vec::new(), Vec::new());
    for tag in svg.split('<').skip(1) {
        let (inside, _) = tag.split_once('>').expect("every tag ends");
        if let Some(closed) = inside.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(closed), "{svg}");
            continue;
        }
        let name = inside.split([' ', '/']).next().unwrap_or_default().to_owned();
        if !inside.ends_with('/') {
            open.push(name.clone());
        }
        names.push(name);
        let outside_quotes = inside.split('"').step_by(2).collect::<String>();
        names.extend(
            outside_quotes.split(' ').filter_map(|part| part.strip_suffix('=')).map(str::to_owned),
        );
    }
    (names, open)
}

/// Everything that a portrait may be made of. None of it runs, and none of it loads.
const ALLOWED: &[&str] = &[
    "svg",
    "title",
    "desc",
    "rect",
    "circle",
    "ellipse",
    "path",
    "g",
    "xmlns",
    "viewBox",
    "width",
    "height",
    "role",
    "fill",
    "stroke",
    "stroke-width",
    "stroke-linecap",
    "stroke-linejoin",
    "d",
    "cx",
    "cy",
    "r",
    "rx",
    "ry",
    "x",
    "y",
];

#[test]
fn the_schema_files_are_those_of_the_types() {
    testing::check_schemas::<GenerateInput, GenerateOutput>("package/schemas", "generate-portrait");
    testing::check_schemas::<LookupInput, LookupOutput>("package/schemas", "lookup-portrait");
}

#[test]
fn the_examples_are_true() {
    testing::check_examples(generate_portrait, "package/examples", "generate-portrait");
    testing::check_examples(lookup_portrait, "package/examples", "lookup-portrait");
}

#[test]
fn a_portrait_is_kept_and_found_again_for_the_same_character() {
    let input = json!({ "name": "Martha Quill", "description": "a stout cook with red hair and a white apron" });
    let first = generate(input.clone(), &json!({}));
    assert_eq!(
        (&first.output["isNew"], &first.output["mediaType"]),
        (&json!(true), &json!("image/svg+xml"))
    );
    let state = first.patch();
    // The same again changes nothing, and neither does asking without a description.
    for input in [input, json!({ "name": "martha" })] {
        let again = generate(input, &state);
        assert_eq!(
            (&again.output["isNew"], &again.output["path"]),
            (&json!(false), &first.output["path"])
        );
        assert_eq!(again.patch(), json!({}));
    }
    let found = testing::call(lookup_portrait, json!({ "name": "Quill", "aloud": true }))
        .state(&state)
        .run();
    assert_eq!(
        (&found.output["found"], &found.output["path"]),
        (&json!(true), &first.output["path"])
    );
    assert_eq!(
        found.output["text"],
        "Martha Quill, as you have come to know that face: a stout cook with red hair and a white apron."
    );
    let none = testing::call(lookup_portrait, json!({ "name": "Bram", "aloud": true }))
        .state(&state)
        .run();
    assert_eq!(
        (&none.output["found"], &none.output["text"]),
        (&json!(false), &json!("There is no picture of Bram yet."))
    );
    // A new description or mood is a new picture of the same person.
    let changed = generate(json!({ "name": "Martha Quill", "mood": "angry" }), &state);
    assert_eq!(changed.output["isNew"], true);
    assert_ne!(changed.output["path"], first.output["path"]);
}

#[test]
fn the_asset_says_what_it_is_and_shows() {
    let said =
        generate(json!({ "name": "Mira", "description": "pale, with an eyepatch" }), &json!({}));
    let Some(testing::Event::Asset { kind, media_type, path, metadata, .. }) = said.events.first()
    else {
        panic!("{:?}", said.events)
    };
    assert_eq!((kind.as_str(), media_type.as_str()), ("portrait", "image/svg+xml"));
    assert_eq!(metadata.as_ref().unwrap()["alt"], "A portrait of Mira: pale, with an eyepatch");
    let written = std::fs::read_to_string(std::env::temp_dir().join(path)).unwrap();
    assert_eq!(written, svg("Mira", "pale, with an eyepatch"));
}

#[test]
fn what_is_described_is_drawn() {
    let plain = svg("Ada", "a woman");
    for (description, part) in [
        ("a woman with white hair", "#ece9e2"),
        ("a woman with glasses", "cx=\"133\" cy=\"168\" r=\"21\""),
        ("a woman with a crown", "L98 60"),
        ("a woman with a scar", "M112 178 L124 214"),
        ("a woman in an orange cloak", "#cf7a34"),
        ("a freckled woman", "cx=\"130\" cy=\"202\" r=\"2\""),
        ("an old woman", "M136 120"),
        ("a woman with an eyepatch", "M100 138"),
        ("an elven woman", " 122 L"),
    ] {
        let drawn = svg("Ada", description);
        assert!(drawn.contains(part) && !plain.contains(part), "{description}: {drawn}");
    }
    assert_eq!(
        PortraitLook::of("Mira", "a woman without a hat or a beard", None).headwear,
        PortraitLook::of("Mira", "a woman", None).headwear
    );
}

#[test]
fn two_strangers_differ_and_one_is_always_the_same() {
    let people = ["Mira", "Bram", "Silas", "Ada", "Tobias", "Wren"];
    let drawn: std::collections::BTreeSet<String> =
        people.map(|name| svg(name, "").replace(name, "")).into();
    assert_eq!(drawn.len(), people.len());
    assert_eq!(svg("Mira", ""), svg("Mira", ""));
}

#[test]
fn a_portrait_is_a_small_picture_that_can_do_nothing() {
    for (name, description) in [
        ("Mira", ""),
        (
            "the king",
            "a broad old king with a crown, a white beard, glasses, a scar, freckles, an eyepatch and green robes",
        ),
        ("the <script>alert(1)</script>", "</desc><script href=\"http://example.com\"> & 'quotes'"),
    ] {
        let drawn = svg(name, description);
        let (names, open) = elements(&drawn);
        assert!(open.is_empty(), "{drawn}");
        for used in names {
            assert!(ALLOWED.contains(&used.as_str()), "`{used}`: {drawn}");
        }
        assert_eq!(
            drawn.matches("http").count(),
            1 + description.matches("http").count(),
            "{drawn}"
        );
        assert!(drawn.len() < 8_000 && !drawn.contains("url("), "{}", drawn.len());
    }
}

#[test]
fn what_cannot_be_done_is_named() {
    assert_eq!(generate(json!({ "name": "?!" }), &json!({})).error_code(), Some("NAME"));
    let many: std::collections::BTreeMap<String, Value> =
        (0..200).map(|n| (format!("person {n}"), json!({ "description": "tall" }))).collect();
    let state = json!({ "portraits": { "people": many } });
    assert_eq!(
        generate(json!({ "name": "Mira" }), &state).error_code(),
        Some("TOO_MANY_PORTRAITS")
    );
    assert!(generate(json!({ "name": "person 7" }), &state).ok);
    let broken =
        json!({ "portraits": { "people": { "Mira": 7, "Bram": { "path": "../../etc/passwd" } } } });
    let said = generate(json!({ "name": "Bram" }), &broken);
    assert!(said.output["path"].as_str().unwrap().starts_with("portrait-"), "{}", said.lines);
}

proptest! {
    #[test]
    fn any_description_gives_a_whole_picture(name in "[A-Za-z ]{1,20}", description in "(?s).{0,500}") {
        let said = generate(json!({ "name": format!("x{name}"), "description": description }), &json!({}));
        prop_assert!(said.ok, "{}", said.lines);
        let drawn = svg(&name, &description);
        let (names, open) = elements(&drawn);
        prop_assert!(open.is_empty());
        prop_assert!(names.iter().all(|used| ALLOWED.contains(&used.as_str())), "{:?}", names);
    }
}
