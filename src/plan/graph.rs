//! Run order and cycles of a plan's steps. Knows only indices into the plan's array.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
};

use petgraph::{
    algo::tarjan_scc,
    graph::{DiGraph, NodeIndex},
};

/// Dependencies between steps, as indices into the plan's array.
#[derive(Debug)]
pub(super) struct DependencyGraph {
    /// For each step the steps that it needs, in the order of the text.
    needs: Vec<Vec<usize>>,
}

impl DependencyGraph {
    /// Creates the graph. `needs[i]` are the steps that step `i` waits for: no duplicates, none of them `i`, all
    /// smaller than `needs.len()`.
    pub(super) fn new(needs: Vec<Vec<usize>>) -> DependencyGraph {
        DependencyGraph { needs }
    }

    /// Returns the needs in the order that [`DependencyGraph::new`] received.
    pub(super) fn needs(&self, step: usize) -> &[usize] {
        &self.needs[step]
    }

    /// Returns Kahn's order (S1 §4.1): of several ready steps, the first in the array comes first. `None` if there is a
    /// cycle.
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

    /// Returns one cycle for each strongly connected component, in array order. It is the shortest of its component,
    /// the first in array order among equals, and starts at its first step in the array.
    pub(super) fn cycles(&self) -> Vec<Vec<usize>> {
        let mut graph = DiGraph::<(), ()>::with_capacity(self.needs.len(), 0);
        let nodes: Vec<NodeIndex> = self.needs.iter().map(|_| graph.add_node(())).collect();
        for (step, needs) in self.needs.iter().enumerate() {
            for need in needs {
                graph.add_edge(nodes[step], nodes[*need], ());
            }
        }
        let mut cycles: Vec<Vec<usize>> = tarjan_scc(&graph)
            .into_iter()
            .filter(|component| component.len() > 1)
            .filter_map(|component| {
                let mut members: Vec<usize> = component.into_iter().map(NodeIndex::index).collect();
                members.sort_unstable();
                members
                    .iter()
                    .filter_map(|start| self.shortest_cycle_through(*start, &members))
                    .min_by_key(Vec::len)
            })
            .map(smallest_first)
            .collect();
        cycles.sort();
        cycles
    }

    /// Returns the shortest path from `start` back to itself within `component`, which is sorted.
    fn shortest_cycle_through(&self, start: usize, component: &[usize]) -> Option<Vec<usize>> {
        let mut came_from: Vec<Option<usize>> = vec![None; self.needs.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(step) = queue.pop_front() {
            for need in &self.needs[step] {
                if *need == start {
                    let mut path = vec![step];
                    while let Some(before) = came_from[path[path.len() - 1]] {
                        path.push(before);
                    }
                    path.reverse();
                    return Some(path);
                }
                if came_from[*need].is_none() && component.binary_search(need).is_ok() {
                    came_from[*need] = Some(step);
                    queue.push_back(*need);
                }
            }
        }
        None
    }
}

fn smallest_first(mut cycle: Vec<usize>) -> Vec<usize> {
    let start = cycle.iter().enumerate().min_by_key(|(_, step)| **step).map_or(0, |(at, _)| at);
    cycle.rotate_left(start);
    cycle
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

    /// Repeatedly takes the first ready step of the array.
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
        /// S0 FR-011, §5.3(2), S1 §4.1.
        #[test]
        fn the_order_points_backwards_and_ties_follow_the_array(needs in acyclic()) {
            let graph = DependencyGraph::new(needs.clone());
            let order = graph.run_order().expect("the graph has no cycle");
            for (at, step) in order.iter().enumerate() {
                prop_assert!(needs[*step].iter().all(|need| order[..at].contains(need)));
            }
            prop_assert_eq!(order, oracle(&needs));
            prop_assert!(graph.cycles().is_empty());
        }

        /// S0 FR-012, S1 §4.2.
        #[test]
        fn there_is_an_order_or_a_real_circle(needs in anything()) {
            let graph = DependencyGraph::new(needs.clone());
            let cycles = graph.cycles();
            prop_assert_eq!(graph.run_order().is_some(), cycles.is_empty());
            prop_assert_eq!(oracle(&needs).len() == needs.len(), cycles.is_empty());
            for cycle in cycles {
                prop_assert!(cycle.len() > 1);
                for (at, step) in cycle.iter().enumerate() {
                    prop_assert!(needs[*step].contains(&cycle[(at + 1) % cycle.len()]));
                    prop_assert!(!cycle[..at].contains(step));
                }
            }
        }
    }
}
