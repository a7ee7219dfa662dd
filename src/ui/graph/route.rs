//! Draws the edges between the levels, as lines of characters.

use std::collections::BTreeMap;

use unicode_width::UnicodeWidthStr;

use super::layout::{GraphLayout, LayoutNode};

const UP: u8 = 1;
const DOWN: u8 = 2;
const LEFT: u8 = 4;
const RIGHT: u8 = 8;

/// All edges that leave one node.
#[derive(Debug)]
struct EdgeBundle {
    /// Column at which they leave.
    stub: isize,
    /// Columns at which they arrive.
    ports: Vec<isize>,
    /// The line on which they turn; `None` for an edge that goes straight down.
    track: Option<usize>,
}

/// The characters between two levels, by line and column.
type LineGrid = BTreeMap<(usize, isize), u8>;

/// Returns the lines of the drawing; `None` if its edges cannot be kept apart.
pub(super) fn draw(layout: &GraphLayout, labels: &[&str], ascii: bool) -> Option<Vec<String>> {
    let mut lines = Vec::new();
    for (level, members) in layout.levels.iter().enumerate() {
        if level > 0 {
            lines.extend(between(layout, level, ascii)?);
        }
        let mut line = String::new();
        for node in members.iter().map(|at| &layout.nodes[*at]) {
            let blanks = node.left() - line.width().cast_signed();
            line.extend(std::iter::repeat_n(' ', blanks.unsigned_abs()));
            match node.step {
                Some(step) => line += &stretched(labels[step], node.width),
                None => line.push(glyph(UP | DOWN, ascii)),
            }
        }
        lines.push(line);
    }
    Some(lines)
}

/// Widens a label, so that all its arrows fit.
fn stretched(label: &str, width: isize) -> String {
    let missing = width.unsigned_abs().saturating_sub(label.width());
    let (left, right) = (missing / 2, missing - missing / 2);
    let mut inner = label.to_owned();
    let close = inner.pop().unwrap_or_default();
    let open = if inner.is_empty() { String::new() } else { inner.remove(0).to_string() };
    format!("{open}{}{inner}{}{close}", " ".repeat(left), " ".repeat(right))
}

fn between(layout: &GraphLayout, level: usize, ascii: bool) -> Option<Vec<String>> {
    let mut bundles: Vec<(usize, EdgeBundle)> = layout.levels[level - 1]
        .iter()
        .map(|at| {
            (*at, EdgeBundle { stub: layout.nodes[*at].middle, ports: Vec::new(), track: None })
        })
        .collect();
    let mut heads = Vec::new();
    for node in layout.levels[level].iter().map(|at| &layout.nodes[*at]) {
        let mut ups = node.ups.clone();
        ups.sort_by_key(|up| layout.nodes[*up].middle);
        for (up, port) in ups.iter().zip(ports(node, &ups, layout)) {
            let (_, bundle) = bundles.iter_mut().find(|(at, _)| at == up)?;
            bundle.ports.push(port);
            if node.step.is_some() {
                heads.push(port);
            }
        }
    }
    let mut bundles: Vec<EdgeBundle> = bundles
        .into_iter()
        .map(|(_, bundle)| bundle)
        .filter(|bundle| !bundle.ports.is_empty())
        .collect();
    let last = assign_tracks(&mut bundles)?;
    let mut grid = LineGrid::new();
    for bundle in &bundles {
        put(bundle, last, &mut grid)?;
    }
    let width = grid.keys().map(|(_, column)| column + 1).max().unwrap_or(0);
    let line = |row: usize| {
        (0..width)
            .map(|column| match grid.get(&(row, column)) {
                Some(_) if row == last && heads.contains(&column) => {
                    if ascii {
                        'v'
                    } else {
                        '▼'
                    }
                }
                Some(bits) => glyph(*bits, ascii),
                None => ' ',
            })
            .collect()
    };
    Some((0..=last).map(line).collect())
}

