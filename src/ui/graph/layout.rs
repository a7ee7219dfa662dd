//! Places the nodes: levels from top to bottom, an order within each level, and columns.

use std::collections::BTreeMap;

/// Columns between two neighbours.
const GAP: isize = 2;

/// Rounds of improvement. More change little in graphs that fit a screen.
const ROUNDS: usize = 8;

/// Weight of an edge that passes a level, compared with 1 for a step: a straight edge matters more than a centred step.
const PASSING_WEIGHT: isize = 4;

/// A step, or the point at which an edge passes a level.
#[derive(Debug, Clone)]
pub(super) struct LayoutNode {
    /// `None` for an edge that passes.
    pub(super) step: Option<usize>,
    pub(super) width: isize,
    /// Column of the middle.
    pub(super) middle: isize,
    /// The nodes one level above that have an arrow to this one.
    pub(super) ups: Vec<usize>,
    /// Nodes one level below.
    pub(super) downs: Vec<usize>,
}

/// The nodes and, for each level, its nodes from left to right.
#[derive(Debug)]
pub(super) struct GraphLayout {
    pub(super) nodes: Vec<LayoutNode>,
    pub(super) levels: Vec<Vec<usize>>,
}

impl LayoutNode {
    pub(super) fn left(&self) -> isize {
        self.middle - self.width / 2
    }

    pub(super) fn right(&self) -> isize {
        self.left() + self.width - 1
    }
}

/// Places the steps of one group. `level_of` must grow along `needs`.
pub(super) fn lay_out(labels: &[&str], needs: &[Vec<usize>], level_of: &[usize]) -> GraphLayout {
    let mut layout = layers(labels, needs, level_of);
    layout.order();
    layout.place();
    layout
}

/// Creates the nodes. An edge gets one in each level that it passes; edges from one step share these nodes.
fn layers(labels: &[&str], needs: &[Vec<usize>], level_of: &[usize]) -> GraphLayout {
    let mut nodes: Vec<LayoutNode> = labels
        .iter()
        .enumerate()
        .map(|(step, label)| {
            let ports = 2 * needs[step].len() + 1;
            let width = unicode_width::UnicodeWidthStr::width(*label).max(ports);
            node(Some(step), width.cast_signed())
        })
        .collect();
    let count = level_of.iter().max().map_or(0, |level| level + 1);
    let mut levels = vec![Vec::new(); count];
    for (step, level) in level_of.iter().enumerate() {
        levels[*level].push(step);
    }
    let mut passes: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (step, needs) in needs.iter().enumerate() {
        for need in needs {
            let mut above = *need;
            let between = levels.iter_mut().enumerate().take(level_of[step]);
            for (level, members) in between.skip(level_of[*need] + 1) {
                let next = *passes.entry((*need, level)).or_insert_with(|| {
                    nodes.push(node(None, 1));
                    members.push(nodes.len() - 1);
                    nodes.len() - 1
                });
                connect(&mut nodes, above, next);
                above = next;
            }
            connect(&mut nodes, above, step);
        }
    }
    GraphLayout { nodes, levels }
}

fn node(step: Option<usize>, width: isize) -> LayoutNode {
    LayoutNode { step, width, middle: 0, ups: Vec::new(), downs: Vec::new() }
}

fn connect(nodes: &mut [LayoutNode], above: usize, below: usize) {
    if !nodes[above].downs.contains(&below) {
        nodes[above].downs.push(below);
        nodes[below].ups.push(above);
    }
}

