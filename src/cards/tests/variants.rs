//! Conditions, variables and read counts of Twine and ink, and published pages.

use super::make::{imported, lines, text};
use crate::{BranchingStory, ImportContent, ImportFile, ImportNotes};

/// The deck, the qualities and the notes of a story.
fn told(file: &str, source: &str) -> String {
    let (files, notes) = imported(file, source.as_bytes());
    super::checked::check(file, &files);
    let deck = files.keys().filter(|path| path.starts_with("plot/decks/"));
    let decks: String = deck.map(|path| text(&files, path)).collect();
    let other = |path: &str| match files.contains_key(path) {
        true => format!("=== {path}\n{}", text(&files, path)),
        false => String::new(),
    };
    let (qualities, endings) = (other("plot/qualities.toml"), other("plot/endings.toml"));
    format!("{decks}{qualities}{endings}=== notes\n{}", lines(&notes))
}

fn story(file: &str, source: &str) -> BranchingStory {
    let read = ImportFile::parse(file, source.as_bytes(), &mut ImportNotes::default()).unwrap();
    let ImportContent::Story(story) = read.content else { panic!("no story") };
    story
}

#[test]
fn both_arms_of_sugar_cube_are_told_by_their_conditions() {
    insta::assert_snapshot!(told(
        "lamp.twee",
        ":: StoryInit\n<<set $lamp to false>>\n:: Start\nA hall.\n[[Take the lamp->Cellar][$lamp to true]]\n[[Go down->Cellar]]\n\
         :: Cellar\n<<if $lamp>>It burns.<<else>>It is dark.<</if>>\n<<if $lamp>>[[Look around->End]]<</if>>\n[[Back->Start]]\n:: End\nYou see all.\n",
    ));
}

#[test]
fn both_arms_of_harlowe_are_told_by_their_conditions() {
    insta::assert_snapshot!(told(
        "coins.twee",
        ":: Start\n(set: $coins to 0)You wait.\n[[Beg->Street]]\n:: Street\n(set: $coins to it + 2)(if: $coins > 3)[You are rich.](else-if: $coins > 1)[You have some.]\n(else:)[Nothing.]\n\
         (link: \"Give\")[(set: $coins to 0)(go-to: \"End\")]\n[[More->Street]]\n:: End\n(if: (visited: \"Street\"))[Done.](unless: $coins is 0)[Not all.]\n",
    ));
}

#[test]
fn chapbook_and_snowman_have_arms_too() {
    insta::assert_snapshot!(told(
        "chapbook.twee",
        ":: StoryData\n{\"format\": \"Chapbook\", \"start\": \"Start\"}\n:: Start\nlamp: false\n--\nA hall.\n{link to: 'Light', label: 'Light it'}\n{link to: 'Cellar'}\n\
         :: Light\nlamp: true\n--\nIt burns.\n[[Cellar]]\n:: Cellar\n[if lamp]\nBright.\n\n[else]\nDark.\n\n[continue]\nThe end of {name}.\n",
    ));
    insta::assert_snapshot!(told(
        "snowman.twee",
        ":: StoryData\n{\"format\": \"Snowman\"}\n:: Start\nA hall.\n[[Light]]\n[[Cellar]]\n:: Light\n<% s.lamp = true; %>It burns.\n[[Cellar]]\n\
         :: Cellar\n<% if (s.lamp) { %>Bright.<% } else { %>Dark.<% } %>\n",
    ));
}

#[test]
fn ink_has_variables_read_counts_and_arms() {
    insta::assert_snapshot!(told(
        "well.ink",
        "VAR trust = 0\nVAR lamp = false\nCONST name = \"Mina\"\n-> yard\n=== yard ===\n{name} waits. {yard > 1: Again you stand here.|A yard.}\n\
         * (look) [Look] You look around.\n  ~ trust += 1\n  -> yard\n* {look} [Take the lamp]\n  ~ lamp = true\n  It is warm. -> yard\n\
         + {trust > 0 && not well} [Go to the well] -> well\n+ [Leave] -> leave\n=== well ===\n{\n  - lamp: It burns.\n  - trust > 3:\n    Somebody calls.\n    -> leave\n  - else: It is dark.\n}\n-> yard\n\
         === leave ===\n{ lamp: -> bright }\nYou go in the dark.\n-> END\n=== bright ===\nYou go with a light.\n-> END\n",
    ));
}

