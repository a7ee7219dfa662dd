//! The check of prose against facts: planted untruths are found, and true prose passes.

use narratoria_facts::Fact;
use proptest::prelude::*;

use super::{KnownFacts, WorldView, left_out, untruths};

fn view() -> WorldView {
    let names = [
        "kitchen",
        "yard",
        "storm lantern",
        "Martha Quill",
        "oak door",
        "kitchen table",
        "cupboard",
    ];
    WorldView {
        here: Some("kitchen".to_owned()),
        people: vec!["Martha Quill".to_owned()],
        names: names.map(str::to_owned).to_vec(),
        directions: vec!["north".to_owned()],
        ..WorldView::default()
    }
}

fn fact(kind: &str, object: &str, because: &str, text: &str) -> KnownFacts {
    let mut fact = Fact::new(kind, "you", text);
    fact.object = Some(object.to_owned()).filter(|it| !it.is_empty());
    fact.because = Some(because.to_owned()).filter(|it| !it.is_empty());
    KnownFacts { facts: vec![fact], ..KnownFacts::default() }
}

/// What is wrong with the text, as the log says it.
fn wrong(text: &str, known: &KnownFacts) -> Vec<String> {
    untruths(text, known, &view()).iter().map(ToString::to_string).collect()
}

#[test]
fn prose_that_keeps_to_the_facts_passes() {
    let taken = fact("taken", "storm lantern", "", "You take the storm lantern.");
    for text in [
        "You take the storm lantern.",
        "Without a word you lift the lantern from the kitchen table, and Martha Quill watches your hands.",
        "The lantern is cold against your palm. For a moment the kitchen is quite still.",
        "You close your fingers around the lantern’s handle, and the light of the evening slides along it.",
        "“It is yours,” says Martha. You nod, and let out a breath.",
    ] {
        let found = wrong(text, &taken);
        // "handle" and "slides" are no known words: the phrase has the lantern in it.
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn what_does_not_exist_is_named() {
    let taken = fact("taken", "storm lantern", "", "You take the storm lantern.");
    for (text, name) in [
        ("You take the lantern and draw your sword.", "sword"),
        ("A dragon lands in the kitchen.", "dragon"),
        ("You take the lantern from Gandalf.", "gandalf"),
        ("You take the lantern while two guards look on.", "guards"),
        ("You take the lantern and the glimmering orb beside it.", "orb"),
        ("You take the lantern, and the frobnicator hums.", "frobnicator hums"),
        ("You take the lantern and set off to the west.", "west"),
        ("Wolves howl as you take the lantern.", "wolves"),
        ("You hand the lantern to old Bess.", "bess"),
    ] {
        let found = wrong(text, &taken);
        assert!(
            found.contains(&format!("names `{name}`, which is not there")),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn what_a_fact_denies_is_named() {
    let locked = fact("refused", "oak door", "locked", "The oak door is locked.");
    let fixed = fact("refused", "cupboard", "fixed", "The cupboard is fixed to the wall.");
    let failed = fact("attempted", "", "failure", "You do not get past Martha Quill.");
    let unmoved = fact("unmoved", "Martha Quill", "persuade", "Martha Quill does not give way.");
    let opened = fact("opened", "oak door", "", "You open the oak door.");
    let given = fact("given", "storm lantern", "", "You give the storm lantern to Martha Quill.");
    let closed = fact("closed", "oak door", "", "You close the oak door.");
    let dark = fact("dark", "", "", "It is too dark to see.");
    for (known, text, said) in [
        (&locked, "The oak door swings open, and the yard lies before you.", "swings open"),
        (&locked, "You unlock the oak door with ease.", "you unlock"),
        (&locked, "You step through the oak door.", "you step through"),
        (&fixed, "You pick up the cupboard and carry it away.", "you pick up"),
        (&failed, "You succeed, and Martha Quill steps aside.", "succeed"),
        (&unmoved, "Martha Quill agrees at last.", "agrees"),
        (&opened, "The oak door refuses to move.", "refuses"),
        (&given, "You take the storm lantern back.", "you take"),
        (&closed, "The oak door stands open behind you.", "stands open"),
        (&dark, "You see the kitchen in every detail.", "you see"),
    ] {
        let found = wrong(text, known);
        let expected = format!("says `{said}`, and the fact is: {}", known.facts[0].text);
        assert!(found.contains(&expected), "{text}: {found:?}");
    }
}

/// The world knows who is meant; the player has not met them.
#[test]
fn prose_of_a_refusal_names_no_more_than_its_sentence() {
    let mut refused = fact("refused", "Ida Penrose", "not_here", "You do not see the guard here.");
    refused.facts[0].place = Some("signal shed".to_owned());
    refused.facts[0].other = Some("brass bell".to_owned());
    assert!(wrong("You look for the guard, and do not see the guard here.", &refused).is_empty());
    for (text, name) in [
        ("You do not see Ida here.", "ida"),
        ("The guard is not here, and the bell is silent.", "bell"),
        ("The guard is in the shed, and you do not see that.", "shed"),
    ] {
        let found = wrong(text, &refused);
        assert!(
            found.contains(&format!("names `{name}`, which is not there")),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn a_door_that_is_opened_and_closed_again_was_opened() {
    let mut both = fact("opened", "oak door", "", "You open the oak door.");
    both.facts.extend(fact("closed", "oak door", "", "You close the oak door.").facts);
    assert_eq!(wrong("You open the oak door. Quietly, you close the oak door.", &both), [""; 0]);
    // Another door stays as it is.
    both.facts
        .push(fact("refused", "cupboard", "locked", "The cupboard is locked.").facts.remove(0));
    assert_eq!(wrong("You open the cupboard.", &both).len(), 1);
}

#[test]
fn of_two_deeds_in_one_turn_each_may_be_told() {
    let mut closed = fact("closed", "trapdoor", "", "You close the trapdoor.");
    let open = "The trapdoor is open already.";
    assert_eq!(wrong(&format!("{open} You close the trapdoor."), &closed).len(), 1);
    closed.facts.extend(fact("refused", "trapdoor", "already_open", open).facts);
    assert_eq!(wrong(&format!("{open} You close the trapdoor."), &closed), [""; 0]);

    let mut persuaded = fact("persuaded", "Martha Quill", "", "Martha Quill gives way.");
    let nothing = "Martha Quill has nothing to say about the lantern.";
    let told = format!("Martha Quill gives way. You ask in vain: {nothing}");
    assert_eq!(wrong(&told, &persuaded).len(), 1);
    let mut silent = Fact::new("silent", "Martha Quill", nothing);
    silent.object = Some("storm lantern".to_owned());
    persuaded.facts.push(silent);
    assert_eq!(wrong(&told, &persuaded), [""; 0]);
}

#[test]
fn who_finds_nothing_new_finds_nothing_in_plain_sight_either() {
    let nothing = "You search the kitchen and find nothing new.";
    let mut searched = fact("nothing_found", "kitchen", "", nothing);
    let text = "You come away with empty hands. In the kitchen you find a kitchen table.";
    assert_eq!(wrong(text, &searched), [format!("says `you find a`, and the fact is: {nothing}")]);
    searched.facts.push(Fact::new("things_here", "you", "There is a kitchen table here."));
    assert_eq!(wrong(text, &searched).len(), 1);
    assert_eq!(wrong("You find nothing new. You see a kitchen table.", &searched), [""; 0]);
}

#[test]
fn the_dead_do_not_speak() {
    let mut died = Fact::new("died", "Martha Quill", "Martha Quill is dead.");
    died.other = Some("storm lantern".to_owned());
    let known = KnownFacts { facts: vec![died], ..KnownFacts::default() };
    let found = wrong("Martha Quill is dead. “Mind your step,” Martha Quill says.", &known);
    assert_eq!(found, ["says `martha quill says`, and the fact is: Martha Quill is dead."]);
    assert!(wrong("Martha Quill is dead, and the kitchen is very quiet.", &known).is_empty());
}

#[test]
fn what_is_denied_in_the_text_itself_contradicts_nothing() {
    let locked = fact("refused", "oak door", "locked", "The oak door is locked.");
    for text in [
        "The oak door is locked, and you cannot leave the kitchen.",
        "The oak door never opens. It is locked.",
        "You try the oak door before you reach the conclusion that it is locked.",
    ] {
        let found = wrong(text, &locked);
        let contradictions: Vec<&String> =
            found.iter().filter(|it| it.starts_with("says")).collect();
        assert!(
            contradictions.len() <= usize::from(text.contains("you reach")),
            "{text}: {found:?}"
        );
    }
}

/// Texts of a small model, of which each leaves out something that the player had to know.
#[test]
fn a_fact_that_is_not_told_is_named() {
    let missing = |text: &str, known: &KnownFacts| -> Vec<String> {
        left_out(text, known).iter().map(|fact| fact.text.clone()).collect()
    };
    let speech = "Martha Quill says: “Ask me when the book is shut.”";
    let mut said = fact("said", "", "", speech);
    said.facts[0].subject = "Martha Quill".to_owned();
    assert_eq!(missing("Martha Quill answers: \"Ask me when the book is shut.\"", &said), [""; 0]);
    for text in [
        "You ask Martha Quill about the lantern, and the kitchen is quite still.",
        "Martha Quill says: “Ask me later.”",
        "“Ask me when the book is shut,” she says.",
    ] {
        assert_eq!(missing(text, &said), [speech], "{text}");
    }

    let mut two = fact("moved", "", "", "You go north to the yard.");
    two.facts[0].place = Some("yard".to_owned());
    two.facts.extend(fact("opened", "cupboard", "", "You open the cupboard.").facts);
    assert_eq!(missing("In the yard you are alone, and the cupboard is open.", &two), [""; 0]);
    assert_eq!(missing("You go north to the yard.", &two), ["You open the cupboard."]);

    let mut here =
        fact("things_here", "", "", "There are a storm lantern and a kitchen table here.");
    here.facts[0].details = vec!["storm lantern".to_owned(), "kitchen table".to_owned()];
    assert_eq!(missing("A storm lantern stands in the kitchen.", &here).len(), 1);
    assert_eq!(missing("There is a storm lantern on the kitchen table.", &here), [""; 0]);

    let slept = fact("slept", "", "", "You sleep. When you wake it is twenty past one at night.");
    assert_eq!(missing("The night is long, and you dream of the kitchen.", &slept).len(), 1);
    assert_eq!(missing("You sleep, and wake at twenty past one.", &slept), [""; 0]);
}

proptest! {
    #[test]
    fn any_text_is_judged_without_a_panic(text in "(?s).{0,400}", object in "(?s).{0,20}", kind in 0..8_usize) {
        let kinds = ["refused", "taken", "died", "given", "dark", "silent", "attempted", "nothing_found"];
        let mut known = fact(kinds[kind], &object, "failure", "You try.");
        known.facts[0].subject = object.clone();
        let found = untruths(&text, &known, &view());
        prop_assert!(found.len() <= 8 && left_out(&text, &known).len() <= 1);
    }
}
