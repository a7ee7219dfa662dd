//! An import writes a campaign that can be played.

use narratoria_campaign::{CampaignSource, ProblemWeight, compile};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{make::imported, shapes, stories};
use crate::{ExportForm, FolderFiles, PASSAGES_MAX, export};

#[track_caller]
pub(super) fn check(what: &str, files: &FolderFiles) {
    let source =
        CampaignSource::in_memory(files.iter().map(|(path, bytes)| (path.clone(), bytes.clone())));
    let result = compile(&source, "imported", None);
    let errors = result.problems.iter().filter(|problem| problem.severity == ProblemWeight::Error);
    let errors: Vec<String> = errors.map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{what}:\n{}", errors.join("\n"));
    assert!(result.campaign.is_some(), "{what}");
}

#[test]
fn each_shape_makes_a_campaign_without_faults() {
    for shape in shapes::all() {
        check(shape.what, &imported(shape.file, &shape.bytes).0);
    }
}

#[test]
fn stories_make_campaigns_without_faults() {
    check("Twee", &imported("a.twee", stories::TWEE.as_bytes()).0);
    check("ink", &imported("a.ink", stories::INK.as_bytes()).0);
    let once: String = (0..30).map(|n| format!("* [Don’t {n}] No. -> hub\n")).collect();
    check(
        "a hub",
        &imported("hub.ink", format!("-> hub\n=== hub ===\nYes?\n{once}* -> END\n").as_bytes()).0,
    );
    let start = "-> start\n=== start ===\nWait.\n* [Knock] -> start\n+ [Go] -> END\n=== start ===\nAgain.\n";
    check("a knot called start", &imported("start.ink", start.as_bytes()).0);
    let links: String = (0..40).map(|n| format!("[[Choice {n}->Room {n}]]\n")).collect();
    let rooms: String =
        (0..40).map(|n| format!(":: Room {n}\n{}\n", "It is a long room. ".repeat(200))).collect();
    check("many rooms", &imported("b.twee", format!(":: Start\n{links}\n{rooms}").as_bytes()).0);
}

#[test]
fn everything_at_once_makes_a_campaign_without_faults() {
    let mut files = FolderFiles::new();
    let stories = [
        ("a.twee", stories::TWEE.as_bytes()),
        ("b.ink", stories::INK.as_bytes()),
        ("c.twee", stories::TWEE.as_bytes()),
    ];
    let shapes = shapes::all();
    let shapes = shapes.iter().map(|shape| (shape.file, shape.bytes.as_slice()));
    for (name, bytes) in shapes.chain(stories) {
        let parsed =
            crate::ImportFile::parse(name, bytes, &mut crate::ImportNotes::default()).unwrap();
        files.extend(crate::import(&[parsed], &files, "Robin").files);
    }
    check("everything", &files);
}

/// Its deck is longer than a file of a campaign may be, so there are two.
#[test]
fn the_largest_story_makes_a_campaign_without_faults_and_comes_back_as_it_was() {
    let room = |n: usize| {
        let next = (n + 1) % PASSAGES_MAX;
        format!(":: Room {n}\n{}\n[[On->Room {next}]]\n", "It is a long room. ".repeat(16))
    };
    let twee: String = (0..PASSAGES_MAX).map(room).collect();
    let (files, _) = imported("large.twee", twee.as_bytes());
    assert!(files.contains_key("plot/decks/large-part-2.toml"));
    check("the largest story", &files);
    let back = export(&files, ExportForm::Twee, None).unwrap();
    assert_eq!(back.bytes, twee.as_bytes());
}

/// Books and chats of the largest kind fit into a campaign.
#[test]
fn the_largest_book_makes_a_campaign_without_faults() {
    let entry = |n: usize| serde_json::json!({ "key": [format!("word {n}")], "content": format!("Entry {n}. {}", "word ".repeat(300)), "comment": "" });
    let book = serde_json::json!({ "entries": (0..4_000).map(entry).collect::<Vec<_>>() });
    check("a large book", &imported("large.json", book.to_string().as_bytes()).0);
}

