//! Verbs of what people do that changes nothing: they are told back in the player's own words.

use super::Meaning::{self, Do, Gesture};
use crate::action::Verb;

/// Phrases with their meaning.
pub(super) const GESTURES: &[(&str, Meaning)] = &[
    // The body.
    (
        "smooth|smooth down|smooth out|trip|trip over|tense|tense up|stiffen|slouch|squint|glare|sneer|tut|click tongue|cluck|trace|fiddle|fiddle with|toy|toy with|fumble|fumble with|lurch|totter|recoil|nestle|snuggle|snuggle up|huddle|gnash|stifle|suppress|dab|wiggle|squirm|wriggle|twitch nervously|cower|cringe|lounge|loll|laze|bask|genuflect|prostrate myself|frolic|prance|gambol|romp|moonwalk|steer|gag|retch|vomit|throw up|puke|sweat|bleed|ache|starve|flex|gulp down air|raise voice|puff|puff out|pop head|stamp|stomp foot|stamp feet|stagger back|wipe brow|mop brow|brush hair|tuck hair|bite back|hang head|hold nose|pinch nose|clench|unclench|shuffle feet|swing legs|swing arms|swing feet|dangle legs|dangle feet|sway|shift weight|draw myself up|gather myself|stick out chin|jut|flutter|crinkle|wrinkle|scrunch|scrunch up|crumple|choke back|choke up|swallow tears|blush deeply|glow|melt|startle awake|jolt|whirl around|spin on heel|exhale slowly|whistle softly|hum to myself|murmur to myself",
        Gesture("sigh"),
    ),
    // What is felt, thought and wished.
    (
        "hate|adore|despise|loathe|detest|appreciate|envy|pity|resent|hope|hope for|wish|long for|crave|fear|spot|recognise|recognize|understand|expect that|assume|presume|suspect that|feel like|feel bad|feel better|feel good|feel strange|feel sick|feel dizzy|feel tired|feel sleepy|feel hungry|feel safe|feel brave|feel watched|feel alone|marvel that|visualise|visualize|fantasise|fantasize|daydream about|consider whether|debate whether|debate with myself|weigh up|second guess|trust myself|lose patience|lose heart|lose nerve|lose myself|take heart|take courage|pluck up courage|muster|muster courage|give up|give in",
        Gesture("think"),
    ),
    // What is said without words of its own.
    (
        "bicker|babble|gush|rant|rave|joke|joke around|jest|crack joke|make joke|make small joke|banter|groan about|moan about|whine|whine about|nag|tut at|shush|hush|humour|sweet talk myself|offer to|volunteer|volunteer to|propose toast|raise toast|raise glass|clink|clink glasses|cheer loudly|boo|heckle|jeer|hiss at|blow raspberry|blow nose|click fingers at|snap fingers at|hold up hands|throw up hands|throw hands up|raise hands|raise both hands|put up hands|put hands up|put hands on hips|put hand over mouth|put hand to mouth|put finger to lips|hold finger to lips|wave off|wave away|dismiss|flinch from|back off from",
        Gesture("nod"),
    ),
    // What hands do.
    (
        "hold aloft|adjust|readjust|straighten|chop onions|slice onions|split|whisk|garnish|varnish|loosen tie|straighten tie|straighten hat|fix hat|tip hat|lift hat|raise hat|tip cap|adjust hat|adjust tie|adjust glasses|put hands in pockets|put hand in pocket|plait|braid|twist hair|twirl hair|play with hair|run hand through hair|run hands through hair|run fingers through hair|tap chin|stroke moustache|tap nose|tap head|rub chin|rub neck|rub temples|rub nose|rub arms|hug myself|hug knees|wrap arms around myself|wrap arms around knees|lie awake|ride|pedal|compete|play hopscotch|play tag|do dishes|do washing|do laundry|play solitaire|throw snowball|make snowman|make snowball|make snow angel|splash|splash about|splash around|dip toes|dip toe|dip foot",
        Gesture("busy yourself"),
    ),
    ("grip|clutch|clasp|get grip|get grip on|take grip|tighten grip on", Do(Verb::Take)),
    ("share|share out", Do(Verb::Give)),
    ("sniff out|feel for|feel about for|feel around for|grope for", Do(Verb::Search)),
    ("dare|double dare", Meaning::Sway("persuasion")),
];
