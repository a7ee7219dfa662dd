//! Reads a typed line that goes to another turn of the story or shows its turns. Pure.

use narratoria_engine::RetryDice;
use narratoria_protocol::{EntityId, EntityKind};
use narratoria_story::MemoryEdit;

const ORDERS: [&str; 16] = [
    "/undo", "/redo", "/retry", "/edit", "/branch", "/switch", "/history", "/why", "/plan",
    "/assets", "/memory", "/state", "/recap", "/hint", "/map", "/journal",
];

/// Turns that `/history` shows if the line has no number.
const HISTORY_TURNS: u64 = 20;

/// Turns whose files `/assets` lists if the line has no number.
const ASSETS_TURNS: u64 = 100;

/// An order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StoryOrder<'a> {
    Undo(u64),
    Redo(u64),
    Retry(RetryDice),
    /// Plays another sentence in the place of a turn; without a number, of the last one.
    Edit(Option<u64>, &'a str),
    Branches,
    /// The name, and the turn if it is not the last one.
    Branch(&'a str, Option<&'a str>),
    Switch(&'a str),
    History(u64),
    Why {
        /// The turn, if it is not the last one.
        turn: Option<&'a str>,
        /// True for the whole trace.
        is_full: bool,
    },
    /// The turn, if it is not the last one.
    Plan(Option<&'a str>),
    /// The files of so many turns.
    Assets(u64),
    Memory,
    /// Finds memories with these words.
    MemorySearch(&'a str),
    MemoryEdit(EntityId, MemoryEdit<'a>),
    /// The state at a JSON pointer; all of it if the pointer is empty.
    State(&'a str),
    /// The place of the player, and what led there.
    Recap,
    /// A hint for a player who is stuck.
    Hint,
    /// Places and exits.
    Map,
    /// The player's knowledge.
    Journal,
}

/// `/memory search WORDS`, `/memory pin ID`, `/memory unpin ID`, `/memory edit ID TEXT`, `/memory forget ID`
fn parse_memory(line: &str) -> Result<StoryOrder<'_>, String> {
    const HOW: &str = "write `/memory`, `/memory search WORDS`, `/memory pin ID`, `/memory unpin ID`, \
                       `/memory edit ID TEXT` or `/memory forget ID`";
    let rest = line.trim().trim_start_matches("/memory").trim_start();
    let (verb, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let rest = rest.trim();
    if verb == "search" && !rest.is_empty() {
        return Ok(StoryOrder::MemorySearch(rest));
    }
    let (id, text) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let edit = match (verb, text.trim()) {
        ("pin", "") => MemoryEdit::Pin(true),
        ("unpin", "") => MemoryEdit::Pin(false),
        ("forget", "") => MemoryEdit::Forget,
        ("edit", text) if !text.is_empty() => MemoryEdit::Reword(text),
        _ => return Err(HOW.to_owned()),
    };
    let id = EntityId::parse_as(id, EntityKind::Memory).map_err(|error| error.to_string())?;
    Ok(StoryOrder::MemoryEdit(id, edit))
}

/// Returns the order that a line gives, or the reason why it gives none. `None` if the line is anything else.
pub(super) fn parse_story_order(line: &str) -> Option<Result<StoryOrder<'_>, String>> {
    let mut words = line.split_whitespace();
    let (order, argument) = (words.next()?, words.next());
    if !ORDERS.contains(&order) {
        return None;
    }
    if order == "/edit" {
        return Some(parse_edit(line));
    }
    if order == "/memory" && argument.is_some() {
        return Some(parse_memory(line));
    }
    if order == "/why" {
        return Some(parse_why(line));
    }
    let second = words.next();
    if let ("/branch", Some(name), Some(turn), None) = (order, argument, second, words.next()) {
        return Some(Ok(StoryOrder::Branch(name, Some(turn))));
    }
    if let Some(more) = second {
        return Some(Err(format!("`{order}` takes one word at most, `{more}` is too many")));
    }
    Some(match (order, argument) {
        ("/undo", count) => turns(order, count, 1).map(StoryOrder::Undo),
        ("/redo", count) => turns(order, count, 1).map(StoryOrder::Redo),
        ("/history", count) => turns(order, count, HISTORY_TURNS).map(StoryOrder::History),
        ("/retry", None) => Ok(StoryOrder::Retry(RetryDice::Fresh)),
        ("/retry", Some("same")) => Ok(StoryOrder::Retry(RetryDice::Same)),
        ("/retry", Some(word)) => {
            Err(format!("`/retry` stands alone or before `same`, not before `{word}`"))
        }
        ("/branch", None) => Ok(StoryOrder::Branches),
        ("/branch", Some(name)) => Ok(StoryOrder::Branch(name, None)),
        ("/plan", turn) => Ok(StoryOrder::Plan(turn)),
        ("/assets", count) => turns(order, count, ASSETS_TURNS).map(StoryOrder::Assets),
        ("/memory", None) => Ok(StoryOrder::Memory),
        ("/memory", Some(word)) => Err(format!("`/memory` stands alone, not before `{word}`")),
        ("/state", pointer) => Ok(StoryOrder::State(pointer.unwrap_or(""))),
        ("/recap", None) => Ok(StoryOrder::Recap),
        ("/hint", None) => Ok(StoryOrder::Hint),
        ("/map", None) => Ok(StoryOrder::Map),
        ("/journal", None) => Ok(StoryOrder::Journal),
        ("/recap" | "/hint" | "/map" | "/journal", Some(word)) => {
            Err(format!("`{order}` stands alone, not before `{word}`"))
        }
        (_, Some(name)) => Ok(StoryOrder::Switch(name)),
        (_, None) => Err("`/switch` needs the name of a branch; `/branch` lists them".to_owned()),
    })
}

/// `/why`, `/why TURN`, `/why full` or `/why TURN full`
fn parse_why(line: &str) -> Result<StoryOrder<'_>, String> {
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    let (turn, is_full) = match words[..] {
        [] => (None, false),
        ["full"] => (None, true),
        [turn] => (Some(turn), false),
        [turn, "full"] | ["full", turn] => (Some(turn), true),
        _ => {
            let words = words.join(" ");
            return Err(format!("`/why` takes a turn, `full`, or both, not `{words}`"));
        }
    };
    Ok(StoryOrder::Why { turn, is_full })
}

/// `/edit SENTENCE` or `/edit TURN SENTENCE`. A sentence that begins with a number needs the turn before it.
fn parse_edit(line: &str) -> Result<StoryOrder<'_>, String> {
    let rest = line.trim_start().trim_start_matches("/edit").trim();
    let (first, others) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let (turn, sentence) = match first.parse::<u64>() {
        Ok(turn) => (Some(turn), others.trim()),
        Err(_) => (None, rest),
    };
    match sentence.is_empty() {
        true => {
            Err("`/edit` needs a sentence: `/edit I knock`, or `/edit 3 I knock` for turn 3"
                .to_owned())
        }
        false => Ok(StoryOrder::Edit(turn, sentence)),
    }
}

fn turns(order: &str, count: Option<&str>, default: u64) -> Result<u64, String> {
    let Some(count) = count else { return Ok(default) };
    match count.parse() {
        Ok(turns) if turns > 0 => Ok(turns),
        _ => Err(format!("`{order} {count}`: a number of turns goes from 1 up")),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_story_order;

    /// Lines that a player may type, orders and others.
    const LINES: [&str; 35] = [
        "/undo",
        " /undo 3 ",
        "/redo 2",
        "/retry",
        "/retry same",
        "/branch",
        "/branch tower",
        "/switch main",
        "/history 5",
        "/undo 0",
        "/undo -1",
        "/undo two",
        "/undo 99999999999999999999",
        "/retry twice",
        "/switch",
        "/branch a id:7",
        "/branch a b c",
        "/edit I knock twice",
        " /edit  3 I knock",
        "/edit 3",
        "/edit",
        "/why",
        "/why 3",
        "/why full",
        "/why 3 full",
        "/why 3 4",
        "/plan id:4",
        "/assets",
        "/memory",
        "/memory all",
        "/state",
        "/state /player/hp",
        "/undoo",
        "I /undo",
        "",
    ];

    #[test]
    fn an_order_has_at_most_one_argument() {
        let text = LINES.map(|line| match parse_story_order(line) {
            None => format!("{line}: no order"),
            Some(Ok(order)) => format!("{line}: {order:?}"),
            Some(Err(why)) => format!("{line}: {why}"),
        });
        insta::assert_snapshot!(text.join("\n"), @r#"
        /undo: Undo(1)
         /undo 3 : Undo(3)
        /redo 2: Redo(2)
        /retry: Retry(Fresh)
        /retry same: Retry(Same)
        /branch: Branches
        /branch tower: Branch("tower", None)
        /switch main: Switch("main")
        /history 5: History(5)
        /undo 0: `/undo 0`: a number of turns goes from 1 up
        /undo -1: `/undo -1`: a number of turns goes from 1 up
        /undo two: `/undo two`: a number of turns goes from 1 up
        /undo 99999999999999999999: `/undo 99999999999999999999`: a number of turns goes from 1 up
        /retry twice: `/retry` stands alone or before `same`, not before `twice`
        /switch: `/switch` needs the name of a branch; `/branch` lists them
        /branch a id:7: Branch("a", Some("id:7"))
        /branch a b c: `/branch` takes one word at most, `b` is too many
        /edit I knock twice: Edit(None, "I knock twice")
         /edit  3 I knock: Edit(Some(3), "I knock")
        /edit 3: `/edit` needs a sentence: `/edit I knock`, or `/edit 3 I knock` for turn 3
        /edit: `/edit` needs a sentence: `/edit I knock`, or `/edit 3 I knock` for turn 3
        /why: Why { turn: None, is_full: false }
        /why 3: Why { turn: Some("3"), is_full: false }
        /why full: Why { turn: None, is_full: true }
        /why 3 full: Why { turn: Some("3"), is_full: true }
        /why 3 4: `/why` takes a turn, `full`, or both, not `3 4`
        /plan id:4: Plan(Some("id:4"))
        /assets: Assets(100)
        /memory: Memory
        /memory all: write `/memory`, `/memory search WORDS`, `/memory pin ID`, `/memory unpin ID`, `/memory edit ID TEXT` or `/memory forget ID`
        /state: State("")
        /state /player/hp: State("/player/hp")
        /undoo: no order
        I /undo: no order
        : no order
        "#);
    }
}