/// Returns the columns at which the arrows of a node arrive, in the order of `ups`: straight below their start if that
/// is within the node.
fn ports(node: &LayoutNode, ups: &[usize], layout: &GraphLayout) -> Vec<isize> {
    let inner = if node.width > 2 { 1 } else { 0 };
    let (left, right) = (node.left() + inner, node.right() - inner);
    let mut ports: Vec<isize> =
        ups.iter().map(|up| layout.nodes[*up].middle.clamp(left, right)).collect();
    for at in 1..ports.len() {
        ports[at] = ports[at].max(ports[at - 1] + 2);
    }
    let mut limit = right;
    for port in ports.iter_mut().rev() {
        *port = (*port).min(limit);
        limit = *port - 2;
    }
    ports
}

/// Gives each bundle that turns a line of its own, or one that it shares with bundles beside it. Two bundles that
/// use the same column must turn on different lines. Returns the line of the arrow heads.
fn assign_tracks(bundles: &mut [EdgeBundle]) -> Option<usize> {
    let mut waiting: Vec<usize> =
        (0..bundles.len()).filter(|at| bundles[*at].ports != [bundles[*at].stub]).collect();
    // Edges to the left start from the left, edges to the right from the right, so that few of them cross.
    waiting.sort_by_key(|at| {
        let bundle = &bundles[*at];
        let to_the_left =
            bundle.ports.iter().sum::<isize>() < bundle.stub * bundle.ports.len().cast_signed();
        if to_the_left { bundle.stub } else { -bundle.stub }
    });
    let mut rows: Vec<Vec<(isize, isize)>> = Vec::new();
    while !waiting.is_empty() {
        let above = |at: usize, other: usize| {
            at != other && bundles[at].ports.contains(&bundles[other].stub)
        };
        let free = waiting.iter().position(|at| !waiting.iter().any(|other| above(*at, *other)))?;
        let at = waiting.remove(free);
        let turned = (0..bundles.len()).filter(|other| above(at, *other));
        let first =
            turned.filter_map(|other| bundles[other].track).map(|row| row + 1).max().unwrap_or(0);
        let (low, high) = span(&bundles[at]);
        let row = (first..rows.len())
            .find(|row| rows[*row].iter().all(|taken| taken.1 + 1 < low || high + 1 < taken.0))
            .unwrap_or(rows.len().max(first));
        rows.resize(rows.len().max(row + 1), Vec::new());
        rows[row].push((low, high));
        bundles[at].track = Some(row);
    }
    Some(rows.len())
}

fn span(bundle: &EdgeBundle) -> (isize, isize) {
    let columns = || bundle.ports.iter().copied().chain([bundle.stub]);
    (columns().min().unwrap_or(bundle.stub), columns().max().unwrap_or(bundle.stub))
}

/// Draws one bundle; `None` if it would touch another in any way but by crossing it.
fn put(bundle: &EdgeBundle, last: usize, grid: &mut LineGrid) -> Option<()> {
    let mut own = LineGrid::new();
    let mut add =
        |row: usize, column: isize, bits: u8| *own.entry((row, column)).or_default() |= bits;
    match bundle.track {
        None => (0..=last).for_each(|row| add(row, bundle.stub, UP | DOWN)),
        Some(track) => {
            let (low, high) = span(bundle);
            (0..track).for_each(|row| add(row, bundle.stub, UP | DOWN));
            add(track, bundle.stub, UP);
            (low..high).for_each(|column| add(track, column, RIGHT));
            (low + 1..=high).for_each(|column| add(track, column, LEFT));
            for port in &bundle.ports {
                add(track, *port, DOWN);
                (track + 1..=last).for_each(|row| add(row, *port, UP | DOWN));
            }
        }
    }
    for (at, bits) in own {
        let crossed = [(UP | DOWN, LEFT | RIGHT), (LEFT | RIGHT, UP | DOWN)];
        let bits = match grid.get(&at) {
            None => bits,
            Some(other) if crossed.contains(&(*other, bits)) => UP | DOWN,
            Some(_) => return None,
        };
        grid.insert(at, bits);
    }
    Some(())
}

fn glyph(bits: u8, ascii: bool) -> char {
    const LINES: [char; 16] =
        [' ', '│', '│', '│', '─', '┘', '┐', '┤', '─', '└', '┌', '├', '─', '┴', '┬', '┼'];
    if !ascii {
        return LINES[usize::from(bits)];
    }
    match (bits & (UP | DOWN), bits & (LEFT | RIGHT)) {
        (_, 0) => '|',
        (0, _) => '-',
        _ => '+',
    }
}
