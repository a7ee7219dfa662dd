//! The meaning of a typed line that goes to another turn of the story, or shows its turns. Pure.

use narratoria_engine::RetryDice;

const ORDERS: [&str; 6] = ["/undo", "/redo", "/retry", "/branch", "/switch", "/history"];

/// Turns that `/history` shows where no number is given.
const HISTORY_TURNS: u64 = 20;

/// An order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StoryOrder<'a> {
    Undo(u64),
    Redo(u64),
    Retry(RetryDice),
    Branches,
    Branch(&'a str),
    Switch(&'a str),
    History(u64),
}

/// The order that a line gives, or the reason why it gives none. `None` if the line is anything else.
pub(super) fn parse_story_order(line: &str) -> Option<Result<StoryOrder<'_>, String>> {
    let mut words = line.split_whitespace();
    let (order, argument) = (words.next()?, words.next());
    if !ORDERS.contains(&order) {
        return None;
    }
    if let Some(more) = words.next() {
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
        ("/branch", Some(name)) => Ok(StoryOrder::Branch(name)),
        (_, Some(name)) => Ok(StoryOrder::Switch(name)),
        (_, None) => Err("`/switch` needs the name of a branch; `/branch` lists them".to_owned()),
    })
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

    #[test]
    fn an_order_has_at_most_one_argument() {
        let lines = [
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
            "/branch a b",
            "/undoo",
            "I /undo",
            "",
        ];
        let text = lines.map(|line| match parse_story_order(line) {
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
        /branch tower: Branch("tower")
        /switch main: Switch("main")
        /history 5: History(5)
        /undo 0: `/undo 0`: a number of turns goes from 1 up
        /undo -1: `/undo -1`: a number of turns goes from 1 up
        /undo two: `/undo two`: a number of turns goes from 1 up
        /undo 99999999999999999999: `/undo 99999999999999999999`: a number of turns goes from 1 up
        /retry twice: `/retry` stands alone or before `same`, not before `twice`
        /switch: `/switch` needs the name of a branch; `/branch` lists them
        /branch a b: `/branch` takes one word at most, `b` is too many
        /undoo: no order
        I /undo: no order
        : no order
        "#);
    }
}
