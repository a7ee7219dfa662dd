//! The lamp that is lit from outside.

use super::arc::{Arc, Beat, NewPerson, NewPlace, PersonSpec, Thread};

pub(super) static LAMP: Arc = Arc {
    question: "Who lights the beacon that no keeper has climbed to in ten years?",
    category: "mystery",
    threads: [BEACON, SIGNAL, FEVER, HARBOUR],
    end: Beat {
        title: "Keepers",
        intention: "{pov} learns who lights the beacon and takes a turn at it.",
        bullets: [
            "The children of the quarantine ships lit the beacon, by turns, for ten years.",
            "{pov} and {o} set up a rota, and {town} has a beacon again.",
        ],
        body: &[
            "They came out of the fish sheds one after another, eleven of them, the youngest with matches and the eldest with a beard.",
            "As children they had been put ashore from the fever ship at night and told to stay hidden, and they had lit the lamp so that their parents would know they were alive.",
            "Nobody had ever told them to stop.",
        ],
        talk: &[
            "\"Ten years of oil,\" said {o}. \"I have blamed the rats.\"",
            "\"Put me down for Thursdays,\" {pov} said to the one with the matches.",
        ],
        hook: "That night there was a keeper on the rock again, and the wind could do what it liked.",
    },
};

const BEACON: Thread = Thread {
    question: "How does anyone reach the lamp without leaving a track?",
    category: "mystery",
    person: PersonSpec::New(NewPerson {
        role: "harbour pilot",
        description: "Lean, sunburnt and superstitious, with a whistle on a cord.",
        traits: ["daring", "superstitious"],
        goal: "bring every ship in",
        relationship_type: "ally",
        seen: "{o} trusts the water and nothing else.",
        sees: "{pov} gets seasick and comes along anyway.",
    }),
    place: NewPlace {
        name: "The Beacon Rock",
        description: "A bare rock at the harbour mouth, with a stump of a tower and an iron lamp.",
        atmosphere: "salt-bitten and loud with gulls",
        features: [
            "an iron ladder eaten by rust",
            "a lamp the size of a child",
            "a ring bolt worn bright",
            "a tidemark of broken shells",
        ],
    },
    status: "trusting",
    event: "They crossed the reef together in the dark.",
    beats: [
        Beat {
            title: "A Light on the Rock",
            intention: "{pov} sees the beacon burning and goes to find out who lit it.",
            bullets: [
                "The beacon burned through the storm, though it has had no keeper for ten years.",
                "{pov} found the lamp warm and not one footprint.",
            ],
            body: &[
                "The storm should have taken the mail boat, and the mail boat came in with a torn sail and a puzzled crew who thanked {town} for the light.",
                "{town} had lit no light; the post of keeper had been saved on in a thin year, ten years ago, and never filled.",
                "In the grey of the morning {pov} stood on the rock with {her} hand on the iron, and it was still warm.",
            ],
            talk: &[
                "\"There is one landing,\" the boatman called up, \"and you are standing on it.\"",
                "{pov} looked at the wet weed all around, in which there was no step but {her} own.",
            ],
            hook: "The wick had been trimmed, square, by somebody who had been taught to do it well.",
        },
        Beat {
            title: "The Ring Bolt",
            intention: "{pov} and {o} look for another way onto the rock.",
            bullets: [
                "{o} the pilot found a ring bolt that is used from the seaward side.",
                "No boat could lie there, unless it was very small.",
            ],
            body: &[
                "{o} brought the cutter round to the seaward side, where no one went, and kept her there with the tips of {oher} fingers.",
                "Above the swell hung a ring bolt, and where everything else on the rock was red with rust the ring shone like a spoon.",
                "A rope had run through it, many times, and the rope had been thin.",
            ],
            talk: &[
                "\"A ghost needs no rope,\" said {o}, with relief.",
                "\"Nor does it trim wicks,\" said {pov}, leaning over the side.",
            ],
            hook: "Whatever came here weighed less than a sack of meal.",
        },
        Beat {
            title: "The Basket",
            intention: "{pov} and {o} find out how the lamp is reached.",
            bullets: [
                "A line runs under the water from the fish sheds to the rock, and a basket runs on it.",
                "Only a child could ride in the basket.",
            ],
            body: &[
                "It was the cormorants that gave it away: they stood in a row on the water, where there was nothing to stand on.",
                "{o} put a hook under them and brought up a line as thick as a finger, tarred, taut, and running from the rock to the roof of the fish sheds.",
                "Under the eaves hung a herring basket with a bit of blanket in it.",
            ],
            talk: &[
                "\"That would not carry me,\" said {o}, \"nor you, nor anyone I know.\"",
                "\"How old is your sister's boy?\" {pov} asked quietly.",
            ],
            hook: "On the rim of the basket somebody had scratched a row of days.",
        },
    ],
};

