//! Twee and ink as decks, and back.

use super::make::{imported, lines, text};
use crate::{ExportForm, FolderFiles, ImportContent, ImportFile, ImportNotes, export};

pub(super) const TWEE: &str = r#":: StoryTitle
The Cellar

:: StoryAuthor
A. Writer

:: StoryData
{ "ifid": "D674C58C-DEFA-4F70-B7A2-27742230C0FC", "format": "SugarCube", "start": "Top of the stairs" }

:: Top of the stairs [dark] {"position":"100,100"}
''Cold'' air comes up. /* a comment */ <<set $lamp to true>>You hold a //lamp//.

<<if $lamp>>It burns.<</if>>
* [[Go down->Cellar]]
* [[Leave|Street]]
[[Wait->Top of the stairs]]

:: Cellar
(set: $x to 1)A barrel stands here; you can [[knock->Barrel]] on it or (link-goto: "go up", "Top of the stairs").
<<link "Shout" "Barrel">><</link>>
<<button [[Dig|Nowhere]]>><</button>>
Read http://example.com//x.

:: Barrel
It is empty.<br>Somebody laughs. $name

:: Street
Rain. You go home.

:: Story JavaScript [script]
window.x = 1;
"#;

pub(super) const INK: &str = r#"# title: The Ropes
# author: A. Writer
VAR trust = 0
Rain falls. // a comment
-> harbour

=== harbour ===
Mina mends a {torn|cut} net.
* "Who did it?"
    "Ask the gulls," she says.
    ~ trust += 1
* [Help her] You take the other end.
    ** [Pull] It holds.
    ** {trust > 0} [Ask] "Tam," she says. -> tam
    -- You tie it off. # quiet
+ [Leave] -> END
- Evening comes.
  -> night

= later
Not now. -> night

=== tam ===
Tam is asleep.
-> DONE

=== night ===
* -> 
The lamp goes out.
-> END

=== function f(x) ===
~ return x
"#;

fn shown(files: &FolderFiles) -> String {
    let is_read = |path: &String| path.starts_with("plot/") || path.starts_with("world/");
    files
        .keys()
        .filter(|path| is_read(path))
        .map(|path| format!("=== {path}\n{}\n", text(files, path)))
        .collect()
}

#[test]
fn twee_becomes_a_deck_with_choices_and_endings() {
    let (files, notes) = imported("cellar.twee", TWEE.as_bytes());
    insta::assert_snapshot!(format!("{}=== notes\n{}", shown(&files), lines(&notes)));
}

#[test]
fn ink_becomes_a_deck_with_choices_and_endings() {
    let (files, notes) = imported("ropes.ink", INK.as_bytes());
    insta::assert_snapshot!(format!("{}=== notes\n{}", shown(&files), lines(&notes)));
}

/// The storylets of a story, without its other files.
fn deck(file: &str, text: &str) -> (String, String) {
    let (files, notes) = imported(file, text.as_bytes());
    let deck = files.iter().find(|(path, _)| path.starts_with("plot/decks/")).unwrap();
    (String::from_utf8(deck.1.clone()).unwrap(), lines(&notes))
}

#[test]
fn escaped_heads_and_references_to_characters_are_text() {
    let twee = ":: Start\n\\:: is how a header begins.\nSalt &amp; bread, 3 &lt; 4.&nbsp;Ten &#40;10&#41;.\n[[Ham &amp; eggs->Next]]\n:: Next\nDone.\n";
    insta::assert_snapshot!(deck("a.twee", twee).0);
    let (mut files, _) = imported("a.twee", twee.as_bytes());
    let changed = text(&files, "plot/decks/a.toml").replace("Salt", "Pepper &lt;");
    files.insert("plot/decks/a.toml".to_owned(), changed.into_bytes());
    let exported =
        String::from_utf8(export(&files, ExportForm::Twee, None).unwrap().bytes).unwrap();
    assert!(exported.contains("\n\\:: is how a header begins."), "{exported}");
    assert!(exported.contains("Pepper &amp;lt; & bread"), "{exported}");
}

#[test]
fn code_of_other_dialects_is_never_told_and_is_listed() {
    let snowman = ":: StoryData\n{\"format\": \"Snowman\"}\n:: Start\n<% s.lamp = true; %>\n<% if (s.lamp) { %>\nThe lamp burns.\n<% } %>\n<script>window.x = 1;</script>\n<%= s.name %> waves.\n[[Out]]\n:: Out\nNight.\n";
    let (told, notes) = deck("snowman.twee", snowman);
    insta::assert_snapshot!(format!("{told}=== notes\n{notes}"));
    let chapbook = ":: StoryData\n{\"format\": \"Chapbook\"}\n:: Start\nlamp: true\n--\n[if lamp]\nThe lamp burns, {name}.\n\n[JavaScript]\nwrite('x');\n\n[continue]\nYou wait. {link to: 'Out', label: 'Go out'}\n:: Out\nNight.\n";
    let (told, notes) = deck("chapbook.twee", chapbook);
    insta::assert_snapshot!(format!("{told}=== notes\n{notes}"));
}

#[test]
fn a_choice_of_ink_is_offered_once_unless_it_is_sticky() {
    let pump = "=== pump ===\nA pump in the yard.\n- (opts)\n* [Drink] Cold. -> opts\n* [Don't drink] Dry. -> opts\n* -> dry\n=== dry ===\nNothing is left.\n+ [Wait] -> dry\n+ [Leave] -> END\n* -> END\n";
    let (told, notes) = deck("pump.ink", pump);
    insta::assert_snapshot!(format!("{told}=== notes\n{notes}"));
}

