//! The verbs that are understood: phrases with their meaning.

use super::Meaning::{
    self, Break, Climb, Consume, Do, Gesture, Greet, Learn, Lift, Put, Sway, Throw, Try,
};
use crate::action::Verb;

/// Phrases with their meaning. The second word of two may also stand at the end (`pick the lantern up`).
pub(super) const VERBS: &[(&str, Meaning)] = &[
    // Looking.
    (
        "look|l|look around|look about|glance around|gaze around|peer around|survey|observe|have a look|have a look around|take a look|\
         take a look around|take in|scan|look here|examine room|examine place|survey surroundings|describe",
        Do(Verb::Look),
    ),
    (
        "examine|x|ex|exam|inspect|look at|check|check out|study|view|watch|look over|look up at|look down at|look out|look out through|look through|\
         peer at|peer through|peer out|stare at|glance at|gaze at|describe|observe|scan|survey|have a look at|take a look at|look closely at|\
         describe|look out at|eye|admire|see|peer down|gaze down|glance down|look down in|look like|look in on|scrutinise|scrutinize|take notice of|\
         take note of|consider|regard|behold|look up|look down|look on|look from|gaze from|stare from|peer from",
        Do(Verb::Examine),
    ),
    (
        "search|look in|look under|look behind|look beneath|search in|search under|search through|look for|rummage|rummage in|rummage through|\
         rifle through|look underneath|dig through|check under|check in|check behind|peek in|peek under|peer in|peer under|frisk|unpack|explore|\
         investigate|feel under|look around in|look what is under|peek behind|look inside|sift through|ransack|comb|empty|empty out|poke around in|\
         poke about in|poke about|rummage about in|root about in|feel about in|feel around in|poke in|root through|root around in|look inside of|\
         delve in|reach in|reach inside",
        Do(Verb::Search),
    ),
    (
        "read|peruse|read through|skim|flip through|leaf through|thumb through|page through|browse|browse through|\
         spell out|decipher|make out words|make out words on|make out words of|make out letters|make out letters on|make out writing|\
         make out writing on|work out words|work out words on",
        Do(Verb::Read),
    ),
    ("find|locate|where is", Do(Verb::Find)),
    // Moving.
    (
        "go|walk|run|move to|head|travel|enter|step|proceed|march|stride|hurry|go to|go in|walk to|walk in|visit|return|come|leave|exit|get out|\
         go out|make way|make way to|wander|stroll|get in|cross|continue|approach|head to|rush|sprint|step out|step in|get to|journey|depart|take me|\
         bring me|get me|lead me|carry me|walk me|back to|back|back up|off to|descend|ascend|flee|escape|retreat|follow|advance|pass|go over|go back|\
         crawl|squeeze|hop|trot|sail|wade|get back|move on|feel way|find way|grope way|make way back|set off|set out|set off for|head back|\
         head back to|wind way|edge|shuffle|stumble|tramp|trudge|amble|saunter|dash|jog|march",
        Do(Verb::Go),
    ),
    ("climb|clamber|scale|mount|scramble|shin", Climb),
    // Handling.
    (
        "take|get|grab|pick up|fetch|collect|gather|acquire|obtain|snatch up|snag|seize|pocket|scoop up|retrieve|carry|pick|claim|grasp|gather up|\
         take hold|take up|catch|keep|remove from|help myself to|pull out|take out|bag|hold|borrow|bring|snatch|nab|get hold|get hold of|\
         lay hands on|help yourself to|scoop|whip up|collar|get my hands on|buy|purchase|\
         uproot|pluck|bring out|bear away|bear off|free|take hold of",
        Do(Verb::Take),
    ),
    (
        "drop|put down|lay down|set down|discard|leave behind|lay aside|put aside|dump|release|let go|ditch|get rid|throw away|abandon|toss away",
        Do(Verb::Drop),
    ),
    (
        "put|place|bung|bung in|chuck in|sling in|whack in|insert|stick|set|stow|stuff|shove in|lay|hang|store|rest|deposit|position|slide in|pack|hide|load|slot|tuck|pour|dip|balance|wrap|\
         tie|drape|prop|push in|pop|plop|plonk|perch|jam|strap|buckle|clip|pin",
        Put,
    ),
    ("throw|toss|hurl|fling|chuck|lob", Throw),
    (
        "lift|raise|hoist|roll back|lift up|pull back|pull up|pull aside|push aside|move aside|move|turn over|flip|flip over|roll up|lift off|shift|\
         overturn|tip|pluck",
        Lift,
    ),
    (
        "give|hand|offer|hand over|pass|deliver|present|donate|give back|return|lend|feed|give away|surrender|pay|bring",
        Do(Verb::Give),
    ),
    ("show|display|hold up|hold out|present|reveal|show off|flash", Do(Verb::Show)),
    (
        "wear|put on|don|dress in|get dressed in|slip on|slip in|pull on|change in|throw on|try on|dress",
        Do(Verb::Wear),
    ),
    (
        "take off|remove|doff|slip from|wriggle from|unwind|get rid of|peel off|shrug off|loosen|undress|slip off|pull off|strip off|strip|shed|\
         get out of",
        Do(Verb::TakeOff),
    ),
    (
        "eat|devour|munch|nibble|bite|take a bite|have a bite|swallow|chew|eat up|gobble|gobble up|scoff|polish off|tuck in|snack on|bite in|\
         feast on|munch on|wolf down|nom|nom nom",
        Do(Verb::Eat),
    ),
    (
        "drink|sip|gulp|drink up|drink from|take a sip|have a sip|quaff|take a drink|have a drink|swig|down|drain|take a swig|slurp|have a swig|\
         knock back|chug",
        Do(Verb::Drink),
    ),
    ("have|consume|enjoy|try some|taste|finish", Consume),
    // Opening.
    (
        "open|open up|unseal|unwrap|slide open|pull open|push open|uncover|throw open|swing open|untie|crack open|get open|unfasten|unlatch|unbolt|\
         lift open|ease open|unzip|unfold|undo",
        Do(Verb::Open),
    ),
    (
        "close|shut|shut up|close up|slam|slam shut|push shut|pull shut|seal|fasten|latch",
        Do(Verb::Close),
    ),
    ("lock|lock up|bolt|secure", Do(Verb::Lock)),
    ("unlock|unpadlock|open lock", Do(Verb::Unlock)),
    // Using.
    (
        "use|employ|operate|ride|ride on|drive|pedal|apply|try|utilise|utilize|activate|work|make use|make use of|honk|toot|blow|blow in|play|ring|sound|strike|press|start|\
         wind",
        Do(Verb::Use),
    ),
    (
        "light|light up|set on fire|turn on|switch on|ignite|kindle|lite|set fire|shine|set alight|power on|flick on|click on|flip on|fire up|burn|\
         relight",
        Do(Verb::Light),
    ),
    (
        "extinguish|put out|turn off|switch off|blow out|douse|snuff|snuff out|quench|power off|flick off|click off|flip off|kill light|kill lights|\
         turn out|switch out|shut off|smother|dim",
        Do(Verb::Extinguish),
    ),
    (
        "push|shove|press|push in|nudge|press down|push against|lean on|lean against|depress",
        Do(Verb::Push),
    ),
    ("pull|tug|drag|yank|haul|pull on|tug on|tug at|jerk|heave|pull down|draw", Do(Verb::Pull)),
    (
        "turn|rotate|twist|crank|spin|wind|screw|swivel|turn round|turn around|crank up|wind up",
        Do(Verb::Turn),
    ),
    // Talking.
    (
        "talk|talk to|talk with|gossip|gossip with|gossip to|speak|speak to|speak with|chat|chat with|chat to|converse|converse with|address|have a word|have a word with|\
         have a chat with|strike up a conversation with|make conversation with|small talk with|discuss|call to|call",
        Do(Verb::Talk),
    ),
    (
        "know|know about|know more|learn|learn more|learn about|hear more|hear about|find out|find out about|find out more|hear|read up",
        Learn,
    ),
    ("ask|question|enquire|inquire|interrogate|quiz|query|grill|consult|ask around", Do(Verb::Ask)),
    ("tell|inform|explain|mention|report|confess|warn|remind|tell to", Do(Verb::Tell)),
    (
        "say|shout|yell|whisper|exclaim|mutter|reply|answer|call out|cry out|say to|announce|scream|declare|murmur|respond|state",
        Do(Verb::Say),
    ),
    (
        "hello|hi|hey|greet|greetings|good day|good morning|good evening|good afternoon|good night|howdy|welcome|say hello|say hi|say good morning|\
         say good evening|say good day|say hello to|say hi to|wave hello|introduce myself|introduce|shake hands|shake hands with|hallo|hiya|\
         excuse me|morning|evening|nod to|nod at|wave to",
        Greet,
    ),
    // Time.
    (
        "wait|z|rest|pause|stay|wait around|linger|wait for|hang around|do nothing|loiter|pass time|bide time|hold on",
        Do(Verb::Wait),
    ),
    (
        "sleep|go to sleep|take a nap|nap|doze|snooze|go to bed|get some sleep|fall asleep|have a nap|lie down and sleep|get some rest|sleep in|\
         sleep on|doze off|take a rest|catch some sleep|slumber|turn in",
        Do(Verb::Sleep),
    ),
    (
        "inventory|inv|i|check inventory|check pockets|check pack|check bag|items|my things|possessions|empty pockets|list inventory|list items|\
         show inventory|search pockets|look in pockets|count possessions|what have i|belongings|check my inventory|check my pockets",
        Do(Verb::Inventory),
    ),
    ("exits|list exits|ways out|directions|show exits|paths", Do(Verb::Exits)),
    ("time|check time|check the time|clock|tell time", Do(Verb::Time)),
    ("again|g|repeat|do it again|do that again|once more|repeat that|same again", Meaning::Again),
    ("help|hint|hints|commands|h|?|info|what now|instructions|options", Meaning::Help),
    ("who am i|whoami|character|character sheet|stats|identity|about me", Do(Verb::WhoAmI)),
    ("where am i|whereami|location|my location", Do(Verb::WhereAmI)),
    ("who is here|who else is here|people", Do(Verb::WhoIsHere)),
    // Risks.
    (
        "steal|pickpocket|nick|pinch|filch|swipe|slip out|palm|purloin|lift from|pilfer|slip|rob|snatch away|sneak away|whisk|whisk away|whisk from|\
         whip from|whip away|spirit away",
        Do(Verb::Steal),
    ),
    ("pick lock|pick the lock|jimmy|pick open|lockpick", Do(Verb::PickLock)),
    (
        "force|pry|prise|prize|break down|break open|break in|break through|kick in|kick down|kick open|smash|smash open|smash in|smash down|bash|\
         bash in|bash open|ram|batter|batter down|burst|burst open|burst through|wrench|wrench open|force open|pry open|crack|jemmy|knock down|\
         shoulder|tear open|rip open|charge|shatter|hack|hack at|chop|chop down|demolish|destroy|wreck",
        Do(Verb::Force),
    ),
    ("break|kick|damage|snap", Break),
    (
        "attack|hit|punch|stab|kill|fight|slap|shoot|slay|murder|knock out|tackle|strangle|beat|beat up|assault|slash|whack|headbutt|clobber|wrestle|\
         choke|club|duel|lunge at|swing at|fire at|cut|snip|sever|grapple|ambush|shoot at|bludgeon|wound|hurt|thump|cut down|strike down",
        Do(Verb::Attack),
    ),
    (
        "persuade|convince|talk into|bribe|beg|plead|plead with|negotiate|negotiate with|bargain|bargain with|haggle|haggle with|flatter|charm|\
         seduce|flirt|flirt with|win over|coax|urge|reason with|sweet talk|calm|calm down|reassure|implore|appeal to|make a deal with|console|cajole|\
         impress|butter up|soften up|soft soap|sweeten up",
        Sway("persuasion"),
    ),
    (
        "threaten|accuse|blame|confront|challenge|pressure|intimidate|scare|frighten|menace|bully|coerce|blackmail|threat",
        Sway("intimidation"),
    ),
    (
        "lie|lie to|deceive|trick|bluff|fool|con|mislead|distract|pretend|pretend to|fast talk|dupe|make believe|trick in",
        Sway("deception"),
    ),
    (
        "sneak|sneak up|sneak past|sneak by|sneak around|sneak up on|sneak up behind|tiptoe|tiptoe past|creep|creep up|creep up on|creep up behind|\
         creep past|hide|hide behind|hide from|hide under|slip past|steal past|prowl|stalk|sneak behind|eavesdrop|eavesdrop on|spy on|conceal myself",
        Do(Verb::Sneak),
    ),
    (
        "climb out|jump in|leap in|plunge in|plunge|leap over|leap across|jump across|jump over|jump off|jump down|jump from|vault|vault over|\
         swing across|swing from|balance on|balance along|swim|dive|dive in|somersault|juggle|leap|backflip|leap off|leap from|jump out|jump through|\
         outrun|parkour",
        Try("athletics"),
    ),
    ("decipher|decode|deduce|track|forage|appraise|listen in|figure out", Try("perception")),
    ("gamble|bet|wager|try luck|try my luck", Try("luck")),
    // Gestures.
    (
        "touch|feel|stroke|pat|pet|caress|rub|run my hand over|poke|tap|brush|prod|squeeze",
        Gesture("touch"),
    ),
    ("smell|sniff|breathe in|inhale", Gesture("smell")),
    ("listen|listen to|listen at|listen for|hear|hark", Gesture("listen")),
    ("lick", Gesture("lick")),
    ("reach|reach out|reach for", Gesture("reach out")),
    ("jump|jump up|hop|jump up and down|skip", Gesture("jump")),
    ("sing|hum|sing to|chant", Gesture("sing")),
    ("dance|dance with|waltz|twirl", Gesture("dance")),
    ("whistle", Gesture("whistle")),
    ("clap|applaud|clap hands", Gesture("clap")),
    ("pray|kneel|pray to|meditate", Gesture("pray")),
    ("kiss", Gesture("kiss")),
    ("hug|embrace", Gesture("hug")),
    (
        "sit|park myself|park myself on|plonk myself|plonk myself on|plonk myself down|plant myself|plant myself on|sit down|sit on|sit with|sit at|take a seat|be seated|have a seat",
        Gesture("sit down"),
    ),
    // Who lies down sleeps only where the words say so: `lie down and sleep`.
    (
        "lie down|lie down on|lie down in|lie down beside|lie down for while|lie down for bit|lie on|lie in|lie back|lie still|lie flat|lie beside|lie under|\
         curl up|curl up on|curl up in|stretch out|stretch out on|rest head|rest head on|rest eyes|put head down|get head down|lay head down|lay down head|\
         close eyes for while",
        Gesture("lie down"),
    ),
    ("stand|stand up|get up|rise|stand on", Gesture("stand up")),
    ("wave", Gesture("wave")),
    ("smile|grin|smile at|grin at|wink|wink at", Gesture("smile")),
    ("laugh|chuckle|giggle|laugh at", Gesture("laugh")),
    ("cry|weep|sob", Gesture("weep")),
    ("think|ponder|think about|wonder|reflect|contemplate|remember", Gesture("think")),
    ("nod|shrug|bow|curtsey|bow to|salute", Gesture("nod")),
    (
        "knock|knock on|knock at|rap on|bang|bang on|bang at|pound|pound on|hammer on|hammer|drum on|thump on",
        Gesture("knock"),
    ),
    ("dig|dig in|dig up", Gesture("dig")),
    ("clean|wash|wipe|polish|dust|scrub|sweep|mop", Gesture("clean")),
    ("swear|curse|damn", Gesture("curse")),
    ("yawn|stretch|sigh|cough|sneeze|breathe|blink|shiver", Gesture("sigh")),
    (
        "promise|swear to|vow|agree|refuse|believe|trust|doubt|imagine|dream|type|tread on|adjust|water|fill|dry|comb my|insult|mock|tease|scold|\
         praise|compliment|congratulate|forgive|bless|help|assist|feed|measure|weigh|sew|knit|paint|sketch|carve|build|make|bake|boil|rake|shovel|hoe|weed|prune|plant|\
         milk|iron|fold|arrange|sort|straighten|inspect my|admire my|celebrate|toast|mime|imitate|juggle with|spit|spit on|spit at|drool|snore|faint|\
         daydream|gesture|gesture at|beckon|beckon to|applaud|bounce|roll|scribble|warm|warm my|cool|blow|blow on|lean|recite|practise|practice|tidy|\
         decorate|hang out|repair|fix|mend|cook|write|sign|draw|scratch|shake|count|point at|point|stir|comfort|thank|apologise|apologize|sharpen|peel|\
         catch fish|fish",
        Gesture("busy yourself"),
    ),
    // Rarer words for the same, in the same order.
    (
        "look all around|cast around|glance about|gaze about|peer about|cast eyes around|get bearings|take stock|take in surroundings|take in scene|\
         have good look around|look here and there|look everywhere|look left and right",
        Do(Verb::Look),
    ),
    (
        "compare|double check|doublecheck|look closer at|look closely|look along|look across|look back at|take gander at|have gander at|cast eye over|\
         cast glance at|cast eyes over|run eyes over|take closer look at|ogle|glimpse|perceive|discern|evaluate|assess|analyse|analyze|verify|review|\
         peruse closely|gawk at|gape at|glare at|squint at|marvel at|frown at|focus on|concentrate on|pay attention to|turn attention to|bend over|\
         lean over|crouch over|lean in to|lean closer to|keep eye on|observe closely|have closer look at|get closer look at|get better look at|\
         put eye to|press eye to|look thru|spy|check on|check it out|lookat|take peek at|have peek at|peek at|peek out|peek through|peep at|\
         peep through|peep out|gaze out|gaze in|gaze through|gaze on|stare out|stare in|stare through|stare up at|stare down at|peer over|peer up at|\
         glance over|glance out|glance through|glance up at|glance in|look beyond|look around at|take look out|look toward",
        Do(Verb::Examine),
    ),
    (
        "hunt for|hunt through|scour|forage in|forage through|delve|dig around in|dig about in|fish around in|fish about in|fish in|fumble in|\
         fumble around in|fumble for|grope in|grope around in|grope under|feel along|feel in|feel behind|reach under|reach behind|reach down in|\
         peep in|peep under|peep behind|snoop|snoop around|snoop in|pry around|scrabble in|scrabble under|look below|look round behind|\
         look down behind|check below|check for|check around|inspect in|comb through|pick through|leaf around|root in|root around|root|search behind|\
         search around|search for|seek|try to find|stick hand in|put hand in|slip hand in|run hand under|run hand along|dip hand in|shove hand in|\
         plunge hand in|poke around|poke under|see under|see behind|peer behind|glance under|glance behind|examine in|examine under|turn upside down|\
         rummage around in|rummage about|rummage around|rummage for|loot|plunder|sort through|shuffle through|excavate|unearth|look amongst|\
         look among|look around under|look around behind|search amongst|search among",
        Do(Verb::Search),
    ),
    (
        "read out|read aloud|read out loud|read over|read up on|reread|pore over|scan through|look up in|flick through|riffle through|\
         glance through pages|turn pages|leaf",
        Do(Verb::Read),
    ),
    ("find out where|pinpoint|track down|discover", Do(Verb::Find)),
    (
        "leg it|leg it to|hightail it|hightail it to|hoof it|duck|duck out|duck in|duck back|duck through|dart|dart in|dart out|dart back|nip out|\
         nip in|nip back|scoot|turn back|turn back in|turn back to|hoist myself out|haul myself out|pull myself out|drag myself out|heave myself out|\
         hoist myself up|haul myself up|let myself down|lower myself|squeeze out|slide out|goto|make for|pick way|work way|wend way|take myself|\
         scamper|scurry|skip to|gallop|zip|zoom|slink|sidle|sidle up to|tread|swing by|drop by|drop in on|call on|call at|withdraw|withdraw to|\
         retire to|retreat to|relocate|relocate to|migrate|mosey|mosey over|mosey on over|meander|roam|ramble|drift|bound|stomp|lumber|limp|waddle|\
         swagger|strut|glide|emerge|emerge from|go forth|go on to|go home|walk on|head for|get moving|cross to|take off for|take off to|beat retreat|\
         beat hasty retreat|retrace steps|retrace|set course for|ride|ride to|drive|drive to|sally|sally forth|venture|venture to|plod|slog|trek|\
         hike|ascend to|descend to|descend in|go look for|troop|traipse|toddle|skedaddle|scram|beat it|vamoose|bail|bail out|clear out|let out|\
         let myself out|let myself in|let me in|see myself out|show myself out|be off|be off to|make off|make run for|make dash for|make beeline for|\
         make tracks|make tracks for|join|rejoin|meet|seek out|go meet|catch up with|draw near|draw near to|draw closer to|accompany",
        Do(Verb::Go),
    ),
    ("clamber up|clamber down|clamber over|shimmy|shimmy up|shimmy down|hop up on|hop on", Climb),
    (
        "pickup|order|take possession|take along|take with|relieve|requisition|swoop up|sweep up|pluck up|pluck from|pluck out|lift out|fish out|\
         dig out|draw out|draw from|slide out|slide off|pull from|tug out|pry out|ease out|extract|grab hold|grab up|scrounge|cop|yoink|swoop|\
         help self to|help yourself|procure|secure for myself|put in pocket|put in bag|put in pockets|slip in pocket|shove in pocket|drop in pocket|\
         tuck in pocket|stick in pocket|hide in pocket|tuck under arm|slide in pocket|stash in pocket|stow in pocket|put in pack|put in backpack|\
         put in satchel|take in hands|take in hand|come away with|walk off with|make off with|reclaim|recover|regain|salvage|rescue|choose|take back|\
         pick out|pick from|pick off|collect up|accept|receive|unhook|detach|unpin|pull free|lift down|reach down|bring along|bring with|carry off|\
         carry away|lug|nick from|gather together|dibs|dibs on",
        Do(Verb::Take),
    ),
    (
        "putdown|set aside|set on floor|set on ground|lay on ground|put on ground|put on floor|let fall|let drop|dispose|jettison|leave here|unhand|\
         rid myself|cast aside|cast away|relinquish|chuck away|forget about|return to place|drop off",
        Do(Verb::Drop),
    ),
    (
        "thread|thread in|thread on|slip on to|slide on|slide under|shove under|cram|cram in|squeeze in to|lean up|rest on|arrange on|deposit in|\
         deposit on|drop in|drop on|push on|press in|press on|fit|feed in|hang up|suspend|fasten to|attach|attach to|fix to|connect|connect to|affix|\
         sprinkle|empty in|pour in|pour on|spill|immerse|dunk|submerge|bury|conceal|stash|secrete|mount on|ease in|ease on|put away|put in|\
         put back in|put back on|set back|replace|install|slap on",
        Put,
    ),
    ("heave at|flip at|shy", Throw),
    (
        "swing aside|swing away|pull to one side|push to one side|move to one side|raise up|hoick|prise up|pry up|turn up|fold back|peel back|\
         draw aside|draw back|pull away|push away|shove aside|slide aside|slide back|slide away|drag aside|drag away|roll aside|roll away|heave up|\
         heave aside|remove cover|lift away|lift aside|lift corner|lift edge|tilt|budge|dislodge|disturb|upend",
        Lift,
    ),
    (
        "handover|hand back|pass over|pass on|pass along|slip to|slide over|slide across|press in hand|present with|bestow|award|contribute|serve|\
         treat|entrust|hand round|give up|turn over to|hand in|turn in to|submit|repay|provide|provide with|furnish|extend|proffer|hand out",
        Do(Verb::Give),
    ),
    (
        "brandish|exhibit|demonstrate|point out|hold up to|hold in front|wave in front|hold under|display to|present for inspection|produce",
        Do(Verb::Show),
    ),
    (
        "wriggle in|lace up|lace on|shrug on|wrap up in|wrap myself in|wrap round me|wrap around me|wrap around myself|pull over head|clap on|slap on head|do up|\
         zip up|tie on|strap on|buckle on|clip on|fasten on|pop on|drape on|drape over shoulders|drape around shoulders|equip|attire myself in|\
         clothe myself in|get in to|draw on|fasten around neck|fasten round neck|hang around neck|hang round neck|put around neck|tie around neck|\
         tie round neck|wind around neck|wind round neck",
        Do(Verb::Wear),
    ),
    (
        "wriggle out|struggle out|unbutton|unzip and remove|whip off|kick off|unstrap|untie and remove|unclip|discard clothing|divest myself|\
         lift off head|pull over|unwrap from|unequip|tug off|yank off|rip off|tear off|throw off|fling off|ease off|do off",
        Do(Verb::TakeOff),
    ),
    (
        "have something to eat|partake|dig in to|chomp|chomp on|chow down|chow down on|gnaw|gnaw on|crunch|crunch on|crunch in to|ingest|dine on|\
         sup on|breakfast on|make short work|sample|have taste|have nibble|take nibble|gulp down|pop in mouth|put in mouth|bolt down|guzzle down|\
         finish off|lick up|suck|suck on|chew on|nibble on|nibble at|peck at|take mouthful|have bite|take bite|take bite out|take bite from|bite off",
        Do(Verb::Eat),
    ),
    (
        "imbibe|guzzle|sup|toss back|throw back|wash down|down in one|quench thirst with|take gulp|take sip|take sip from|take swig|take swig from|\
         have swig|have sip|take swallow|take drink|take drink from|take pull on|take pull from|have drink|sip at|sip from|sip on|gulp from|\
         gulp back|swallow down|drain last|empty down|polish down",
        Do(Verb::Drink),
    ),
    ("treat myself to|indulge in|savour|savor|finish up|use up", Consume),
    (
        "loosen straps of|loosen straps on|loosen strap of|loosen strap on|uncork|uncap|unscrew|unseal and open|unstopper|unplug|lift lid|lift lid from|lift lid off|lift lid on|lift up lid|raise lid|raise lid on|\
         open lid|take lid off|take lid from|pull lid off|prise lid off|pop lid off|pop open|remove lid|remove lid from|flip lid|flip open|\
         throw back lid|push back lid|flick open|click open|snap open|cut open|break seal|break seal on|cut string on|loosen lid|slide lid off|\
         draw open|yank open|tug open|haul open|heave open|prop open|hold open|nudge open|shove open|wrench off lid|draw curtains|pull door|\
         pull handle|try handle|turn doorknob|push door|ease up|unbar|unfurl|unroll|unlace|unpack and open|let light in",
        Do(Verb::Open),
    ),
    (
        "shut tight|pull to|pull closed|push closed|push to|swing shut|swing closed|bang shut|ease shut|ease closed|draw shut|draw closed|slide shut|\
         slide closed|snap shut|snap closed|flip shut|click shut|put lid on|put lid back on|replace lid|replace lid on|drop lid|screw shut|reclose|\
         reseal|close off|zip shut|fold up|fold shut|do up lid|close down",
        Do(Verb::Close),
    ),
    ("relock|double lock|turn key behind|throw bolt on|slide bolt|make fast", Do(Verb::Lock)),
    (
        "undo lock|undo lock on|undo padlock|undo padlock on|open padlock|open padlock on|open lock on|release lock|release lock on|turn lock|\
         disengage lock|turn key in|turn key in lock|release catch|unlock and open",
        Do(Verb::Unlock),
    ),
    (
        "bash out|bang out|hammer out|strike up|pluck out|work on|try out|put to use|put to work|interact with|tinker with|fool with|trigger|\
         initiate|set going|set in motion|let off|tap on|tap out|pluck at|strum|beat on|hit button|push button|press button|push button on|\
         press button on|punch button|toll|chime|clang|jingle|rattle|insert coin in|set off alarm|aim|focus|swipe through|scan with|unleash|deploy|\
         run water in|draw water from|fish with|wield",
        Do(Verb::Use),
    ),
    (
        "turnon|lightup|get lit|make fire|make fire in|make fire with|build fire|start fire|start fire in|strike light|put light on|put lights on|\
         light on|bring light|make light|get light going|get going lamp|put flame to|put match to|touch match to|hold match to|apply match to|\
         snap on|flash on|set burning|set alight to|set light to|put on light|give light|illuminate|brighten|rekindle|make glow|switch",
        Do(Verb::Light),
    ),
    (
        "shutoff|turnoff|blowout|light off|unlight|deaden|damp|damp down|dampen|put out light|put off|blow at|snap off|pinch out|cut off|darken|breathe out|huff out|puff out|\
         put out flame|put out flame in|kill flame|let go out",
        Do(Verb::Extinguish),
    ),
    (
        "press against|shove against|heave against|heave on|put weight against|put shoulder to|set shoulder to|lean in|lean weight on|shunt|thrust|\
         barge|jostle|prod at|jab|jab at|slide forward|roll forward|trundle|topple|knock over|kick over|push over|shove over|propel|ram against",
        Do(Verb::Push),
    ),
    (
        "pull at|give tug|lug at|wrench at|wrench on|pluck at string|hang on|swing on|haul on|haul at|haul down|haul up|yank on|yank at|yank down|\
         jerk on|jerk down|tug down|tug up|strain at|pull hard on|pull hard at",
        Do(Verb::Pull),
    ),
    (
        "turn about|twiddle|whirl|swirl|revolve|swing round|wrench round|screw in|unscrew from|wind on|crank on|give turn|turn by|adjust dial|reset|\
         tweak|twist off|twist round|twist around|rotate round|spin round|spin around|crank round",
        Do(Verb::Turn),
    ),
    (
        "talkto|have words with|exchange words with|exchange pleasantries with|pass time day with|get talking to|get talking with|start talking to|\
         start conversation with|start chatting with|open conversation with|engage in conversation|engage in conversation with|engage with|\
         hold conversation with|have conversation with|have natter with|natter with|natter to|gossip|gossip with|chinwag with|catch up|confer|\
         confer with|speak up to|see about|make small talk with|make small talk|chit chat with|chitchat with|have little chat with|\
         have quick word with|accost|buttonhole|get attention|catch attention|catch eye|parley with|parley|banter with|interview|turn to|chat up|\
         talk about|talk over|speak about|discuss with|bother|pester|wake up|wake|rouse|awaken|call out to|call for|call over|beckon over|shout to|\
         shout at|shout for|yell at|yell to|whisper to|whisper with|murmur to|mutter to|talk at",
        Do(Verb::Talk),
    ),
    ("get to know about|educate myself about|ask around about|inform myself about", Learn),
    (
        "ask after|ask again|inquire after|inquire about|inquire as to|enquire after|enquire about|enquire as to|inquire whether|enquire whether|\
         sound out|wonder aloud|wonder out loud|wonder about|wonder whether|wonder where|wonder what|request information from|\
         request information about|raise subject|raise topic|bring up|broach|broach subject|check with|put it to|put question to|pose question to|\
         pick brain|pick brains|seek advice from|seek advice|turn conversation to|quiz about|debrief",
        Do(Verb::Ask),
    ),
    (
        "advise|notify|brief|assure|confide|confide in|confide to|relate|recount|describe to|reveal to|disclose|disclose to|admit|admit to|\
         explain to|mention to|report to|alert|impart|brag to|boast to|complain|complain to|complain about|insist|argue|argue with|protest|\
         protest to|remark|remark to|remark on|comment|comment on|observe aloud|point out to|suggest to|propose|propose to|break news to|\
         spill beans to|talk through|swear to tell|deny|agree with",
        Do(Verb::Tell),
    ),
    (
        "utter|blurt|blurt out|chirp|quip|continue saying|bellow|hiss|holler|roar|screech|shriek|croak|grumble|mumble|growl|snap at|stammer|stutter|\
         snarl|drawl|chime in|speak up|retort|reply to|respond to|answer to|call back|sing out|exclaim to|coo|tell joke|repeat after|pronounce|\
         read out name|recite aloud",
        Do(Verb::Say),
    ),
    (
        "heya|hullo|ahoy|ahoy there|howdy do|g'day|yo|oi|wassup|pleased to meet|good to see|good to meet|say hey|say hey to|say hallo|say hallo to|\
         say good afternoon|say good afternoon to|say good day to|say good morning to|say good evening to|say good night to|wish good day|\
         wish good morning|wish good evening|exchange greetings with|give greeting to|offer greeting to|offer greetings to|give wave to|\
         wave hello to|doff hat to|nod greeting to|nod hello to|nod in greeting to|nod politely to|bow before|curtsey to|curtsy to|\
         make myself known to|introduce myself to|present myself to|shake hand|shake her hand|welcome to|say name to|salutations|aloha|bonjour|hola|\
         evening all|morning all",
        Greet,
    ),
    (
        "say nothing|keep warm|keep dry|keep cool|stay warm|stay dry|be quiet|be silent|be still|be patient|keep quiet|keep silent|keep still|keep calm|keep watch|keep waiting|stay quiet|\
         stay silent|stay still|stay put|stay here|stay where i am|remain|remain here|remain silent|remain quiet|remain still|hold still|hold tongue|\
         bite tongue|stand by|stand still|stand here|stand around|stand there|stand about|just stand|sit around|sit still|sit and wait|sit tight|\
         sit there|sit here|kill time|kill hour|let time pass|let it go by|idle|idle about|dawdle|dally|tarry|bide|hang about|hang back|chill|\
         chill out|chill for|relax|catch breath|get breath back|take breather|have breather|take five|take break|have break|have rest|take moment|\
         take minute|pause for breath|pause for moment|do not do anything|do not move|freeze|hold it|hesitate|hover|skip turn|pass turn|\
         twiddle thumbs|daydream for|spend time|spend hour|let clock run|watch and wait|lie in wait|await|expect|lurk",
        Do(Verb::Wait),
    ),
    (
        "get shut eye|get shuteye|get kip|have kip|kip|catnap|take forty winks|have forty winks|grab sleep|grab forty winks|hit hay|hit sack|\
         call it night|call it day|retire|retire for night|retire to bed|turn in for night|settle down to sleep|settle down for night|\
         settle in for night|curl up and sleep|drift off|nod off|drop off to sleep|go and sleep|try to sleep|\
         get good night's sleep|have sleep|have lie down|take lie down|lay down and sleep|close eyes and sleep|\
         stretch out and sleep|spend night|sleep until|sleep till|sleep for",
        Do(Verb::Sleep),
    ),
    (
        "take inventory|check belongings|check things|check stuff|check what i have|check what i am carrying|check what i carry|\
         check what i have got|check contents pockets|go through pockets|feel in pockets|feel pockets|pat pockets|pat down pockets|dig in pockets|\
         dig through pockets|rummage in pockets|rummage through pockets|rummage in bag|reach in pocket|reach in pockets|turn out pockets|look in bag|\
         look in pocket|look through pockets|look through things|look at things|look at inventory|look at belongings|look at what i have|\
         look at what i am carrying|look over things|inspect pockets|inspect things|list things|list possessions|list belongings|list what i have|\
         list what i am carrying|show things|show me inventory|show me what i have|open inventory|view inventory|display inventory|see inventory|\
         see what i have|see what i am carrying|review belongings|take stock things|take stock what i have|take stock belongings|count belongings",
        Do(Verb::Inventory),
    ),
    (
        "look for way out|find exits|find way out|search for exit|search for exits|search for way out|check exits|see exits|show me exits|\
         seek way out|list ways out",
        Do(Verb::Exits),
    ),
    ("check hour|ask time|ask what time it is|ask for time", Do(Verb::Time)),
    (
        "look at myself|examine myself|look down at myself|look myself over|check myself|check myself over|describe me|describe myself|\
         remind me who i am|consider myself|take stock myself|about myself",
        Do(Verb::WhoAmI),
    ),
    ("get position|check location|get bearings here", Do(Verb::WhereAmI)),
    (
        "see who is here|look who is here|look around for people|look for people|see who is around|check who is here",
        Do(Verb::WhoIsHere),
    ),
    (
        "pick pocket|pick pockets|lift quietly|swindle|sneak off with|slip from under|make disappear|shoplift|snitch|thieve|cadge|sneak out with|\
         burgle|divest|help myself to purse",
        Do(Verb::Steal),
    ),
    (
        "pick lock on|pick padlock|pick padlock on|work lock|work at lock|work on lock|try to pick|jiggle lock|tease lock|hack lock|crack lock|\
         jimmy lock|jimmy open|tickle lock|coax lock open|defeat lock",
        Do(Verb::PickLock),
    ),
    (
        "lever open|lever up|lever off|break lock|break lock on|break glass|break in to|smash through|smash lock|smash lock off|smash in to|\
         barge down|barge open|barge through|barge in to|shoulder open|shoulder down|put shoulder through|ram open|ram down|ram in to|\
         throw myself at|throw myself against|fling myself at|hurl myself at|hurl myself against|slam myself against|slam against|slam in to|\
         slam through|stave in|beat down|beat in|hammer open|hammer down|blow open|blow up|rip off hinges|rip door off|kick to pieces|kick through|\
         kick at|kick out|yank off hinges|tear down|tear apart|prize open|prise open|prise apart|wrest open|wrest|hew|cut through|break apart|\
         break to pieces|shatter glass|vandalise|vandalize",
        Do(Verb::Force),
    ),
    (
        "go for throat|take swing at|take poke at|throw punch at|aim punch at|aim blow at|strike at|pounce|pounce on|leap at|leap on|rush at|\
         charge at|turn on attacker|draw weapon on|pull knife on|swing fist at|wallop|whop|smite|smack|smack down|spank|clout|clip round|backhand|\
         bite him|bite her|scratch at|claw|claw at|throttle|suffocate|smother with|execute|assassinate|finish him|finish her|slaughter|eliminate|\
         take out guard|take down|bring down|knock unconscious|knock over head|hit over head|bop|bash over head|pummel|batter at|beat on him|\
         pin down|wrestle with|wrestle to ground|restrain|subdue|overpower|grab by throat|grab by collar|seize by|scuffle with|brawl with|spar with|\
         fight with|battle|battle with|combat|duel with|engage in combat|shoot down|open fire on|impale|run through|pierce|slice|slice at|hack down|\
         push over him|kick in shin|kick in shins|headlock|throw stone at|throw punch|make war on|jab at him|stab at",
        Do(Verb::Attack),
    ),
    (
        "beseech|entreat|pray to give|press him to|get on good side|sweettalk|schmooze|smooth talk|wheedle|woo|entice|tempt|lure|induce|prevail on|\
         influence|sway|talk out|talk round|talk around|talk down|bring round|reconcile|make peace with|make friends with|befriend|mollify|placate|\
         pacify|soothe|appease|barter|barter with|strike deal with|strike bargain with|do deal with|cut deal with|offer deal to|offer bribe to|\
         slip bribe|pay off|buy off|ask nicely|ask politely to|encourage|motivate|rally|inspire|plead for|plead to|plead case|plead case to|\
         plead case with|argue case|argue case to|make case to|make case|beg for|ingratiate myself with|sweeten|win trust|gain trust|earn trust|\
         turn on charm|lay on charm|flirt outrageously with|chat up to|compel|guilt trip|get to agree|get to help|get to talk|make talk|\
         make see reason|make listen|talk sense in to|advise strongly|dissuade",
        Sway("persuasion"),
    ),
    (
        "stare down|glower at|scowl at|growl at|snarl at|shake fist at|brandish at|warn off|lean on him|browbeat|terrify|terrorise|terrorize|daunt|\
         spook|startle|demand answers from|demand answer from|demand answers|demand truth from|demand to know|interrogate harshly|bawl out|force to|\
         make demands|blame for|charge with|point finger at|call liar|call out on|denounce|extort|twist arm|put frighteners on|hold at knifepoint|\
         hold at gunpoint|point gun at|point weapon at|aim at",
        Sway("intimidation"),
    ),
    (
        "hoodwink|bamboozle|beguile|delude|double cross|feign|pull wool over|pull fast one on|spin yarn|spin tale|spin story|spin tale to|\
         spin yarn to|make up story|make up excuse|invent excuse|invent story|tell lie|tell lie to|tell lies|tell lies to|tell white lie to|\
         bluff past|bluff way|bluff way past|bluff way in|talk way past|talk way round|talk way around|talk way in|talk way out|con way|impersonate|pose as|masquerade as|\
         pass myself off as|act as if|act like|act innocent|act natural|play dumb|play innocent|play dead|divert|divert attention|\
         divert attention from|create distraction|create diversion|make distraction|draw attention away|draw attention|draw attention from|\
         hide truth from|throw off scent|put off scent|outwit|outfox|scam|swear falsely|cheat|disguise myself|disguise myself as",
        Sway("deception"),
    ),
    (
        "move silently|move quietly|move stealthily|go unnoticed|go unseen|slip by|slip unseen|slip unnoticed|slip behind|slip round behind|\
         slip around|slink past|slink by|slink away|slink off|steal by|steal up on|steal up behind|steal up to|tiptoe by|tiptoe around|tiptoe behind|\
         tiptoe up to|tiptoe over to|tiptoe to|edge past|edge by|crouch behind|crouch down behind|crouch under|crouch out sight|cower behind|lie low|\
         lie low behind|keep out sight|stay out sight|stay hidden|keep hidden|remain hidden|keep to shadows|stick to shadows|melt in shadows|\
         melt in to shadows|conceal myself behind|conceal myself in|hide myself|hide myself behind|hide myself in|hide in|hide in shadows|hide below|\
         hide beside|take cover|take cover behind|press myself against|flatten myself against|follow quietly|follow secretly|follow unseen|\
         follow at distance|listen at keyhole|listen behind|listen in on|snoop on|overhear|sneak out|sneak in|sneak through|sneak away from|\
         sneak off|sneak over|sneak over to|sneak up to|sneak to|sneak down|sneak down to|sneak under|creep in|creep out|creep through|creep away|\
         creep by|creep along|creep around|creep over|creep over to|creep up to|creep down|creep to|creep behind",
        Do(Verb::Sneak),
    ),
    (
        "abseil|rappel|belly flop|bellyflop|cannonball|cartwheel|catch fish with hands|clear in one bound|cling|cling on|cling to|dangle|dangle from|\
         do backflip|do cartwheel|do handstand|do somersault|do flip|do parkour|dodge|dodge past|dodge under|dive off|dive from|dive through|\
         dive under|dive over|do push ups|do pushups|evade|flip over railing|grapple up|hang from|hurdle|jump on to|jump gap|jump to|leap to|\
         leap on to|leap through|leap down|leap clear|leap aside|outrace|pirouette|plummet|run along wall|slide down|slide down banister|\
         slide down rope|sprint across|swim across|swim out|swim out to|swim under|swim through|swing|swing over|swing to|tumble|walk along rail|\
         walk tightrope|jump overboard|hop over|hop across|bound over",
        Try("athletics"),
    ),
    (
        "puzzle out|puzzle over|solve|reconstruct|find clues|look for clues|search for clues|look for tracks|search for tracks|sense|detect|\
         keep lookout|keep look out|listen out for|listen hard for|prick up ears|strain ears|strain to hear|estimate",
        Try("perception"),
    ),
    (
        "roll dice|roll die|flip coin|toss coin|draw lots|play cards|play dice|try chances|take gamble|take chance|cross fingers",
        Try("luck"),
    ),
    (
        "run hand over|run hands over|run hands along|run fingers over|run fingers along|run finger along|run finger over|place hand on|lay hand on|\
         rest hand on|put hand on|put palm on|press palm to|press hand against|fondle|tickle|scratch behind ears|ruffle|pinch cheek|nuzzle|tap at|\
         tap against|palpate|massage|knead",
        Gesture("touch"),
    ),
    (
        "take sniff|have sniff|sniff at|sniff around|smell at|breathe in smell|breathe in scent|inhale scent|savour smell|get whiff",
        Gesture("smell"),
    ),
    (
        "listen out|listen carefully|listen closely|listen hard|listen intently|put ear to|press ear to|press ear against|hold ear to|eavesdrop at|\
         hear out|lend ear to",
        Gesture("listen"),
    ),
    ("taste with tongue|run tongue over", Gesture("lick")),
    (
        "reach up|reach down to|reach to|stretch out hand|stretch out arm|extend hand|hold out hand|offer hand|stick out hand|raise hand|raise arm|\
         lift hand",
        Gesture("reach out"),
    ),
    (
        "jump for joy|jump around|hop around|hop about|hop on one leg|leap for joy|leap about|leap up",
        Gesture("jump"),
    ),
    (
        "sing along|sing about|sing song|sing for|sing tune|hum tune|croon|serenade|yodel",
        Gesture("sing"),
    ),
    (
        "do dance|do little dance|do jig|break in to dance|tango|tap dance|boogie|sway to music",
        Gesture("dance"),
    ),
    ("whistle at|whistle to|whistle for|whistle tune", Gesture("whistle")),
    (
        "clap for|give applause|give round applause|cheer|cheer for|applaud loudly|slow clap|high five|highfive",
        Gesture("clap"),
    ),
    (
        "kneel down|kneel before|kneel by|kneel at|get down on knees|get on knees|fall to knees|drop to knees|say prayer|pray for|worship|\
         light candle for|cross myself|bless myself",
        Gesture("pray"),
    ),
    (
        "kiss on cheek|give kiss to|blow kiss to|peck on cheek|smooch|snog|make out with",
        Gesture("kiss"),
    ),
    (
        "cuddle|give hug to|squeeze shoulder|put arm around|put arms around|throw arms around|wrap arms around|hold tight to|hold close|hold hand|\
         hold hands with|take hand|take by hand|take her hand|cling to him|cling to her",
        Gesture("hug"),
    ),
    (
        "sit by|sit beside|sit near|sit next to|sit across from|sit opposite|sit in|sit down on|sit down at|sit down by|sit down with|\
         sit down next to|sit down in|sit down opposite|sit myself down|sit back|take seat|take seat at|take seat on|take seat by|take seat in|\
         take chair|grab seat|grab chair|have seat at|have seat on|have seat by|pull up chair|pull up stool|plop down|plop myself down|flop down|\
         flop on|flop in|settle down|settle in to|settle on|settle in|slump|slump down|slump in|slump against|squat|squat down|crouch|crouch down|\
         crouch by|crouch beside|hunker down|perch on|recline|recline on|sprawl|sprawl on|be seated at|straddle|ease myself down",
        Gesture("sit down"),
    ),
    (
        "stand upright|stand back|stand aside|stand beside|stand before|stand at|stand near|stand next to|stand in|stand to attention|get to feet|\
         get on feet|rise to feet|jump to feet|leap to feet|scramble to feet|straighten up|pull myself up|pull myself together|arise|stay standing",
        Gesture("stand up"),
    ),
    (
        "wave goodbye|wave goodbye to|wave goodbye at|wave farewell|wave farewell to|wave hand|wave arms|wave hands|wave around|wave about|flap arms|\
         flail",
        Gesture("wave"),
    ),
    (
        "smile to|smile warmly|smile politely|smile back|smile back at|smile sweetly|smirk|smirk at|raise eyebrow|raise eyebrows|wiggle eyebrows|\
         crack smile|give smile|flash smile|flash grin|pull face|make face|make faces|make face at|stick out tongue|stick tongue out|\
         put on brave face",
        Gesture("smile"),
    ),
    (
        "laugh out loud|laugh along|laugh aloud|cackle|snicker|snigger|guffaw|titter|snort|roar with laughter|burst out laughing|crack up|lol",
        Gesture("laugh"),
    ),
    (
        "shed tear|shed tears|burst in to tears|break down in tears|whimper|wail|moan|bawl|sniffle|blubber|mourn|grieve|lament",
        Gesture("weep"),
    ),
    (
        "think back|think back to|think hard|think over|think through|think to myself|think aloud|mull over|mull|brood|brood over|reminisce|\
         reminisce about|recall|recollect|reflect on|ruminate|meditate on|consider options|consider next move|weigh options|ponder on|ponder over|\
         dwell on|suspect|worry|worry about|fret|fret about|regret|yearn for|wish for|dread|feel sad|feel happy|feel sorry|feel cold|feel afraid|\
         feel nervous|feel uneasy|feel guilty|enjoy view|admire view|marvel|curse luck|curse under breath|count blessings|make wish|collect thoughts|\
         gather thoughts|clear head|clear mind|brace myself|prepare myself|compose myself|pinch myself|remind myself|tell myself|ask myself|\
         talk to myself|mutter to myself|wonder to myself|congratulate myself|introspect|panic|realise|realize",
        Gesture("think"),
    ),
    (
        "nod head|nod approvingly|nod slowly|nod along|nod in agreement|shake head|shake head at|shrug shoulders|bow head|bow deeply|bow low|\
         bow politely|incline head|give nod|roll eyes|roll eyes at|give thumbs up|cross arms|fold arms|tilt head|clench fists|clench fist|grit teeth|\
         gesticulate|facepalm",
        Gesture("nod"),
    ),
    (
        "rap|rap at|bash on|beat at|hammer at|pound at|pound against|thump at|tap at door|give knock|give knock on|knock loudly on|knock politely on|\
         knock three times on",
        Gesture("knock"),
    ),
    ("dig around|dig hole|dig under|dig for|dig with|burrow|scoop out earth", Gesture("dig")),
    (
        "wash up|wash hands|wash face|wash off|wipe down|wipe off|wipe clean|rinse|rinse off|rinse out|clean up|clean off|dust off|dust down|\
         brush off|brush down|mop up|scour clean|buff|shine up|disinfect|scrape|scrape off|scrape mud off|tidy up|launder",
        Gesture("clean"),
    ),
    (
        "swear at|swear under breath|curse at|curse loudly|cuss|cuss at|blaspheme|damn it|damn you|shake fist",
        Gesture("curse"),
    ),
    (
        "take breath|take deep breath|draw breath|draw deep breath|hold breath|breathe deeply|breathe out|exhale|let out breath|let out sigh|\
         let out long breath|heave sigh|give sigh|sigh deeply|groan|grunt|gasp|gulp nervously|swallow hard|pant|wheeze|hiccup|burp|belch|fart|\
         clear throat|cough politely|cough loudly|shudder|tremble|quiver|shake with|wince|flinch|grimace|frown|scowl|pout|sulk|blush|stretch legs|\
         stretch arms|stretch back|rub eyes|rub hands|rub hands together|blow on hands|blow on fingers|warm hands|warm myself|warm up|warm up by|\
         cool off|cool down|tap foot|drum fingers|crack knuckles|snap fingers|click fingers|wring hands|bite lip|bite nails|chew lip|chew nails|pace|\
         pace around|pace about|pace up and down|pace back and forth|fidget|twitch|look away|avert eyes|look busy|look innocent|steady myself|\
         steady myself against|catch myself|lean back|lean forward|lean closer|lean close|bend down|bend|stoop|stoop down|turn away|spin around on|\
         walk in circles|run around|run about|run in circles|wobble|stagger|stumble around|slip and fall|fall over|fall down|pass out|collapse|\
         wake myself up",
        Gesture("sigh"),
    ),
    (
        "say goodbye|say goodbye to|say farewell|say farewell to|say thanks|say thanks to|say thank you|say thank you to|say sorry|say sorry to|\
         give thanks|give thanks to|take leave|apologise to|apologize to|apologise for|apologize for|thank for|beg pardon|ask for forgiveness|\
         ask forgiveness|make amends|pay respects|pay respects to|pay my respects|pay my respects to|pay our respects|pay our respects to|wish luck|wish good luck|wish well|keep company|entertain|amuse|cheer up|\
         sympathise with|sympathize with|commiserate with|treat wound|heal|help up|help with|help out|lend hand|lend hand to|give hand|give hand to|\
         serve myself|play with|play around|fool around|muck about|play game with|play hide and seek|feed crumbs to|slice up|chop up|whittle|\
         carve name|carve initials|scratch head|scratch chin|stroke beard|stroke chin|comb hair|brush hair|fix hair|brush teeth|do hair|\
         roll up sleeves|tie shoelaces|tie laces|tie shoes|turn up collar|turn collar up|pull up hood|pull coat tighter|pull hat down|\
         light cigarette|light pipe|write in|write down|write to|write on|write note|write letter|jot down|take notes|take note|make note|sketch out|\
         doodle|draw picture|draw map|step on|stand on tiptoe|stand on tiptoes|experiment|practise with|rehearse|exercise|work out plan|do stretches|\
         do exercises|do press ups|do handstand for|skip stones|skip stone|skim stone|skim stones|build sandcastle|go fishing|pick flowers|\
         pick flower|make tea|make coffee|put kettle on|put on kettle|cook dinner|set table|lay table|clear table|make bed|dust for prints|shoo|\
         shoo away|chase|chase away|chase off|tame|ride on|soak|dry off|dry myself|hold on to|hold on tight|hang on to|hang on tight|hold tight|\
         grab on to|shiver with|get ready|get comfortable|get cosy|get cozy|make myself comfortable|make myself useful|make myself at home|\
         put feet up|kick back|kick heels|kick stone|kick pebble|kick rock|kick dirt|swat|swat at|flick|flick at|blow bubbles|blow raspberry|\
         blow nose|pick nose|tell joke about|gloat|celebrate with|raise toast|raise toast to|raise glass to|drink to|clink glasses|\
         clink glasses with|wink back|blow dust off|blow dust from|breathe on|tread carefully|watch step|salute back",
        Gesture("busy yourself"),
    ),
    ("drag over|move closer to me", Lift),
    // Gestures of the body, of feeling and of speech, and what hands do.
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