const SIGNAL: Thread = Thread {
    question: "What do the scratches on the basket count?",
    category: "intrigue",
    person: PersonSpec::New(NewPerson {
        role: "schoolteacher",
        description: "Tall, shy and formidable, with chalk in every pocket.",
        traits: ["kind", "unbending"],
        goal: "keep every child in sight",
        relationship_type: "confidant",
        seen: "{o} knows which child is missing before the mothers do.",
        sees: "{pov} asks children real questions.",
    }),
    place: NewPlace {
        name: "The Net Loft School",
        description: "A schoolroom over the net store, where the floor smells of tar and the maps hang from hooks.",
        atmosphere: "chalky, draughty and bright",
        features: [
            "a stove ringed with wet mittens",
            "a slate nobody had wiped",
            "a globe with a hole where an island had been",
            "a row of pegs with one too many",
        ],
    },
    status: "warm",
    event: "They read the signal book together.",
    beats: [
        Beat {
            title: "One Peg Too Many",
            intention: "{pov} asks {o} about the children of the harbour.",
            bullets: [
                "{pov} showed {o} a rubbing of the scratches.",
                "The school has one more coat peg than pupils, and it is in use.",
            ],
            body: &[
                "{o} held the rubbing up beside the register, and then, after a moment, beside the tide table.",
                "They were not days; every seventh stroke was longer, and every twenty-eighth was crossed.",
                "On the wall there were twenty-three pegs for twenty-two children, and from the last one hung a coat that was cut for nobody.",
            ],
            talk: &[
                "\"It is wet in the mornings,\" said {o}. \"I have never said so aloud.\"",
                "\"Did you never follow it?\" asked {pov}.",
                "\"I leave bread in the pocket,\" said {o}.",
            ],
            hook: "The pocket was empty now, apart from a fold of oilcloth.",
        },
        Beat {
            title: "The Oilcloth",
            intention: "{pov} and {o} try to read the signals in the oilcloth.",
            bullets: [
                "The oilcloth holds a code of long and short lights.",
                "Somebody out at sea has been answering.",
            ],
            body: &[
                "In the fold were two rows of marks, long and short, in two inks.",
                "{o} tried it as flags, as tides and as a hymn, and it was none of these.",
                "Then {pov} lit a candle and passed {her} hand before it, long and short, and both of them saw it at once.",
            ],
            talk: &[
                "\"Somebody answers,\" said {o}. \"The second row is somebody else.\"",
                "\"From where? There is nothing out there but the fever roads.\"",
            ],
            hook: "Neither of them said the name of the ship, but both had thought it.",
        },
        Beat {
            title: "All Well",
            intention: "{pov} and {o} read the message that the beacon sends.",
            bullets: [
                "The beacon says the same two words every month: all well.",
                "The answer has changed: the ship is asking for help.",
            ],
            body: &[
                "It was the eldest pupil who gave them the key, in the end, by correcting {o}'s spelling of it under her breath.",
                "For ten years the beacon had said two words, once in every moon, and for ten years two words had come back.",
                "In the last row the answer was longer, and it was not all well.",
            ],
            talk: &[
                "\"Fever. Water. Soon,\" {o} read, and put the chalk down.",
                "\"They have never asked for anything before,\" said {pov}.",
                "\"No. Which is why I believe them.\"",
            ],
            hook: "A mile off, beyond the bar, a yellow flag had been flying for so long that nobody saw it any more.",
        },
    ],
};

