//! Other ways to say what people do, and what they think of the player. Data only.

/// Where the sentence says no more than that these people are there.
pub(super) const PEOPLE_HERE: &[&str] = &[
    "{list} {list_is} [here|here with you|with you {in_p}|close by].",
    "[You are not alone|You have company]: {list}.",
    "[Here with you|With you {in_p}|Not far from you] {list_is} {list}.",
    "You [see|notice|share {p} with|are here with] {list}.",
];

pub(super) const SILENT: &[&str] = &[
    "On the subject of {o}, {subj} [say{subj_s} nothing|{subj_has} nothing to say|{subj_has} no answer].",
    "{subj} [{subj_has} nothing to say|{subj_has} no answer|look{subj_s} at you and say{subj_s} nothing] about {o}.",
    "[You ask in vain|No answer comes|Your question finds no answer|You wait for an answer]: {t}",
];

/// A listener hears what the player says and does not answer.
pub(super) const LISTENS: &[&str] = &[
    "{subj} [hear{subj_s} you out|listen{subj_s}|take{subj_s} it in][|, and say{subj_s} nothing to it|, and leave{subj_s} it at that|, and that is all].",
    "{subj} [look{subj_s} at you, and say{subj_s} nothing|{subj_has} no answer to that|wait{subj_s} to hear whether there is more|let{subj_s} it stand].",
];

/// A person repeats, within a few turns, the words with which they decline to answer, to another question.
pub(super) const NO_ANSWER_AGAIN: &[&str] = &[
    "{subj} {subj_has} no answer [to that|to give you|for you this time|that would help you].",
    "[To that|To this question], {subj} {subj_has} no answer.",
    "[About that|On that|As to that], {subj} [{subj_has} nothing to say|can tell you nothing|keep{subj_s} silent].",
    "{subj} cannot [tell you that|help you with that|answer that].",
    "{subj} [think{subj_s} it over, and say{subj_s} nothing|let{subj_s} the question go by|look{subj_s} past you].",
];

/// The same words again, within a few turns.
pub(super) const SAID_AGAIN: &[&str] = &[
    "{subj} [say{subj_s} the same again|repeat{subj_s} it, word for word|tell{subj_s} you what you have heard already|give{subj_s} you the same answer].",
    "About {o}, {subj} [tell{subj_s} you what you have heard already|{subj_has} nothing new to say|say{subj_s} the same as before|only repeat{subj_s} what you know].",
    "You hear [once more|again|the same thing] from {subj}[| about {o}], and [nothing is added to it|it is no different this time|not a word has changed].",
    "Of {o}, {subj} {subj_has} [said all there is to say|no more to tell|told you all].",
    "[Again|Once more|As before|Once again|Now as before], {subj} [say{subj_s} the same|{subj_has} nothing to add|tell{subj_s} you what you know|say{subj_s} no more|give{subj_s} you the answer that you have].",
    "{subj} say{subj_s} [it|the same] [again|once more|once again|another time], [in the same words|word for word|and nothing else|and no more].",
];

/// A text that the player has read within the last turns.
pub(super) const READ_AGAIN: &[&str] = &[
    "You read {o} [again|once more|a second time|another time][|, and it says what it said before|, and not a word has changed|, word for word].",
    "{o} [{o_has} nothing new to say|say{o_s} the same as before|{o_is} what you know already], [though you read on to the end|to the last word|however often you read].",
    "You go over {o} [again|once more|line by line], and [find no more in it than before|know it almost by heart now|it is still the same].",
];

pub(super) const PERSUADED: &[&str] = &[
    "[A long look, and then|A nod:|You have found the right words:|It takes a moment, but] {t}",
    "{s}, [and you let out your breath|and you take care not to smile|though it was close].",
];

pub(super) const UNMOVED: &[&str] = &[
    "[Your words are wasted:|A shake of the head:|It was worth trying, but|You have said what you could, but] {t}",
    "{s}, [and you can tell that more words would not help|whatever you say|and looks away].",
];

pub(super) const NOTICED: &[&str] = &[
    "[You were too slow:|Too late, you look up:|It does not go unseen:|You feel eyes on you:] {t}",
    "{s}, [and now you are watched|and there is no taking it back|and the moment is gone].",
];

/// What a person thinks of the player has changed; the detail says which way.
pub(super) const PERCEPTION: &[&str] =
    &["[You can tell|You feel it|It shows|It is plain to see]: {t}"];

/// The same for the better.
pub(super) const PERCEPTION_UP: &[&str] = &[
    "[A slow nod|A longer look than before|The beginning of a smile|A word that was not needed] tells you that {t}",
    "{s}, [and it shows in a look|and half a smile goes with it|and stands a little closer to you].",
];

/// The same for the worse.
pub(super) const PERCEPTION_DOWN: &[&str] = &[
    "[A look past you|Half a step back|A short answer|A hand that is not held out] tells you that {t}",
    "{s}, [and it shows in a look|and turns half away|and says no more than needed].",
];

pub(super) const STANDING: &[&str] = &[
    "[Word gets around|Such things are talked about|It will be remembered|People talk]: {t}",
    "{s}, [and word of it goes around|for better or worse|and it will be remembered].",
];