#[test]
fn what_a_campaign_cannot_ask_for_is_listed_and_never_told() {
    let twee = ":: Start\n<<if random(1, 6) gt 3>>Six.<<else>>One.<</if>><<set $x to random(1, 6)>>\n<<print $x>> $y\n<<widget \"w\">>code<</widget>>\n[[End]]\n:: End\n<<switch $x>><<case 1>>One.<<default>>Other.<</switch>>\n";
    insta::assert_snapshot!(told("random.twee", twee));
    let labels = ":: Start\n[[Take $coins <% s.x %>now->End]]\n<<link \"Pay <<print $x>>\" \"End\">><</link>>\n(if: $a)[(if: $b)[[[End]]]]\n:: End\n(print: $x)Done.\n";
    insta::assert_snapshot!(told("labels.twee", labels));
    let ink = "=== a ===\n{TURNS_SINCE(-> a) > 2: Long ago.|Now.} {a|b}\n{shuffle:\n  - One.\n  - Two.\n}\n~ x = RANDOM(1, 6)\n{ x > 1:\n  * [In a block] -> b\n  * [Without a way]\n    Its text.\n}\n+ {nothing > 1} [Go] -> b\n=== b ===\n{open\nNot told.\n=== c ===\nEnd. -> END\n";
    insta::assert_snapshot!(told("turns.ink", ink));
}

#[test]
fn a_published_page_is_the_story_of_its_source() {
    let page = |format: &str, body: &str| {
        format!(
            "<!DOCTYPE html><html><head><title>x</title><script>var a = \"<tw-storydatum>\";</script></head><body>\n\
             <tw-storydata name=\"The &quot;Well&quot;\" startnode='2' creator=\"Twine\" format=\"{format}\" ifid=\"D674C58C-DEFA-4F70-B7A2-27742230C0FC\" hidden>\
             <style role=\"stylesheet\" id=\"twine-user-stylesheet\">b {{ color: red }}</style><script role=\"script\" id=\"twine-user-script\">window.x = 1 < 2;</script>\
             <tw-passagedata pid=\"1\" name=\"Well\" tags=\"dark deep\" position=\"1,2\">Dark &amp;amp; cold. &lt;&lt;if $x&gt;&gt;It&#39;s deep.&lt;&lt;/if&gt;&gt;</tw-passagedata>\
             <TW-PASSAGEDATA pid=\"2\" name=\"The [yard]\" tags=\"\">{body}</TW-PASSAGEDATA></tw-storydata></body></html>"
        )
    };
    let twee = |format: &str, body: &str| {
        format!(
            ":: StoryTitle\nThe \"Well\"\n:: StoryData\n{{ \"format\": \"{format}\", \"start\": \"The [yard]\" }}\n:: Well [dark deep]\nDark &amp; cold. <<if $x>>It's deep.<</if>>\n:: The \\[yard\\]\n{body}\n"
        )
    };
    for (format, in_page, in_source) in [
        (
            "SugarCube",
            "&lt;&lt;set $x to 1&gt;&gt;A yard.\n[[Look-&gt;Well]]",
            "<<set $x to 1>>A yard.\n[[Look->Well]]",
        ),
        (
            "Harlowe",
            "(set: $x to 1)A yard.\n[[Look-&gt;Well]]",
            "(set: $x to 1)A yard.\n[[Look->Well]]",
        ),
        ("Chapbook", "x: 1\n--\nA yard.\n[[Look-&gt;Well]]", "x: 1\n--\nA yard.\n[[Look->Well]]"),
        (
            "Snowman",
            "&lt;% s.x = 1; %&gt;A yard.\n[[Look|Well]]",
            "<% s.x = 1; %>A yard.\n[[Look|Well]]",
        ),
    ] {
        let read = story("well.html", &page(format, in_page));
        let expected = story("well.twee", &twee(format, in_source));
        assert_eq!(read.passages, expected.passages, "{format}");
        assert_eq!((read.start, &read.title), (expected.start, &expected.title));
        assert_eq!(read.title, "The \"Well\"");
        assert!(read.original.starts_with(":: StoryTitle"), "{}", read.original);
    }
    let cut = "<tw-storydata name=\"x";
    let error = ImportFile::parse("a.html", cut.as_bytes(), &mut ImportNotes::default());
    assert_eq!(
        error.unwrap_err().to_string(),
        "`a.html` is a page of Twine whose story is cut off; publish it again"
    );
}