const FEVER: Thread = Thread {
    question: "Who keeps the quarantine ship at anchor after ten years?",
    category: "danger",
    person: PersonSpec::Friend(NewPerson {
        role: "physician",
        description: "Worn, sardonic and tender by turns, with a bag that has been to sea.",
        traits: ["sceptical", "tireless"],
        goal: "be wrong about one case",
        relationship_type: "friend",
        seen: "{o} pretends not to care and sits up all night.",
        sees: "{pov} will ask the thing that I have avoided.",
    }),
    place: NewPlace {
        name: "The Fever House",
        description: "A whitewashed lazaret on the spit, closed by order and swept by the wind.",
        atmosphere: "bare and clean, with a taste of lime",
        features: [
            "a row of iron beds",
            "a telescope on a tripod",
            "a shelf of numbered jars",
            "a bell rope cut off short",
        ],
    },
    status: "loyal",
    event: "They went out to the ship together.",
    beats: [
        Beat {
            title: "The Yellow Flag",
            intention: "{pov} asks {o} about the ship beyond the bar.",
            bullets: [
                "{pov} and {o} looked at the quarantine ship through the telescope.",
                "By the book, it should have been released nine years ago.",
            ],
            body: &[
                "{o} set the telescope up without being asked, as if the question had been expected for some years.",
                "There was washing on the ship's line, and there were beans growing along the rail in tubs.",
                "By the book a fever ship lay forty days, and this one had lain close to four thousand.",
            ],
            talk: &[
                "\"Every spring I write to the board,\" said {o}. \"Every autumn they thank me.\"",
                "\"And who pays for the ship's bread?\" asked {pov}.",
                "{o} lowered the telescope. \"Now that,\" {oshe} said, \"is a question.\"",
            ],
            hook: "Somebody on the deck had turned a glass towards them, and was waving.",
        },
        Beat {
            title: "The Contractor's Bread",
            intention: "{pov} and {o} follow the supplies for the ship and are stopped.",
            bullets: [
                "A contractor is paid for four hundred rations a day and delivers forty.",
                "The harbour board forbade {pov} and {o} to go near the ship.",
            ],
            body: &[
                "The bread went out on a lighter each Friday, four hundred loaves on paper and forty in the boat.",
                "{o} asked to see the contract and was shown the door, and asked again through the window.",
                "By evening there was a paper on the lazaret, still wet with paste, that closed the spit to everyone.",
            ],
            talk: &[
                "\"He makes more of one sick ship than of ten sound ones,\" said {o}.",
                "\"Then he needs it to be sick,\" said {pov}.",
            ],
            hook: "That night the beacon burned out of its turn, and it did not say all well.",
        },
        Beat {
            title: "Beans Along the Rail",
            intention: "{pov} and {o} board the ship and learn that there is no fever.",
            bullets: [
                "There has been no fever on the ship for nine years; now the water is bad.",
                "{o} signed the ship free, board or no board.",
            ],
            body: &[
                "They rowed out under the yellow flag with a cask of clean water between their knees.",
                "There had been no fever for nine years, there were only old people and beans, and a cask gone foul that would have become a fever soon enough.",
                "{o} walked the whole length of the deck and looked at every tongue, and wrote the certificate on {oher} knee.",
            ],
            talk: &[
                "\"Are they grown?\" an old woman asked. \"We see the light. We do not know how tall they are.\"",
                "{pov} held a hand in the air, and then, having thought, held it higher.",
            ],
            hook: "A certificate was a piece of paper, and the guns at the harbour mouth were not.",
        },
    ],
};

const HARBOUR: Thread = Thread {
    question: "Will {town} let the quarantine ship come in?",
    category: "danger",
    person: PersonSpec::Same(0),
    place: NewPlace {
        name: "The Custom Stairs",
        description: "A broad flight of steps from the quay into the water, where the harbour board meets.",
        atmosphere: "crowded and anxious, with the wind off the sea",
        features: [
            "a chain across the harbour mouth",
            "a board of tide times in gilt",
            "a pair of old brass guns",
            "a step worn hollow by waiting",
        ],
    },
    status: "devoted",
    event: "They brought the ship in.",
    beats: [
        Beat {
            title: "The Chain",
            intention: "{pov} and {o} ask the harbour board to open the chain.",
            bullets: [
                "The harbour board refused to lower the chain.",
                "{o} said in public that the ship would come in.",
            ],
            body: &[
                "The board sat on the top step, in order of age, and the contractor sat among them.",
                "{pov} read out the certificate, and the chairman asked whether fever could read.",
                "Behind them the steps filled with people who had come to be frightened and stayed to listen.",
            ],
            talk: &[
                "\"I have brought in worse on a worse tide,\" {o} said, loud enough for the gulls.",
                "\"With the chain up?\" asked the chairman.",
                "\"That,\" said {o}, \"is up to the chain.\"",
            ],
            hook: "The chain was worked from a house with one door, and the contractor had the key.",
        },
        Beat {
            title: "The Windlass House",
            intention: "{pov} tries to get the chain lowered before the tide turns.",
            bullets: [
                "The ship slipped her anchor on the evening tide with the chain still up.",
                "{pov} found the windlass locked, and somebody small already inside.",
            ],
            body: &[
                "The ship slipped at dusk, with her beans and her washing, and came on very slowly, because she had not moved in ten years.",
                "{pov} put a shoulder to the door of the windlass house until it was plain which of the two would break.",
                "Then something scraped over {her} head, and a pair of wet feet went in through a hole that was meant for swallows.",
            ],
            talk: &[
                "\"Which way does it turn?\" asked a voice from inside.",
                "\"Towards the sea,\" called {pov}. \"And mind your fingers.\"",
            ],
            hook: "On the water {o} blew the whistle, twice, which means that a ship can no longer stop.",
        },
        Beat {
            title: "The Ship Comes In",
            intention: "The chain goes down, and the ship comes in.",
            bullets: [
                "The chain went down with a yard to spare, and {o} brought the ship in.",
                "The contractor's account books were found in the windlass house.",
            ],
            body: &[
                "The chain went down link by link with a noise like a long cough, and the keel went over it with a yard to spare.",
                "{o} laid the ship against the stairs as one lays a sleeper on a bed.",
                "For a moment nobody moved, and then the first old man stepped down, and a fishwife gave him her arm, and after that it was a crowd.",
            ],
            talk: &[
                "\"Did you see who did it?\" {o} shouted from the rail.",
                "{pov} had seen two wet feet going round a corner, and said that it had been dark.",
            ],
            hook: "The beacon was burning before it was quite night, and this time {pov} knew where to look.",
        },
    ],
};
