//! The drowned bell.

use super::arc::{Arc, Beat, NewPerson, NewPlace, PersonSpec, Thread};

pub(super) static BELL: Arc = Arc {
    question: "Who rang the drowned bell on the night the lock-keeper vanished?",
    category: "mystery",
    threads: [LEDGER, SLUICE, BARGE, CHAPEL],
    end: Beat {
        title: "The Last Stroke",
        intention: "{pov} learns who rang the drowned bell, and the lock-keeper comes home.",
        bullets: [
            "The lock-keeper rang the bell, to warn {town} of the weakened dike.",
            "With {o}'s help the dike was shored up before the spring tide.",
        ],
        body: &[
            "The lock-keeper told it without pride, sitting on an upturned crate with a blanket round his shoulders.",
            "He had found the dike hollowed behind the sluice, had known that nobody would believe him, and had rowed out to the one bell that all of {town} would hear.",
            "Three dozen people worked until morning with sandbags and barn doors, and when the tide came it leaned on the dike and went away again.",
        ],
        talk: &[
            "\"You could have knocked at my door,\" said {pov}.",
            "\"I could,\" the lock-keeper said, \"and you would have told me to go home and sleep.\"",
            "{o} laughed first, and after that it was hard to stop.",
        ],
        hook: "The drowned bell did not ring again that year, and {pov} found that {she} missed it.",
    },
};

const LEDGER: Thread = Thread {
    question: "What did the lock-keeper write on the last page of the ledger?",
    category: "mystery",
    person: PersonSpec::New(NewPerson {
        role: "lock-keeper's apprentice",
        description: "Quick-handed and short of sleep, with river mud to the knees in every season.",
        traits: ["stubborn", "observant"],
        goal: "find the lock-keeper",
        relationship_type: "ally",
        seen: "{o} wants the truth more than comfort.",
        sees: "{pov} listens before asking, which is rare here.",
    }),
    place: NewPlace {
        name: "The Lock House",
        description: "A narrow brick house that leans over the upper gate of the lock.",
        atmosphere: "damp, lamplit and orderly",
        features: [
            "a rack of numbered keys",
            "a barometer with a cracked face",
            "a ledger on a slanted desk",
            "a pair of boots set out to dry",
        ],
    },
    status: "trusting",
    event: "They read the last page of the ledger together.",
    beats: [
        Beat {
            title: "The Bell Under the Water",
            intention: "{pov} comes to the Lock House after the bell has rung and finds the lock-keeper gone.",
            bullets: [
                "The drowned bell rang at midnight, and in the morning the lock-keeper was gone.",
                "{pov} found the Lock House open and the last page of the ledger cut out.",
            ],
            body: &[
                "At midnight the bell that had lain under the river for sixty years rang eleven times, and {town} woke and counted.",
                "By breakfast everybody had a reason for it, and nobody had seen the lock-keeper.",
                "His door stood open, his supper was on the table, and the ledger lay where it always lay, with its last page cut out along the seam.",
            ],
            talk: &[
                "\"He never let anyone touch that book,\" said the boy who had brought the milk.",
                "{pov} ran a thumb down the cut and felt how straight it was.",
            ],
            hook: "Whoever had wanted the page had taken the time to use a ruler.",
        },
        Beat {
            title: "What the Blotter Kept",
            intention: "{pov} and {o} look for traces of the missing page.",
            bullets: [
                "{o}, the lock-keeper's apprentice, offered to help {pov}.",
                "The blotter kept a mirror image of some of the missing lines.",
            ],
            body: &[
                "{o} had the only other key to the desk, and had plainly been crying, and did not want it mentioned.",
                "Together they held the blotter to the shaving mirror and turned it until the ink made sense.",
                "There were times of day, four of them, and beside each a short stroke such as a man makes when he is counting.",
            ],
            talk: &[
                "\"Those are no tides,\" said {o}. \"The tide was never at four that week.\"",
                "\"Then what comes at four?\" {pov} asked.",
                "{o} looked at the sluice wheel through the window and did not answer at once.",
            ],
            hook: "Half of the last line was missing, and it was the half that mattered.",
        },
        Beat {
            title: "Four in the Morning",
            intention: "{pov} and {o} find the missing page and learn that the sluice was opened at night.",
            bullets: [
                "The missing page lists four nights on which someone paid to have the sluice opened.",
                "{o} and {pov} decided to find out who paid.",
            ],
            body: &[
                "The page had not gone far: it was folded into the case of the barometer, behind the cracked glass.",
                "On four nights the sluice had been opened at four in the morning and shut again before light, and each time the lock-keeper had written down a sum and underlined it.",
                "He had not spent the money, for it lay in the bottom of the case in four twists of paper.",
            ],
            talk: &[
                "\"He took it so that they would think he was theirs,\" {o} said slowly.",
                "\"And wrote it down so that somebody would know he was not,\" said {pov}.",
            ],
            hook: "Inside the last twist of paper was a coin that nobody had minted for a hundred years.",
        },
    ],
};

