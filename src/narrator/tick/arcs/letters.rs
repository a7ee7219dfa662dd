//! The letters in a dead woman's hand.

use super::arc::{Arc, Beat, NewPerson, NewPlace, PersonSpec, Thread};

pub(super) static LETTERS: Arc = Arc {
    question: "Who is writing letters in the hand of a woman who died in spring?",
    category: "mystery",
    threads: [PAPER, POST, DEBT, HOUSE],
    end: Beat {
        title: "In Her Own Hand",
        intention: "{pov} learns who has been writing the letters, and lets them come to an end.",
        bullets: [
            "{o} wrote the letters, from drafts that the dead woman had dictated in her last winter.",
            "The last letter was read aloud to all of them, and then there were no more.",
        ],
        body: &[
            "{o} had learned the hand as other people learn a psalm, one stroke a night, at a bedside.",
            "There had been forty letters to write and only time to dictate them, so the promise had been that they would go out one by one, when they were needed.",
            "{pov} read the last of them aloud in the lamplight, and it forgave everybody by name, including the cat.",
        ],
        talk: &[
            "\"Was it wrong?\" {o} asked.",
            "\"It was forty stamps,\" said {pov}, \"and I would not give one of them back.\"",
        ],
        hook: "They burned nothing; they tied the letters with kitchen string and put them where anyone could find them.",
    },
};

const PAPER: Thread = Thread {
    question: "Where does the paper of the letters come from?",
    category: "mystery",
    person: PersonSpec::New(NewPerson {
        role: "stationer",
        description: "Neat and watchful, with spectacles pushed up into grey hair.",
        traits: ["discreet", "proud"],
        goal: "keep the shop out of the courts",
        relationship_type: "acquaintance",
        seen: "{o} never lies about paper and seldom tells the truth about people.",
        sees: "{pov} buys little and looks at everything.",
    }),
    place: NewPlace {
        name: "The Paper Shop",
        description: "A shop one window wide, with drawers up to the ceiling and a ladder on a rail.",
        atmosphere: "dry and quiet, smelling of gum",
        features: [
            "a ladder on a brass rail",
            "a sheet hung against the light",
            "a jar of broken seals",
            "a cat asleep on the blotting paper",
        ],
    },
    status: "respectful",
    event: "The stationer opened the order book for {pov}.",
    beats: [
        Beat {
            title: "A Letter for the Living",
            intention: "{pov} receives a letter from a woman who was buried in spring.",
            bullets: [
                "{pov} received a letter in the hand of a woman who died in spring.",
                "It speaks of a thing that happened last week.",
            ],
            body: &[
                "The letter lay among the others, in a hand that half of {town} would have known anywhere.",
                "It was three pages long, it was kind, and it mentioned the storm of the Thursday before.",
                "The woman who wrote that hand had been in the churchyard since April, under a stone that {pov} had helped to pay for.",
            ],
            talk: &[
                "\"You look as if it bit you,\" said the carrier.",
                "{pov} turned it over and asked who had handed it in, and the carrier only shrugged.",
            ],
            hook: "By evening there were six such letters in {town}, and no two of the people who had them were on speaking terms.",
        },
        Beat {
            title: "Against the Light",
            intention: "{pov} has the paper of the letter looked at by {o}.",
            bullets: [
                "{o} the stationer showed {pov} the mark in the paper.",
                "It is a mourning stock of which only one ream was ever sold.",
            ],
            body: &[
                "{o} took the page by its edges and held it up until the window shone through it.",
                "There was a wreath in the weave, and under the wreath a small mistake, a leaf that pointed the wrong way.",
                "Paper like that was made once, for one funeral, and the mould had been broken afterwards.",
            ],
            talk: &[
                "\"I sold one ream of it,\" said {o}, \"and I will not say to whom.\"",
                "\"You kept the order book, though,\" said {pov}.",
                "\"I keep everything. That is not the same as showing it.\"",
            ],
            hook: "The cat got up, turned round, and lay down on the very drawer at which {o} was not looking.",
        },
        Beat {
            title: "One Ream, Paid in Full",
            intention: "{o} lets {pov} see who bought the paper.",
            bullets: [
                "The dead woman bought the paper herself, two months before she died.",
                "{o} decided to trust {pov} with the order book.",
            ],
            body: &[
                "In the end it was not argument that did it but the second letter, which had come for {o}.",
                "The order book fell open at the place: one ream, paid in full, to be collected by the customer.",
                "And the customer had signed, in a hand that slanted like rain, with her own name.",
            ],
            talk: &[
                "\"She stood where you stand,\" {o} said. \"She tried the nib, and said that it would outlast her.\"",
                "\"Then she planned it,\" said {pov}.",
            ],
            hook: "Planning explained the paper, but paper does not walk to the post by itself.",
        },
    ],
};

