//! Further verbs of going, taking, putting and giving, each with the words that belong to it.

use super::Meaning::{self, Climb, Do, Lift, Put, Throw};
use crate::action::Verb;

/// Phrases with their meaning.
pub(super) const GOING: &[(&str, Meaning)] = &[
    (
        "ride for|ride off to|ride off|ride out to|nip|nip to|nip over|nip over to|nip through|nip down|nip down to|nip up|nip up to|nip along to|nip across to|nip back to|nip round to|\
         pop over|pop over to|pop out|pop out to|pop back|pop back to|pop back in|pop down|pop down to|pop up to|pop round to|pop along to|\
         pop across to|pop through|amble over to|amble up|amble up to|amble along|amble back|amble down|troop out|troop back|toddle off|\
         toddle off to|toddle over|toddle over to|traipse back|traipse over|plod on|plod back|plod along|plod over|pootle|pootle over|potter|\
         potter over|potter over to|potter along|potter back|patter|patter over|sashay|sashay over|strut over|strut out|glide over|flit|flit over|\
         bolt for|bolt out|bolt through|bolt back|bolt to|stalk off|stalk out|stalk over|march off|march off to|march over|march over to|march up|\
         march up to|march out|march in|march back|head off|head off to|head out|head out to|head over|head over to|head on|head on to|head up|\
         head up to|head down|head down to|head through|head in|head along|head across|head round|head straight|head straight for|head straight to|\
         beeline|beeline for|make tracks to|make exit|beat retreat to|make break for|run off|run off to|run along|run along to|run over|run over to|\
         run out|run in|run back|run back to|run up|run down|run across|step through|step across|step over|step over to|step up|step up to|step down|\
         step down to|step back in|step back to|step aboard|step foot in|step foot on|set foot in|set foot on|set forth|strike out|strike out for|\
         push on to|push past|press on to|press forward|push through|push through to|push on through|push way|push way in|push way through|\
         push way to|push way out|force way through|shoulder way|shoulder way through|carry on|carry on to|carry on through|carry on down|\
         carry on up|keep going|keep walking|keep on|keep moving|keep heading|get going|get move on|get across|get across to|get over to|\
         get over there|get up to|get down to|get through|get through to|get away|get myself|get myself to|get myself over to|get myself out|\
         get myself up to|get myself down to|take stairs|take path|take path to|take road|take road to|take way|take way to|take route to|take exit|\
         take passage|take passage to|take door|take me to|take us to|get us to|get me to|get me out|get us out|come in|come out|come out to|\
         come down|come down to|come up|come up to|come back to|come over to|pass through|pass through to|pass in to|pass on to|pass by|cross over|\
         cross over to|cross in to|slip through|slip away|slip back|slip back to|slip down|slip down to|slip up|slip up to|slip over to|\
         slip across to|slip round to|slide back to|slide through|squeeze past|squeeze by|squeeze through|squeeze past to|squeeze along|shoot off|\
         shoot off to|shoot out|shoot back|shoot over|shoot over to|shoot through|zip over|zip over to|scuttle|scuttle off|scuttle back|scuttle over|\
         scurry off|scurry off to|scurry back|scurry over|scamper off|scamper back|scamper over|trot over|trot over to|trot off|trot off to|\
         trot back|trot along|trot down|trot up|canter|hobble|hobble over|hobble over to|hobble out|hobble back|hobble along|shamble|shamble over|\
         shamble off|slouch off|slouch over|slog up|slog back|trek to|trek over|hike up|hike over|hike to|clump|clump over|clump down|clump up|clomp|\
         clomp over|clomp down|stomp off|stomp over|stomp out|stomp back|tread over|tread softly to|wend|wend way to|thread way|thread way through|\
         thread way to|pick way over|pick way across|pick way through|pick way to|inch|inch forward|inch along|inch over|inch to|edge along|\
         edge over|edge over to|edge in|edge out|edge through|edge to|dash off|dash off to|dash out|dash back|dash over|dash over to|dash up|\
         dash down|dash through|hasten|hasten to|hasten back|hasten over|hasten out|hurry off|hurry off to|hurry out|hurry in|hurry back|\
         hurry back to|hurry over|hurry over to|hurry on|hurry along|hurry down|hurry up to|hurry through|rush off|rush off to|rush out|rush in|\
         rush back|rush back to|rush over|rush over to|rush up|rush down|rush through|wander off|wander off to|wander out|wander in|wander over|\
         wander over to|wander back|wander along|wander down|wander up|wander through|wander around to|stroll off|stroll out|stroll in|stroll over|\
         stroll over to|stroll back|stroll along|stroll down|stroll up|stroll through|saunter off|saunter out|saunter in|saunter over|\
         saunter over to|saunter back|saunter through|walk off|walk off to|walk out|walk out to|walk over|walk over to|walk up|walk up to|walk down|\
         walk down to|walk through|walk through to|walk across|walk across to|walk along|walk back|walk back to|walk on to|walk round|walk round to|\
         walk around to|walk away|walk straight|walk past|tramp back|tramp over|tramp off|trudge back|trudge over|trudge off|trudge on|trudge up|\
         trudge down|trudge through|wade over|wade across|wade through|wade back|wade out|wade in|let myself through|let self out|duck under|\
         duck past|duck out through|burst out|burst through to|barge in|barge out|barge past|barge way in|disembark|alight|hop aboard|hop off|\
         hop over to|hop down|hop back|hop in|hop out|jump aboard|climb aboard|climb down to|make it to|make it back to|make it over to|\
         make for door|venture out|venture in|venture down|venture up|venture back|venture further|venture through|proceed through|proceed down|\
         proceed up|proceed back|continue on|continue on to|continue through|continue down|continue up|continue along|move over to|move along|\
         move along to|move through|move through to|move up|move down|move back|move back to|move out|move off|move off to|move in|go on through|\
         go along|go along to|go across|go across to|go through to|go round|go round to|go around to|go up to|go down to|go off to|go straight|\
         go straight to|go right|go and stand|go stand|go stand in|go stand by|go stand at|go wait in|go wander|go exploring|return back|double back|\
         backtrack|turn tail|turn around and go|turn round and go|about turn|quit|quit room|vacate|exit through|exit via|exit by|leave by|\
         leave through|leave via|leave for|buzz off|scarper|scarper to|do runner|do one|bugger off|tear off to|tear out|tear back|tear along|\
         leg it back|leg it out|leg it over|mosey along|mosey back|mosey through|sidle out|sidle in|sidle over|sidle past|sidle along|sidle back|\
         lurch to|lurch over to|lurch out|stagger to|stagger out|stagger over to|stagger back to|stagger up to|stagger in|stumble out|stumble in|\
         stumble over to|stumble back|stumble through|stumble to|stumble down|stumble up|totter over|totter over to|totter out|weave through|\
         weave way through|wind way through|feel way to|feel way along|feel way out|feel way down|grope way to|grope way along|crawl out|crawl in|\
         crawl through|crawl along|crawl over to|crawl back|crawl under|crawl to|wriggle through|wriggle out through|creep home|go ashore|go aboard|\
         go under|go topside|go outdoors|step outdoors|dart over|dart over to|dart across|dart through|dart to|zoom over|zoom off|bound up|\
         bound down|bound in|bound out|waltz in|waltz out|waltz over|waltz through|swagger over|swagger in|swagger up to|swagger out|shuffle over|\
         shuffle over to|shuffle off|shuffle off to|shuffle out|shuffle in|shuffle back|shuffle along|drift over|drift over to|drift out|drift back|\
         drift through|drift in|drift along|roam over|ramble over|gravitate to|bring myself to|drag myself|drag myself to|drag myself over|\
         drag myself back|haul myself to|haul myself over|heave myself over|betake myself|betake myself to|hie|remove myself|remove myself to|\
         absent myself|teleport",
        Do(Verb::Go),
    ),
    (
        "clamber in|clamber out|clamber on|clamber on to|clamber up on|clamber up to|clamber back|scramble up|scramble down|scramble over|\
         scramble out|scramble back|scramble on|scramble in|shin up|shin down|shinny|shinny up|shinny down|heave myself up|heave myself up on|\
         pull myself up on|haul myself up on|hoist myself up on|hop up on to|get up on|get up on to",
        Climb,
    ),
    (
        "heft|hoick up|hoick out|scrump|lay hold|take charge|take custody|equip myself with|load up with|rake in|rake up|haul out|heave out|fish up|\
         break off|pinch off|pop in bag|stick in bag|shove in bag|stuff in bag|stow in bag|sling in bag|drop in bag|chuck in bag|stuff in pocket|\
         stuff in pockets|cram in pocket|jam in pocket|ram in pocket|thrust in pocket|pop in pocket|push in pocket|sneak in pocket|whip in pocket|\
         tuck away|bag up|pick back up|pick it up|swoop in on|grab and pocket|get ahold|wrap fingers around|close fingers around|close hand around|\
         close fist around|wrap hand around|curl fingers around|fold fingers around|keep hold|take for myself|take with me|take along with me|\
         bring with me|haul away|lug off|tote|shoulder up|hoist up|hoist on to shoulder|heave on to shoulder|sling over shoulder|swing over shoulder|\
         throw over shoulder|put over shoulder|hang over shoulder|tuck in belt|stick in belt|shove in belt|slide in belt|thrust in belt|hang on belt|\
         tuck in waistband|stick in waistband|tuck under coat|hide under coat|hide in coat|slip in coat|tuck in coat|tuck in sleeve|slide up sleeve|\
         slip up sleeve|tuck up sleeve|tuck behind ear|stick behind ear|put behind ear|clutch to chest|hug to chest|hold to chest|gather in arms|\
         gather up in arms|scoop in arms|scoop up in arms|lift in arms|have it away with|purloin quietly|commandeer|confiscate|impound|snaffle|\
         snap up|opt for|settle for|select|pick for myself|fetch down|fetch out|fetch up|get down|lift from hook|take from hook|unhang|\
         take down from|get hands on|bring here|bring over|salvage from|ease loose|prise loose|pry loose|work loose|pull loose|tug loose|wiggle out|\
         wiggle loose|wriggle out from|work out from|prise out|pry out from|tease out|coax out|jimmy out|dig free|tug free|yank free|wrench free|\
         wrest free|unfix|unstick|unwedge|disentangle|extricate|pull clear|lift clear|drag clear|drag out|whip out|slip out from|hoover up|sweep off|\
         lift up off|take up off",
        Do(Verb::Take),
    ),
    (
        "leave lying|unload|offload|unburden myself|cast off|toss aside|throw aside|fling aside|throw down|fling down|toss down|sling down|\
         sling aside|chuck down|cast down|plonk down|dump down|slam down|slap down|bang down|rest down|lower to floor|lower to ground|\
         lay to one side|set to one side|put to one side|place to one side|let slip|let tumble|let clatter|leave there|leave it be here|\
         leave on floor|leave on ground|drop on floor|drop on ground|drop to floor|drop to ground|toss on floor|throw on floor|throw on ground|\
         throw to ground|chuck on floor|chuck on ground|dump on floor|dump on ground|sling on floor|fling on floor|fling to floor|fling to ground|\
         place on floor|place on ground|rest on floor|rest on ground|set back down|put back down|lay back down|do away with|shuck|\
         open hand and let go",
        Do(Verb::Drop),
    ),
    (
        "whack on|lodge|lodge in|nestle in|nestle on|nestle among|spread on|spread over|spread out on|lay out on|set out on|set up on|stand up on|\
         stand up in|impale on|scatter|scatter on|scatter in|decant|restore|restore to|tidy away|tidy in|tidy back in|tumble in|topple in|lower in|\
         lower on|lower down on|let down in|slot in|slot in to|lean on wall|rest against|prop up|prop up on|prop against|stand against|plant on|\
         dangle in|hang over|hang on hook|drape over|drape across|lay across|lay over|lay under|lay beside|place beside|place near|place under|\
         place behind|hide among|tuck under|tuck behind|tuck in beside|tuck back in|shove back in|stuff back in|pop back on|pop in|slide back in|\
         slip back in|stick back in|stick back on|drop back in|drop back on|chuck back in|sling in|sling back in|fling in|toss back in|toss back on|\
         throw back in|set down on|lay down on|plonk down on|plonk on table|dump on|dump in|dump out on|place back on|place back in|lay back on|\
         lay back in|rest back on|seal in|shut in|shut up in|lock away in|lock up in|enclose in|encase in|wrap up|insert in|insert in to|push in to|\
         screw in to|load in|load in to|load on|load on to|load up|store away in|store away|stow away|stow away in|pack away|pack away in|pack up|\
         squash in|squish in|scrunch in|force in|ram in|rest atop",
        Put,
    ),
    ("sling at|lob at|catapult|shy at", Throw),
    (
        "lever up stone|swing back|pull off cover|take off cover|draw off|whisk away|whisk off|whisk aside|flick aside|brush aside|sweep aside|\
         nudge aside|kick aside|kick away|shift aside|slide over to one side|shuffle aside|pull out from wall|pull away from wall|peel up|peel away|\
         lift up corner|lift up edge|turn back corner|roll up corner|raise corner|raise edge|unroll corner",
        Lift,
    ),
    (
        "foist on|force on|dole out|cede|leave with|make gift|make present|pass around|offer up|reward with|reward|treat to|hand across|hand up|\
         hand down|hand along|hand on|hand straight to|pass up|pass down|pass across|pass round|pass back|give over|give across|give up to|\
         give in return|give as gift|give as present|bring over to|take over to|take back to|bring back to|carry over to|carry back to|\
         present as gift|lay at feet|drop in lap|put in lap|place in lap|toss over to|toss across to|throw across to|slip quietly to|make over to|\
         surrender up",
        Do(Verb::Give),
    ),
];
