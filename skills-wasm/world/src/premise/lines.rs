//! What the people of a made world say about the premise's own trouble, about themselves, and about what they do not know.
//! `{x}` is what has the trouble and `{X}` the same at the beginning of a sentence; `{they}`, `{them}`, `{is}`, `{was}` and
//! `{has}` follow it. `{door}`, `{Keeper}`, `{Witness}` and `{spare}` are those of this world, `{deed}` is what is to be done.

/// Answers to what somebody knows nothing about.
pub(super) const FALLBACKS: &[&str] = &[
    "You would have to ask somebody who was there.",
    "I could make something up, and you would thank me for it. No.",
    "That is not the first time today that somebody asks me, and I still do not know.",
    "If I knew, I would not be standing here.",
    "Hm. I should have to think about that, and I have other things to think about.",
    "I have an opinion on most things. On that I have none.",
    "Ask me something that I have seen with my own eyes.",
    "There are people who would tell you. I am not one of them.",
    "Not that I remember. And I remember more than I like.",
    "I only know what everybody here knows, and that is not it.",
    "You ask good questions. I have no good answers left.",
    "Perhaps. Perhaps not. I was looking the other way.",
    "I leave that to others. It has kept me out of trouble so far.",
    "Say that again in the morning, and I may know more.",
    "No idea. I wish I had one.",
    "That is a long story, and I have only ever heard the end of it.",
];

/// What is said of something that somebody keeps taking.
pub(super) const THEFT_TALK: &[&str] = &[
    "Whoever takes {x} comes when nobody looks. So it is one of us who knows when that is.",
    "I heard steps, twice, and then the {door}. I did not get up. I should have.",
    "{X} {is} not worth much. Whoever steals {them} is hungry, or wants somebody to go hungry.",
    "No lock was broken. Think about that.",
    "It was not me, if that is the question. I was asked before you came.",
    "I have seen a lantern move where nobody has any business. I say no more than that.",
    "Look {spare}. I am not saying why.",
    "A stranger would have taken the money. There is something else behind it.",
];

/// What is said of somebody or something that is missing.
pub(super) const ABSENCE_TALK: &[&str] = &[
    "I saw {x} last when I went off to sleep. In the morning there was nobody who knew anything.",
    "{X} did not go far, if you ask me. Nobody saw {them} leave.",
    "I have looked everywhere that is not locked. So you can guess where I have not looked.",
    "Somebody asked after {x} the day before. I did not think anything of it then.",
    "It was very quiet that night. Too quiet, I say now.",
    "I thought I heard something behind the {door}. Then I thought of something else.",
    "People do not vanish. People are not looked for properly.",
    "{Keeper} knows more about it than you would think. That is only what I think.",
];

/// What is said of somebody who was found dead.
pub(super) const DEATH_TALK: &[&str] = &[
    "I was asleep. That is what I said before, and I say it again.",
    "{X} had quarrelled with somebody that evening. I heard only one of the two voices.",
    "I did not see {them} until it was too late, and then I did not look for long.",
    "The lamp was still warm when {they} {was} found. Nobody has explained that to me.",
    "There was a key on the inside, people say. I have never believed it.",
    "{X} was afraid of something in the last days. {Keeper} can tell you of what.",
    "One of us lies. I have counted, and it is at least one.",
    "I liked {x}. Not everybody here can say that and keep a straight face.",
];

/// What others say of somebody who will not do something.
pub(super) const REFUSAL_TALK: &[&str] = &[
    "{X}? It was not always so. Something was lost, and since then it has been no use asking.",
    "You will not change it with words. Bring back what is missing, and then ask again.",
    "I have tried kindness, and I have tried shouting. {X} only looks at me.",
    "There is a reason, and it is a small one. Small things weigh most.",
    "Everyone has some advice for {x}. Nobody has asked what is wrong.",
    "I would not force it. The last one who tried is not here any more.",
];