impl GraphLayout {
    /// Moves connected nodes near each other, so that few edges cross.
    fn order(&mut self) {
        let mut best = (self.crossings(), self.levels.clone());
        for round in 0..ROUNDS {
            let down = round % 2 == 0;
            let count = self.levels.len();
            for nth in 1..count {
                let (level, fixed) =
                    if down { (nth, nth - 1) } else { (count - 1 - nth, count - nth) };
                let place = self.places(fixed);
                let mut keyed: Vec<(f64, usize)> = self.levels[level]
                    .iter()
                    .enumerate()
                    .map(|(now, node)| {
                        let near =
                            if down { &self.nodes[*node].ups } else { &self.nodes[*node].downs };
                        let sum: usize = near.iter().map(|near| place[near]).sum();
                        #[expect(clippy::cast_precision_loss, reason = "a level has few nodes")]
                        let key = if near.is_empty() {
                            now as f64
                        } else {
                            sum as f64 / near.len() as f64
                        };
                        (key, *node)
                    })
                    .collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.levels[level] = keyed.into_iter().map(|(_, node)| node).collect();
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.levels.clone());
            }
        }
        self.levels = best.1;
    }

    fn places(&self, level: usize) -> BTreeMap<usize, usize> {
        self.levels[level].iter().enumerate().map(|(place, node)| (*node, place)).collect()
    }

    fn crossings(&self) -> usize {
        let mut count = 0;
        for pair in 1..self.levels.len() {
            let place = self.places(pair);
            let edges: Vec<(usize, usize)> = self.levels[pair - 1]
                .iter()
                .enumerate()
                .flat_map(|(above, node)| {
                    let place = &place;
                    self.nodes[*node].downs.iter().map(move |below| (above, place[below]))
                })
                .collect();
            for (at, a) in edges.iter().enumerate() {
                count += edges[at..].iter().filter(|b| a.0 < b.0 && a.1 > b.1).count();
            }
        }
        count
    }

    /// Gives every node its column: first to the left, then as near to its connected nodes as its neighbours allow.
    fn place(&mut self) {
        for level in 0..self.levels.len() {
            self.settle(level, &vec![0; self.levels[level].len()]);
        }
        for _ in 0..ROUNDS {
            for level in (0..self.levels.len().saturating_sub(1)).rev() {
                self.follow(level, |node| &node.downs);
            }
            for level in 1..self.levels.len() {
                self.follow(level, |node| &node.ups);
            }
        }
        let left = self.nodes.iter().map(LayoutNode::left).min().unwrap_or(0);
        self.nodes.iter_mut().for_each(|node| node.middle -= left);
    }

    fn follow(&mut self, level: usize, near: fn(&LayoutNode) -> &Vec<usize>) {
        let wishes: Vec<isize> = self.levels[level]
            .iter()
            .map(|at| {
                let node = &self.nodes[*at];
                let near = near(node);
                let sum: isize = near.iter().map(|near| self.nodes[*near].middle).sum();
                if near.is_empty() { node.middle } else { sum.div_euclid(near.len().cast_signed()) }
            })
            .collect();
        self.settle(level, &wishes);
    }

    /// Moves the middles of a level as near to their wishes as order and distance allow (least squares): neighbours
    /// that push each other move together.
    fn settle(&mut self, level: usize, wishes: &[isize]) {
        struct ColumnBlock {
            sum: isize,
            weight: isize,
            count: usize,
        }
        let mut offsets = Vec::with_capacity(wishes.len());
        let mut blocks: Vec<ColumnBlock> = Vec::new();
        let mut offset = 0;
        for (place, wish) in wishes.iter().enumerate() {
            let node = &self.nodes[self.levels[level][place]];
            if place > 0 {
                let before = &self.nodes[self.levels[level][place - 1]];
                offset += before.width - before.width / 2 + GAP + node.width / 2;
            }
            offsets.push(offset);
            let weight = if node.step.is_none() { PASSING_WEIGHT } else { 1 };
            let mut block = ColumnBlock { sum: (wish - offset) * weight, weight, count: 1 };
            while let Some(last) =
                blocks.pop_if(|last| last.sum * block.weight > block.sum * last.weight)
            {
                block = ColumnBlock {
                    sum: block.sum + last.sum,
                    weight: block.weight + last.weight,
                    count: block.count + last.count,
                };
            }
            blocks.push(block);
        }
        let starts = blocks
            .iter()
            .flat_map(|block| std::iter::repeat_n(block.sum.div_euclid(block.weight), block.count));
        for (place, start) in starts.enumerate() {
            self.nodes[self.levels[level][place]].middle = start + offsets[place];
        }
    }
}
