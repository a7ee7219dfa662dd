//! A verb that says little with a noun that says it: `take a closer look at the plant`, `give the wheel a good turn`.

use english::WordClass;

use crate::{
    parse::{
        lexicon::{self, Meaning},
        tokens::Token,
    },
    world::World,
};

/// Nouns with the verb that they stand for.
const NOUNS: &[(&str, &str)] = &[
    ("look peek glance peep gander squint gaze view", "look"),
    ("inspection examination description account over", "examine"),
    ("sniff smell whiff", "smell"),
    ("sip swig gulp drink draught mouthful", "drink"),
    ("bite nibble spoonful forkful morsel", "eat"),
    ("taste", "taste"),
    ("nap snooze kip", "nap"),
    ("rest break breather", "wait"),
    ("walk stroll wander", "walk"),
    ("chat talk word conversation natter", "talk"),
    ("push shove nudge", "push"),
    ("pull tug yank", "pull"),
    ("turn twist spin crank", "turn"),
    ("kick", "kick"),
    ("thump bash whack bang smack thwack", "hit"),
    ("knock", "knock"),
    ("strokes peal", "use"),
    ("tap rub pat stroke poke squeeze", "touch"),
    ("honk", "honk"),
    ("hug cuddle", "hug"),
    ("kiss", "kiss"),
    ("wave", "wave"),
    ("nod", "nod"),
    ("smile grin", "smile"),
    ("wink bow shrug salute thumbs", "nod"),
    ("wipe clean polish scrub wash", "clean"),
    ("search rummage", "search"),
    ("grab snatch lunge", "take"),
    ("listen", "listen"),
    ("read reading", "read"),
    ("try go", "use"),
    ("shake", "shake"),
    ("jump", "jump"),
    ("dance", "dance"),
    ("swim dip", "swim"),
    ("stroke ring clang blast toot", "use"),
];

/// Most adjectives before the noun.
const ADJECTIVES_MAX: usize = 3;

fn verb_of(noun: &str) -> Option<&'static str> {
    let known = |nouns: &str| {
        nouns.split(' ').any(|known| known == noun || noun.strip_suffix('s') == Some(known))
    };
    NOUNS.iter().find(|(nouns, _)| known(nouns)).map(|(_, verb)| *verb)
}

/// The clause with the plain verb, if it has a noun for one.
pub(super) fn plain_verb(world: &World, clause: &[Token]) -> Option<Vec<Token>> {
    match clause.first()?.word() {
        "take" | "have" | "get" | "make" | "catch" | "grab" | "do" => taken(world, &clause[1..]),
        // `want a look inside the desk`, `steal a glance at her`.
        "want" | "like" | "love" | "need" | "fancy" | "steal" | "sneak" | "cast" | "throw"
        | "shoot" | "risk" | "spare"
            if clause.get(1).is_some_and(is_a) =>
        {
            taken(world, &clause[1..])
        }
        // `a word with the conductor`.
        "a" | "another" if clause.len() > 3 => taken(world, clause),
        "give" if clause.get(1)?.word() == "me" => taken(world, &clause[2..]),
        "give" => given(&clause[1..]),
        // `flash her my best smile`.
        "flash" | "shoot" | "throw" | "cast" | "send" | "offer" if ends_in_face(clause) => {
            given(&clause[1..])
        }
        _ => None,
    }
}

/// The verb that a noun is too, where it changes nothing: `a tickle`.
fn gesture_of(noun: &str) -> Option<&'static str> {
    let verbs = lexicon::verbs_at_start(&[Token::of(noun)]);
    let is_light = verbs.first().is_some_and(|verb| {
        matches!(verb.meaning, Meaning::Gesture(name) if name != "busy yourself" && name != "think")
    });
    is_light.then(|| english::verb_word(noun)).flatten()
}

fn is_a(token: &Token) -> bool {
    token.is(WordClass::CountingArticle)
}

/// `a closer look at the plant`.
fn taken(world: &World, rest: &[Token]) -> Option<Vec<Token>> {
    let start = usize::from(rest.first().is_some_and(is_a));
    let end = rest.len().min(start + ADJECTIVES_MAX + 1);
    let at = (start..end).find(|at| verb_of(rest[*at].word()).is_some())?;
    let noun = rest[at].word();
    let ends = rest.get(at + 1).is_none_or(|next| {
        next.is(WordClass::BehindNounOfLook)
            || next.is(WordClass::BehindNounOfDeed)
            || *next == Token::Comma
    });
    let is_thing = world
        .present()
        .iter()
        .any(|id| world.names(*id).iter().any(|name| name.last().is_some_and(|last| last == noun)));
    if !ends || (is_thing && start == 0) {
        return None;
    }
    let mut turned = vec![Token::of(verb_of(noun)?)];
    turned.extend(rest[at + 1..].iter().cloned());
    Some(turned)
}

/// Returns true if the words end with what a face does.
fn ends_in_face(words: &[Token]) -> bool {
    words.last().is_some_and(|last| last.is(WordClass::FaceDeed))
}

/// `the wheel a good turn`, `a push to the wheel`.
fn given(rest: &[Token]) -> Option<Vec<Token>> {
    let is_mine = |token: &Token| token.word() == "my";
    // `her a kiss on the cheek`.
    let rest = match rest {
        [rest @ .., on, the, part]
            if on.word() == "on" && !the.word().is_empty() && part.is(WordClass::Body) =>
        {
            rest
        }
        rest => rest,
    };
    let is_face = ends_in_face(rest);
    let article = rest
        .iter()
        .rposition(is_a)
        .or_else(|| rest.iter().rposition(is_mine).filter(|_| is_face))?;
    let to = rest.iter().position(|token| token.word() == "to");
    let (noun, object) = match to {
        Some(to) if article == 0 && to > 1 => (&rest[to - 1], &rest[to + 1..]),
        None if article > 0 => (rest.last()?, &rest[..article]),
        _ => return None,
    };
    let count = to.unwrap_or(rest.len()).saturating_sub(article + 2);
    let verb = verb_of(noun.word()).filter(|verb| !WordClass::NotGiven.has(verb));
    let verb = verb.or_else(|| gesture_of(noun.word()))?;
    if count > ADJECTIVES_MAX || object.is_empty() {
        return None;
    }
    let mut turned = vec![Token::of(verb)];
    turned.extend(is_face.then(|| Token::of("at")));
    turned.extend(object.iter().cloned());
    Some(turned)
}
