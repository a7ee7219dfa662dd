//! Verbs that say the same as those of the first list. Where both have a phrase, the first list wins.

use super::Meaning::{
    self, Climb, Consume, Do, Gesture, Greet, Learn, Lift, Put, Sway, Throw, Try,
};
use crate::action::Verb;

/// Phrases with their meaning.
pub(super) const MORE: &[(&str, Meaning)] = &[
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
         settle in for night|curl up|curl up and sleep|curl up on|curl up in|drift off|nod off|drop off to sleep|go and sleep|try to sleep|\
         get good night's sleep|have sleep|have lie down|take lie down|lay down and sleep|lie in|lie down in|lie back|close eyes and sleep|\
         stretch out on|stretch out and sleep|rest head|rest eyes|spend night|sleep until|sleep till|sleep for",
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
];
