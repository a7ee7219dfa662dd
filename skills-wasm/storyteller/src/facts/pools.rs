//! Other ways to say a fact. Data only: `variety` chooses and fills them. `[a|b]` stands for one of its choices.
//!
//! A template may hold these places; one that cannot be filled keeps the template from being chosen. `{t}` is the fact's
//! own sentence with a small first letter, `{s}` the sentence without its full stop, `{st}` both. `{o}`, `{w}`, `{p}` and
//! `{subj}` are its names with their articles; `{o_is}`, `{o_has}`, `{o_s}`, `{o_it}`, `{o_they}` agree with `{o}`,
//! `{subj_s}` and `{subj_is}` with `{subj}`. `{list}` are the names of its details, with `{list_is}`; `{d}` is its first
//! detail; `{in_o}` is `in the sack`, `{c}` the sack, `{q}` what was left unsaid; `{here}` is the place and `{in_here}` in, on or at it, `{witness}` a person who is there and has no part in it.
//!
//! No template names a thing, a person or a place of its own: a test holds every noun against a short list.

use super::{pools_people as people, pools_places as places};
use crate::story::Style;

/// The templates of a kind of fact, most particular first. An unknown kind has none, and its own sentence tells it.
pub(super) fn of_kind(kind: &str, because: Option<&str>) -> &'static [&'static str] {
    match kind {
        "taken" | "stolen" => TAKEN,
        "dropped" => DROPPED,
        "put_in" | "put_on" => PUT,
        "opened" => OPENED,
        "unlocked" => UNLOCKED,
        "closed" => CLOSED,
        "locked" => LOCKED,
        "given" => GIVEN,
        "received" => RECEIVED,
        "shown" => SHOWN,
        "worn" => WORN,
        "taken_off" => TAKEN_OFF,
        "eaten" | "drunk" => CONSUMED,
        "lit" => LIT,
        "extinguished" => EXTINGUISHED,
        "found" => FOUND,
        "nothing_found" => NOTHING_FOUND,
        "waited" => WAITED,
        "carrying" => CARRYING,
        "wearing" => WEARING,
        "not_understood" | "question" => &[],
        "moved" => places::MOVED,
        "things_here" => places::THINGS_HERE,
        "exits" => places::EXITS,
        "whereabouts" => places::WHEREABOUTS,
        "people_here" => people::PEOPLE_HERE,
        "silent" => people::SILENT,
        "gesture" if because == Some("listen") => people::LISTENS,
        "persuaded" => people::PERSUADED,
        "unmoved" => people::UNMOVED,
        "noticed" => people::NOTICED,
        "perception" => people::PERCEPTION,
        "standing" => people::STANDING,
        _ => &[],
    }
}

/// The templates of a refusal, by its reason and its words.
pub(super) fn of_refusal(because: Option<&str>, text: &str) -> &'static [&'static str] {
    match because.unwrap_or_default() {
        "not_here" if text.contains(" not see ") => NOT_HERE,
        _ if text.starts_with("You had better ") => ADVISED,
        "already_carried" | "already_worn" | "already_lit" | "already_open" | "already_closed"
        | "already_locked" | "already_there" | "held" | "worn" | "not_lit" | "not_locked" => {
            ALREADY
        }
        _ if !is_tried(because, text) => NOT_NOW,
        _ => REFUSED,
    }
}

/// Returns true if the player attempted a deed. Asking where nobody hears, or looking into the dark, attempts none.
pub(super) fn is_tried(because: Option<&str>, text: &str) -> bool {
    match because.unwrap_or_default() {
        "no_one" | "dark" | "no_words" => false,
        "not_here" => text.contains(" not see "),
        _ => true,
    }
}

/// How a deed that is done may sound in the style.
pub(super) fn touch_of_deed(style: Style) -> &'static [&'static str] {
    match style {
        Style::Classic => DEED_CLASSIC,
        Style::Noir => DEED_NOIR,
        Style::Whimsical => DEED_WHIMSICAL,
        Style::Terse => &[],
    }
}

/// How a refusal may sound in the style.
pub(super) fn touch_of_refusal(style: Style) -> &'static [&'static str] {
    match style {
        Style::Noir => REFUSAL_NOIR,
        Style::Whimsical => REFUSAL_WHIMSICAL,
        Style::Classic | Style::Terse => &[],
    }
}

/// Around the own sentence of a deed of the player's.
pub(super) const AROUND_DEED: &[&str] = &[
    "[After a moment|A moment later|Without hurry|Without more ado], {t}",
    "{s}, [while {witness} looks on|and {witness} sees it|before the eyes of {witness}|with {witness} looking on].",
];

