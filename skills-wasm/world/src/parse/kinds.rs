//! Words for kinds of things and people: a fish is the herring where there is one.

use crate::{
    entity::NamedId,
    parse::{
        scoring::is_harmless,
        want::{Want, suits},
    },
    words,
    world::World,
};

/// Words that are said for each other, where only one thing here has one of them in its name. A blank stands on both sides
/// of each word, so that a whole word is found by one search. Where a colon stands, only the words before it mean all of them:
/// a fish is the herring, but a trout is none.
const KINDS: &str = "\
    | fish : herring kipper trout cod pike salmon mackerel haddock sardine sardines eel carp perch bream anchovy sprat \
    | bread loaf roll bun : baguette toast crust bannock bap sandwich \
    | biscuit cookie : wafer cracker gingerbread shortbread macaroon biscuits cookies \
    | cake pie tart pastry : bun muffin scone gateau pudding strudel doughnut \
    | meat : sausage ham bacon chop steak mutton beef pork salami \
    | cheese : cheddar brie stilton gouda \
    | fruit : apple pear plum orange lemon peach cherry grape banana fig berry tomato \
    | vegetable veg : carrot turnip potato onion cabbage marrow leek swede radish tomato \
    | sweet sweets candy : toffee lollipop bonbon fudge chocolate caramel humbug sweetie \
    | soup stew broth goulash chowder \
    | drink beverage : tea coffee cocoa wine beer ale brandy whisky rum gin milk juice lemonade cider schnapps sherry port \
    | booze alcohol liquor spirits : wine beer ale brandy whisky rum gin cider schnapps sherry port \
    | tea cuppa brew \
    | coat jacket cloak oilskin mac raincoat overcoat anorak parka cape mantle greatcoat \
    | hat cap bonnet helmet beret headgear boater bowler trilby \
    | shoes boots wellies wellingtons slippers galoshes sandals clogs shoe boot footwear trainers \
    | gloves mittens glove mitten mitts \
    | scarf shawl muffler wrap stole neckerchief \
    | dress gown frock robe \
    | shirt blouse jumper sweater pullover cardigan jersey \
    | glasses spectacles goggles specs \
    | apron smock overall overalls pinafore \
    | moustache mustache whiskers tache beard \
    | bag sack satchel suitcase rucksack backpack holdall purse pouch handbag valise knapsack \
    | case suitcase briefcase bag \
    | box case chest crate casket trunk coffer carton caddy tin \
    | tin can canister \
    | bottle flask thermos vial phial flagon decanter \
    | cup mug beaker goblet tumbler teacup tankard \
    | jar pot jug pitcher vase urn crock \
    | bucket pail tub \
    | basket hamper creel pannier \
    | barrel cask keg drum butt \
    | cupboard cabinet wardrobe closet locker dresser \
    | book volume tome ledger logbook notebook diary journal album register manual \
    | paper sheet note page letter document leaflet pamphlet form slip parchment \
    | letter envelope note message missive telegram \
    | map chart plan atlas \
    | photo photograph picture snapshot painting portrait print drawing sketch \
    | sign notice poster placard board \
    | newspaper paper gazette broadsheet \
    | knife blade dagger penknife \
    | weapon knife gun pistol sword axe rifle dagger revolver blade \
    | gun pistol revolver rifle firearm \
    | axe hatchet chopper \
    | wood firewood kindling log logs sticks timber planks twigs \
    | spade shovel \
    | spanner wrench \
    | hammer mallet \
    | rope cord line string twine cable lanyard \
    | stick staff cane pole rod \
    | broom mop brush \
    | cloth rag towel duster handkerchief hanky \
    | lamp lantern torch flashlight light candle \
    | matches matchbox lighter match \
    | lever handle crank winch \
    | button switch \
    | tap faucet spigot \
    | bell chime gong \
    | radio wireless transistor \
    | phone telephone handset receiver \
    | telescope spyglass \
    | binoculars fieldglasses \
    | machine device gadget contraption apparatus engine \
    | camera kodak \
    | pen pencil quill biro \
    | chair seat stool bench armchair \
    | sofa couch settee \
    | table desk bench counter workbench \
    | bed bunk berth cot mattress \
    | blanket quilt duvet bedspread \
    | rug carpet mat doormat \
    | stove oven cooker range furnace boiler \
    | fireplace hearth fire grate \
    | door gate hatch trapdoor \
    | window pane skylight porthole \
    | clock watch timepiece \
    | statue figure bust sculpture carving statuette \
    | coin coins money cash penny pennies change shilling sixpence banknote \
    | ring jewel gem locket necklace brooch pendant earring jewellery \
    | flower flowers rose tulip bouquet posy daisy \
    | dog hound puppy mutt pup terrier spaniel \
    | cat kitten tabby moggy puss tomcat \
    | bird parrot gull raven owl crow pigeon jackdaw magpie swan goose duck hen heron \
    | horse pony mare donkey mule \
    | boat dinghy skiff rowboat punt \
    | cook chef baker \
    | doctor physician medic nurse \
    | policeman constable cop officer sergeant bobby inspector \
    | professor teacher scholar scientist astronomer \
    | fisherman angler fisher \
    | captain skipper sailor mariner bosun \
    | guard watchman sentry soldier warden sergeant \
    | priest vicar monk friar parson abbot \
    | barman bartender landlord innkeeper publican barkeep landlady barmaid \
    | shopkeeper seller vendor trader merchant stallholder hawker peddler pedlar \
    | porter conductor attendant steward usher inspector \
    | boy lad child kid youngster nipper \
    | girl lass child kid youngster \
    | widow lady woman crone granny grandma gran \
    |";

