//! Sentences that any scene can have: how it begins, what the place is like, how people take what they hear. Dealt like
//! cards, so that none returns before all were used. Plain data; `[a|b]` is a choice, and slots are those of `arcs`, with
//! `{feature}` and `{atmosphere}` of the place.

/// The first sentence of a scene.
pub(super) static OPENINGS: [&str; 36] = [
    "Rain had fallen on {town} since [noon|before light], and {pov} came to {place} with wet cuffs.",
    "[The morning was|It was a morning] so clear that {pov} could see {place} from the far end of the street.",
    "{pov} reached {place} as the lamps were being [lit|trimmed].",
    "There was frost on the [railings|gutters] when {pov} set out for {place}.",
    "It was market day, and {pov} needed an hour to get through {town} to {place}.",
    "{pov} had slept badly and was at {place} before [anyone|the bakers] had stirred.",
    "The wind had gone round to the east, and it followed {pov} all the way to {place}.",
    "By the time {pov} came to {place}, the day's warmth had gone out of the stones.",
    "Fog lay on {town} like a [lid|wet cloth], and {pov} found {place} by its sounds.",
    "{pov} took the long way to {place}, to think.",
    "Two days went by before {pov} could go to {place}.",
    "It was late in the afternoon, and the light at {place} had turned the colour of tea.",
    "A bell somewhere in {town} struck six, and {pov} was already waiting at {place}.",
    "{pov} ate an apple on the way to {place} and did not taste it.",
    "For once the sun was out, and at {place} every pane and puddle made the most of it.",
    "After a night of wind the lanes of {town} were full of [twigs|slates], and {pov} picked a way through them to {place}.",
    "{pov} had meant to go home, and {her} feet went to {place} instead.",
    "At {place} somebody had left a lantern burning, although it was [broad day|nearly noon].",
    "The week turned cold, and {pov} found fewer and fewer reasons to be anywhere but at {place}.",
    "Snow was in the air when {pov} came to {place}, and by the door it had begun to fall.",
    "{pov} came to {place} by the back way, because there were people in the front.",
    "Half of {town} was in church, which left {place} to {pov}.",
    "It was one of those evenings on which voices carry, and {pov} lowered {her} own before {she} had reached {place}.",
    "Nothing had happened for three days, and so {pov} went back to {place}.",
    "A dog that belonged to nobody walked ahead of {pov} as far as {place} and sat down.",
    "{pov} arrived at {place} out of breath and glad of the [wall|doorpost] to lean on.",
    "Before the first carts were out, {pov} was on the road to {place}.",
    "The thaw had come, and every roof in {town} was dripping when {pov} made for {place}.",
    "{pov} counted the steps to {place}, as {she} did when {she} wanted not to think.",
    "All morning there had been thunder without rain, and at {place} the air stood still.",
    "It was the hour when lamps are too early and daylight is too late, and {place} was full of it.",
    "{pov} went to {place} with a list in {her} pocket and forgot the list.",
    "Smoke from the chimneys of {town} went straight up that day, and {pov} walked fast to keep warm until {place} came into sight.",
    "Someone had swept the way to {place}, and {pov} noticed it because nobody ever did.",
    "There was a moon, which was more than {pov} had hoped for, and {place} lay plain in front of {them}.",
    "{pov} stood for a while outside {place} and listened before going on.",
];

/// What the place is like.
pub(super) static PLACES: [&str; 26] = [
    "It was {atmosphere}, as it always was.",
    "{pov}'s eye went to {feature}, and stayed there.",
    "Nothing had changed, down to {feature}.",
    "The first thing that {pov} saw was {feature}.",
    "There was {feature}, and {pov} was careful not to touch it.",
    "{Place} was {atmosphere}, and {pov} felt {her} shoulders come down.",
    "Beside {feature} somebody had left a cup, half full.",
    "{pov} sat down near {feature} to get the feel of the place.",
    "In that light even {feature} looked as if it had something to say.",
    "It was {atmosphere}, and quieter than {pov} had expected.",
    "Someone had moved things about, though not {feature}.",
    "{pov} had heard about {feature}, and had not believed it.",
    "One could tell the hour there by how the shadow fell on {feature}.",
    "At this hour {place} was {atmosphere} and seemed to be waiting.",
    "{pov} put {her} coat down by {feature}.",
    "Past {feature} the light was better, and {pov} went there.",
    "It took {pov} a moment to see what was odd, and then it was only {feature}.",
    "There are places that remember people, and {place}, {atmosphere}, was one of them.",
    "A spider had begun to work between the wall and {feature}.",
    "{pov} had once been told to look at {feature} first, and did.",
    "Everything at {place} was {atmosphere}; {pov} took it in, corner by corner.",
    "There was dust on everything but {feature}.",
    "The sound of {her} own steps came back to {pov} from {feature}.",
    "Whoever had been there last had sat facing {feature}.",
    "{Place} smelled as it did in {pov}'s memory, and it was as {atmosphere}.",
    "A draught came from somewhere behind {feature}.",
];

