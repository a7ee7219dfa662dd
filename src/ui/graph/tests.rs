use std::collections::BTreeSet;

use narratoria_plan::PlanJson;
use proptest::prelude::*;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use super::{STEPS_DRAWN_MAX, list, plan_graph};
use crate::Look;

/// Parses `a b<-a c<-a,b`: steps and their needs.
fn parse(text: &str) -> (PlanJson, Vec<Vec<usize>>) {
    let words: Vec<(&str, &str)> =
        text.split_whitespace().map(|word| word.split_once("<-").unwrap_or((word, ""))).collect();
    let at = |name: &str| words.iter().position(|word| word.0 == name).unwrap();
    let needs = words
        .iter()
        .map(|(_, needs)| needs.split(',').filter(|need| !need.is_empty()).map(at).collect())
        .collect();
    (plan(words.iter().map(|word| word.0)), needs)
}

fn plan(names: impl Iterator<Item = impl AsRef<str>>) -> PlanJson {
    let tools: Vec<Value> =
        names.map(|name| json!({"toolId": name.as_ref(), "toolPath": "a/b"})).collect();
    let plan = json!({"requestId": "3f0c6a52-8d1e-4b7a-9c55-2f6e1d0b7a11", "tools": tools});
    serde_json::from_value(plan).unwrap()
}

fn drawn(text: &str, width: usize) -> String {
    let (plan, needs) = parse(text);
    plan_graph(&plan, &needs, Look { width: Some(width), ..Look::default() })
}

