//! A plan as a drawing: who waits for whom. Pure.
//!
//! Time runs downwards; an arrow leads from a step to one that needs it. Lines that only cross are drawn
//! as a bridge, `─│─`; where they belong together there is a corner or a branch. What is too large for the
//! screen becomes a list that says the same.

mod layout;
mod route;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use narratoria_plan::PlanJson;
use unicode_width::UnicodeWidthStr;

use self::{layout::lay_out, route::draw};
use super::{
    Look,
    text::{cut_line, pad, visible_line},
};

/// More steps than this are quicker to read as a list.
const STEPS_DRAWN_MAX: usize = 24;

/// Where lines have no end, a drawing still has one.
const WIDTH_DEFAULT: usize = 100;

/// How much of a name is drawn, the first that makes the whole fit.
const LABEL_COLUMNS: [usize; 3] = [28, 16, 9];

/// Between two drawings that have nothing to do with each other.
const GAP: usize = 3;

/// Draws the plan. `needs` says for each step, by index, which ones must end before it starts, whether
/// the plan says so or a reference implies it.
pub(crate) fn plan_graph(json: &PlanJson, needs: &[Vec<usize>], look: Look) -> String {
    let count = json.tools.len();
    let needs: Vec<BTreeSet<usize>> = (0..count)
        .map(|at| {
            let needs = needs.get(at).into_iter().flatten().copied();
            needs.filter(|need| *need < count).collect()
        })
        .collect();
    let levels = levels(&needs);
    let width = look.width.unwrap_or(WIDTH_DEFAULT);
    if let Some(levels) = levels.as_ref().filter(|_| count <= STEPS_DRAWN_MAX) {
        let drawn = LABEL_COLUMNS.into_iter().find_map(|columns| {
            let labels: Vec<String> =
                (0..count).map(|at| label(json, at, columns, look.ascii)).collect();
            drawing(&labels, &needs, levels, width, look.ascii)
        });
        if let Some(drawn) = drawn {
            return drawn;
        }
    }
    list(json, &needs, levels.as_deref(), width, look.ascii)
}

/// A step's number, by which it can be called, and its name. Parentheses: it is left out.
fn label(json: &PlanJson, at: usize, columns_max: usize, ascii: bool) -> String {
    let tool = &json.tools[at];
    let name = format!("{} {}", at + 1, visible_line(&tool.tool_id));
    let name = cut_line(&name, columns_max, ascii);
    if tool.skip { format!("({name})") } else { format!("[{name}]") }
}

/// For each step the longest way to it, from 0; none when steps wait for each other in a circle.
fn levels(needs: &[BTreeSet<usize>]) -> Option<Vec<usize>> {
    let mut levels: Vec<Option<usize>> = vec![None; needs.len()];
    loop {
        let known = levels.clone();
        for (at, needs) in needs.iter().enumerate().filter(|(at, _)| known[*at].is_none()) {
            let below: Option<Vec<usize>> = needs.iter().map(|need| known[*need]).collect();
            levels[at] = below.map(|below| below.into_iter().max().map_or(0, |level| level + 1));
        }
        if levels == known {
            return levels.into_iter().collect();
        }
    }
}

/// Steps that have to do with each other, each group and the groups in the order of their first step.
fn groups(needs: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let mut group: Vec<usize> = (0..needs.len()).collect();
    for (at, needs) in needs.iter().enumerate() {
        for need in needs {
            let (kept, given) = (group[at].min(group[*need]), group[at].max(group[*need]));
            group.iter_mut().filter(|group| **group == given).for_each(|group| *group = kept);
        }
    }
    let firsts: BTreeSet<usize> = group.iter().copied().collect();
    let members = |first: usize| (0..group.len()).filter(|at| group[*at] == first).collect();
    firsts.into_iter().map(members).collect()
}

/// Each group by itself, side by side as far as they fit; none when one does not fit at all.
fn drawing(
    labels: &[String],
    needs: &[BTreeSet<usize>],
    levels: &[usize],
    width: usize,
    ascii: bool,
) -> Option<String> {
    let mut shelves: Vec<Vec<String>> = Vec::new();
    let mut room = 0;
    for group in groups(needs) {
        let local = |step: &usize| group.binary_search(step).expect("needs are in the same group");
        let labels: Vec<&str> = group.iter().map(|step| labels[*step].as_str()).collect();
        let near: Vec<Vec<usize>> =
            group.iter().map(|step| needs[*step].iter().map(local).collect()).collect();
        let levels: Vec<usize> = group.iter().map(|step| levels[*step]).collect();
        let lines = draw(&lay_out(&labels, &near, &levels), &labels, ascii)?;
        let columns = lines.iter().map(|line| line.width()).max().unwrap_or(0);
        if columns > width {
            return None;
        }
        match shelves.last_mut().filter(|_| columns + GAP <= room) {
            Some(shelf) => {
                let left = width - room + GAP;
                let height = shelf.len().max(lines.len());
                shelf.resize(height, String::new());
                for (line, more) in shelf.iter_mut().zip(lines) {
                    *line = format!("{}{more}", pad(line, left));
                }
                room -= columns + GAP;
            }
            None => {
                shelves.push(lines);
                room = width - columns;
            }
        }
    }
    let shelves: Vec<String> = shelves
        .iter()
        .map(|lines| lines.iter().map(|line| format!("{}\n", line.trim_end())).collect())
        .collect();
    Some(shelves.join("\n"))
}

/// The same in words: steps by level, each with the numbers of those that it needs.
fn list(
    json: &PlanJson,
    needs: &[BTreeSet<usize>],
    levels: Option<&[usize]>,
    width: usize,
    ascii: bool,
) -> String {
    let mut order: Vec<usize> = (0..needs.len()).collect();
    let level = |at: usize| levels.map(|levels| levels[at]);
    order.sort_by_key(|at| level(*at));
    let mut text = String::new();
    let mut last = None;
    for at in order {
        if level(at).is_some() && level(at) != last {
            last = level(at);
            text += &format!("level {}\n", last.unwrap_or(0) + 1);
        }
        let name = visible_line(&json.tools[at].tool_id);
        let number = format!("  {} ", at + 1);
        let mut line =
            format!("{number}{}", cut_line(&name, width.saturating_sub(number.len() + 3), ascii));
        for (nth, need) in needs[at].iter().enumerate() {
            let word =
                if nth == 0 { format!(" <- {}", need + 1) } else { format!(" {}", need + 1) };
            if line.width() + word.len() > width && line.width() > 5 {
                text += &line;
                text.push('\n');
                line = "     ".to_owned();
            }
            line += &word;
        }
        text += &line;
        text.push('\n');
    }
    text
}
