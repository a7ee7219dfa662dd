//! Campaigns broken in many ways, each with the exact words for it.

use super::{minimal, shown};
use crate::{CampaignSource, compile};

/// A change to a file of the smallest example.
enum Damage {
    /// One text instead of another.
    Swap(&'static str, &'static str, &'static str),
    /// A whole file.
    Write(&'static str, &'static [u8]),
    /// More at the end of a file.
    Append(&'static str, &'static str),
    Remove(&'static str),
}

use Damage::{Append, Remove, Swap, Write};

/// Applies the damage and returns the problems.
#[track_caller]
fn said(damage: &[Damage]) -> String {
    let mut files = minimal();
    for one in damage {
        match one {
            Swap(path, from, to) => {
                let text = String::from_utf8(files[*path].clone()).unwrap();
                assert!(text.contains(from), "`{path}` has no `{from}`");
                files.insert((*path).to_owned(), text.replacen(from, to, 1).into_bytes());
            }
            Write(path, bytes) => {
                files.insert((*path).to_owned(), bytes.to_vec());
            }
            Append(path, text) => {
                files.get_mut(*path).unwrap().extend_from_slice(text.as_bytes());
            }
            Remove(path) => {
                files.remove(*path).unwrap();
            }
        }
    }
    let result = compile(&CampaignSource::in_memory(files), "broken", None);
    // One rule for the check and for play: a campaign with an error is not played, and every other one is.
    assert_eq!(result.campaign.is_some(), result.counts[0] == 0, "{}", shown(&result));
    shown(&result)
}

/// Returns a table: a line for each change, then the problems that it causes.
fn table(cases: &[(&str, &[Damage])]) -> String {
    let shown = cases
        .iter()
        .map(|(name, damage)| format!("{name}\n    {}", said(damage).replace('\n', "\n    ")));
    shown.collect::<Vec<_>>().join("\n")
}

const DECK: &str = "plot/decks/bridge.toml";
const PLACES: &str = "world/places.toml";
const FACTIONS: &str = "world/factions.toml";
const THINGS: &str = "world/things.toml";
const PEOPLE: &str = "characters/people.toml";
const START: &str = "plot/start.toml";
const ENDINGS: &str = "plot/endings.toml";
const PLAYER: &str = "characters/player/player.toml";
const QUALITIES: &str = "plot/qualities.toml";

#[test]
fn files_that_are_missing_misnamed_or_no_text() {
    let text = table(&[
        ("no manifest", &[Remove("manifest.json")]),
        ("no premise and no setting", &[Remove("plot/premise.md"), Remove("world/setting.md")]),
        ("an empty premise", &[Write("plot/premise.md", b"\n  \n")]),
        ("a file in the wrong folder", &[Write("world/people.toml", b"")]),
        ("a file with a slip in its name", &[Write("plot/quality.toml", b"")]),
        ("a file in capital letters", &[Write("Plot/Hints.toml", b"")]),
        (
            "two names that differ in capital letters",
            &[Write("lore/Tide.md", b"a"), Write("lore/tide.md", b"b")],
        ),
        ("UTF-16", &[Write("plot/premise.md", b"\xff\xfea\0")]),
        ("not UTF-8", &[Write("world/setting.md", b"one\ntwo \xff")]),
        ("no JSON", &[Swap("manifest.json", "\"version\"", "version")]),
        (
            "a key that stands twice",
            &[Swap("manifest.json", "\"author\": \"\"", "\"title\": \"B\"")],
        ),
        ("no TOML", &[Swap(PLACES, "name = \"bridge\"", "name = bridge")]),
        (
            "two mistakes of TOML",
            &[
                Swap(PLACES, "name = \"bridge\"", "name = \"bridge"),
                Swap(START, "time = \"17:30\"", "time \"17:30\""),
            ],
        ),
        ("a file that nests too deep", &[Write("plot/beats.json", &[b'['; 60])]),
        ("keywords of no page", &[Write("lore/tide.keywords.txt", b"tide")]),
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn fields_that_are_missing_misspelt_or_of_the_wrong_kind() {
    let text = table(&[
        ("no title", &[Swap("manifest.json", "\"title\": \"Bridge\",", "")]),
        ("a version of two numbers", &[Swap("manifest.json", "0.1.0", "0.1")]),
        (
            "a rating with a slip",
            &[Swap("manifest.json", "\"author\": \"\"", "\"content_rating\": \"Teens\"")],
        ),
        ("an unknown field of the manifest", &[Swap("manifest.json", "\"author\"", "\"autor\"")]),
        ("a misspelt field of ours", &[Swap(PLACES, "scenery =", "scenary =")]),
        ("a field that nothing has", &[Swap(PLACES, "[[place]]", "[[place]]\ncolour = \"red\"")]),
        (
            "a text in place of a list",
            &[Swap(PEOPLE, "aliases = [\"woman\"]", "aliases = \"woman\"")],
        ),
        ("a number in place of a text", &[Swap(START, "\"17:30\"", "1730")]),
        (
            "a text in place of a yes",
            &[Swap("manifest.json", "\"author\": \"\"", "\"strangers_in_ticks\": \"yes\"")],
        ),
        ("a time of TOML", &[Swap(START, "\"17:30\"", "17:30:00")]),
        (
            "a field that is needed",
            &[Swap(
                PLACES,
                "description = \"Planks and a bollard. The last boat left an hour ago.\"\n",
                "",
            )],
        ),
        ("a field that is needed, deep inside", &[Swap(DECK, "label = \"Open the letter\", ", "")]),
        ("a table in the wrong file", &[Append(PLACES, "\n[[thing]]\nname = \"oar\"\n")]),
        ("a chance of fifty", &[Swap(DECK, "cooldown = 2", "chance = 50")]),
        (
            "seven choices",
            &[Swap(
                DECK,
                "choices = [",
                "choices = [{label=\"a\"},{label=\"b\"},{label=\"c\"},{label=\"d\"},{label=\"e\"},",
            )],
        ),
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn names_that_nothing_has() {
    let text = table(&[
        ("an exit to nowhere", &[Swap(PLACES, "to = \"landing\"", "to = \"landign\"")]),
        ("an exit to a person", &[Swap(PLACES, "to = \"landing\"", "to = \"Ida Lund\"")]),
        ("a name in other capitals", &[Swap(PEOPLE, "place = \"bridge\"", "place = \"Bridge\"")]),
        ("a holder that is no person", &[Swap(THINGS, "with = \"Ida Lund\"", "with = \"Ida\"")]),
        (
            "a key that is not there",
            &[Append(PLACES, "\n[[door]]\nname = \"gate\"\nkey = \"gold key\"\n")],
        ),
        ("a door that no exit has", &[Append(PLACES, "\n[[door]]\nname = \"gate\"\n")]),
        (
            "a person of a storylet",
            &[Swap(DECK, "present = \"Ida Lund\"", "present = \"Ida Lundt\"")],
        ),
        ("a verb", &[Swap(DECK, "\"talk\"", "\"tlak\"")]),
        ("a target with a slip", &[Swap(DECK, "target = \"Ida Lund\"", "target = \"leter\"")]),
        (
            "a target that may be a word of a description",
            &[Swap(DECK, "target = \"Ida Lund\"", "target = \"paint\"")],
        ),
        (
            "a quality",
            &[Swap(DECK, "sets = { letter = \"opened\" }", "sets = { leter = \"opened\" }")],
        ),
        (
            "a rung",
            &[Swap(DECK, "sets = { letter = \"opened\" }", "sets = { letter = \"opend\" }")],
        ),
        (
            "a ladder that is raised",
            &[Swap(DECK, "sets = { letter = \"opened\" }", "raises = { letter = 1 }")],
        ),
        ("a person as a place to move to", &[Swap(DECK, "to = \"you\"", "to = \"Ida Lund\"")]),
        ("a thread that nothing opens", &[Swap(DECK, "cooldown = 2", "closes = \"What now?\"")]),
        (
            "a storylet that follows",
            &[Swap(
                DECK,
                "label = \"Open the letter\",",
                "label = \"Open the letter\", then = \"first-drop\",",
            )],
        ),
        (
            "a page of an ending",
            &[Swap(ENDINGS, "text = \"You read it", "file = \"endings/boat.md\"\n# \"")],
        ),
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn conditions_that_make_no_sense() {
    let when = "when = \"letter == 'sealed'\"";
    let text = table(&[
        ("an unknown variable", &[Swap(DECK, when, "when = \"lettr == 'sealed'\"")]),
        ("an unknown rung", &[Swap(DECK, when, "when = \"letter == 'seeled'\"")]),
        ("an unknown thing", &[Swap(DECK, when, "when = \"'leter' in carried\"")]),
        (
            "an unknown faction",
            &[
                Write(FACTIONS, b"[[faction]]\nname = \"Harbour Guild\"\n"),
                Swap(DECK, when, "when = \"standing['Harbour Gild'] >= 10\""),
            ],
        ),
        ("a faction where there is none", &[Swap(DECK, when, "when = \"standing['Guild'] > 0\"")]),
        ("an unknown person", &[Swap(DECK, when, "when = \"feeling['Ida Lunt'] > 0\"")]),
        ("a number beside a rung", &[Swap(DECK, when, "when = \"letter > 2\"")]),
        ("a bracket too few", &[Swap(DECK, when, "when = \"(letter == 'sealed'\"")]),
        ("no question", &[Swap(DECK, when, "when = \"hour + 1\"")]),
        ("nothing", &[Swap(DECK, when, "when = \" \"")]),
        ("in an ending", &[Swap(ENDINGS, "letter == 'opened'", "letter == opened")]),
        ("one that can never hold", &[Swap(DECK, when, "when = \"hour >= 24\"")]),
        (
            "a rung that nothing sets",
            &[
                Swap(QUALITIES, "\"drowned\"]", "\"drowned\", \"burnt\"]"),
                Swap(ENDINGS, "'drowned'", "'burnt'"),
            ],
        ),
        ("a storylet that waits for itself", &[Swap(DECK, when, "when = \"'ida-asks' in fired\"")]),
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn what_contradicts_itself() {
    let text = table(&[
        ("two places of one name", &[Swap(PLACES, "name = \"landing\"", "name = \"bridge\"")]),
        (
            "a thing with the name of a place",
            &[Swap(THINGS, "name = \"letter\"", "name = \"landing\"")],
        ),
        ("two storylets of one id", &[Swap(DECK, "\"first-drops\"", "\"ida-asks\"")]),
        ("an id that is a sentence", &[Swap(DECK, "\"first-drops\"", "\"First drops!\"")]),
        ("a thing in two places", &[Swap(THINGS, "with =", "place = \"bridge\"\nwith =")]),
        ("a thing nowhere", &[Swap(THINGS, "with = \"Ida Lund\"", "")]),
        ("a name with an article", &[Swap(THINGS, "name = \"letter\"", "name = \"the letter\"")]),
        ("a direction", &[Swap(PLACES, "\"east\"", "\"eest\"")]),
        (
            "two exits in one direction",
            &[Swap(PLACES, "exits = [", "exits = [{ direction = \"east\", to = \"bridge\" }, ")],
        ),
        ("a time that no clock has", &[Swap(START, "17:30", "25:00")]),
        (
            "an opening of 120 words",
            &[Swap(
                START,
                "Half past five",
                "a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n",
            )],
        ),
        (
            "a profile in other capitals",
            &[Write(
                "characters/npcs/ida/profile.json",
                br#"{"name": "ida lund", "role": "passer-by", "personality": {"traits": ["calm"]}}"#,
            )],
        ),
        (
            "an example that means nothing",
            &[Swap(START, "\"go east\"", "\"frobnicate the bridge\"")],
        ),
        ("a ladder of one rung", &[Swap(QUALITIES, "[ladder]", "[ladder]\nmood = [\"calm\"]")]),
        (
            "a quality with a name of the world",
            &[Swap(QUALITIES, "[ladder]", "[ladder]\nhour = [\"early\", \"late\"]")],
        ),
        (
            "a counter that starts too high",
            &[Append(QUALITIES, "\n[counter]\ntrust = { from = 0, to = 5, start = 9 }\n")],
        ),
        (
            "a change of two things",
            &[Swap(DECK, "{ remove = \"letter\" }", "{ remove = \"letter\", minutes = 5 }")],
        ),
        (
            "a move to nowhere",
            &[Swap(DECK, "move = \"letter\", to = \"you\"", "move = \"letter\"")],
        ),
        (
            "choices that sound alike",
            &[Swap(DECK, "label = \"Let it fall into the river\"", "label = \"Open the letter!\"")],
        ),
        ("an ending without a page", &[Swap(ENDINGS, "text = \"You read it", "# \"")]),
        (
            "a place that no exit leads to",
            &[Swap(PLACES, "exits = [{ direction = \"east\", to = \"landing\" }]", "")],
        ),
        ("a thing in itself", &[Swap(THINGS, "with = \"Ida Lund\"", "in = \"letter\"")]),
    ]);
    insta::assert_snapshot!(text);
}

/// Errors that only the world or the writer of the documents finds name their file as well.
#[test]
fn texts_that_are_too_long_or_have_control_characters() {
    let long = "a long text ".repeat(200);
    let long: &'static str = Box::leak(long.into_boxed_str());
    let opening: &'static str = Box::leak(format!("opening = \"{long}\"\n").into_boxed_str());
    let words = "tide\n".repeat(51);
    let words: &'static [u8] = Box::leak(words.into_bytes().into_boxed_slice());
    let text = table(&[
        ("an opening with a control character", &[Swap(START, "Half past", "Half \\u0000past")]),
        ("an opening of 2,400 characters", &[Write(START, opening.as_bytes())]),
        (
            "a player with a control character",
            &[Write(PLAYER, b"name = \"Ada\"\ndescription = \"A \\u001b sailor.\"\n")],
        ),
        ("a title with a control character", &[Swap("manifest.json", "Bridge", "Br\\u0007idge")]),
        (
            "a person who greets with a tab",
            &[Swap(
                PEOPLE,
                "aliases =",
                "greetings = [{ says = [\"Well,\\twell.\"] }]\naliases =",
            )],
        ),
        (
            "a profile with a control character",
            &[Write(
                "characters/npcs/ida/profile.json",
                br#"{"name": "Ida Holm", "role": "pas\u0007ser-by", "personality": {"traits": ["calm"]}}"#,
            )],
        ),
        (
            "51 keywords",
            &[Write("lore/tide.md", b"The tide."), Write("lore/tide.keywords.txt", words)],
        ),
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn all_mistakes_are_told_at_once() {
    let text = said(&[
        Swap("manifest.json", "0.1.0", "one"),
        Swap(PLACES, "to = \"landing\"", "to = \"landign\""),
        Swap(PEOPLE, "pronoun = \"she\"", "pronoun = \"her\""),
        Swap(DECK, "letter == 'sealed'", "letter == 'seeled'"),
        Swap(ENDINGS, "id = \"the-boat\"", "identity = \"the-boat\""),
    ]);
    insta::assert_snapshot!(text);
}

/// The tables of this file together: each damage has words of its own.
#[test]
fn at_least_forty_damages_get_as_many_different_messages() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let (mut count, mut messages) = (0, std::collections::BTreeSet::new());
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.contains("__broken__") || name.contains("all_mistakes_are_told_at_once") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let table = text.splitn(3, "---\n").nth(2).unwrap();
        let mut said = String::new();
        for line in table.lines().chain(["the end"]) {
            if line.starts_with("    ") {
                said += line;
            } else if !said.is_empty() {
                count += 1;
                messages.insert(std::mem::take(&mut said));
            }
        }
    }
    assert!(count >= 40, "{count} damages");
    assert_eq!(messages.len(), count, "two damages have the same words");
}

const FALLBACK: &str =
    "fallback = [\"Ask me something easier.\", \"I was not listening. I am sorry.\"]";

#[test]
fn people_without_words_of_their_own_are_named() {
    assert_eq!(
        said(&[Swap(PEOPLE, FALLBACK, "")]),
        "characters/people.toml: note: `Ida Lund`: no words for what no topic fits, so lines of the program stand in for them: \
         write `fallback`, `listens`, `reactions`"
    );
    for own in ["listens = [\"Yes.\"]", "reactions = [{ action = \"joke\", says = \"Ha.\" }]"] {
        assert_eq!(said(&[Swap(PEOPLE, FALLBACK, own)]), "");
    }
}

#[test]
fn a_reaction_names_a_kind_of_speech_and_has_a_text() {
    for (own, expect) in [
        ("{ action = \"statement\", says = \"No.\" }", "reacts to `statement`: write `listens`"),
        ("{ action = \"thank\", says = \"No.\" }", "reacts to `thank`: use one of greeting"),
        ("{ action = \"thanks\" }", "has neither `says` nor `does`"),
    ] {
        let told = said(&[Swap(PEOPLE, FALLBACK, format!("reactions = [{own}]").leak())]);
        assert!(told.contains(expect), "{told}");
    }
}

/// A verb that no file names is a slip; one of the author's own is a verb like any other.
#[test]
fn a_verb_of_the_authors_own_may_stand_in_a_storylet() {
    let folded = "\n[[storylet]]\nid = \"folded\"\non = { verb = \"fold\", target = \"letter\" }\n\
        text = \"It is small enough for a sleeve now.\"\n";
    assert!(said(&[Append(DECK, folded)]).contains("there is no verb `fold`"));
    let own =
        "\n[[verb]]\nname = \"fold\"\naliases = [\"crease\"]\nsays = \"It is folded already.\"\n";
    assert_eq!(said(&[Append(DECK, folded), Append(THINGS, own)]), "");
    let taken = "\n[[verb]]\nname = \"take\"\n";
    let told = said(&[Append(THINGS, taken)]);
    assert!(told.contains("the verb `take` is one of the world"), "{told}");
}
