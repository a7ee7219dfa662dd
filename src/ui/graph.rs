//! Draws a plan as a graph of the steps and their needs. Pure.
//!
//! Time runs downwards; an arrow leads from a step to a step that needs it. Lines that only cross are drawn
//! as a bridge, `─│─`; lines that belong together meet in a corner or a branch. A drawing that is too large for the
//! screen becomes a list with the same facts.

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

/// Most steps of a drawing. More are quicker to read as a list.
const STEPS_DRAWN_MAX: usize = 24;

/// Width of a drawing if lines have no limit.
const WIDTH_DEFAULT: usize = 100;

/// Columns of a name. The drawing uses the first with which it fits.
const LABEL_COLUMNS: [usize; 3] = [28, 16, 9];

/// Columns between two unconnected drawings.
const GAP: usize = 3;

/// Draws the plan. `needs` has, for each step, the indexes of the steps that must end before it starts: those that the
/// plan lists, and those that a reference implies.
pub fn plan_graph(json: &PlanJson, needs: &[Vec<usize>], look: Look) -> String {
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

/// Returns a step's number and its name. Parentheses mark a step that is skipped.
fn label(json: &PlanJson, at: usize, columns_max: usize, ascii: bool) -> String {
    let tool = &json.tools[at];
    let name = format!("{} {}", at + 1, visible_line(&tool.tool_id));
    let name = cut_line(&name, columns_max, ascii);
    if tool.skip { format!("({name})") } else { format!("[{name}]") }
}

/// Returns for each step the length of the longest path to it; `None` if steps wait for each other in a circle.
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

/// Groups of connected steps, in the order of their first steps.
fn groups(needs: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let mut group: Vec<usize> = (0..needs.len()).collect();
    for (at, needs) in needs.iter().enumerate() {
        for need in needs {
            let (first, other) = (group[at].min(group[*need]), group[at].max(group[*need]));
            group.iter_mut().filter(|group| **group == other).for_each(|group| *group = first);
        }
    }
    let firsts: BTreeSet<usize> = group.iter().copied().collect();
    let members = |first: usize| (0..group.len()).filter(|at| group[*at] == first).collect();
    firsts.into_iter().map(members).collect()
}

/// Draws each group, as many side by side as fit; `None` if a group does not fit.
fn drawing(
    labels: &[String],
    needs: &[BTreeSet<usize>],
    levels: &[usize],
    width: usize,
    ascii: bool,
) -> Option<String> {
    let mut rows: Vec<Vec<String>> = Vec::new();
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
        match rows.last_mut().filter(|_| columns + GAP <= room) {
            Some(row) => {
                let left = width - room + GAP;
                let height = row.len().max(lines.len());
                row.resize(height, String::new());
                for (line, more) in row.iter_mut().zip(lines) {
                    *line = format!("{}{more}", pad(line, left));
                }
                room -= columns + GAP;
            }
            None => {
                rows.push(lines);
                room = width - columns;
            }
        }
    }
    let rows: Vec<String> = rows
        .iter()
        .map(|lines| lines.iter().map(|line| format!("{}\n", line.trim_end())).collect())
        .collect();
    Some(rows.join("\n"))
}

/// Returns the graph in words: steps by level, each with the numbers of those that it needs.
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
