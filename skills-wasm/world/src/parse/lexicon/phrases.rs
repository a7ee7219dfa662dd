//! Verbs with the words that belong to them: `head over to`, `take a close look at`.

use super::Meaning::{self, Climb, Consume, Do, Gesture, Greet, Lift, Put, Sway, Throw};
use crate::action::Verb;

/// Phrases with their meaning.
pub(super) const PHRASES: &[(&str, Meaning)] = &[
    // Going, taking, putting and giving.
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
    // Everything else.
    (
        "get lay land|look about me|look around me|look all about|cast about|cast eye around|cast eyes about|sweep eyes around|let eyes adjust|\
         let eyes wander|have good look round|have nosy|have nosy around|get look around|check out room|check out place|take in view|take in room|\
         scope out place|scope place out|suss out place|reconnoitre",
        Do(Verb::Look),
    ),
    (
        "size up|run eye over|run eye along|run eyes along|run eye down|run eyes down|cast eye at|cast eyes on|cast glance over|cast look at|\
         get look at|get good look at|take squint at|get gander at|squint through|squint in|squint down|gawk|gawp at|gawp|goggle at|scope out|scope|\
         eyeball|get load|zoom in on|look hard at|look carefully at|look more closely at|look straight at|look right at|look directly at|\
         look again at|look long and hard at|fix eyes on|fix gaze on|rest eyes on|set eyes on|lay eyes on|feast eyes on|lock eyes with|\
         lock gaze with|make eye contact with|turn gaze to|turn eyes to|stop to look at|pause to look at|stop to admire|pause to admire|\
         stop to examine|bend over to look at|gaze from|peer from|stare from|stare out at|stare out through|gaze out at|gaze out through|peep out at|\
         gaze up at|gaze down at|peer down at|peek over|peep over|look out over|look out across|gaze over|gaze across|gaze out over|give look|\
         check over|look up and down|take close look at|appraise with eye|suss out|clap eyes on|watch closely|inspect closely|examine closely|\
         get eyes on|set eye to|turn over in hands|turn over in hand|turn over in fingers|hold up to light|hold to light|hold up against light|\
         check state|check condition|glance down at|glance back at",
        Do(Verb::Examine),
    ),
    (
        "rifle|root about|rake through|turn in out|feel around under|feel around behind|feel about under|feel about behind|fumble about in|\
         fumble around|fumble under|fumble behind|grope about in|grope behind|grope around|grope about|dig in through|probe|probe in|probe behind|\
         probe under|have root around in|have rummage in|have rummage through|have dig through|have nose around in|look over behind|check through|\
         sweep under|reach down behind|reach around behind|reach up in|reach deep in|reach between|put arm in|stick arm in|stick arm down|\
         shove arm in|plunge arm in|slide hand in|slide hand under|slide hand behind|slip hand under|slip hand behind|run hand behind|\
         run fingers under|poke head in|stick head in|stick head under|poke nose in|stick nose in|pat around in|pat around|hunt around in|\
         hunt around for|hunt about in|hunt about for|hunt around|hunt about|hunt|scrabble behind|scrabble about in|scrabble around in|scrabble for|\
         scrabble through|scrabble|tip out|tip out contents|turn out contents|search around in|search about in|search round|cast about for|\
         look all over|look everywhere in|look everywhere for|look all around in|look all through|pick over|thumb around in|go through contents|raid|\
         scavenge|scavenge in|scavenge through|strip search|pat over|check out in|fossick|fossick in|burrow in|burrow through|\
         get down and look under|crouch and look under|kneel and look under|bend and look under|bend down and look under|stoop and look under|\
         investigate in|inspect contents|examine contents|check contents|look at contents|see contents",
        Do(Verb::Search),
    ),
    (
        "scan over|skim over|skim through|skip through|glance down page|look through pages|run finger down|make out writing on|make out words on|\
         make out lettering on|make out what is written on|puzzle out writing on|have read|have quick read|take read|get reading|settle down with|\
         settle down to read|read to myself|read to end|read out to|read up about|dip in to pages|study text|study writing on|study words on|\
         see what is written on|see what is written in|have flick through|bury nose in|curl up with",
        Do(Verb::Read),
    ),
    (
        "look around for|look about for|hunt down|scout for|scout around for|keep eye out for|keep eyes peeled for|spot where|dig up where",
        Do(Verb::Find),
    ),
    (
        "hold up for|hold up before|hold up in front|hold aloft|wave under nose|waggle at|dangle at|dangle before|dangle in front|flaunt|\
         draw attention to|call attention to|present to|unveil|lay before|spread before|hold before|raise for all to see|give look at|give sight|\
         let look at|let inspect|let examine",
        Do(Verb::Show),
    ),
    (
        "plonk on|plonk on head|stick on head|jam on|jam on head|jam down on head|cram on|ram on|shove on|chuck on|fling on|whack on head|whip on|\
         wrestle on|wriggle in to|step in to|dress myself in|dress up in|swathe|swathe myself in|snuggle in to|slip over head|pop over head|\
         slide on finger|slip on to finger|slide on to finger|put round neck|put round shoulders|put around shoulders|put over shoulders|\
         throw over shoulders|throw around shoulders|throw round shoulders|pull over ears|pull on over|shrug in to|shrug back on|pull back on|\
         slip back on|slip back in to|get back in to|change back in to|buckle up|do up buttons on|fasten up|try for size|try on for size|dress up|\
         dress myself|adorn myself with|perch on head|set on head|place on head|pull on head|pull down over ears|wrap around neck|wrap round neck|\
         wrap about neck|throw around neck|throw round neck|sling around neck|pin on|pin to chest|pin to coat|pin to lapel",
        Do(Verb::Wear),
    ),
    (
        "ease from|peel from|strip from|slide off finger|slip off finger|pull from finger|ease off finger|tug off finger|prise off feet|drag off|\
         haul off|shuck off|shake off|slough off|struggle from|squirm from|extract myself from|untangle myself from|step from|climb from|\
         take back off|take off again|pull over head and off|hang up coat",
        Do(Verb::TakeOff),
    ),
    (
        "wolf|vacuum up|sink teeth in|get stuck in|get stuck in to|tear in to|lay in to|graze on|feed on|swallow whole|stuff face with|\
         stuff mouth with|stuff myself with|fill belly with|fill stomach with|crunch up|munch up|munch down|munch away|munch away on|nosh|nosh on|\
         cram in mouth|stuff in mouth|stick in mouth|shove in mouth|toss in mouth|drop in mouth|slip in mouth|place in mouth|ram in mouth|make meal|\
         make quick work|snarf|snarf down|chow|inhale down|gobble down|gobble whole|crunch through|chew up|chew through|chew down|nibble away at|\
         have munch|have nibble on|have chew on|have mouthful|take big bite|try bite|try nibble|try mouthful|dispatch|demolish whole|finish eating|\
         polish off whole|eat all|eat whole|eat every bit|eat every last crumb|eat down to crumbs|slurp up|slurp down|sate hunger with|\
         satisfy hunger with|stave off hunger with|break fast with|dine|feast|snack",
        Do(Verb::Eat),
    ),
    (
        "drink down|drink off|drink deep|drink deeply|drink deeply from|see off|moisten lips with|slake thirst with|quench thirst|slake thirst|\
         toss down throat|pour down throat|tip down throat|throw down throat|swallow in one|drink in one|drink in one go|down in one go|\
         drink to dregs|drain to dregs|drain to bottom|empty in one|empty in one go|raise and drink|lift to lips|raise to lips|put to lips|\
         bring to lips|hold to lips|tip to lips|carry to lips|have gulp|have swallow|have draught|take draught|take long drink|take long pull|\
         have slurp|take slurp|finish drink|finish drinking|gargle",
        Do(Verb::Drink),
    ),
    ("treat myself", Consume),
    (
        "roll open|swing back door|throw wide|throw wide open|fling open|fling wide|fling wide open|swing wide|swing wide open|tear wide open|\
         pop catch|pop catches|pop catches on|undo catch|undo catches|undo catches on|undo catch on|undo clasp|undo clasps|undo clasp on|undo straps|\
         undo straps on|flip catches|flip catches on|flick catches|flick catches on|snap catches|snap catches on|click catches|release catches|\
         release catches on|thumb open|unclasp|unhasp|unbuckle|unhitch|lift latch|lift latch on|raise latch|raise latch on|slip latch|slip latch on|\
         draw bolt|draw bolt on|draw back bolt|draw back bolt on|pull back bolt|slide back bolt|slide back bolt on|shoot back bolt|unsnap|unstop|\
         split open|shoulder gently open|kick gently open|push wide|push wide open|pull wide|pull wide open|bust open gently|get to open|make open|\
         wrestle open|struggle open|inch open|edge open|ease back lid|ease up lid|lift up top|raise top|take top off|take top off from|\
         take cover off|pop top off|pop top|pop lid|pop lid on|flip up lid|flip lid on|swing up lid|turn back lid|open wide|open right up|open out|\
         open back up|reopen|unplug top|unseal envelope|slit open|slice open|rip seal on|peel open|peel back lid|pull back curtain|draw back curtain|\
         pull open curtains|throw open curtains|unshutter|throw open shutters|twist open|unscrew top|unscrew lid|unscrew lid on|screw off lid|\
         twist off lid|twist off cap|take cap off|pull cork|pull cork from|draw cork|draw cork from",
        Do(Verb::Open),
    ),
    (
        "put shut|click to|clap shut|clang shut|bang to|seal up|draw to|let swing shut|let fall shut|let slam|flip down|flip lid down|lower lid|\
         lower lid on|drop lid on|let lid fall|press shut|press closed|press lid down|push lid down|push lid shut|pull lid down|kick shut|\
         kick closed|nudge shut|nudge closed|shoulder shut|lean shut|push back shut|pull behind me|shut behind me|close behind me|slam behind me|\
         shut after me|close after me|pull to behind me|shut back up|close back up|shut again|close again|close over|close out|shut out|\
         shut tight behind me|seal tight|seal shut|fold closed|snap lid shut|snap to|click shut behind me|put cover back on|put top back on|\
         screw lid back on|screw top back on|put cap back on|shut securely|close firmly|clunk shut|thud shut",
        Do(Verb::Close),
    ),
    (
        "lock tight|deadbolt|lock securely|lock behind me|lock after me|lock back up|turn key on|bolt shut|bolt up|throw bolt|shoot bolt|\
         shoot bolt on|slide bolt home|lock down",
        Do(Verb::Lock),
    ),
    (
        "undo with key|work key in|turn key in door|let key turn in|try key on|try key in|try key in lock|stick key in lock|fit key in lock|\
         put key to|set key to lock|pop lock|pop lock on|release bolt|release padlock",
        Do(Verb::Unlock),
    ),
    (
        "have go on|have go with|have go at|have try at|start up|power up|flip switch|flip switch on|throw switch|throw switch on|flick switch|\
         flick switch on|hit switch|hit switch on|throw lever|throw lever on|give whirl|mess with|mess around with|mess about with|meddle with|\
         muck about with|muck around with|play about with|play around with|have play with|test|test out|work at|get working|get running|get started|\
         make work|make run|bring to life|coax to life|kick start|get to work|press down on|work handle|work handle on|work lever|work lever on|\
         set to work with|make good use|put through paces|fumble at controls|fiddle about with|twiddle knobs on|twiddle knob on|turn knob on|\
         turn dial on|turn handle on|spin dial on|tap keys on|tap away at|tap away on|pound away at|tinkle on|tootle on|play tune on|play song on|\
         play note on|pick out tune on|bash away at|bang away on|hammer away at|point through|look through lens|take potshot with",
        Do(Verb::Use),
    ),
    (
        "thumb on|nudge on|get burning|get blazing|get flickering|set ablaze|set aflame|set fire to|set flame to|hold flame to|touch flame to|\
         hold lit match to|touch lit match to|put lighter to|put fire to|spark|spark up|strike up light on|bring flame to|bring match to|\
         flick in life|flick on switch|get glowing|light again|switch back on|turn up wick|turn up wick on|make burn|coax flame from|coax alight|\
         get fire going in|get fire going|get fire lit in|start blaze in|kindle fire in|light fire in|light fire under|light flame in|light wick on|\
         light wick",
        Do(Verb::Light),
    ),
    (
        "snub out|stamp out|thumb off|nudge off|switch down|turn back off|switch back off|put back out|turn down wick|cut power to|cut light|\
         cut lights|kill beam|pinch wick|pinch flame|blow candle out|blow on flame|let die|let burn out|dowse|shut down",
        Do(Verb::Extinguish),
    ),
    (
        "put back in to|lean in to hard|lean weight against|lean weight in to|lean hard on|lean hard against|shove hard against|press firmly on|\
         press hard on|press on button|push down on|push down|push hard on|push hard against|push with all might|put weight behind|throw weight on|\
         set back against|brace against|set hand to|put hand to|put palm to|give button push|poke button|poke at button|stab button|stab at button|\
         hit big button|jab button|jab at button|punch in button|nudge with foot|nudge with toe|prod with foot",
        Do(Verb::Push),
    ),
    (
        "pull down on|tug hard on|tug hard at|tug down on|heave back on|haul back on|drag on|drag down|drag at|draw down|draw back on|yank hard on|\
         yank down on|pull handle on|pull lever on|pull cord on|pull chain on|pull string on|pull rope on|lay on rope|lean back on",
        Do(Verb::Pull),
    ),
    (
        "wind handle|wind handle on|turn handle|turn wheel on|turn crank|turn crank on|work crank|crank handle|crank handle on|crank away at|\
         spin wheel on|spin handle|twist handle|twist handle on|twist knob on|wrench wheel|turn hard|turn tap|turn tap on|open tap|open valve|\
         turn valve|put back in to winding|wind away at|set spinning|give spin|turn full circle|turn slowly",
        Do(Verb::Turn),
    ),
    (
        "strike up chat with|strike up chat|strike up conversation|get chatting|get chatting to|get chatting with|get talking|\
         fall in to conversation with|fall to talking with|fall to chatting with|draw in to conversation|have natter to|pass time with|bend ear|\
         chew fat with|shoot breeze with|hobnob with|mingle with|rap with|yak with|yak to|blether with|blether to|gab with|gab to|prattle to|\
         prattle with|prattle at|chatter to|chatter with|chatter away to|speak again to|speak again with|talk again to|talk more with|talk more to|\
         go talk to|go talk with|go speak to|go speak with|go chat with|go chat to|go have word with|go and have word with|have talk with|\
         have talk to|have long talk with|have heart to heart with|have tete tete with|sit down and talk to|sit down and talk with|sit and talk with|\
         sit and talk to|sit and chat with|say something to|say word to|say few words to|open talks with|make contact with|make acquaintance|\
         make conversation|break ice with|engage in talk with|engage in chat with|interact with person|communicate with|commune with|consult with|\
         touch base with|get in touch with|get word with|snatch word with|swap stories with|swap gossip with|swap news with|raise voice to|\
         put in word with|turn and speak to|turn to speak to|turn to face|turn round to face|turn around to face|try talking to|try to talk to|\
         try speaking to|try to speak to",
        Do(Verb::Talk),
    ),
    (
        "press for information|press for information about|press for details about|press for details on|probe about|pester about|ply with questions|\
         cross examine|cross question|interrogate about|put to|see what thinks about|find out from|draw out about|draw out on|ask for opinion about|\
         ask for opinion on|ask for word about|ask for news about|ask for news|ask for information about|ask for information on|ask for advice about|\
         ask for advice on|ask for story|ask for help with|ask advice|ask directions|ask directions to|ask way to|steer conversation to|\
         steer conversation round to|steer talk to|bring conversation round to|bring conversation to|bring talk round to|move conversation to|\
         move conversation on to|shift conversation to|change subject to|get on to subject|turn talk to|touch on|touch on subject|sniff out from|\
         pick up conversation about|have question about|have question for|have questions about|have questions for|put in question about|\
         make enquiries about|make inquiries about|make enquiry about|make inquiry about|go ask|go ask about|throw out question about|query about|\
         quizz|sound out about|tap for information|hit up for information about|have it out with",
        Do(Verb::Ask),
    ),
    (
        "fill in|fill in on|fill in about|bring up to speed on|bring up to date on|break news|break it to|let know|let know about|let in on|\
         put in picture about|give news|give account|give report on|give full account|pass on news|pass on message|share news|share news with|\
         share story with|spill beans|spill beans about|come clean|come clean about|come clean to|unburden myself to|pour out heart to|\
         pour heart out to|open up to|open up about|open heart to|whisper about|whisper news|drop hint about|hint at|hint about|let slip about|\
         make mention|make clear to|point out how|swear blind|vow to tell|give tip off about|tip off|tip off about|spread word about|sing praises|\
         regale|regale with|regale with tale|enlighten|enlighten about|acquaint with|apprise|put wise|put wise about|talk about how|caution|\
         caution about|put on guard|raise alarm about",
        Do(Verb::Tell),
    ),
    (
        "sing out to|grunt out|rasp|wheeze out|gasp out|purr|whimper out|sob out|blubber out|spit out|cry to|exclaim loudly|say aloud|say out loud|\
         say loudly|say quietly|say softly|think out loud|shout out|shout out to|shout across to|shout over to|shout down to|shout up to|\
         yell over to|yell across to|yell out|yell out to|scream at|scream out|call across to|call over to|call down to|call up to|call after|\
         holler at|holler to|bellow at|hiss to|whisper back|mumble to|mumble something|mutter something|mutter at|mutter something about|swear oath|\
         read aloud from memory",
        Do(Verb::Say),
    ),
    (
        "bid good day|bid good morning|bid good evening|bid good afternoon|bid good night|bid welcome|bid hello|bid greeting|wish happy|wish merry|\
         say how do you do|say how do you do to|say howdy|say howdy to|say yo|say yo to|say greetings|say greetings to|say good night|\
         say hi there to|give nod to|give hello to|give friendly wave to|throw wave at|throw salute|tip hat to|touch hat to|touch cap to|lift hat to|\
         raise hat to|doff cap to|make introductions|make bow to|drop curtsey to|wave at and say hello|say warm hello to|call out greeting|\
         call out greeting to|call hello|call hello to|shout hello|shout hello to|shout greeting to|yell hello to|hullo there|hiya there|hello there|\
         hi there|hey there|howdy there|yoo hoo|knock knock|delighted to meet",
        Greet,
    ),
    (
        "wile away|pass hour|pass few minutes|pass few hours|pass minutes|pass afternoon|pass evening|pass night|pass morning|pass while|\
         spend minutes|spend few minutes|spend while|spend afternoon|spend evening|spend morning|spend day|idle away|idle away time|idle away hour|\
         sit out|sit out storm|sit out rain|give it minute|give it minutes|give it few minutes|give it five minutes|give it ten minutes|\
         give it moment|give it while|give it hour|give it time|cool heels|sit back and wait|see out|fritter away|fritter away time|waste time|\
         waste hour|waste few minutes|let hours pass|let hour pass|let minutes pass|let minute pass|let while pass|let time go by|let hours go by|\
         let night pass|let day pass|hold fire|do nowt|do nothing for|do nothing at all|chillax|kill hours|kill minutes|kill minute|kill afternoon|\
         kill evening|kill morning|kill half hour|kill bit time|kill few minutes|kill ten minutes|kill five minutes|kill while|burn time|burn hour|\
         bide time until|hang tight|hang on minute|hang on moment|hang on while|hang fire|wait up|wait out|wait about|wait about for|wait it out|\
         wait and see|wait and watch|wait and listen|wait patiently|wait more|wait bit|wait little|wait little longer|wait while|stop for moment|\
         stop for while|stop and rest|stop and think|stop where i am|pause for while|rest awhile|rest for while|rest for moment|rest for bit|\
         rest bit|rest legs|rest feet|rest bones|rest weary bones|rest against wall|take load off|take weight off feet|put feet up for|\
         sit down and wait|sit and rest|sit for while|sit and do nothing|sit quietly|sit down for while|stand and wait|stand quietly|stand guard|\
         stand watch|keep vigil|lay low|hang around here|stick around|stick around for|stay for while|stay bit longer|stay where we are|take time|\
         take time out|take pause|take quick break|take short break|have sit down|have sit|have quick rest|have short rest|skip ahead|fast forward|\
         skip time|skip forward|jump ahead|advance time|sleep with eyes open",
        Do(Verb::Wait),
    ),
    (
        "hit pillow|rest up|have siesta|take siesta|have snooze|take snooze|get forty winks|grab nap|grab quick nap|grab kip|grab shut eye|\
         grab shuteye|catch z|catch zs|catch forty winks|snatch sleep|snatch nap|steal nap|climb in to bed|climb in bunk|crawl in to bed|\
         crawl in to bunk|get in to bed|get in bunk|tuck myself in|settle down in bed|settle down for nap|settle for night|shut eyes and sleep|\
         close eyes and doze|lay down to sleep|lay down for nap|lie down for nap|lie down to sleep|drowse|slumber on|hibernate|have forty winks on|\
         make bed and sleep|sleep it off|sleep on it|sleep here|sleep awhile|sleep for while|sleep for few hours|sleep through|sleep through night|\
         doze for|doze in|doze on|nap on|nap in|nap for",
        Do(Verb::Sleep),
    ),
    (
        "see what i have got|see what i have on me|see what i have with me|see what is in pockets|see what i own|see what i packed|\
         see what i have packed|check what is in pockets|check what i have on me|check what i have with me|check carrying|check gear|check kit|\
         check load|check supplies|check equipment|check stock|check satchel|check backpack|check rucksack|check hands|check coat pockets|\
         take stock gear|go through belongings|go through things|go through bag|go through pack|go over belongings|inventory check|inventory please|\
         open pack|show pockets|show belongings|show stuff|show items|show gear|show bag|empty out pockets|pat myself down|pat pockets down|\
         rifle pockets|rifle through pockets|rifle through things|rifle own pockets|rummage through things|rummage through belongings|\
         dig around in pockets|dig about in pockets|feel around in pockets|feel about in pockets|hunt through pockets|sort through things|\
         sort through belongings|sort pockets|tally things|tally up belongings|count things|count up things|list stuff|list equipment|list gear|\
         what do i carry",
        Do(Verb::Inventory),
    ),
    (
        "look for exit|look for exits|look for door out|look for doors|look around for exit|look around for exits|look around for way out|\
         scan for exits|survey exits|count exits|count doors|show ways out|show me way out|show doors|list doors|list directions|list paths|\
         where next|where now|find exit|find door|locate exit|locate exits",
        Do(Verb::Exits),
    ),
    (
        "check clock|check watch|look at clock for time|consult watch|consult clock|see what time it is|see time|find out time|\
         find out what time it is|ask hour|get time|tell me time|clock time|what hour",
        Do(Verb::Time),
    ),
    (
        "look at self|take look at myself|have look at myself|look me over|check self|check appearance|inspect myself|look at clothes|study myself|\
         regard myself|remember who i am|remind myself who i am|recall who i am|recall name|remember name|introduce self to me",
        Do(Verb::WhoAmI),
    ),
    (
        "see who else is here|look who else is here|check who else is here|check for people|scan for people|look around for others|look for others|\
         look for anybody|look for anyone|look around for anyone|see if anyone is here|see if anybody is here|see if anyone is around|\
         see if anyone else is here|check if anyone is here|check whether anyone is here|list people|show people|show characters|list characters|\
         count people|count heads",
        Do(Verb::WhoIsHere),
    ),
    (
        "relieve quietly|whip from under|whip away from|filch quietly|nab from|sneak from|slip from pocket|slip from belt|lift off belt|\
         lift out pocket|lift from pocket|lift from belt|pick from pocket|pluck from pocket|unhook from belt|unclip from belt|snatch from hand|\
         snatch from|snatch out hand|grab from hand|liberate|abscond with|smuggle out|smuggle away|pocket on sly|pocket on quiet|take on sly|\
         take on quiet|take unseen|take without asking|take without permission|help myself quietly to|deprive|dispossess",
        Do(Verb::Steal),
    ),
    (
        "jiggle hairpin in|work hairpin in|poke hairpin in|stick hairpin in|use hairpin on|try hairpin in|try hairpin on|bend hairpin in|\
         wiggle hairpin in|fiddle with lock|fiddle with padlock|fiddle at lock|fumble with lock|tinker with lock|play with lock|mess with lock|\
         try picking lock|try picking|try to pick lock|attempt to pick lock|have go at lock|have go at picking lock|have go at padlock|\
         have crack at lock|set to work on lock|get to work on lock|go to work on lock|start on lock|probe lock|rake lock|rake pins|work pins|\
         feel out tumblers|beat lock|force lock with pin|coax lock",
        Do(Verb::PickLock),
    ),
    (
        "bust|bust open|bust down|bust in|bust through|put boot to|put boot through|put foot through|put fist through|put boot in to|take boot to|\
         take axe to|take crowbar to|take hammer to|take shoulder to|set crowbar to|put crowbar to|smash off|smash lock on|smash padlock off|\
         smash to bits|smash to pieces|smash up|hoof down|hoof open|bludgeon open|ram shoulder in to|ram shoulder against|slam shoulder in to|\
         slam shoulder against|throw shoulder against|throw shoulder at|throw shoulder in to|throw weight against|throw weight at|throw weight in to|\
         fling myself against|tear off hinges|wrench off hinges|take off hinges|kick off hinges|knock off hinges|break off hinges|wrench off lock|\
         tear off lock|rip off lock|break off lock|snap lock|snap padlock|break padlock|break padlock on|shoot lock|shoot lock off|shoot off lock|\
         pry apart|pull apart|rip apart|lever apart|dismantle|take apart|chop through|hack through|cut lock off|cut padlock off|splinter",
        Do(Verb::Force),
    ),
    (
        "biff|clock on jaw|lay out cold|swing for|lay in to with fists|take swipe at|swipe at|have swing at|have go at with fists|plant fist in|\
         drive fist in to|put fist in|smash fist in to|bury fist in|drive knee in to|head butt|rugby tackle|set about|set on|fall on|beat senseless|\
         beat to pulp|knock senseless|knock flat|knock to ground|knock to floor|wrestle to floor|bring to ground|garrotte|skewer|behead|poison|drown|\
         shove over cliff|give black eye|give thrashing|give beating|give bloody nose|give good kicking|give kicking|thrash|trounce|maul|\
         batter with fists|have at|come out swinging at|fire on|take shot at|take aim and fire at|draw sword on|cross swords with|cross blades with|\
         pick fight with|start fight with|start brawl with|brawl|finish off enemy|do in|take out enemy",
        Do(Verb::Attack),
    ),
    (
        "hit on|come on to|talk in to|argue in to|coax in to|wheedle from|coax from|cajole from|charm from|sweet talk in to|win round|get on side|\
         get in good books|make up to|make eyes at|flutter eyelashes at|lay it on thick with|turn charm on|chat up sweetly|state case to|\
         make appeal to|beg mercy|beg for mercy|beg leave|implore to|urge to|exhort|importune|nag in to|pester in to|twist arm to|bring around|\
         talk in to helping|get to see reason|get to change mind|get to give|get to let|get to lend|get to hand over|persuade to|convince to|\
         comfort gently|console gently|cheer up and persuade|calm nerves|talk off ledge|humour in to|drive bargain with|propose deal to|\
         propose bargain to|make bargain with|make offer to|slip bribe to|do swap with",
        Sway("persuasion"),
    ),
    (
        "lean on for|put fear god in|put wind up|put pressure on|put screws on|turn screws on|get in face|get right in face|get up in face|\
         get right up in face|get in face and growl|back in to corner|back up against wall|back against wall|grab by collar and|grab by lapels|\
         seize by collar|seize by lapels|seize by throat|take by collar|shout down|scream threats at|hiss threats at|snarl threats at|make threats|\
         make threats against|utter threats|give ultimatum|hold knife to|hold blade to|put knife to|put blade to|point pistol at|aim gun at|\
         aim pistol at|threaten to hit|threaten to tell|threaten with|warn off sternly|demand from|demand from him|demand from her|insist on having|\
         shake down|extort from|hector|harangue|scare off|scare away|scare witless|scare senseless|scare half to death|frighten away|frighten off|\
         frighten half to death|frighten life from|scare life from|scare daylights from|scare hell from|put scare in|give fright|give scare|\
         yell threats at|tell or else|growl or else",
        Sway("intimidation"),
    ),
    (
        "pull leg|pull one over on|pull fast one|put one over on|take in with|take for ride|lead up garden path|feed line|feed line to|feed lie|\
         feed lies to|feed story to|feed cock and bull story|spin line to|give false name|give false name to|give fake name|give fake name to|\
         give false story|lie through teeth|lie through teeth to|lie about|lie to about|tell fib|tell fib to|tell fibs to|put on act|put on act for|\
         play innocent with|play dumb with|act dumb|play part|play sick|make out|claim to be|claim falsely|pretend i am|send on wild goose chase|\
         send on fool errand|make diversion|cook up story|cook up story for|concoct story|concoct story for|invent tale|weave tale for|diddle|swizz|\
         hustle|play trick on|play trick|play prank on",
        Sway("deception"),
    ),
    (
        "tiptoe over|tiptoe through|tiptoe out|tiptoe in|tiptoe across|tiptoe along|tiptoe away|tiptoe back|tiptoe down|tiptoe up|creep across|\
         creep back|sneak across|sneak along|sneak back|steal out|steal in|steal through|steal across|steal along|steal away|steal back|steal down|\
         steal to|steal over to|pussyfoot|pussyfoot past|pussyfoot around|skulk|skulk around|skulk about|skulk behind|skulk past|lurk in|lurk behind|\
         lurk around|lurk about|duck behind|duck down behind|duck out sight|duck down under|dive behind|get behind|crawl behind|slip out sight|\
         melt in to dark|blend in to crowd|blend in|press myself against wall|flatten myself against wall|conceal self|hide self|hide away|hide out|\
         hide myself under|go to ground|take cover under|listen at door secretly|spy through|spy through keyhole",
        Do(Verb::Sneak),
    ),
    (
        "squeeze hand|pat hand|take hands|put arm round|put arms round|throw arms round|wrap arms round|sling arm around|sling arm round|\
         lay head on shoulder|rest head on shoulder|lean on shoulder|pull in to hug|pull close|gather in arms close|take in arms",
        Gesture("hug"),
    ),
    (
        "plonk down in|plonk myself down|plonk myself|plonk myself down in|plonk myself down on|plop down in|plop down on|plop myself|flop|\
         flop down in|flop down on|flop back|slump on|slump down in|slump down on|perch myself on|settle down in|settle down on|settle back|\
         settle back in|settle myself|settle myself in|settle myself on|settle myself down|sink down in|sink down on|sink down|sink in|sink on|\
         sink back|sink back in|sink to knees|drop down in|drop down on|drop in to chair|drop in to seat|collapse in|collapse on|collapse in to|\
         plant myself|plant myself on|plant myself in|plant backside on|squat on|squat by|squat beside|squat down by|crouch near|hunker|hunker by|\
         lounge on|lounge in|loll in|sprawl in|sprawl out on|curl up by|draw up chair|draw up stool|pull out chair|lower myself on|\
         lower myself down on|lower myself on to|ease myself down on|ease myself in|ease myself on|sit cross legged|sit up|sit on floor|\
         sit on ground|lean back in",
        Gesture("sit down"),
    ),
    (
        "click heels|hold up hand|hold up finger|raise finger|raise palm|put hand on heart|lay hand on heart|place hand on heart|cross heart|\
         tug forelock|tip wink|tip wink to|give wink|throw up arms|fling up hands|press lips together|set jaw|clench jaw|clench teeth|\
         straighten shoulders|straighten back|draw myself up to full height|puff out chest|puff out cheeks|suck in breath|suck air through teeth|\
         drum fingers on|drum heels|tap foot impatiently|tap watch|check nails|inspect nails|examine nails|examine fingernails|study fingernails|\
         stare at floor|stare at ground|stare in to space|stare in to distance|gaze in to distance|gaze in to space|look in to distance|\
         look heavenward|look to heaven|look up at heaven",
        Gesture("nod"),
    ),
    (
        "kick myself|slap myself|hit myself|punch myself|cut myself|hurt myself|turn back on|turn back to|consider situation|consider position|\
         take stock situation|weigh up options|go over in head|go over in mind|turn over in mind|scratch head over|put two and two together|\
         make mental note|commit to memory|memorise|memorize|try to remember|try to recall|try to think|try to make sense|make sense|wonder at|\
         be afraid|be happy|be sad|be angry|be careful|be brave|be bold|be nice|be nice to|be polite|be polite to|be friendly|be friendly to|\
         be rude to|be kind to|feel proud|feel ashamed|feel silly|feel foolish|feel better about|feel bad for|feel sorry for|feel dizzy from|\
         feel ill|feel faint|feel relieved|feel pleased with|long to|yearn to|psych myself up|gird loins|keep nerve|hold nerve|keep head|lose head|\
         lose temper|keep temper|hold temper|get nervous|get angry|get cross|get excited|grow impatient|grow bored|get bored",
        Gesture("think"),
    ),
];