/// What is said of something that is not as it should be.
pub(super) const ODDITY_TALK: &[&str] = &[
    "It began a few days ago with {x}. Nobody touched anything; that is what everybody says.",
    "I have heard three explanations for {x}. They cannot all be true.",
    "I keep away from {x} after dark, and I sleep no better for it.",
    "{Witness} was there when it began. I was not.",
    "If you find out what is wrong with {x}, tell me last.",
    "Something of the kind happened before, years ago. It was hushed up then, too.",
    "It is worst at night. In the daytime one could nearly laugh about it.",
    "Somebody profits from it. Somebody always does.",
];

/// What is said of what has to be done.
pub(super) const TASK_TALK: &[&str] = &[
    "You mean to {deed}? Others have tried. Nobody has come back to say how it went.",
    "Without what lies behind the {door} you need not even begin.",
    "It can be done. I have not seen it done, but it can be done.",
    "{Keeper} could help you, and will not do it for nothing.",
    "Do not wait too long. That is all the advice I have.",
    "I would come with you, if I were younger, or braver, or asked twice.",
];

/// What is said of something that somebody must find out.
pub(super) const RIDDLE_TALK: &[&str] = &[
    "You want to know {deed}? So does everybody, and nobody asks it aloud.",
    "I have my own idea {deed}. I shall not say it before I am sure.",
    "Do not ask me. Ask who has been so quiet lately.",
    "{Witness} was there. I would begin with that.",
    "I was elsewhere, and I can prove it. Not everybody here can.",
    "Look {spare}. Somebody has written down more than is good for anyone.",
];

/// What is said where the premise has no trouble of its own.
pub(super) const OTHER_TALK: &[&str] = &[
    "Nothing has been right here since the {door} was locked.",
    "You notice it too, then. I thought it was only me.",
    "Everybody is waiting for something. I have stopped asking for what.",
    "It is an ordinary place. You need only not look too closely.",
    "Things go missing, and nobody says so aloud. Look {spare}, and see for yourself.",
    "{Keeper} has lost something, and you see it. Ask about that.",
];

/// What somebody says about their own work. `{role}` is what they are.
pub(super) const OWN_WORK: &[&str] = &[
    "I am {role}, as far as anybody asks. It keeps my hands busy.",
    "I have been {role} for longer than I had meant to be. One stays.",
    "You are speaking with {role}. Somebody has to do it, and it is me.",
    "I am {role}. It is honest work on most days, and on the others nobody asks.",
];

/// What somebody says about themselves who does not work here.
pub(super) const OWN_LIFE: &[&str] = &[
    "I am {role}, and I mind my own affairs. That is why I know so many others.",
    "I am {role}. One hears this and that, and says good morning.",
    "I am only {role}. People forget that I am there, and go on talking.",
];

/// What somebody says about themselves of whom the premise has said all.
pub(super) const OWN_SELF: &[&str] = &[
    "I am what you see, and what they say of me when I am not there. Take the middle.",
    "There is not much to tell. I came, I stayed, and then this began.",
    "You want to know who I am? On some mornings I should like to know it myself.",
];

/// Truths about a theft.
pub(super) const THEFT_TRUTHS: &[&str] = &[
    "Nobody came in from outside. One of us carries it away, a little each night, for somebody who must not be seen.",
    "It was never a thief. It was hidden, by the one who cried loudest.",
    "There is a child that sleeps under the stairs, and somebody here feeds it. Now you know.",
];

/// Truths about a death.
pub(super) const DEATH_TRUTHS: &[&str] = &[
    "There were two in that room. One of them locked the door from outside, and has wept the loudest since.",
    "It was no accident, and it was not meant. Somebody pushed, somebody fell, and we all agreed on a story.",
    "Nobody laid a hand on {x}. Somebody only took away what would have helped, and waited.",
];

/// Truths about somebody who is missing.
pub(super) const ABSENCE_TRUTHS: &[&str] = &[
    "Nobody was taken. One of us helped, opened a door, and locked it again behind.",
    "It was a bargain: to be gone for three days, and then to be found by the right person.",
    "The one who locked that door is the one who begs to have it opened.",
];

/// Truths about something that is not as it should be.
pub(super) const ODDITY_TRUTHS: &[&str] = &[
    "There is nothing wrong with {x}. Somebody makes it look so, at night, to be rid of us.",
    "It was mended once with something that should have stayed buried. I was there, and held the lamp.",
    "We promised something for it, all of us, and we have not kept the promise.",
];