/// Around any other sentence.
pub(super) const AROUND_ANY: &[&str] = &[
    "[Now|As it is|As things are|As far as you can tell|By now|This much is plain:] {t}",
    "[You note that|You see that|It is plain that|You can tell that|There is no doubt that] {t}",
    "{s}, [and you take note of it|as far as you can tell|and you leave it at that|and you know it now].",
];

/// Around the sentence of a fact that was told a short time ago.
pub(super) const AROUND_AGAIN: &[&str] = &[
    "[As before|Once more|Again|Just as before|This time too|Still], {t}",
    "{s}, [as before|just as before|once more].",
];

/// Around a refusal that was told a short time ago.
pub(super) const REFUSED_AGAIN: &[&str] = &[
    "[As before|This time too|Once again], {t}",
    "[It is as it was|It is no different now|Nothing has changed]: {t}",
    "{s}, [now as before|just as before|whatever you do].",
];

/// The same for the player who does not give up: enough for each of the turns in which no sentence comes back.
pub(super) const REFUSED_EVER: &[&str] = &[
    "[As before|Once again|This time too|Even now|Still], [whatever you try|try as you may|however you go about it|like it or not|wish as you may], {t}",
    "[You try again|You try once more|You do not give up|You had to try], but [as before|once again|this time too|even now|now as before], {t}",
];

/// Repeats a refusal of something that [`is_tried`] calls no deed.
pub(super) const UNHEARD_EVER: &[&str] = &[
    "[As before|Once again|This time too|Even now|Still], [whatever you try|try as you may|however you go about it|like it or not|wish as you may], {t}",
];

/// Around any other sentence, as often as that.
pub(super) const ANY_EVER: &[&str] = &[
    "[As before|Again|Once more|Still|Just as before], [as far as you can tell|as you can see|if you are not mistaken|by all appearances], {t}",
    "{s}, [as before|now as before|again|just as before], [as far as you can tell|as you can see|if you are not mistaken|by all appearances].",
];

/// Around a deed, as often as that.
pub(super) const DEED_EVER: &[&str] = &[
    "[Again|Once more|Once again|As before], [after a moment|without haste|without hurry|with a steady hand|since nothing stops you], {t}",
    "[Again|Once more|Once again|As before], {st}, [and think nothing of it|and nothing stops you|as if for the first time].",
];

/// Around words that stay as they are, where the player has read them a short time ago.
pub(super) const FIXED_AGAIN: &[&str] =
    &["[As ever|As before|Now as before|Just as before|Still|Once more|Again], {t}"];

/// The same for an author's answer to a deed.
pub(super) const USED_AGAIN: &[&str] = &[
    "[Again|Once more|As before|Now as before|This time too|Another time|Just as before], {t}",
    "[You do it again|You do the same again|You try it once more|You try it another time]: {t}",
    "[Once more|Another time|Yet again], [with no other result|with the same result|to the same end], {t}",
];

/// What the player has left unsaid, where that was told a short time ago; `{q}` is `what to give to Agnes`.
pub(super) const UNSAID: &[&str] = &[
    "You [have not said|would still have to say|have yet to say|would first have to say] {q}.",
    "[First say|Say first|Please say] {q}.",
    "[It is not clear|It is still not clear|That leaves open|The question is|The question is still] {q}.",
    "You [begin, and stop|start, and stop|hesitate|pause|stop short]: [it is still open|you have not said yet|it is not clear|nothing says] {q}.",
];

/// Around a deed that the player has done before.
pub(super) const DEED_AGAIN: &[&str] = &[
    "[Again|Once more|Once again|As before], {t}",
    "{s}, [as before|just as you did before|not for the first time|once more].",
];

/// Around the reason why something cannot be done that is not there.
const NOT_HERE: &[&str] = &[
    "{s}, [however hard you look|for all your looking].",
    "[You look in vain|You look around|You look twice]: {t}",
    "[Wherever you look|Look as you may], {t}",
    "Of {o} [you see nothing|there is no sign|there is nothing to be seen][|, wherever you look|, however hard you look].",
    "You look [again|once more|everywhere], [in vain|to no avail|and then again]: {t}",
];

/// Around the reason of a refusal, which stays as it is: a deed that the player has tried.
const REFUSED: &[&str] = &[
    "[No use|It is no use|Not so|That will not do|You get no further|Nothing comes of it|No]: {t}",
    "You [try|try it|mean to|make ready to|set about it], but {t}",
    "{s}, [and that is that|and there is no way around it|so you let it be].",
    "[As things stand|As it is], {t}",
];