/// A storylet has room for five choices and "Something else", which offers the others: equal labels are numbered in each.
#[test]
fn the_same_label_before_and_behind_something_else_has_no_number() {
    let choices: String =
        ["one", "two", "three", "four"].map(|it| format!("* {it} -> dark\n")).concat();
    let source = format!(
        "VAR lamp = false\n-> hall\n=== hall ===\nA hall.\n{choices}* (lit) light it\n  ~ lamp = true\n  -> hall\n\
         === dark ===\n{{lamp: Bright.|Dark.}}\n-> hall\n"
    );
    let told = told("hall.ink", &source);
    for (id, is_there) in [
        ("hall-begin/two/2", true),
        ("hall-begin/three", true),
        ("hall-begin-more/three", true),
        ("hall-begin-more/three/2", false),
        ("hall-begin-more/four/2", true),
    ] {
        assert_eq!(told.contains(&format!("'{id}' in chosen")), is_there, "{id}: {told}");
    }
}

#[test]
fn conditions_of_a_story_have_sums() {
    let error = |file: &str, source: String| {
        let read = ImportFile::parse(file, source.as_bytes(), &mut ImportNotes::default());
        read.map(|_| "read".to_owned()).unwrap_or_else(|error| error.to_string())
    };
    let deep = format!(":: Start\n{}x", "<<if $a>>".repeat(100_000));
    assert_eq!(error("a.twee", deep), "`a.twee` has 17 levels of conditions, the limit is 16");
    let many: String = (0..100_000).map(|n| format!("<<if $a{n}>>x<<else>>y<</if>>")).collect();
    assert_eq!(error("a.twee", format!(":: Start\n{many}")), "read");
    let set: String = (0..152).map(|n| format!("<<set $a{n} to {n}>>")).collect();
    let ask: String = (0..152).map(|n| format!("<<if $a{n} is 0>>[[x->E]]<</if>>\n")).collect();
    assert_eq!(
        error("a.twee", format!(":: Start\n{set}[[E]]\n:: E\n{ask}<<if $a1>>x<</if>>")),
        "`a.twee` has 151 variables in conditions, the limit is 150"
    );
    let sets: String = (0..11_000).map(|n| format!("<<set $a{n} to {n}>>")).collect();
    let links = "[[P]]\n".repeat(8_000);
    let many = format!(":: Start\n{links}:: P\n{sets}<<goto \"Q\">>\n:: Q\nx\n");
    let read = error("a.twee", many);
    assert!(read == "read" || read.contains("the limit is"), "{read}");
    let braces = format!("=== a ===\n{}x{} b\n", "{a: ".repeat(50_000), "}".repeat(50_000));
    assert_eq!(error("a.ink", braces), "read");
    let open = format!("=== a ===\nb {}\n", "{ ".repeat(50_000));
    assert_eq!(error("a.ink", format!("{open}=== b ===\nx -> a\n")), "read");
    let pages = "<tw-passagedata pid=\"1\" name=\"a\">x</tw-passagedata>".repeat(100_000);
    let page = format!("<tw-storydata name=\"x\">{pages}</tw-storydata>");
    assert_eq!(error("a.html", page), "`a.html` has 3918 passages or more, the limit is 3900");
}
