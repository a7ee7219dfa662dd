//! Other ways to say where the player is and what is there. Data only.

/// `{dir}` is the direction, where it is one of the compass or `up` and `down`.
pub(super) const MOVED: &[&str] = &[
    "You [go|walk|head|make your way] {dir} [and come to|and reach|until you reach|to] {p}.",
    "Your way [leads|takes you] {dir} to {p}.",
    "[A few steps|Some steps] {dir}, and you [have reached|are at|come to] {p}.",
    "You go {dir} through {w} and [come to|reach] {p}.",
    "[{w} lies behind you, and {p} before you.|You pass through {w} and come to {p}.]",
    "{dir_cap} [you go|it is], [to|and on to] {p}.",
];

/// Sentences that only list what is here. None says that the player finds it, since a search may have found nothing.
pub(super) const THINGS_HERE: &[&str] = &[
    "You [see|notice|make out|spot] {list}[| here| close by| {in_p}].",
    "[Here you see|Close by you see|Your eye falls on|Your eyes find|Within reach you see] {list}.",
    "{list} [{list_is} here|{list_is} within reach|{list_is} in plain sight|{list_is} close at hand].",
    "[{in_p} you see|{in_p} you make out|Of what is here, you notice] {list}.",
];

/// `{ways}` are directions and where they lead, `{way}` is the only one.
pub(super) const EXITS: &[&str] = &[
    "[From here you can go|From here you may go|You can go|You could go|It is possible to go] {ways}.",
    "[From {p} you can go|From {p} ways lead|Ways lead|The ways out lead|From here ways lead] {ways}.",
    "[There are ways|You know of ways|You see ways] {ways}.",
    "[From here you can go|From here you may go|You can go|You could go] {way}.",
    "[A way leads|A way from {p} leads|The way you see leads] {way}.",
];

pub(super) const WHEREABOUTS: &[&str] = &[
    "[This is|Around you is|The place is|You find yourself at|You have not moved from] {p}.",
    "[You are still|No doubt about it: you are|As far as you can tell, you are] {in_p}.",
];

/// Before the description of a place.
pub(super) const LOOK_AROUND: &[&str] = &[
    "You [look around|look about|take in|let your eyes go around|take a look around] {o}.",
    "You [stop|stand still|turn once] and [look around|take in|look over] {o}.",
    "{o} [lies|is] all around you.",
];

/// Before the description of a thing or person.
pub(super) const LOOK_AT: &[&str] = &[
    "You [look at|study|examine|consider|take a look at|look closely at|turn your eyes to] {o}.",
    "You [bend over|come closer to|step up to|turn to] {o} [and look|and take your time].",
    "You [bend over|turn to] {o} for a closer look.",
    "You give your attention to {o}[|, and take your time].",
];

/// The same where the description was told a short time ago.
pub(super) const LOOK_AT_AGAIN: &[&str] = &[
    "You [look at|study|examine|consider|turn back to] {o} [again|once more|a second time|another time].",
    "You take [another|a second|a longer] look at {o}.",
];
