//! The field that is on no map.

use super::arc::{Arc, Beat, NewPerson, NewPlace, PersonSpec, Thread};

pub(super) static BOUNDARY: Arc = Arc {
    question: "Why does a whole field lie outside every map of {town}?",
    category: "mystery",
    threads: [STONES, CHART, WITNESS, NIGHT],
    end: Beat {
        title: "Common Ground",
        intention: "{pov} has the field entered on the map, as what it was meant to be.",
        bullets: [
            "The field was left off the maps so that nobody could ever own or sell it.",
            "{pov} and {o} had it drawn again, as common ground.",
        ],
        body: &[
            "The first surveyor of {town} had left the field out on purpose, the year of the hunger, so that no lord could tax it and no heir could sell it.",
            "For two centuries everyone who knew had ploughed a strip of it in a bad year and said nothing in a good one.",
            "{pov} drew the line on the new map {herself}, and wrote two words inside it in the plainest letters {she} had.",
        ],
        talk: &[
            "\"They will argue about it,\" said {o}.",
            "\"They will argue about it there,\" said {pov}, \"standing on it, all together. That was the idea.\"",
        ],
        hook: "In the evening somebody had already hung a swing in the oak.",
    },
};

const STONES: Thread = Thread {
    question: "Who is moving the boundary stones?",
    category: "mystery",
    person: PersonSpec::New(NewPerson {
        role: "shepherd",
        description: "Weathered and sparing with words, followed everywhere by an old grey dog.",
        traits: ["taciturn", "fair"],
        goal: "keep the hill grazing open",
        relationship_type: "ally",
        seen: "{o} sees everything that moves on the hill.",
        sees: "{pov} walks the ground before talking about it.",
    }),
    place: NewPlace {
        name: "The Sheepwash",
        description: "A stone basin in a fold of the hill, where four parishes meet.",
        atmosphere: "windy and wide, smelling of thyme",
        features: [
            "a basin worn smooth by fleeces",
            "a hurdle mended with wire",
            "a thorn bent by the wind",
            "a boundary stone with a cross on it",
        ],
    },
    status: "steady",
    event: "They set the stones upright again.",
    beats: [
        Beat {
            title: "The Stone That Walked",
            intention: "{pov} hears that a boundary stone has moved, and goes to see it.",
            bullets: [
                "A boundary stone above {town} has moved forty paces in a night.",
                "{pov} measured it and found a field that no map shows.",
            ],
            body: &[
                "The stone had stood at the thorn since before there were parishes, and on Monday it stood by the stream.",
                "{pov} paced the ground with a knotted line, first uphill, then down, and both times the sum came out too large.",
                "Between the edge of one map and the edge of the next there was a strip of good green grass, eleven acres of it, that belonged to neither.",
            ],
            talk: &[
                "\"You have dropped a number,\" said the surveyor's boy.",
                "\"Somebody has,\" said {pov}, and paced it a third time.",
            ],
            hook: "In the middle of the strip stood an oak that must have been there for three hundred years, and not one surveyor had drawn it.",
        },
        Beat {
            title: "Sledge Marks",
            intention: "{pov} and {o} track whoever moved the stone.",
            bullets: [
                "{o} the shepherd showed {pov} the marks of a sledge.",
                "A second stone has been dug out, and not yet moved.",
            ],
            body: &[
                "{o} said nothing for a mile and then stopped and pointed with a stick.",
                "Two grooves ran through the bracken as straight as a ruler, and beside them went the prints of four men and a mule.",
                "They ended at a second stone, which stood in a ring of fresh earth like a loosened tooth.",
            ],
            talk: &[
                "\"Tomorrow, then,\" said {o}. \"No moon.\"",
                "\"Would the dog bark?\" asked {pov}.",
                "\"Not if I ask.\"",
            ],
            hook: "They shared an apple, and settled down behind the wall to wait for the dark.",
        },
        Beat {
            title: "No Moon",
            intention: "{pov} and {o} catch the men who move the stones.",
            bullets: [
                "The stones are moved by the agent of the new landlord, on written orders.",
                "{o} and {pov} put the stones back before light.",
            ],
            body: &[
                "They came at one, with muffled hooves, and the one in front carried a plan under his coat.",
                "{o} let them get the bar under the stone and then stood up, and the dog stood up too, and it turned out that this was enough.",
                "The plan stayed behind in the grass, and it showed the field as part of an estate that had been sold in March.",
            ],
            talk: &[
                "\"You cannot sell what is not there,\" {o} said, having thought about it.",
                "\"No,\" said {pov}. \"First they must make it be there. Then they can sell it.\"",
            ],
            hook: "In the corner of the plan was the stamp of an archive that everybody believed had burned.",
        },
    ],
};