/// Texts that no person writes, and a file may have.
fn odd_text() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "\u{0}",
        "\u{1b}[2J",
        "\u{7f}",
        "\u{85}",
        "\u{9b}31m",
        "\u{202e}",
        "\u{feff}",
        "\r",
        "\t",
        "\n\n",
        "\n# Heading\n",
        "\n## How it begins\n",
        "\"\"\"",
        "'''",
        "\\",
        "{{char}}",
        "{{user}}",
        "{place}",
        "<<if $x > 1>>a<<elseif $y>>b<<else>>c<</if>>",
        "<<set $x += 1>>",
        "<<set $y to \"z\">>",
        "<b>",
        "[[",
        "—",
        "“",
        "🔥",
    ];
    let piece = prop_oneof!["[a-z ]{1,12}", prop::sample::select(PIECES).prop_map(str::to_owned)];
    let text = prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat());
    let times = prop_oneof![9 => Just(1_usize), 1 => Just(3_000)];
    (text, times).prop_map(|(text, times)| text.repeat(times))
}

fn card_of(texts: &[String]) -> Value {
    const FIELDS: [&str; 10] = [
        "name",
        "description",
        "personality",
        "scenario",
        "first_mes",
        "mes_example",
        "creator_notes",
        "creator",
        "character_version",
        "nickname",
    ];
    let mut data: serde_json::Map<String, Value> =
        FIELDS.iter().zip(texts).map(|(field, text)| ((*field).to_owned(), json!(text))).collect();
    // Without a name nothing is imported.
    data.insert("name".to_owned(), json!(format!("A {}", texts[0])));
    data.insert("tags".to_owned(), json!(texts));
    data.insert("alternate_greetings".to_owned(), json!(texts));
    let entry = json!({ "keys": texts, "content": texts[0], "enabled": true });
    data.insert("character_book".to_owned(), json!({ "entries": [entry], "extensions": {} }));
    json!({ "spec": "chara_card_v2", "spec_version": "2.0", "data": data })
}

/// Labels of links, of which many have the same words or none.
const LABELS: &[&str] = &[
    "Go",
    "go!",
    "**Go**",
    "",
    " ",
    "…",
    "...",
    "???",
    "2",
    "go (2)",
    "Go on",
    "Go on…",
    "Something else",
    "something else?",
    "é",
    "É",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn whatever_a_card_says_it_makes_a_campaign_without_faults(
        texts in prop::collection::vec(odd_text(), 10),
    ) {
        check("a card", &imported("a.json", card_of(&texts).to_string().as_bytes()).0);
    }

    #[test]
    fn whatever_a_chat_says_it_makes_a_campaign_without_faults(
        texts in prop::collection::vec(odd_text(), 1..6),
    ) {
        let head = json!({ "user_name": texts[0], "character_name": texts[0], "create_date": "2026-11-01" });
        let said = texts.iter().map(|text| json!({ "name": text, "is_user": false, "mes": text }));
        let lines: Vec<String> =
            std::iter::once(head).chain(said).map(|line| line.to_string()).collect();
        check("a chat", &imported("a.jsonl", lines.join("\n").as_bytes()).0);
    }

    #[test]
    fn whatever_a_story_says_it_makes_a_campaign_without_faults(
        title in odd_text(),
        names in prop::collection::vec(
            "(begin|part|more|again|Start|a very long name of a passage [a-z]{0,40}|[a-z]{1,3})( [0-9])?",
            1..8,
        ),
        texts in prop::collection::vec(odd_text(), 8),
        links in 0_usize..60,
        labels in prop::collection::vec(prop::sample::select(LABELS), 8),
    ) {
        let one_line = |text: &str| text.replace(['\n', '\r', '[', ']', '{', '}'], " ");
        let all: String =
            (0..links).map(|at| format!("[[{}->{}]]\n", labels[at % labels.len()], names[at % names.len()])).collect();
        let passages = names
            .iter()
            .zip(&texts)
            .map(|(name, text)| format!(":: {name}\n{}\n{all}\n", one_line(text)));
        let passages: String = passages.collect();
        let story = format!(":: StoryTitle\n{}\n\n{passages}", one_line(&title));
        check("a story", &imported("a.twee", story.as_bytes()).0);
    }
}
