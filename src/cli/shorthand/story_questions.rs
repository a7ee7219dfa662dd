//! Questions about the story as a whole, which no character can answer. Each stands for a command.

/// Returns the command that answers a question about the story; `None` for any other line. The line is in lower case.
pub(super) fn story_question(plain: &str) -> Option<&'static str> {
    let question = question_words(last_said(said_aloud(plain).unwrap_or(plain)));
    let bare = question.strip_suffix(" here").unwrap_or(&question);
    Some(match question.as_str() {
        question if JOURNALS.contains(&question) => "/journal",
        question if RECAPS.contains(&question) => "/recap",
        _ if HINTS.contains(&bare) || asks_goal(bare) || asks_forgotten(bare) => "/hint",
        _ => return None,
    })
}

/// Returns true for `what is the point of all this` and `what's my mission`, but not for `what is the point of the key`.
fn asks_goal(question: &str) -> bool {
    const GOALS: &[&str] = &[
        "goal",
        "aim",
        "point",
        "purpose",
        "objective",
        "mission",
        "quest",
        "task",
        "job",
        "plan",
    ];
    const OF: &[&str] = &[
        "",
        "of this",
        "of all this",
        "of it",
        "of it all",
        "of the game",
        "of this game",
        "of the story",
    ];
    let asked = question
        .strip_prefix("what's ")
        .or_else(|| question.strip_prefix("whats "))
        .or_else(|| question.strip_prefix("what is "));
    let goal = asked.and_then(|asked| {
        let asked = ["the ", "my ", "our "].iter().find_map(|whose| asked.strip_prefix(whose))?;
        Some(asked.strip_prefix("main ").unwrap_or(asked))
    });
    goal.is_some_and(|goal| {
        let (goal, of) = goal.split_once(' ').unwrap_or((goal, ""));
        GOALS.contains(&goal) && OF.contains(&of)
    })
}

/// Returns true for `did I forget anything` and `have I missed any readings`.
fn asks_forgotten(question: &str) -> bool {
    let asks =
        ["did i forget ", "have i forgotten ", "did i miss ", "have i missed ", "am i forgetting "];
    let forgotten = asks.iter().find_map(|asks| question.strip_prefix(asks));
    let any = ["anything", "something", "any ", "some", "one"];
    forgotten.is_some_and(|forgotten| any.iter().any(|any| forgotten.starts_with(any)))
}

/// Returns the quotation at the beginning of a line that says nothing else: `"What do I do now?" I ask Agnes.`
fn said_aloud(line: &str) -> Option<&str> {
    const WORDS_AROUND_MAX: usize = 5;
    let marks = ['"', '“', '”'];
    let (said, around) = line.strip_prefix(marks)?.split_once(marks)?;
    let is_alone = !around.contains(marks) && around.split_whitespace().count() <= WORDS_AROUND_MAX;
    is_alone.then_some(said)
}

/// Returns the last sentence of a line, if only a short remark leads to it: "But everything is in order! What is
/// missing?". "I am stuck, how do I get in?" says it at the beginning.
fn last_said(line: &str) -> &str {
    const REMARK_WORDS_MAX: usize = 6;
    let stuck = ["i am stuck, ", "i'm stuck, ", "i am lost, ", "i'm lost, "];
    if let Some(stuck) = stuck.iter().find(|stuck| line.starts_with(**stuck)) {
        return &line[..stuck.len() - 2];
    }
    let begins = [
        "but",
        "everything",
        "nothing",
        "all",
        "that",
        "this",
        "it",
        "hm",
        "hmm",
        "ok",
        "okay",
        "right",
        "well",
        "great",
        "good",
        "so",
        "done",
        "and",
    ];
    let is_remark = |said: &str| {
        let mut words = said.split_whitespace();
        words.next().is_some_and(|first| begins.contains(&first.trim_end_matches(',')))
            && words.count() < REMARK_WORDS_MAX
    };
    match line.split_once(['.', '!', '?']) {
        Some((remark, rest)) if is_remark(remark) && rest.contains(' ') => rest.trim_start(),
        _ => line,
    }
}

/// Returns the words of a question about the game, without those at its ends that change nothing: "So what should I do
/// first?" is "what should i do".
fn question_words(plain: &str) -> String {
    let words: String = plain.replace('’', "'").replace(['?', ',', '!', '.'], " ");
    let mut words: Vec<&str> = words.split_whitespace().filter(|word| *word != "still").collect();
    while words.len() > 2 && words.first().is_some_and(|word| AT_THE_START.contains(word)) {
        words.remove(0);
    }
    loop {
        if words.ends_with(&["so", "far"]) {
            words.truncate(words.len() - 2);
        } else if words.len() > 2 && words.last().is_some_and(|word| AT_THE_END.contains(word)) {
            words.pop();
        } else {
            break;
        }
    }
    words.join(" ")
}

const AT_THE_START: &[&str] =
    &["so", "ok", "okay", "well", "hm", "hmm", "um", "umm", "and", "but", "please", "wait"];

const AT_THE_END: &[&str] =
    &["now", "next", "first", "then", "please", "again", "exactly", "yet", "today", "tonight"];

/// Questions that ask for a recap.
const RECAPS: &[&str] = &[
    "what happened",
    "what has happened",
    "what's happened",
    "what have i done",
    "where were we",
    "story",
    "the story",
    "give me a recap",
    "summary",
    "give me a summary",
    "summarise the story",
    "summarize the story",
];

/// Questions about what the player has found out.
const JOURNALS: &[&str] = &[
    "what do i know",
    "what did i learn",
    "what did i find out",
    "what have i learned",
    "what have i learnt",
    "what have i found out",
    "what have i discovered",
    "what have i been told",
    "what have they told me",
    "whom have i met",
    "who have i met",
    "where have i been",
];

/// Lines of players who do not know how to go on.
const HINTS: &[&str] = &[
    "hint",
    "give me a hint",
    "i need a hint",
    "can i have a hint",
    "can i get a hint",
    "any hints",
    "any ideas",
    "what now",
    "now what",
    "what next",
    "what should i do",
    "what shall i do",
    "what must i do",
    "what do i do",
    "what do i have to do",
    "what do i need to do",
    "what am i supposed to do",
    "what am i meant to do",
    "what am i looking for",
    "what am i trying to do",
    "where do i start",
    "where should i start",
    "where do i begin",
    "where should i begin",
    "where to start",
    "where to begin",
    "what is there to do",
    "what's there to do",
    "what else is there to do",
    "what have i to do",
    "what else do i have to do",
    "what else must i do",
    "what else should i do",
    "what do i have left to do",
    "what have i left to do",
    "what happens",
    "what is missing",
    "what's missing",
    "what am i missing",
    "what remains to be done",
    "what remains to do",
    "what is to be done",
    "what is left to do",
    "what's left to do",
    "how do i start",
    "how do i begin",
    "i'm stuck",
    "im stuck",
    "i am stuck",
    "i don't know what to do",
    "i dont know what to do",
    "i do not know what to do",
    "i have no idea what to do",
    "i'm lost",
    "i am lost",
];