const CHART: Thread = Thread {
    question: "What was on the first chart of {town}, before it was redrawn?",
    category: "intrigue",
    person: PersonSpec::New(NewPerson {
        role: "archivist",
        description: "Stooped, courteous and half blind, with a memory like a card index.",
        traits: ["scholarly", "secretive"],
        goal: "save the burned archive piece by piece",
        relationship_type: "mentor",
        seen: "{o} has read everything and volunteers nothing.",
        sees: "{pov} puts books back where they were.",
    }),
    place: NewPlace {
        name: "The Burned Archive",
        description: "A vault of blackened shelves under the old tollhouse, half cleared and wholly catalogued.",
        atmosphere: "sooty and close, lit from one side",
        features: [
            "a table of singed maps under glass",
            "a ladder with three rungs missing",
            "a bucket of sand by the door",
            "a beam burned through to the heart",
        ],
    },
    status: "open",
    event: "The archivist showed {pov} the first chart.",
    beats: [
        Beat {
            title: "What Fire Leaves",
            intention: "{pov} visits the burned archive and asks {o} for the first chart.",
            bullets: [
                "{pov} met {o}, who keeps what the fire left of the archive.",
                "The first chart survived, and somebody has borrowed it.",
            ],
            body: &[
                "{o} found {pov} a chair, a pair of gloves and a lamp, in that order, and only then a greeting.",
                "Fire, it seemed, was not thorough: it took the bindings and the indexes and left the middles of things.",
                "The first chart of {town} had been among the middles, until somebody signed it out.",
            ],
            talk: &[
                "\"I never forget a signature,\" said {o}. \"I cannot read this one, which is interesting in itself.\"",
                "\"May I see it?\" asked {pov}.",
                "\"You may see where it was.\"",
            ],
            hook: "The slip had been signed with the left hand, by somebody who was used to the right.",
        },
        Beat {
            title: "The Copyist's Error",
            intention: "{pov} and {o} compare the later maps and find the same mistake in all of them.",
            bullets: [
                "Every later map repeats one mistake, so all are copies of a single sheet.",
                "Somebody cut a strip out of that sheet.",
            ],
            body: &[
                "They laid eleven maps side by side and went over them inch by inch until the lamp needed filling.",
                "Each had the same bridge a finger's breadth too far east, and below the bridge each had the same seam, where one part of the country had been sewn to another.",
                "A strip as wide as {her} thumb had been taken out of the world and the edges pulled together.",
            ],
            talk: &[
                "\"This is no error,\" {o} said, with something like admiration. \"An error is never so careful.\"",
                "\"Who would have been able to do it?\"",
                "\"The man who drew the first one, and nobody since.\"",
            ],
            hook: "At the back of the vault, behind the beam, a draught was blowing where no draught should be.",
        },
        Beat {
            title: "The Strip",
            intention: "{pov} and {o} find the strip that was cut from the first map.",
            bullets: [
                "The missing strip shows the field, with a line of writing across it.",
                "The writing names a witness whose family still lives in {town}.",
            ],
            body: &[
                "Behind the beam was a hollow, and in the hollow a tin, and in the tin lay the thumb's breadth of country.",
                "There was the oak, drawn leaf by leaf by somebody who had loved it, and there was the field, and across it ran a line of small brown writing.",
                "It said that the place was kept for the hungry, and that it had been left out before a witness.",
            ],
            talk: &[
                "\"I have sat six feet from this for thirty years,\" said {o}.",
                "\"You kept the roof on,\" said {pov}. \"That is why it is here.\"",
            ],
            hook: "The witness had signed with a drawing of a small bird.",
        },
    ],
};