const POST: Thread = Thread {
    question: "Who brings the letters to the post?",
    category: "intrigue",
    person: PersonSpec::New(NewPerson {
        role: "night sorter",
        description: "Pale, long-fingered and given to humming, at home in an hour when others sleep.",
        traits: ["dreamy", "exact"],
        goal: "see the sea once",
        relationship_type: "confidant",
        seen: "{o} reads no letters and remembers every envelope.",
        sees: "{pov} is the only one who asks about the work.",
    }),
    place: NewPlace {
        name: "The Sorting Room",
        description: "A cellar under the coach yard where the night mail is laid out by streets.",
        atmosphere: "gaslit, chilly and full of small sounds",
        features: [
            "a wall of pigeonholes",
            "a clock that ran four minutes fast",
            "a chute polished by sacks",
            "a shelf of letters without an address",
        ],
    },
    status: "warm",
    event: "The sorter let {pov} sit through the night mail.",
    beats: [
        Beat {
            title: "The Night Mail",
            intention: "{pov} asks {o} how the letters reach the mail.",
            bullets: [
                "{o}, the night sorter, has noticed the letters, and never their sender.",
                "They come only on nights of rain.",
            ],
            body: &[
                "{o} worked with both hands at once and could talk all the while without losing a street.",
                "The letters came through the yard box, {oshe} said, never over the counter, and always damp.",
                "A list on the wall had the dates, because {o} wrote down whatever came in pairs.",
            ],
            talk: &[
                "\"Only when it rains,\" said {o}. \"I thought it was pretty, so I did not ask.\"",
                "\"Rain keeps people off the street,\" {pov} said.",
            ],
            hook: "Above the chute the sky had begun to cloud over.",
        },
        Beat {
            title: "Wet Footprints",
            intention: "{pov} and {o} watch the yard box on a night of rain, and lose the sender.",
            bullets: [
                "{pov} and {o} watched the yard box and saw somebody in a mourning veil.",
                "The sender got away through the wash-house.",
            ],
            body: &[
                "They sat behind the mail cart until their knees ached, and the rain came down as if it had been ordered.",
                "A little after two somebody in a long veil crossed the yard, touched the box as one touches a forehead, and was gone.",
                "{pov} ran and slipped on the cobbles, and by the time {she} stood again there was only a door swinging.",
            ],
            talk: &[
                "\"Small feet,\" said {o}, holding the lantern low. \"One heel is worn.\"",
                "\"And the veil was too long,\" said {pov}. \"It was made for somebody taller.\"",
            ],
            hook: "On the cobbles lay a button, black, with a thread of grey wool in it.",
        },
        Beat {
            title: "The Grey Wool",
            intention: "{pov} and {o} find out from which house the sender comes.",
            bullets: [
                "The grey wool leads to the household of the dead woman.",
                "{o} will hold back any further letter until {pov} has seen it.",
            ],
            body: &[
                "{o} recognised the wool at once, because a parcel of it came down from the north every November to one address.",
                "It was the house at the end of Candle Row, shuttered since the funeral, where the bread was still delivered.",
                "Nobody had thought about the bread until now.",
            ],
            talk: &[
                "\"A shut house that eats two loaves a week,\" said {o}.",
                "\"Two loaves are one person,\" said {pov}, \"who does not eat much.\"",
            ],
            hook: "The next letter was to the bank, and that one had not been kind.",
        },
    ],
};

const DEBT: Thread = Thread {
    question: "Why does one of the letters ask the bank for a debt that nobody owes?",
    category: "intrigue",
    person: PersonSpec::Friend(NewPerson {
        role: "advocate",
        description: "Shabby, quick and merciless, with a voice that carries down corridors.",
        traits: ["ironic", "loyal"],
        goal: "win one case that deserves it",
        relationship_type: "friend",
        seen: "{o} mocks everything and has never once let me down.",
        sees: "{pov} brings me the only cases worth having.",
    }),
    place: NewPlace {
        name: "The Reading Stair",
        description: "A spiral of bookshelves in the old registry, with a desk on every landing.",
        atmosphere: "dusty and bright, loud with pigeons",
        features: [
            "a rope where a banister should be",
            "a desk with one short leg",
            "a skylight grey with feathers",
            "a box of deeds tied in green tape",
        ],
    },
    status: "close",
    event: "They won the case of the old debt.",
    beats: [
        Beat {
            title: "A Claim From Beyond",
            intention: "{pov} and {o} read the letter to the bank.",
            bullets: [
                "{pov} brought {o} the letter that claims an old debt.",
                "The sum in it is exact to the farthing, so there must be a paper behind it.",
            ],
            body: &[
                "{o} read the letter standing, then sitting, and then with both feet on the desk.",
                "It claimed two hundred and eleven pounds, six shillings and a farthing, with interest, from a bank that had changed its name twice.",
                "Nobody invented a farthing, {o} said; a farthing was copied from something.",
            ],
            talk: &[
                "\"Can the dead sue?\" {pov} asked.",
                "\"Constantly,\" said {o}. \"It is the living who forget to.\"",
            ],
            hook: "The register for that year was missing from the shelf, and the dust around the gap was fresh.",
        },
        Beat {
            title: "The Missing Register",
            intention: "{pov} and {o} hunt for the missing register, and the bank's man gets there first.",
            bullets: [
                "The bank has borrowed the missing register and refuses to return it.",
                "{o} remembered that the old registry kept everything twice.",
            ],
            body: &[
                "The bank had it, of course, and the bank was so sorry, and the bank would have it back by Michaelmas.",
                "{o} argued with the porter for the pleasure of it while {pov} counted the landings.",
                "There were thirteen on the plan by the door, and the stair had only twelve.",
            ],
            talk: &[
                "\"They kept a second set,\" {o} said, \"against fire. My old master swore by it.\"",
                "\"Then where would fire not go?\"",
                "They both looked down.",
            ],
            hook: "Under the last step was a door as high as a child, painted to look like stone.",
        },
        Beat {
            title: "Two Hundred and Eleven Pounds",
            intention: "{pov} and {o} find the second register and prove the debt.",
            bullets: [
                "The bank took the savings of forty households and never entered them.",
                "There were forty households and forty letters.",
            ],
            body: &[
                "The second register was dry, whole, and a great deal fuller than the first could have been.",
                "Forty households had put their savings into the old bank in one bad winter, and the new bank had begun its books in spring.",
                "The dead woman had kept the accounts; she had said so to the directors, and they had thanked her for her service.",
            ],
            talk: &[
                "\"Forty names,\" said {o}, running a finger down. \"How many letters have there been?\"",
                "\"Thirty-eight,\" said {pov}. \"I have been counting.\"",
            ],
            hook: "So two were left, and whoever wrote them lived on two loaves a week.",
        },
    ],
};

