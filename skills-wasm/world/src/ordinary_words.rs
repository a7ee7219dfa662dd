//! Ordinary words of English, which are no mistakes in writing another word: nobody who types `beach` means the benches.

/// The words by their first letter.
const ORDINARY: [&str; 26] = [
    "able about above accident account across act actor address adult advice afraid after afternoon again age ago \
     agree ahead air alarm album alive all alley allow almost alone along already also always among anchor and angel \
     anger angle angry animal ankle answer ant any apart apple april apron arch area arm army around arrow art ash \
     ask asleep attic august aunt author autumn away awful axe",
    "baby back bacon bad badge bag bake baker ball band bank bar bare bargain bark barn barrel base basement basin \
     basket bat bath bay beach bead beak beam bean bear beard beast beat beautiful because bed bee beech beef beer \
     before beg begin behind bell belong below belt bench bend beneath berry beside best bet better between beyond \
     big bike bill bin bird birth birthday biscuit bit bite bitter black blade blame blank blanket bleed bless blind \
     block blond blood bloom blow blue board boast boat body boil bold bolt bomb bone book boot border bore born \
     borrow boss both bottle bottom bow bowl box boy brain branch brass brave bread break breakfast breath breeze \
     brick bride bridge brief bright bring broken broom brother brown brush bucket bud bug build bulb bull bunch burn \
     bury bus bush business busy but butcher butter button buy",
    "cabin cabinet cable cage cake calf call calm camel camera camp can candle cane cap cape captain car card care \
     careful carpet carrot carry cart case cash castle cat catch cattle cause cave ceiling cell cellar cent centre \
     certain chain chair chalk chance change chapel chapter charge charm chase cheap cheat check cheek cheer cheese \
     chef cherry chest chew chicken chief child chimney chin china chip chocolate choice choir choose chop church \
     cigar cinema circle circus city claim clam clap class claw clay clean clear clerk clever cliff climb clock close \
     closet cloth cloud clown club clue coach coal coast coat cobweb cock code coffee coin cold collar colour comb \
     come comfort common company compass complain concert cook cool copper copy cord corn corner corpse cost cottage \
     cotton couch cough could count country couple courage court cousin cover cow crab crack cradle crane crash crawl \
     cream creek creep crew crime cross crow crowd crown cruel crumb cry cup cupboard cure curse curtain curve \
     cushion custom cut",
    "daily dance danger dare dark date daughter dawn day dead deaf deal dear death debt deck deed deep deer degree \
     delay den deny desert desk devil dew diamond diary dictionary die diet dig dinner dirt dirty dish distance dive \
     divide dock doctor dog doll dollar donkey door double doubt dough dove down drag dragon drain draw drawer dream \
     dress drift drill drive driver drop drown drum dry duck due dull during dust duty",
    "each eager eagle ear early earn earth ease east easy echo edge egg eight either elbow elder elephant eleven else \
     empty end enemy engine enjoy enough enter equal error escape even evening event ever every evil exact examine \
     excuse exit expect explain extra eye",
    "face fact fade fail faint fair fairy faith fall false family fan far farm farmer fast fat father fault favour \
     fear feast feather fee feed feel fellow fence fern ferry fetch fever few field fifteen fifth fifty fight figure \
     file fill film final find fine finger finish fire firm first fish fist fit five fix flag flame flap flash flask \
     flat flavour flea flesh flight float flock flood floor flour flow flower fly foam fog fold folk follow food fool \
     foot for force forehead forest forget forgive fork form fort fortune forty forward fountain four fox frame free \
     freeze fresh friday friend frog from front frost fruit fry fuel full fun fund funny fur furniture fuse future",
    "gain gallery game gang gap garage garden garlic gas gate gather gaze general gentle get ghost giant gift girl \
     give glad glance glass globe gloom glory glove glow glue goal goat god gold golf good goose gossip grain grand \
     grandfather grandmother grape grass grave gravel gravy gray grease great green greet grey grief grin grip ground \
     group grow guard guess guest guide guilty guitar gull gun guy",
    "habit hail hair half hall ham hammer hand handle hang happen happy harbour hard harm harp harvest hat hate haul \
     haunt have hawk hay head heal health heap hear heart heat heaven heavy hedge heel height hell help hen her herb \
     herd here hero herring hide high hill him hint hip hire his hit hobby hold hole holiday hollow holy home honest \
     honey hood hook hope horn horse hospital host hot hotel hour house how huge human hundred hunger hungry hunt \
     hurry hurt husband hut",
    "ice idea ill inch indeed ink inn insect inside insult iron island item ivory ivy",
    "jacket jail jam jar jaw jealous jelly jewel job join joke journal journey joy judge jug juice july jump june \
     jungle junk jury just",
    "keen keep kettle key kick kid kill kind king kingdom kiss kit kitchen kite kitten knee knife knight knit knob \
     knock knot know",
    "label lace lack ladder lady lake lamb lame lamp land lane language lantern lap large last late laugh laundry law \
     lawn lawyer lay lazy lead leaf leak lean learn least leather leave left leg lemon lend length less lesson letter \
     level lever library lick lid lie life lift light like lily limb lime limp line lion lip list listen little live \
     liver lizard load loaf loan lobby lobster local lock log lonely long look loop loose lord lorry lose lost lot \
     loud love low luck lucky luggage lump lunch lung",
    "machine mad magic magnet maid mail main make male mall man manner many map marble march mark market marry marsh \
     mask mass master match mate mattress may maybe mayor meal mean meat medal medicine meet melt member memory men \
     mend merry mess message metal midday middle midnight might mild mile milk mill mind mine mint minute mirror miss \
     mist mistake mix model moment monday money monk monkey monster month mood moon more morning moss most moth \
     mother motor mountain mouse mouth move movie much mud mug murder muscle museum mushroom music must mystery",
    "nail name nap narrow nasty nation nature near neat neck need needle neighbour nephew nerve nest net never new \
     news next nice niece night nine nobody noise none noon nor normal north nose not note nothing notice novel now \
     number nun nurse nut",
    "oak oar obey object ocean odd off offer office officer often oil old olive once one onion only open opera orange \
     orchard order ordinary organ other our out outside oven over owe owl own owner oyster",
    "pack page pain paint pair palace pale palm pan panel panic pants paper parade parcel pardon parent park parrot \
     part partner party pass past paste pastry path patient pattern pause paw pay pea peace peach peak pear pearl \
     peel pen pencil penny people pepper perfect perfume perhaps person pet phone photo piano pick picnic picture pie \
     piece pig pigeon pile pill pillow pilot pin pine pink pint pipe pirate pistol pit pitch pity place plain plan \
     planet plank plant plate play please pleasure plenty plot plough plug plum pocket poem poet point poison pole \
     police polish polite pond pony pool poor pop porch pork port post pot potato pound powder power praise pray \
     prayer present press pretend pretty price pride priest prince princess print prison private prize problem \
     promise proof proper proud prove public pudding pull pump punch pupil puppet puppy pure purple purpose purse \
     push put puzzle",
    "quarrel quarry quarter queen queer question queue quick quiet quite quiz",
    "rabbit race rack radio rag rage rail rain raise ram ranch range rank rare rat rather raw ray reach read ready \
     real reason receipt recipe record red reed refuse regret relative rent repair reply report rescue rest result \
     return reward ribbon rice rich riddle ride ridge rifle right ring ripe rise risk river road roar roast rob robe \
     robin rock rod roll roof room rooster root rope rose rotten rough round row royal rub rubber rubbish rude rug \
     ruin rule rum rumour run rush rust",
    "sack sad saddle safe sail sailor saint salad salmon salt same sand sandwich sauce sausage save saw say scale \
     scar scared scarf scene scent school science scissors score scream screen screw sea seal search season seat \
     second secret see seed seem seldom send sense serious sermon servant serve set seven several sew shade \
     shadow shake shallow shame shape share shark sharp shave she shed sheep sheet shelf shell shelter sheriff shine \
     ship shirt shock shoe shoot shop shore short shot should shoulder shout shovel show shower shut shy sick side \
     sigh sight sign signal silence silent silk silly silver simple since sing single sink sip sir sister sit six \
     size skate skill skin skip skirt skull sky slap slate slave sled sleep sleeve slice slide slim slip slope slow \
     sly small smart smell smile smoke smooth snack snail snake snap snow soap sock sofa soft soil soldier solid some \
     son song soon sore sorry sort soul sound soup sour south space spade spare spark speak special speech speed \
     spell spend spice spider spill spin spirit spit spoil sponge spoon sport spot spray spread spring spy square \
     squirrel stable staff stage stain stair stake stale stall stamp stand star stare start state station statue stay \
     steady steak steal steam steel steep stem step stew stick stiff still sting stir stock stomach stone stool stop \
     store storm story stove straight strange stranger strap straw stream street strict string strip stripe strong \
     student study stuff stupid style subject such sudden sugar suit summer sun sunday supper sure surprise swallow \
     swamp swan swear sweat sweep sweet swim swing switch sword",
    "table tail tailor take tale talent talk tall tame tank tap tape target task taste tax taxi tea teach teacher \
     team tear tease teeth tell temper temple ten tent term test than thank that the theatre their them then there \
     these they thick thief thin thing think third thirst thirsty thirty this thorn those though thought thread three \
     throat throne through throw thumb thunder ticket tide tidy tie tiger tight tile till timber time tin tiny tip \
     tired toad toast today toe together toilet toll tomato tomb tomorrow ton tone tongue tonight tool tooth top \
     torch torn toss touch tour towel tower town toy track trade traffic trail train tramp trap travel tray treasure \
     treat tree trial trick trip trot trouble trousers trout truck true trumpet trunk trust truth try tub tube \
     tuesday tune tunnel turkey turn turtle twelve twenty twice twin twist two",
    "ugly umbrella uncle under uniform unless until upper upset use useful usual",
    "vain valley value van vase vegetable veil velvet verse very vessel vest view village vine vinegar violet violin \
     visit visitor voice volcano vote voyage",
    "wage waist wait wake walk wall wallet war warm warn wash wasp waste watch water wave wax way weak wealth \
     weapon wear weather wedding week weep weigh weight welcome well were west wet whale wheat wheel when where \
     whether which while whip whisper whistle white who whole whom whose why wicked wide widow wife wild will win \
     wind window wine wing winner winter wipe wire wise wish witch with within without witness wolf woman wonder wood \
     wool word work worker world worm worry worse worst worth would wound wrap wrist write writer wrong",
    "",
    "yard yarn year yell yellow yes yesterday yet young your youth",
    "zebra zero zone zoo",
];

/// Returns true if the word is an ordinary word of English, in the form of a dictionary.
pub(crate) fn is_ordinary(word: &str) -> bool {
    let Some(first) = word.bytes().next().filter(u8::is_ascii_lowercase) else { return false };
    ORDINARY[usize::from(first - b'a')].split(' ').any(|known| known == word)
}

#[cfg(test)]
mod tests {
    use super::is_ordinary;

    #[test]
    fn an_ordinary_word_is_no_mistake_and_a_mistake_is_no_word() {
        for word in ["sign", "drain", "beach", "man", "were", "ribbon"] {
            assert!(is_ordinary(word), "{word}");
        }
        for word in ["lantren", "tkae", "", "\u{e9}t\u{e9}"] {
            assert!(!is_ordinary(word), "{word}");
        }
    }
}