/// Around good advice, which the player takes: `you had better leave the lamp as it is`.
const ADVISED: &[&str] = &[
    "[On second thoughts|All in all], {t}",
    "[You think again|You think better of it]: {t}",
    "{s}, [so you let it be|as you well know].",
];

/// Around the news that what the player wants is so already.
const ALREADY: &[&str] = &[
    "[No need|There is no need|Nothing is left to do]: {t}",
    "{s}, [so there is nothing to do|so that is done|so there is no need].",
];

/// Frames a refusal of something that [`is_tried`] calls no deed, so no lead-in says that the player tries.
const NOT_NOW: &[&str] = &[
    "[As things stand|For now|At the moment|Just now], {t}",
    "{s}, [for now|at the moment|as things stand].",
];

const TAKEN: &[&str] = &[
    "You [pick up|take up|lay hands on|reach for] {o} and [keep {o_it}|take {o_it} with you|hold on to {o_it}].",
    "{o} [{o_is} in your hands now|{o_is} with you now|come{o_s} with you from here on].",
    "You take {o} from {w}[| and keep {o_it}|, and {o_they} {o_is} yours now].",
    "You [reach out|bend|step closer], and a moment later you [have {o}|hold {o}|have {o} in your hands].",
    "Your hand closes on {o}[|, and you keep {o_it}|, and {o_they} come{o_s} with you].",
];

const DROPPED: &[&str] = &[
    "You [put {o} down|set {o} down|let {o} go|part with {o}] and [leave {o_it} {in_p}|leave {o_it} there|step back].",
    "{o} stay{o_s} [{in_p}|here|behind][|, where you can find {o_it} again].",
    "You [leave|set down] {o} [{in_p}|here], [where you can find {o_it} again|for now|and leave {o_it} there].",
];

const PUT: &[&str] = &[
    "[Now {o} {o_has} a place: {st}.|With a steady hand {st}.|You take your time, and {st}.]",
    "{s}, [and draw your hand back|where {o_they} can stay|and there {o_they} stay{o_s}|and step back].",
];

const OPENED: &[&str] = &[
    "{o} open{o_s} under your hand.",
    "You [set your hand to|try|lean on] {o}, and {o_they} open{o_s}.",
    "You [put|set] {w} to work, and {o_they} give{o_s} way.",
    "{s}, [and the way is clear|and nothing holds you back|and nobody stops you].",
];

/// What is unlocked is not open yet.
const UNLOCKED: &[&str] = &[
    "Something in {o} [slides back|clicks|gives]: {o_they} {o_is} locked no longer.",
    "You [put|set] {w} to work, and {o_they} {o_is} locked no longer.",
    "{s}, [and the bolt slides back|and hear the bolt go back].",
];

/// What is locked was closed before.
const LOCKED: &[&str] = &[
    "{s}, [and try {o_it} once to be sure|and hear the bolt go home].",
    "You turn {w}, and {o_they} stay{o_s} shut.",
];

const CLOSED: &[&str] = &[
    "{s}, [and try {o_it} once to be sure|and {o_they} stay{o_s} shut].",
    "[With a firm hand|Quietly|Without a word], {t}",
    "You turn {w}, and {o_they} stay{o_s} shut.",
];

const GIVEN: &[&str] = &[
    "{o} [pass{o_es} from your hand to|go{o_es} to|belong{o_s} now to] {w}.",
    "You [hold out|hand over|part with] {o}, and {w} [take{w_s}|keep{w_s}|accept{w_s}] {o_it}.",
    "{w} [take{w_s}|receive{w_s}] {o} from your hands[| without a word|, and you let go].",
    "{s}, and [your hands are the lighter for it|let go of {o_it}|step back].",
];

const RECEIVED: &[&str] = &[
    "{subj} [put{subj_s}|lay{subj_s}] {o} into your hands.",
    "{o} {o_is} yours now, [out of the hands of|thanks to|from] {subj}.",
    "{s}, and you [take {o_it}|close your hand on {o_it}|hold {o_it} a moment before you put {o_it} away].",
];

const SHOWN: &[&str] = &[
    "You hold {o} [up|out] so that {w} can see {o_it}[| well| closely].",
    "{w} [look{w_s} at|see{w_s}|stud{w_ies}] {o} in your hands[| for a moment].",
];