const SLUICE: Thread = Thread {
    question: "Who paid to have the sluice opened at night?",
    category: "intrigue",
    person: PersonSpec::New(NewPerson {
        role: "counting-house clerk",
        description: "Thin, exact and easily frightened, with ink on both cuffs.",
        traits: ["precise", "timid"],
        goal: "keep a clean conscience and a warm room",
        relationship_type: "informant",
        seen: "{o} knows every sum in {town} and fears most of them.",
        sees: "{pov} will not let a thing rest, and that is dangerous company.",
    }),
    place: NewPlace {
        name: "The Counting House",
        description: "A tall stone hall where the merchants of the quay keep their books and their silences.",
        atmosphere: "hushed and cold, smelling of wax",
        features: [
            "a long table scarred by penknives",
            "a wall of small locked drawers",
            "a pair of brass scales under glass",
            "a stove that nobody had lit",
        ],
    },
    status: "grateful",
    event: "{pov} kept the clerk's name out of it.",
    beats: [
        Beat {
            title: "A Coin Nobody Spends",
            intention: "{pov} takes the old coin to the Counting House and asks where it came from.",
            bullets: [
                "{pov} showed the old coin to {o}, a clerk at the Counting House.",
                "{o} recognised it, and denied it.",
            ],
            body: &[
                "{pov} laid the coin on the long table and took {her} hand away.",
                "{o} did not pick it up; {oshe} only moved the inkwell so that it stood between the coin and the door.",
                "There was one hoard of that coinage in {town}, everyone knew, and it had been counted in this room.",
            ],
            talk: &[
                "\"I have never seen it before,\" said {o}.",
                "\"You have not looked at it yet,\" said {pov}.",
                "{o} looked then, and the colour went out of {oher} face.",
            ],
            hook: "A drawer on the far wall had a scratch around its lock that was still bright.",
        },
        Beat {
            title: "The Drawer With the Bright Lock",
            intention: "{pov} presses {o}, and somebody warns {them} off.",
            bullets: [
                "{o} admitted that the hoard had been drawn on four times.",
                "Someone left a warning on {pov}'s doorstep.",
            ],
            body: &[
                "The warning was a dead eel wrapped in a page of sums, laid across the doorstep with some care.",
                "{pov} brought the page back to where such pages were written, and waited until the others had gone to dinner.",
                "{o} matched the hand to a day-book in less than a minute, and then sat down as if {oher} knees had been cut.",
            ],
            talk: &[
                "\"Four withdrawals,\" {o} whispered, \"and each has the seal of the dike fund on it.\"",
                "\"Who holds that seal?\"",
                "\"Two people. One of them is on his deathbed.\"",
            ],
            hook: "Below them a door closed, softly, as a door does when somebody has been standing behind it.",
        },
        Beat {
            title: "The Other Seal",
            intention: "{pov} and {o} prove that the dike warden paid for the nights at the sluice.",
            bullets: [
                "The dike warden paid for the sluice with the money meant for the dike.",
                "{o} copied the page, so that the proof cannot be burned.",
            ],
            body: &[
                "{o} had a copy made before {oshe} had quite decided to be brave.",
                "The dike warden had signed for every withdrawal, in his own name, because it had never crossed his mind that anyone read the books.",
                "The money for clay and timber had gone to pay for four dark mornings, and the dike had had no new timber in two years.",
            ],
            talk: &[
                "\"If this burns, I have another at my sister's,\" said {o}, and seemed surprised to hear it.",
                "\"Then go and visit your sister,\" {pov} said, \"and stay for supper.\"",
            ],
            hook: "What remained was the question of what had been worth a whole dike.",
        },
    ],
};