const WITNESS: Thread = Thread {
    question: "Whose family signed with a small bird?",
    category: "family",
    person: PersonSpec::Friend(NewPerson {
        role: "innkeeper",
        description: "Large, generous and impossible to surprise, with flour on both forearms.",
        traits: ["hospitable", "shrewd"],
        goal: "get a roof on the back kitchen",
        relationship_type: "friend",
        seen: "{o} feeds people until they tell the truth.",
        sees: "{pov} eats standing up when something is wrong.",
    }),
    place: NewPlace {
        name: "The Wren Inn",
        description: "A low crooked inn at the crossroads, with a signboard too faded to read.",
        atmosphere: "loud, warm and smelling of bread",
        features: [
            "a signboard with a ghost of paint",
            "a settle carved with initials",
            "a hearth big enough to stand in",
            "a barrel that served as a table",
        ],
    },
    status: "close",
    event: "They found the bird in the family book.",
    beats: [
        Beat {
            title: "The Faded Sign",
            intention: "{pov} brings the drawing of the bird to {o} at the inn.",
            bullets: [
                "{pov} showed {o} the drawing of the small bird.",
                "{o} has seen it before, on something that was thrown away.",
            ],
            body: &[
                "{o} wiped one hand clean to take the tracing and held it a long way off, as people do who will not buy spectacles.",
                "It was a wren, {oshe} said, any fool could see that from the tail.",
                "There had been one like it in the house once, on a plate or a chest or a book, and somebody's aunt had thrown it away.",
            ],
            talk: &[
                "\"Which aunt?\" asked {pov}.",
                "\"There were nine,\" said {o}. \"Sit down. This will take soup.\"",
            ],
            hook: "Outside, a stranger had stopped to look at the sign and was making a sketch of it.",
        },
        Beat {
            title: "Nine Aunts",
            intention: "{pov} and {o} go through the family's things, and the landlord's agent makes an offer.",
            bullets: [
                "The landlord's agent offered {o} a great deal of money for old papers.",
                "{o} refused, and began to look in earnest.",
            ],
            body: &[
                "The agent had good boots and a pleasant manner, and put the purse on the barrel as if it had only just occurred to him.",
                "{o} poured him a drink, heard him out and charged him for it.",
                "After that they turned out every chest in the house, from the eaves down, with a candle in a jar.",
            ],
            talk: &[
                "\"When a man pays that for rubbish, I want to see the rubbish,\" said {o}, head first in a trunk.",
                "\"How many aunts are left?\" asked {pov}.",
                "\"Two. And one of them could not write.\"",
            ],
            hook: "What they found in the end had been in use every day, holding up the short leg of the dresser.",
        },
        Beat {
            title: "The Family Book",
            intention: "{pov} and {o} find the witness's oath in the family book.",
            bullets: [
                "{o}'s own forebear was the witness, and the oath binds the family to keep the field open.",
                "The oath must be read aloud on the field, once in every generation.",
            ],
            body: &[
                "It was a book of receipts for two hundred pages, and then, between a cure for warts and a way with pike, it was an oath.",
                "The wren sat at the foot of it, and under the wren a row of marks, one for each generation, the last of them eighty years old.",
                "Somebody should have stood under the oak and read it out, and somebody's aunt had wedged it under a dresser.",
            ],
            talk: &[
                "\"So it falls to me,\" said {o}, and sat down heavily on the settle.",
                "\"Not alone,\" said {pov}. \"It says before witnesses.\"",
            ],
            hook: "The sale of the field was to be sealed at noon on Saturday, and it was Thursday night.",
        },
    ],
};

const NIGHT: Thread = Thread {
    question: "Can the oath be read on the field before it is sold?",
    category: "danger",
    person: PersonSpec::Same(0),
    place: NewPlace {
        name: "The Unmapped Field",
        description: "Eleven acres of old grass on the hill, with one great oak in the middle.",
        atmosphere: "open and hushed, with a light of its own",
        features: [
            "an oak with a split crown",
            "a ring of flat stones",
            "a hollow where frost lay late",
            "a gate that led to nothing",
        ],
    },
    status: "devoted",
    event: "They stood together under the oak.",
    beats: [
        Beat {
            title: "The Gate That Led to Nothing",
            intention: "{pov} and {o} find the field fenced off.",
            bullets: [
                "The landlord has fenced the field and posted men at the gate.",
                "{o} knows a way in that only sheep use.",
            ],
            body: &[
                "The fence had gone up overnight, six rails high, of wood so new that it wept.",
                "There were men at the gate with a brazier, and a notice which said what would be done to trespassers, in two colours.",
                "{o} read it to the end, and spat, and whistled up the dog.",
            ],
            talk: &[
                "\"Sheep do not read,\" said {o}.",
                "{pov} looked along the hill to where the grass had been parted by generations of narrow feet.",
            ],
            hook: "The way in was two feet wide, and one would have to go on hands and knees.",
        },
        Beat {
            title: "Hands and Knees",
            intention: "{pov} and {o} bring the witnesses in by night and are discovered.",
            bullets: [
                "{pov} and {o} led thirty people along the sheep path by night.",
                "They were discovered at the oak.",
            ],
            body: &[
                "They went in one by one, thirty people in their second-best clothes, each holding the heel of the one before.",
                "The baker stuck, and was greased with his own butter, and nobody laughed until later.",
                "They were under the oak, all of them, when the brazier at the gate was kicked over and somebody shouted for lanterns.",
            ],
            talk: &[
                "\"Read,\" said {o}. \"I shall go and have a word with the lanterns.\"",
                "\"That is nine men,\" said {pov}.",
                "\"It is dark. I shall count them as they come.\"",
            ],
            hook: "The first light came over the hill, too early, and showed everybody to everybody.",
        },
        Beat {
            title: "The Reading Under the Oak",
            intention: "The oath is read on the field, and the sale fails.",
            bullets: [
                "The oath was read on the field before thirty witnesses.",
                "The sale is void, because the field was never in the estate.",
            ],
            body: &[
                "It took four minutes to read, and the men with the lanterns, who were from the next valley and had mothers, took their hats off at the second line.",
                "The agent arrived for the end of it, with his good boots wet through, and asked by what right they stood there.",
                "Nobody answered him; they only moved up a little, as people do in church, to make room.",
            ],
            talk: &[
                "\"It is in no estate,\" {pov} told him. \"You have the plans. Look for it.\"",
                "{o} held the lantern for him, quite politely, while he looked.",
            ],
            hook: "One thing had still to be done, and it needed ink.",
        },
    ],
};
