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
         sleep on|doze off|take a rest|catch some sleep|slumber|lie down|lie down on|lie on|turn in",
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
];
