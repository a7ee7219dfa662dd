//! The order of a plan's steps. Knows indices into the plan's array and nothing else.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
};

use petgraph::{
    algo::tarjan_scc,
    graph::{DiGraph, NodeIndex},
};

/// Which steps wait for which, by index into the plan's array.
#[derive(Debug)]
pub(super) struct DependencyGraph {
    /// An edge points from a step to one that it needs, in the order of the text.
    needs: Vec<Vec<usize>>,
}

impl DependencyGraph {
    /// `needs[i]` are the steps that step `i` waits for: no doubles, none of them `i`, all smaller
    /// than `needs.len()`.
    pub(super) fn new(needs: Vec<Vec<usize>>) -> DependencyGraph {
        DependencyGraph { needs }
    }

    /// What a step waits for, in the order in which it was handed in.
    pub(super) fn needs(&self, step: usize) -> &[usize] {
        &self.needs[step]
    }

    /// Kahn's order (S1 §4.1): whenever several steps are ready, the first of them in the array comes
    /// first. `None` when steps wait for each other.
    pub(super) fn run_order(&self) -> Option<Vec<usize>> {
        let mut waits_for: Vec<usize> = self.needs.iter().map(Vec::len).collect();
        let mut dependents = vec![Vec::new(); self.needs.len()];
        for (step, needs) in self.needs.iter().enumerate() {
            for need in needs {
                dependents[*need].push(step);
            }
        }
        let mut ready: BinaryHeap<Reverse<usize>> =
            (0..self.needs.len()).filter(|step| waits_for[*step] == 0).map(Reverse).collect();
        let mut order = Vec::with_capacity(self.needs.len());
        while let Some(Reverse(step)) = ready.pop() {
            order.push(step);
            for dependent in &dependents[step] {
                waits_for[*dependent] -= 1;
                if waits_for[*dependent] == 0 {
                    ready.push(Reverse(*dependent));
                }
            }
        }
        (order.len() == self.needs.len()).then_some(order)
    }

    /// One circle for each knot of steps that wait for each other, in array order. A circle is the
    /// shortest of its knot, the first in array order where several are equally short, and starts at
    /// its first step in the array.
    pub(super) fn cycles(&self) -> Vec<Vec<usize>> {
        let mut graph = DiGraph::<(), ()>::with_capacity(self.needs.len(), 0);
        let nodes: Vec<NodeIndex> = self.needs.iter().map(|_| graph.add_node(())).collect();
        for (step, needs) in self.needs.iter().enumerate() {
            for need in needs {
                graph.add_edge(nodes[step], nodes[*need], ());
            }
        }
        let mut circles: Vec<Vec<usize>> = tarjan_scc(&graph)
            .into_iter()
            .filter(|knot| knot.len() > 1)
            .filter_map(|knot| {
                let mut members: Vec<usize> = knot.into_iter().map(NodeIndex::index).collect();
                members.sort_unstable();
                members
                    .iter()
                    .filter_map(|start| self.shortest_cycle_through(*start, &members))
                    .min_by_key(Vec::len)
            })
            .map(smallest_first)
            .collect();
        circles.sort();
        circles
    }

    /// Shortest way from `start` back to itself without leaving `knot`, which is sorted.
    fn shortest_cycle_through(&self, start: usize, knot: &[usize]) -> Option<Vec<usize>> {
        let mut came_from: Vec<Option<usize>> = vec![None; self.needs.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(step) = queue.pop_front() {
            for need in &self.needs[step] {
                if *need == start {
                    let mut way = vec![step];
                    while let Some(before) = came_from[way[way.len() - 1]] {
                        way.push(before);
                    }
                    way.reverse();
                    return Some(way);
                }
                if came_from[*need].is_none() && knot.binary_search(need).is_ok() {
                    came_from[*need] = Some(step);
                    queue.push_back(*need);
                }
            }
        }
        None
    }
}

fn smallest_first(mut circle: Vec<usize>) -> Vec<usize> {
    let start = circle.iter().enumerate().min_by_key(|(_, step)| **step).map_or(0, |(at, _)| at);
    circle.rotate_left(start);
    circle
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::DependencyGraph;

    /// Up to 24 steps, each of which needs some of those before it in a shuffled order.
    fn acyclic() -> impl Strategy<Value = Vec<Vec<usize>>> {
        (1_usize..24).prop_flat_map(|steps| {
            let rank = Just((0..steps).collect::<Vec<usize>>()).prop_shuffle();
            let edges = proptest::collection::vec(any::<bool>(), steps * steps);
            (rank, edges).prop_map(move |(rank, edges)| {
                (0..steps)
                    .map(|step| {
                        (0..steps)
                            .filter(|need| rank[*need] < rank[step] && edges[step * steps + need])
                            .collect()
                    })
                    .collect()
            })
        })
    }

    fn anything() -> impl Strategy<Value = Vec<Vec<usize>>> {
        (1_usize..12).prop_flat_map(|steps| {
            proptest::collection::vec(proptest::bool::weighted(0.12), steps * steps).prop_map(
                move |edges| {
                    (0..steps)
                        .map(|step| {
                            (0..steps)
                                .filter(|need| *need != step && edges[step * steps + need])
                                .collect()
                        })
                        .collect()
                },
            )
        })
    }

    /// Looks for the first ready step in the array again and again.
    fn oracle(needs: &[Vec<usize>]) -> Vec<usize> {
        let mut order = Vec::new();
        while let Some(next) = (0..needs.len()).find(|step| {
            !order.contains(step) && needs[*step].iter().all(|need| order.contains(need))
        }) {
            order.push(next);
        }
        order
    }

    proptest! {
        /// S0 FR-011.
        #[test]
        fn the_order_points_backwards_and_ties_follow_the_array(needs in acyclic()) {
            let graph = DependencyGraph::new(needs.clone());
            let order = graph.run_order().expect("the graph has no circle");
            for (at, step) in order.iter().enumerate() {
                prop_assert!(needs[*step].iter().all(|need| order[..at].contains(need)));
            }
            prop_assert_eq!(order, oracle(&needs));
            prop_assert!(graph.cycles().is_empty());
        }

        /// S0 FR-012.
        #[test]
        fn there_is_an_order_or_a_real_circle(needs in anything()) {
            let graph = DependencyGraph::new(needs.clone());
            let circles = graph.cycles();
            prop_assert_eq!(graph.run_order().is_some(), circles.is_empty());
            prop_assert_eq!(oracle(&needs).len() == needs.len(), circles.is_empty());
            for circle in circles {
                prop_assert!(circle.len() > 1);
                for (at, step) in circle.iter().enumerate() {
                    prop_assert!(needs[*step].contains(&circle[(at + 1) % circle.len()]));
                    prop_assert!(!circle[..at].contains(step));
                }
            }
        }
    }
}