#[test]
fn a_knot_may_have_any_name() {
    let (told, _) = deck(
        "gate.ink",
        "-> start\n=== start ===\nYou wait by the gate.\n* [Knock] -> inside\n=== inside ===\nA bell rings.\n-> END\n",
    );
    insta::assert_snapshot!(told);
}

#[test]
fn an_imported_story_comes_out_as_it_went_in() {
    let (files, _) = imported("cellar.twee", TWEE.as_bytes());
    let exported = export(&files, ExportForm::Twee, None).unwrap();
    assert_eq!(String::from_utf8(exported.bytes).unwrap(), TWEE);
    assert!(exported.notes.list().is_empty());
}

#[test]
fn a_changed_deck_is_written_as_passages() {
    let (mut files, _) = imported("cellar.twee", TWEE.as_bytes());
    let deck = text(&files, "plot/decks/the-cellar.toml").replace("It burns.", "It smokes.");
    files.insert("plot/decks/the-cellar.toml".to_owned(), deck.into_bytes());
    let exported = export(&files, ExportForm::Twee, None).unwrap();
    let twee = String::from_utf8(exported.bytes).unwrap();
    insta::assert_snapshot!(format!("{twee}=== notes\n{}", lines(&exported.notes)));
    let read =
        ImportFile::parse("again.twee", twee.as_bytes(), &mut ImportNotes::default()).unwrap();
    let ImportContent::Story(story) = read.content else { panic!("no story") };
    assert_eq!(story.title, "The Cellar");
    assert!(story.passages.iter().any(|passage| passage.text.contains("It smokes.")));
}

#[test]
fn names_with_brackets_and_marks_come_back() {
    let twee = ":: A \\[b\\] \\{c\\} \\\\d [x]\nText.\n[[e|F]]\n:: F\nEnd.\n";
    let read = ImportFile::parse("a.twee", twee.as_bytes(), &mut ImportNotes::default()).unwrap();
    let ImportContent::Story(story) = read.content else { panic!("no story") };
    assert_eq!(story.passages[0].name, "A [b] {c} \\d");
    assert_eq!(crate::twee::escape_head(&story.passages[0].name), "A \\[b\\] \\{c\\} \\\\d");
}

#[test]
fn long_passages_and_many_links_have_parts() {
    let paragraphs: String =
        (0..8).map(|n| format!("Paragraph {n}. {}\n\n", "word ".repeat(100))).collect();
    let links: String = (0..14).map(|n| format!("[[Choice {n}->End]]\n")).collect();
    let long_end = "The end is long. ".repeat(200);
    let twee = format!(
        ":: Start\n{paragraphs}{links}[[{}->End]]\n:: End\n{long_end}\n",
        "a very long label ".repeat(20)
    );
    let (files, notes) = imported("long.twee", twee.as_bytes());
    let deck: toml::Table = text(&files, "plot/decks/long.toml").parse().unwrap();
    let storylets = deck["storylet"].as_array().unwrap();
    let mut labels = 0;
    for storylet in storylets {
        assert!(
            storylet.get("text").is_none_or(|text| text.as_str().unwrap().chars().count() <= 2_000)
        );
        let choices =
            storylet.get("choices").and_then(toml::Value::as_array).cloned().unwrap_or_default();
        assert!(choices.len() <= 6);
        for choice in &choices {
            let label = choice["label"].as_str().unwrap();
            assert!(label.chars().count() <= 100);
            labels += usize::from(label.starts_with("Choice"));
            if let Some(then) = choice.get("then") {
                assert!(storylets.iter().any(|other| other["id"] == *then), "{then:?}");
            }
        }
    }
    assert_eq!(labels, 14);
    insta::assert_snapshot!(lines(&notes));
}

#[test]
fn ten_thousand_gathers_overflow_no_stack() {
    let ink = format!("=== a ===\n{}", "* x\n- y\n".repeat(10_000));
    let error =
        ImportFile::parse("a.ink", ink.as_bytes(), &mut ImportNotes::default()).unwrap_err();
    assert_eq!(error.to_string(), "`a.ink` has 3901 passages, the limit is 3900");
}

/// An untrusted file must not take minutes: the time for each of these was quadratic in its length.
#[test]
fn files_of_one_thing_a_hundred_thousand_times_are_read_at_once() {
    let read = |name: &str, text: &str| {
        let mut notes = ImportNotes::default();
        let read = ImportFile::parse(name, text.as_bytes(), &mut notes);
        read.map(|_| "read".to_owned()).unwrap_or_else(|error| error.to_string())
    };
    let heads = ":: a\n".repeat(100_000);
    assert_eq!(read("a.twee", &heads), "`a.twee` has 3918 passages or more, the limit is 3900");
    let conditions = format!("=== a ===\n* {} Go -> END\n", "{x}".repeat(100_000));
    assert_eq!(read("a.ink", &conditions), "read");
    let choices: String = (0..100_000).map(|number| format!("* go {number}\n")).collect();
    let error = "`a.ink` has 201 links in one passage, the limit is 200";
    assert_eq!(read("a.ink", &format!("=== a ===\n{choices}")), error);
}