#[test]
fn a_chain_goes_straight_down() {
    insta::assert_snapshot!(drawn("light roll<-light tell<-roll", 40), @r"
    [1 light]
        ▼
    [2 roll]
        ▼
    [3 tell]
    ");
}

#[test]
fn a_diamond_is_drawn_as_one() {
    insta::assert_snapshot!(drawn("light roll<-light open<-light tell<-roll,open", 40), @r"
         [1 light]
          ┌──┴─┐
          ▼    ▼
    [2 roll]  [3 open]
        └─┐    ┌──┘
          ▼    ▼
         [4 tell]
    ");
}

#[test]
fn many_steps_wait_for_one_and_one_for_many() {
    insta::assert_snapshot!(drawn("a b<-a c<-a d<-a e<-b,c,d", 60), @r"
           [1 a]
       ┌─────┼─────┐
       ▼     ▼     ▼
    [2 b]  [3 c]  [4 d]
      └────┐ │ ┌────┘
           ▼ ▼ ▼
          [ 5 e ]
    ");
}

#[test]
fn an_edge_passes_steps_between_its_ends() {
    insta::assert_snapshot!(drawn("a b<-a c<-b d<-a,c e<-a", 60), @r"
              [1 a]
       ┌──────┬─┴─┐
       ▼      ▼   │
    [2 b]  [5 e]  │
      ▼           │
    [3 c]         │
      └────┐ ┌────┘
           ▼ ▼
          [4 d]
    ");
}

#[test]
fn crossing_lines_are_a_bridge() {
    insta::assert_snapshot!(drawn("a b c<-a,b d<-a,b e<-c f<-c,d", 60), @r"
       [1 a]  [2 b]
       ┌─┴────┐ │
       │ ┌────│─┤
       ▼ ▼    ▼ ▼
      [3 c]  [4 d]
       ┌┴───┐ ┌┘
       ▼    ▼ ▼
    [5 e]  [6 f]
    ");
}

#[test]
fn unconnected_groups_stand_side_by_side_while_there_is_room() {
    insta::assert_snapshot!(drawn("a b<-a c d e<-c,d", 60), @r"
    [1 a]   [3 c]  [4 d]
      ▼       └─┐ ┌──┘
    [2 b]       ▼ ▼
               [5 e]
    ");
    insta::assert_snapshot!(drawn("alone solitary single lonely", 24), @r"
    [1 alone]   [2 solitary]

    [3 single]   [4 lonely]
    ");
}

#[test]
fn a_skipped_step_has_parentheses_and_ascii_is_enough() {
    let (mut plan, needs) = parse("light roll<-light open<-light tell<-roll,open");
    plan.tools[2].skip = true;
    let look = Look { ascii: true, width: Some(40), ..Look::default() };
    insta::assert_snapshot!(plan_graph(&plan, &needs, look), @r"
         [1 light]
          +--+-+
          v    v
    [2 roll]  (3 open)
        +-+    +--+
          v    v
         [4 tell]
    ");
}

#[test]
fn a_drawing_that_does_not_fit_is_a_list() {
    insta::assert_snapshot!(drawn("alpha beta<-alpha gamma<-alpha delta<-alpha e<-beta,gamma,delta", 22), @r"
    level 1
      1 alpha
    level 2
      2 beta <- 1
      3 gamma <- 1
      4 delta <- 1
    level 3
      5 e <- 2 3 4
    ");
}

#[test]
fn a_circle_is_a_list() {
    insta::assert_snapshot!(drawn("a<-b b<-a c", 40), @r"
    1 a <- 2
    2 b <- 1
    3 c
    ");
}

#[test]
fn an_empty_plan_has_no_drawing_and_wrong_needs_do_no_harm() {
    assert_eq!(drawn("", 40), "");
    let look = Look { width: Some(40), ..Look::default() };
    assert_eq!(plan_graph(&plan(["a"].iter()), &[vec![7]], look), "[1 a]\n");
    assert_eq!(plan_graph(&plan(["\u{1b}[2J"].iter()), &[], look), "[1 \\u{1b}[2J]\n");
}

/// Follows the lines of a drawing: for each step the steps that its arrows reach, by number.
fn followed(drawing: &str) -> BTreeSet<(usize, usize)> {
    let cells: Vec<Vec<char>> = drawing.lines().map(|line| line.chars().collect()).collect();
    let at = |row: usize, column: usize| {
        cells.get(row).and_then(|line| line.get(column)).copied().unwrap_or(' ')
    };
    // Returns the number of the step that covers a cell, if any.
    let step = |row: usize, column: usize| {
        let open = (0..=column).rev().find(|column| at(row, *column) == '[')?;
        let close = (open..).find(|column| at(row, *column) == ']')?;
        let label: String = cells[row][open + 1..close].iter().collect();
        (column <= close)
            .then(|| label.trim_start().split(' ').next().unwrap().parse::<usize>().unwrap())
    };
    let mut found = BTreeSet::new();
    for (row, line) in cells.iter().enumerate() {
        for column in 0..line.len() {
            let Some(from) = step(row, column) else { continue };
            if at(row, column) == ' ' && step(row + 1, column).is_some() {
                continue;
            }
            let mut seen = BTreeSet::new();
            let mut ways = vec![(row + 1, column, (1, 0))];
            while let Some((row, column, go)) = ways.pop() {
                if !seen.insert((row, column, go)) {
                    continue;
                }
                let opens: &[(isize, isize)] = match (at(row, column), go) {
                    ('▼', (1, 0)) => {
                        found.insert((from, step(row + 1, column).expect("an arrow hits a step")));
                        continue;
                    }
                    ('│', _) => &[go][..],
                    ('─', (0, _)) => &[go][..],
                    ('└', (1, 0)) => &[(0, 1)],
                    ('┘', (1, 0)) => &[(0, -1)],
                    ('┌', (0, -1)) | ('┐', (0, 1)) => &[(1, 0)],
                    ('┴', (1, 0)) => &[(0, 1), (0, -1)],
                    ('┬', (0, way)) => &[(1, 0), (0, way)],
                    ('├', (1, 0)) => &[(1, 0), (0, 1)],
                    ('┤', (1, 0)) => &[(1, 0), (0, -1)],
                    ('┼', (1, 0)) => &[(1, 0), (0, 1), (0, -1)],
                    (_, _) if row > 0 && seen.len() == 1 => continue,
                    (other, go) => panic!("{other:?} cannot be entered by {go:?}\n{drawing}"),
                };
                for &go in opens {
                    ways.push((row.strict_add_signed(go.0), column.strict_add_signed(go.1), go));
                }
            }
        }
    }
    found
}

/// Reads a list back: each step's number with those that it needs.
fn read_list(text: &str) -> (Vec<usize>, BTreeSet<(usize, usize)>) {
    let mut numbers = Vec::new();
    let mut edges = BTreeSet::new();
    for line in text.lines().filter(|line| line.starts_with(' ')) {
        let (head, needs) = match line.split_once(" <- ") {
            Some((head, needs)) => (head, needs),
            None if line.starts_with("     ") => ("", line),
            None => (line, ""),
        };
        if let Some(number) = head.split_whitespace().next() {
            numbers.push(number.parse().unwrap());
        }
        let step = *numbers.last().unwrap();
        edges.extend(needs.split_whitespace().map(|need| (need.parse::<usize>().unwrap(), step)));
    }
    (numbers, edges)
}

fn graphs(steps_max: usize, needs_max: usize) -> impl Strategy<Value = Vec<Vec<usize>>> {
    prop::collection::vec(
        prop::collection::vec(any::<prop::sample::Index>(), 0..=needs_max),
        1..=steps_max,
    )
    .prop_map(|picks| {
        let pick = |(at, picks): (usize, Vec<prop::sample::Index>)| {
            if at == 0 { Vec::new() } else { picks.iter().map(|pick| pick.index(at)).collect() }
        };
        picks.into_iter().enumerate().map(pick).collect()
    })
}

fn edges(needs: &[Vec<usize>]) -> BTreeSet<(usize, usize)> {
    let of = |(at, needs): (usize, &Vec<usize>)| {
        needs.iter().map(move |need| (need + 1, at + 1)).collect::<Vec<_>>()
    };
    needs.iter().enumerate().flat_map(of).collect()
}

proptest! {
    #[test]
    fn a_drawing_shows_every_step_once_and_exactly_its_needs(
        needs in graphs(12, 3), long in 1usize..20, width in 20usize..140,
    ) {
        let plan = plan((0..needs.len()).map(|at| format!("{}{at}", "s".repeat(long))));
        let seen = plan_graph(&plan, &needs, Look { width: Some(width), ..Look::default() });
        prop_assert!(seen.lines().all(|line| line.width() <= width), "{seen}");
        prop_assert_eq!(&seen, &plan_graph(&plan, &needs, Look { width: Some(width), ..Look::default() }));
        if seen.starts_with("level") {
            let (mut numbers, found) = read_list(&seen);
            numbers.sort_unstable();
            prop_assert_eq!(numbers, (1..=needs.len()).collect::<Vec<_>>());
            prop_assert_eq!(found, edges(&needs));
        } else {
            for number in 1..=needs.len() {
                let label = [format!("[{number} "), format!(" {number} ")];
                let times: usize = label.iter().map(|label| seen.matches(label.as_str()).count()).sum();
                prop_assert_eq!(times, 1, "{} in\n{}", number, seen);
            }
            prop_assert_eq!(followed(&seen), edges(&needs), "\n{}", seen);
        }
    }

    #[test]
    fn a_list_gives_every_edge_back(needs in graphs(80, 20), width in 20usize..100, circle in any::<bool>()) {
        let plan = plan((0..needs.len()).map(|at| format!("step-{at}")));
        let mut needs = needs;
        if circle && needs.len() > 1 {
            let last = needs.len() - 1;
            needs[0] = vec![last];
            needs[last].push(0);
        }
        let seen = if needs.len() > STEPS_DRAWN_MAX || circle {
            plan_graph(&plan, &needs, Look { width: Some(width), ..Look::default() })
        } else {
            let sets: Vec<BTreeSet<usize>> = needs.iter().map(|needs| needs.iter().copied().collect()).collect();
            list(&plan, &sets, None, width, false)
        };
        if seen.starts_with('[') {
            return Ok(());
        }
        prop_assert!(seen.lines().all(|line| line.width() <= width), "{seen}");
        let (mut numbers, found) = read_list(&seen);
        numbers.sort_unstable();
        prop_assert_eq!(numbers, (1..=needs.len()).collect::<Vec<_>>());
        prop_assert_eq!(found, edges(&needs));
    }
}