/// How the point of view takes it.
pub(super) static REACTIONS: [&str; 30] = [
    "{pov} turned that over for a while and did not like the underside of it.",
    "It made sense, and {pov} wished that it did not.",
    "{pov} wrote it down, so as not to argue with it.",
    "For the space of a breath neither the one thing nor the other was certain.",
    "{pov} found that {her} hands were cold.",
    "It was not an answer, but it had the shape of one.",
    "{pov} nodded, because there was nothing to be said against it.",
    "Something in {pov} that had been clenched for days let go a little.",
    "It would have to be enough for now.",
    "{pov} had known it, in the way that one knows a stair in the dark.",
    "Neither of them had said the obvious thing, and it sat there between them.",
    "{pov} looked away first.",
    "A year ago {pov} would have gone home then.",
    "It was the kind of luck that has to be paid for, and {pov} wondered when.",
    "{pov} laughed, and was surprised by the sound.",
    "That was more than {pov} had hoped for, and more than {she} had wanted.",
    "{pov} thought of three objections and kept them.",
    "There was a silence, and it was a friendly one.",
    "{pov} asked {herself} what {she} would have done, and was not sure.",
    "It sounded simple; {pov} had grown wary of things that did.",
    "All the same, {pov} felt lighter than {she} had that morning.",
    "{pov} bit back a question, since it would keep.",
    "It was a small thing to hang so much on, and {pov} hung it all the same.",
    "{pov} felt the hair rise on {her} arms.",
    "One more piece lay where it belonged, and it showed how large the picture was.",
    "It took {pov} some time to notice that the rain had stopped.",
    "{pov} memorised it, word for word.",
    "{pov} wanted very much to be wrong.",
    "There would be time to be afraid afterwards, {pov} decided.",
    "For the first time {pov} could see how it might end.",
];

/// For a question that was not raised by an arc: it is taken up. `{question}` is its text.
pub(super) static TAKEN_UP: [&str; 6] = [
    "One thing had been left lying long enough, and {pov} said it aloud: {question}",
    "{pov} had promised {herself} not to think about it today, and thought about it: {question}",
    "It came down to this: {question}",
    "On the back of an old bill {pov} wrote a single line: {question}",
    "There was a matter that everybody walked around, and {pov} now walked up to it: {question}",
    "{pov} had carried it about for days like a stone in a shoe: {question}",
];

/// It grows harder.
pub(super) static HARDER: [&str; 6] = [
    "The first person whom {pov} asked knew nothing, and the second knew too much too quickly.",
    "Each answer that {pov} got had another question folded up in it.",
    "Somebody had been there before {pov} and had taken care to leave things tidy.",
    "What {pov} found did not fit, and {she} kept it for that reason.",
    "Twice that day {pov} had the thing by its tail, and twice it was only a tail.",
    "It would have been easy to stop, and several people advised it.",
];

/// It is answered.
pub(super) static SETTLED: [&str; 6] = [
    "In the end the answer had been in plain sight, and {pov} had walked past it every day.",
    "It was settled in a few words, as such things are once somebody says them.",
    "{pov} laid out what {she} knew, one thing after another, and the last one closed the circle.",
    "The truth of it was smaller than the fear of it had been, and {pov} could carry it.",
    "Somebody had only been waiting to be asked in the right way, and {pov} asked.",
    "There was no triumph in it; {pov} felt as one does when a noise stops that has gone on for days.",
];

/// Said in such a scene by somebody who is there.
pub(super) static REMARKS: [&str; 9] = [
    "\"You look as if you had found something,\" said {o}.",
    "\"I would leave it alone,\" said {o}, \"and I would not sleep.\"",
    "\"Tell me from the beginning,\" {o} said.",
    "{o} listened with {oher} head on one side and asked a better question.",
    "\"That is not how I heard it,\" said {o}.",
    "\"And if you are right?\" asked {o}.",
    "{o} said little and stayed close, and it helped.",
    "\"You have gone about it the hard way,\" {o} remarked, \"as usual.\"",
    "\"I owe you an answer,\" said {o}, \"and I have half of one.\"",
];

/// How such a scene closes.
pub(super) static CLOSINGS: [&str; 9] = [
    "Tomorrow {she} would go on from there.",
    "It was nearly dark before {pov} noticed that {she} was hungry.",
    "There was one more door to try, and {pov} knew which.",
    "On the way home {pov} took a different street, for no reason that {she} could have given.",
    "Behind {them} a shutter closed.",
    "{pov} kept a light burning that night.",
    "It was quiet in {town}, and {pov} for once did not trust the quiet.",
    "{pov} slept, and woke with half an idea.",
    "When {she} looked back, {place} had already gone grey.",
];