const HOUSE: Thread = Thread {
    question: "Who lives in the shuttered house on Candle Row?",
    category: "danger",
    person: PersonSpec::New(NewPerson {
        role: "nurse",
        description: "Small, upright and worn, in a mourning veil that was made for somebody taller.",
        traits: ["faithful", "guarded"],
        goal: "keep a promise to the end",
        relationship_type: "confidant",
        seen: "{o} carries a promise that is too heavy for one.",
        sees: "{pov} came to the door and did not shout.",
    }),
    place: NewPlace {
        name: "The House on Candle Row",
        description: "A tall shuttered house at the end of a short street, with swept steps.",
        atmosphere: "dim and warm, smelling of camphor",
        features: [
            "a bed made up with fresh sheets",
            "a writing desk with a worn edge",
            "a row of bells for servants long gone",
            "a stopped clock under a cloth",
        ],
    },
    status: "trusting",
    event: "{pov} kept the promise company.",
    beats: [
        Beat {
            title: "Swept Steps",
            intention: "{pov} knocks at the shuttered house and meets {o}.",
            bullets: [
                "{pov} went to the shuttered house and met {o}, who nursed the dead woman.",
                "{o} denied everything and poured two cups of tea.",
            ],
            body: &[
                "The shutters were closed and the steps were swept, and {pov} knocked as one knocks at a house where somebody is ill.",
                "The veil hung on a nail by the door, and one button of the grey coat under it was new.",
                "{o} said that {oshe} was alone here, that {oshe} wrote to no one, and that the kettle was on.",
            ],
            talk: &[
                "\"I was with her at the end,\" said {o}. \"People do not ask about that.\"",
                "\"I am asking,\" said {pov}.",
            ],
            hook: "On the second cup there was a smear of violet ink.",
        },
        Beat {
            title: "The Directors' Carriage",
            intention: "The bank's men come to the house while {pov} is there.",
            bullets: [
                "The bank's directors came to search the house.",
                "{pov} and {o} hid the last letters under the stopped clock.",
            ],
            body: &[
                "The carriage stopped without a lamp, which is how one knows that a carriage means harm.",
                "There were three of them, with a paper, and the paper had a seal that did not belong to any court.",
                "{pov} read it through to them at the door, slowly, twice, while behind {them} something heavy was lifted and set down.",
            ],
            talk: &[
                "\"You will regret the delay,\" said the tallest.",
                "\"I regret the spelling,\" said {pov}. \"Come back with a better one.\"",
                "{o} laughed somewhere in the dark of the stairs, a rusty sound, as if it had not been used since spring.",
            ],
            hook: "They would come back, and there was only a night to finish in.",
        },
        Beat {
            title: "The Fortieth Letter",
            intention: "{o} shows {pov} the drafts, and the savings are claimed in court.",
            bullets: [
                "{o} showed {pov} a box of forty drafts.",
                "The court granted the claim of the forty households.",
            ],
            body: &[
                "The drafts were in a hatbox, numbered, each with the name of a household and what to say first.",
                "In the morning forty people who were not on speaking terms stood on the steps of the court and passed a register from hand to hand.",
                "The judge was finished by noon, since the directors had sent nobody, and the farthing was paid in cash.",
            ],
            talk: &[
                "\"One letter is still to go,\" said {o}. \"She never said to whom.\"",
                "\"Perhaps she meant you to choose,\" said {pov}.",
            ],
            hook: "{o} sat down at the desk with the worn edge, and for once did not hide the pen.",
        },
    ],
};
