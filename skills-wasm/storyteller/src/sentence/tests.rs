//! What is understood of what players type.

use super::*;

/// `verb object, target=.., tool=..` with only what is there.
fn check(prompt: &str) -> String {
    let act = parse(prompt);
    let mut shown = format!("{:?}", act.verb).to_lowercase();
    let text = |noun: Option<Noun>| noun.map(|noun| noun.text);
    for (name, value) in [
        ("", text(act.object)),
        ("target=", text(act.target)),
        ("tool=", text(act.tool)),
        ("topic=", text(act.topic)),
        ("way=", act.way.map(str::to_owned)),
        ("speech=", act.speech),
        ("deed=", act.deed.filter(|_| act.in_words)),
        ("spell=", act.spell),
    ] {
        if let Some(value) = value {
            shown.push_str(&format!(" {name}[{value}]"));
        }
    }
    shown
}

#[test]
fn the_deed_and_its_object_are_found() {
    for (prompt, expected) in [
        ("I examine the ancient door", "examine [the ancient door]"),
        ("I roll to pick the lock", "unlock [the lock]"),
        ("look around", "look"),
        ("I look at the stars carefully.", "examine [the stars]"),
        (
            "I want to carefully open the chest with my crowbar",
            "open [the chest] tool=[your crowbar]",
        ),
        ("go north", "go way=[north]"),
        ("I walk up the stairs", "go [the stairs]"),
        ("enter the cave and look around", "go [the cave]"),
        ("I'm going to attack the goblin with my sword", "attack [the goblin] tool=[your sword]"),
        (
            "talk to the innkeeper about the missing key",
            "talk [the innkeeper] topic=[the missing key]",
        ),
        ("I talk with Mira", "talk [Mira]"),
        ("give the coin to the old beggar", "give [the coin] target=[the old beggar]"),
        ("give the beggar the coin", "give [the coin] target=[the beggar]"),
        ("use the key on the door", "use [the key] target=[the door]"),
        ("I cast fireball at the troll", "cast [the troll] spell=[fireball]"),
        ("cast a spell on the door", "cast [the door]"),
        ("cast light", "cast spell=[light]"),
        ("take the sword and the shield", "take [the sword and the shield]"),
        ("pick up my hat", "take [your hat]"),
        ("I try the door", "use [the door]"),
        ("I try to climb over the wall", "climb [the wall]"),
        ("sneak past the guards", "sneak [the guards]"),
        ("search for a hidden lever", "search [the hidden lever]"),
        (
            "read the book of the dead",
            "examine [the book of the dead] deed=[read the book of the dead]",
        ),
        ("I don't open the door", "refrain [the door]"),
        ("I look at myself", "reflect"),
        ("sleep", "rest"),
        ("roll 2d6+3", "roll"),
        ("I examine it", "look"),
    ] {
        assert_eq!(check(prompt), expected, "{prompt}");
    }
}

#[test]
fn what_is_said_is_not_taken_for_a_deed() {
    assert_eq!(
        check("\"Open the gate!\" I shout to the guard."),
        "talk [the guard] speech=[Open the gate!]"
    );
    assert_eq!(check("“Hello there”"), "talk speech=[Hello there]");
}

#[test]
fn what_has_no_kind_keeps_the_players_own_words() {
    for (prompt, expected) in [
        ("I juggle my knives", "other [your knives] deed=[juggle your knives]"),
        ("I am tired of the rain", "other deed=[are tired of the rain]"),
        ("I don't trust the captain", "other deed=[do not trust the captain]"),
        ("what is behind the door?", "wonder [the door]"),
        ("where am I", "wonder"),
        ("polish them my name", "other"),
        ("I love you", "other"),
        ("asdf", "other"),
        ("", "other"),
        ("🔥🔥🔥", "other"),
        ("私は扉を調べる", "other"),
        ("Ich untersuche die Tür", "other"),
    ] {
        assert_eq!(check(prompt), expected, "{prompt}");
    }
}

#[test]
fn what_is_said_to_the_dice_is_no_part_of_the_story() {
    let plain = check("I pick the lock");
    assert_eq!(plain, "unlock [the lock]");
    assert_eq!(check("I roll to pick the lock with advantage"), plain);
    assert_eq!(check("I roll 1d20+5 to pick the lock, with disadvantage"), plain);
    assert_eq!(check("I take the advantage"), "take [the advantage]");
}

/// What follows a verb is a thing, a person, a clause, a number or an adverb, and is repeated as what it is.
#[test]
fn what_is_no_thing_is_not_named_as_one() {
    for (prompt, expected) in [
        ("tell him my name", "talk deed=[tell him your name]"),
        ("say my name", "talk deed=[say your name]"),
        ("ask the way", "talk deed=[ask the way]"),
        ("ask the guard to leave", "talk [the guard] deed=[ask the guard to leave]"),
        ("tell her the truth", "talk deed=[tell her the truth]"),
        ("tell them that I am the king", "talk deed=[tell them that you are the king]"),
        ("knock twice", "open deed=[knock twice]"),
        ("I hit the wall hard", "attack [the wall] deed=[hit the wall hard]"),
        ("put my weight on the door", "use deed=[put your weight on the door]"),
        ("stay calm", "wait deed=[stay calm]"),
        ("take cover", "take deed=[take cover]"),
        ("take two", "take deed=[take two]"),
        ("take 3 coins", "take [the 3 coins]"),
        ("wait for three hours", "wait deed=[wait for three hours]"),
        ("give her the coin", "give [the coin] deed=[give her the coin]"),
        ("follow her quietly", "go deed=[follow her quietly]"),
        ("go to sleep", "go deed=[go to sleep]"),
        ("open door", "open [the door]"),
        ("close door", "open [the door] deed=[close the door]"),
        ("why does the guard lie?", "wonder"),
        ("I think the guard lies", "other deed=[think the guard lies]"),
        ("I look at what I am carrying", "look deed=[look at what you are carrying]"),
        ("x the old well", "other [the old well]"),
        ("greet everyone", "talk deed=[greet everyone]"),
        ("search for something useful", "search deed=[search for something useful]"),
    ] {
        assert_eq!(check(prompt), expected, "{prompt}");
    }
}