const BARGE: Thread = Thread {
    question: "What came through the sluice on those four mornings?",
    category: "mystery",
    person: PersonSpec::Friend(NewPerson {
        role: "boatbuilder",
        description: "Broad and slow-spoken, and honest to the point of rudeness.",
        traits: ["blunt", "patient"],
        goal: "finish one boat that is not for sale",
        relationship_type: "friend",
        seen: "{o} says the true thing first and the kind thing after.",
        sees: "{pov} thinks too long, but {she} does come back.",
    }),
    place: NewPlace {
        name: "The Boatshed",
        description: "A long tarred shed below the weir, open to the water at one end.",
        atmosphere: "full of tar smoke and moving light",
        features: [
            "a half-planked hull on its stocks",
            "a row of adzes hung by size",
            "a slip polished by keels",
            "a kettle that was never off the boil",
        ],
    },
    status: "loyal",
    event: "They watched the reeds together through a cold night.",
    beats: [
        Beat {
            title: "A Draught of Nine Feet",
            intention: "{pov} asks {o} what kind of vessel would need the sluice by night.",
            bullets: [
                "{o} reckoned that only a deep and heavy barge needed the sluice.",
                "There are fresh scrapes on the sill, higher than any eel boat leaves.",
            ],
            body: &[
                "{o} heard the whole of it without putting down the caulking iron.",
                "An eel boat could have come over the weir on any tide, {oshe} said, and a passenger boat had no reason to hide.",
                "They walked down to the sill together, and there were the scrapes, in pale new oak, a forearm above the waterline.",
            ],
            talk: &[
                "\"Nine feet of draught,\" said {o}, laying {oher} palm against the mark. \"Stone, or iron.\"",
                "\"Who buys iron in the dark?\" {pov} asked.",
                "\"Nobody,\" said {o}. \"People sell it in the dark.\"",
            ],
            hook: "Something heavy had gone down the river four times, and nothing in {town} seemed to be missing.",
        },
        Beat {
            title: "The Night in the Reeds",
            intention: "{pov} and {o} wait by the water for a fifth passage.",
            bullets: [
                "{pov} and {o} watched the river through the night.",
                "A barge came without lights, and turned back when a dog barked.",
            ],
            body: &[
                "They lay under the half-built hull with a tarpaulin over them and shared the last of the bread.",
                "A little before four something came along the far bank that was longer than a house and made less noise than a heron.",
                "Then a dog barked on the towpath, and whoever had the tiller put it over, and the dark shape went back the way it had come.",
            ],
            talk: &[
                "\"They were not coming down,\" {o} breathed. \"They were coming up, and they were empty.\"",
                "{pov} had seen it too: the barge had ridden high, like a cork.",
            ],
            hook: "It had left a rope's end on the mooring post, and the rope smelled of bronze.",
        },
        Beat {
            title: "The Weight of Bronze",
            intention: "{pov} and {o} find what the barges carried away.",
            bullets: [
                "The barges carried the bronze anchors of the dike gates downriver, to be sold as scrap.",
                "Without them, the dike will not hold a spring tide.",
            ],
            body: &[
                "It was {o} who thought of looking at what could not be seen, and went down on a line with a stone in {oher} arms.",
                "The great bronze shoes that held the dike gates to their bed were gone, all four, and in their place somebody had set blocks of painted wood.",
                "They would hold until a spring tide leaned on them, and the spring tide was nine days away.",
            ],
            talk: &[
                "\"Sixty hundredweight,\" said {o}, shaking under two blankets. \"He sold the feet of the dike.\"",
                "\"And the lock-keeper saw it,\" said {pov}.",
            ],
            hook: "If he had seen it, and had been let live, there were few places in {town} where he could be.",
        },
    ],
};