const WORN: &[&str] = &[
    "You [put on|slip on|get into] {o}[|, and {o_they} fit{o_s} well enough| and shake {o_it} straight].",
    "{o} {o_is} on you now[|, and you feel the better for it].",
];

const TAKEN_OFF: &[&str] = &[
    "You [take off|slip off|get out of] {o}[| and keep {o_it} in your hands| and hold on to {o_it}].",
    "{o} [come{o_s} off|{o_is} off you now].",
];

const CONSUMED: &[&str] = &[
    "{s}, [to the last of {o_it}|and feel the better for it|and nothing of {o_it} is left].",
    "Nothing is left of {o}.",
];

const LIT: &[&str] = &[
    "{o} [burn{o_s} now|{o_is} alight|catch{o_es}, and there is light].",
    "You bring light to {o}[|, and hold your breath until {o_they} burn{o_s}].",
    "You reach for {w}, and {o} {o_is} alight.",
];

const EXTINGUISHED: &[&str] = &[
    "{o} [go{o_es} out|{o_is} out now|{o_is} dark again].",
    "You put out {o}[|, and the light is gone|, and watch the light go].",
];

const FOUND: &[&str] = &[
    "[There:|Your patience is rewarded:|That was worth the trouble:|Your hands find what your eyes did not:] {t}",
    "You [search|feel your way|look twice], and [find|come upon|there you have] {o}.",
    "{o} [come{o_s} to light|{o_is} what you find].",
];

const NOTHING_FOUND: &[&str] = &[
    "You [search|go over|look through] {o} [with care|from end to end|twice|thoroughly], and [find nothing|come away with empty hands|there is nothing to find].",
];

const WAITED: &[&str] = &[
    "You let {d} [go by|pass] [{in_here}|without a word|and nothing is asked of you].",
    "You [wait|bide your time|stay where you are] for {d}.",
    "[{d} later|After {d}] you are still [where you were|{in_here}].",
    "For {d} you [wait|stay|stand still|do nothing but wait] [{in_here}|where you are].",
];

const CARRYING: &[&str] = &[
    "You [carry|have with you|have on you|are carrying|go about with] {list}.",
    "[With you|On you|In your keeping] {list_is} {list}.",
    "[You go through what you have|You count what is yours|You check what you carry]: {list}.",
    "What you [carry|have with you|can call your own here] {d_is} {list}.",
];

const WEARING: &[&str] = &[
    "You [wear|are wearing|have on|stand in] {list}.",
    "[What you have on is|You look down at yourself, and see] {list}.",
];

/// What is in or on a thing; `{in_o}` is `in the sack` or `on the table`.
pub(super) const CONTENTS: &[&str] = &[
    "You [see|notice|make out|can see] {list} {in_o}.",
    "{in_o} [{list_is}|you see|you notice|you make out] {list}.",
    "[Your eyes find|Your eye falls on|You look, and see] {list} {in_o}.",
    "{list} {list_is} [|there ]{in_o}.",
    "{c} hold{o_s} {list}.",
    "[What you see|What you can see] {in_o} is {list}.",
];

pub(super) const NO_CONTENTS: &[&str] = &[
    "[You see nothing|There is not a thing|Nothing is to be seen|You look, and there is nothing] {in_o}.",
    "{in_o} [there is nothing|you see nothing|nothing is to be seen].",
    "{o} hold{o_s} nothing[|, as you can see|, however you look].",
];

const DEED_CLASSIC: &[&str] =
    &["[With a steady hand|With some care|Without haste|Unhurriedly], {t}"];

const DEED_NOIR: &[&str] = &[
    "{s}, [no questions asked|and nobody says thank you|the way these things are done|and try not to think about it|for all the good it will do].",
    "[You have done worse:|It had to be done:|Call it a habit:|Nobody is stopping you, so] {t}",
];

const DEED_WHIMSICAL: &[&str] = &[
    "{s}, [as one does|which is quite like you|with a small bow to nobody in particular|and feel rather pleased about it|and nearly whistle].",
    "[With the greatest of ease|With a certain style|Quite as if you had practised], {t}",
];

const REFUSAL_NOIR: &[&str] = &[
    "[It figures:|Of course:|You might have known:|That kind of night:] {t}",
    "{s}, [like most things worth having|and nobody is going to make it easy|the way your luck has been going].",
];

const REFUSAL_WHIMSICAL: &[&str] = &[
    "[How very inconvenient:|Well, bother:|One does so hate to say it, but|With the deepest regret:] {t}",
    "{s}, [which is most inconsiderate|and makes no apology for it|and there is no arguing with that].",
];
