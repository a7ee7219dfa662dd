//! Questions about the story as a whole, which no character can answer. Each stands for a command.

use english::WordClass;

/// Returns the command that answers a question about the story; `None` for any other line. The line is in lower case.
pub(super) fn story_question(plain: &str) -> Option<&'static str> {
    let question = question_words(last_said(said_aloud(plain).unwrap_or(plain)));
    let bare = question.strip_suffix(" here").unwrap_or(&question);
    Some(match question.as_str() {
        question if WordClass::JournalQuestion.has(question) => "/journal",
        question if WordClass::RecapQuestion.has(question) => "/recap",
        _ if WordClass::HintQuestion.has(bare) || asks_goal(bare) || asks_forgotten(bare) => {
            "/hint"
        }
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
    while words.len() > 2
        && words.first().is_some_and(|word| WordClass::BeforeStoryQuestion.has(word))
    {
        words.remove(0);
    }
    loop {
        if words.ends_with(&["so", "far"]) {
            words.truncate(words.len() - 2);
        } else if words.len() > 2
            && words.last().is_some_and(|word| WordClass::BehindStoryQuestion.has(word))
        {
            words.pop();
        } else {
            break;
        }
    }
    words.join(" ")
}