const CHAPEL: Thread = Thread {
    question: "Where is the lock-keeper now?",
    category: "danger",
    person: PersonSpec::Same(0),
    place: NewPlace {
        name: "The Drowned Chapel",
        description: "A church tower that stands out of the river at low water, green to the belfry.",
        atmosphere: "cold, dripping and very still",
        features: [
            "a stair slick with weed",
            "a row of saints without faces",
            "a bell frame of black oak",
            "a window full of sky",
        ],
    },
    status: "devoted",
    event: "{pov} brought the lock-keeper home.",
    beats: [
        Beat {
            title: "Low Water",
            intention: "{pov} and {o} row out to the tower in which the bell hangs.",
            bullets: [
                "{pov} and {o} rowed to the Drowned Chapel at low water.",
                "Somebody has been living in the belfry.",
            ],
            body: &[
                "There was an hour in which the tower could be climbed, and they had wasted a quarter of it on an argument about the oars.",
                "The bell hung a yard above the water, hung with weed, and its rope was new.",
                "On the floor above it lay a straw mattress, a lamp with oil in it, and a loaf with a day-old crust.",
            ],
            talk: &[
                "\"That is our lamp,\" said {o}. \"I filled it myself.\"",
                "\"Then he walked out of his own door, with a lamp, at his own pace,\" {pov} said.",
            ],
            hook: "The straw was warm.",
        },
        Beat {
            title: "The Tide at the Stair",
            intention: "The water rises while {pov} and {o} search the tower.",
            bullets: [
                "The tide cut {pov} and {o} off in the tower.",
                "A second boat is moored on the blind side.",
            ],
            body: &[
                "They searched too long, and when they came back to the stair it ended in black water.",
                "There was nothing for it but to sit among the saints until the ebb, with one coat between two people.",
                "Towards evening a rope creaked on the blind side of the tower, where no boat had any reason to be.",
            ],
            talk: &[
                "\"If that is the warden, we have nowhere to go,\" {o} said into the dark.",
                "\"If that is the warden, he has nowhere to go either,\" said {pov}, and took the boathook.",
            ],
            hook: "Steps came up through the floor of the belfry, slow, and with a limp that {o} knew.",
        },
        Beat {
            title: "The Man in the Belfry",
            intention: "{pov} and {o} find the lock-keeper alive.",
            bullets: [
                "The lock-keeper is alive; he hid in the tower from the dike warden's men.",
                "He has the warden's letter, and he has not yet said why the bell rang.",
            ],
            body: &[
                "He came up through the trap with a sack of onions on his shoulder and looked at them as if they had been late.",
                "{o} hit him, twice, with a flat hand, and then would not let go of his coat.",
                "He had hidden from the warden's men for nineteen days in the one place that everyone was afraid of.",
            ],
            talk: &[
                "\"They offered me the price of a house,\" said the lock-keeper. \"I have a house.\"",
                "\"You might have sent word,\" said {o}.",
                "\"I sent it,\" he said. \"I sent it eleven times.\"",
            ],
            hook: "{pov} counted the strokes again in {her} mind and began to understand.",
        },
    ],
};