/// Whether the word is the name of a kind, and so no mistake for another word: boots are no booth.
pub(super) fn is_kind(word: &str) -> bool {
    KINDS.contains(&format!(" {word} "))
}

/// Words for all things of a quality.
const QUALITIES: &[(&str, Want)] = &[
    (" food snack morsel titbit grub meal nosh victuals edibles ", Want::Edible),
    (" drink beverage ", Want::Drinkable),
    (" light lights lamp ", Want::Unlit),
];

/// The things here of the kind that the last word names, where no name has the word; the one that suits the verb.
pub(super) fn of_kind(world: &World, content: &[&str], want: Want) -> Vec<NamedId> {
    let Some((head, before)) = content.split_last() else { return Vec::new() };
    let spaced = format!(" {head} ");
    let mut found: Vec<NamedId> = Vec::new();
    for (_, quality) in QUALITIES.iter().filter(|(known, _)| known.contains(&spaced)) {
        let is_it = |id: &NamedId| before.is_empty() && suits(world, *id, *quality);
        found.extend(world.seen().filter(is_it));
    }
    if !KINDS.contains(&spaced) {
        return found;
    }
    let has = |kind: &str, word: &str| {
        let spaced = |word: &str| format!(" {word} ");
        kind.split_once(" : ").map_or_else(
            || kind.contains(&spaced(word)),
            |(heads, _)| {
                let is_head = |word: &str| format!("{heads} ").contains(&spaced(word));
                kind.contains(&spaced(word)) && (is_head(head) || is_head(word))
            },
        )
    };
    for kind in KINDS.split('|').filter(|kind| kind.contains(&spaced)) {
        let is_it = |id: &NamedId| {
            // The other words must be those of the thing too: `the black trunk` for a black box, `the big white bird` for a
            // swan that is said to be white.
            let looks = words::split(world.description(*id));
            let fits = |word: &&str| {
                is_harmless(word)
                    || words::is_hollow(word)
                    || world.has_name_with(*id, word)
                    || looks.iter().any(|known| known == word)
            };
            let is_kind = |name: &Vec<String>| {
                let last = name.last().map(String::as_str).unwrap_or_default();
                let first = name.first().filter(|_| name.len() > 2);
                has(kind, last) || first.is_some_and(|first| has(kind, first))
            };
            world.names(*id).iter().any(is_kind) && before.iter().all(fits)
        };
        found.extend(world.seen().filter(is_it));
    }
    found.retain(|id| !world.is_place(*id));
    let suiting: Vec<NamedId> =
        found.iter().copied().filter(|id| suits(world, *id, want)).collect();
    let mut ids = if suiting.is_empty() { found } else { suiting };
    ids.sort_unstable_by_key(|id| id.0);
    ids.dedup();
    ids
}
