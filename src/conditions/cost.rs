//! The most that evaluating a condition can cost, known from the sizes of the facts alone. A caller that evaluates many
//! conditions adds these up before any of them is evaluated.

use std::collections::BTreeMap;

use crate::{
    CelFunction, CelOperator, Comprehension, ComprehensionKind, ConditionNode,
    meter::{CONDITION_COST_MAX, CONVERSION_COST, TEXT_BYTES_PER_COST},
};

/// Longest text of a number: the smallest fraction has 324 digits after the point.
const NUMBER_BYTES_MAX: usize = 400;

/// The most that a fact can be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FactBound {
    text_bytes: usize,
    /// Items of a list, fields of an object.
    items: usize,
    is_map: bool,
    /// The bound of each item, or of each field and field name; a number if missing.
    item: Option<Box<FactBound>>,
}

impl FactBound {
    /// A number, `true`, `false` or `null`.
    pub fn number() -> FactBound {
        FactBound::default()
    }

    /// A text of at most `bytes_max` bytes.
    pub fn text(bytes_max: usize) -> FactBound {
        FactBound { text_bytes: bytes_max, ..FactBound::default() }
    }

    /// A list of at most `items_max` items.
    pub fn list(items_max: usize, item: FactBound) -> FactBound {
        FactBound { items: items_max, item: Some(Box::new(item)), ..FactBound::default() }
    }

    /// An object with a number for each of at most `fields_max` names.
    pub fn numbers(fields_max: usize, name_bytes_max: usize) -> FactBound {
        FactBound { is_map: true, ..FactBound::list(fields_max, FactBound::text(name_bytes_max)) }
    }

    fn item(&self) -> FactBound {
        self.item.as_deref().cloned().unwrap_or_default()
    }

    /// The most that either can be.
    fn or(mut self, other: FactBound) -> FactBound {
        self.text_bytes = self.text_bytes.max(other.text_bytes);
        self.items = self.items.max(other.items);
        self.is_map |= other.is_map;
        self.item = match (self.item, other.item) {
            (Some(own), Some(other)) => Some(Box::new(own.or(*other))),
            (own, other) => own.or(other),
        };
        self
    }
}

/// The most that one evaluation can cost, in the units of [`CONDITION_COST_MAX`], which ends any evaluation. A variable
/// that is not listed is a number. A condition of a plan, which reads steps and the state, counts with the whole limit.
pub fn cost_bound(node: &ConditionNode, variables: &BTreeMap<String, FactBound>) -> u64 {
    let mut bounds = CostBounds { variables, locals: Vec::new(), cost: 0 };
    bounds.value(node, 1);
    bounds.cost.min(CONDITION_COST_MAX)
}

struct CostBounds<'a> {
    variables: &'a BTreeMap<String, FactBound>,
    /// Variables of the enclosing loops, outermost first.
    locals: Vec<FactBound>,
    cost: u64,
}

impl CostBounds<'_> {
    /// Adds the cost of evaluating a node `times` times, and returns the bound of its value.
    fn value(&mut self, node: &ConditionNode, times: u64) -> FactBound {
        self.spend(times, 1);
        match node {
            ConditionNode::Null
            | ConditionNode::Bool(_)
            | ConditionNode::Int(_)
            | ConditionNode::Double(_) => FactBound::number(),
            ConditionNode::Text(text) => FactBound::text(text.len()),
            ConditionNode::List(nodes) => self.made(nodes.iter(), times),
            ConditionNode::Map(fields) => {
                let names = fields.iter().map(|(name, _)| FactBound::text(name.len()));
                let names = names.fold(FactBound::number(), FactBound::or);
                let made = self.made(fields.iter().map(|(_, node)| node), times);
                let item = Some(Box::new(made.item().or(names)));
                FactBound { is_map: true, item, ..made }
            }
            ConditionNode::Step(_)
            | ConditionNode::State
            | ConditionNode::Input
            | ConditionNode::Output => {
                self.spend(1, CONDITION_COST_MAX);
                FactBound::number()
            }
            ConditionNode::Variable(name) => self.variables.get(name).cloned().unwrap_or_default(),
            ConditionNode::Local(_, at) => self.locals.get(*at).cloned().unwrap_or_default(),
            ConditionNode::Field(of, _) => self.value(of, times).item(),
            ConditionNode::Index(of, index) => {
                let of = self.value(of, times);
                self.value(index, times);
                of.item()
            }
            ConditionNode::Has(of, _) | ConditionNode::Not(of) | ConditionNode::Negate(of) => {
                self.value(of, times);
                FactBound::number()
            }
            ConditionNode::And(left, right) | ConditionNode::Or(left, right) => {
                self.value(left, times);
                self.value(right, times);
                FactBound::number()
            }
            ConditionNode::Conditional(parts) => self.conditional(parts, times),
            ConditionNode::Binary(operator, parts) => self.binary(*operator, parts, times),
            ConditionNode::Call(function, parts) => self.call(function, parts, times),
            ConditionNode::Comprehension(inner) => self.comprehension(inner, times),
        }
    }

    fn spend(&mut self, times: u64, cost: u64) {
        self.cost = self.cost.saturating_add(times.saturating_mul(cost));
    }

    /// A list of these.
    fn made<'n>(
        &mut self,
        nodes: impl Iterator<Item = &'n ConditionNode>,
        times: u64,
    ) -> FactBound {
        let (mut count, mut item) = (0, FactBound::number());
        for node in nodes {
            item = item.or(self.value(node, times));
            count += 1;
        }
        FactBound::list(count, item)
    }

    /// Only one of both branches is evaluated.
    fn conditional(&mut self, parts: &[ConditionNode; 3], times: u64) -> FactBound {
        let [test, then, other] = parts;
        self.value(test, times);
        let before = self.cost;
        let then = self.value(then, times);
        let after_then = std::mem::replace(&mut self.cost, before);
        let other = self.value(other, times);
        self.cost = self.cost.max(after_then);
        then.or(other)
    }

    fn binary(
        &mut self,
        operator: CelOperator,
        parts: &[ConditionNode; 2],
        times: u64,
    ) -> FactBound {
        let [left, right] = parts;
        let (left, right) = (self.value(left, times), self.value(right, times));
        match operator {
            CelOperator::Equal | CelOperator::NotEqual => {
                self.spend(times, equal_cost(&left, &right));
                FactBound::number()
            }
            CelOperator::Less
            | CelOperator::LessOrEqual
            | CelOperator::Greater
            | CelOperator::GreaterOrEqual => {
                self.spend(times, text_cost(left.text_bytes.min(right.text_bytes)));
                FactBound::number()
            }
            CelOperator::In => {
                let each = equal_cost(&left, &right.item());
                self.spend(times, each.saturating_mul(right.items as u64));
                FactBound::number()
            }
            CelOperator::Add => {
                let text_bytes = left.text_bytes.saturating_add(right.text_bytes);
                let items = left.items.saturating_add(right.items);
                self.spend(times, text_cost(text_bytes).saturating_add(items as u64));
                FactBound { text_bytes, items, ..left.or(right) }
            }
            CelOperator::Subtract
            | CelOperator::Multiply
            | CelOperator::Divide
            | CelOperator::Modulo => FactBound::number(),
        }
    }

    fn call(&mut self, function: &CelFunction, parts: &[ConditionNode], times: u64) -> FactBound {
        let mut longest = NUMBER_BYTES_MAX;
        if matches!(function, CelFunction::Int | CelFunction::Double | CelFunction::Text) {
            self.spend(times, CONVERSION_COST as u64);
        }
        for part in parts {
            let bytes = self.value(part, times).text_bytes;
            longest = longest.max(bytes);
            self.spend(
                times,
                match function {
                    CelFunction::Matches(pattern) => {
                        bytes.saturating_mul(pattern.cost_per_byte()) as u64
                    }
                    _ => text_cost(bytes),
                },
            );
        }
        match function {
            CelFunction::Text => FactBound::text(longest),
            _ => FactBound::number(),
        }
    }

    fn comprehension(&mut self, inner: &Comprehension, times: u64) -> FactBound {
        let range = self.value(&inner.range, times);
        if range.is_map {
            self.spend(times, range.items as u64);
        }
        let of_items = times.saturating_mul(range.items as u64);
        self.locals.push(range.item());
        if let Some(filter) = &inner.filter {
            self.value(filter, of_items);
        }
        let body = self.value(&inner.body, of_items);
        self.locals.pop();
        match inner.kind {
            ComprehensionKind::All | ComprehensionKind::Exists | ComprehensionKind::ExistsOne => {
                FactBound::number()
            }
            ComprehensionKind::Filter => FactBound::list(range.items, range.item()),
            ComprehensionKind::Map => FactBound::list(range.items, body),
        }
    }
}

fn text_cost(bytes: usize) -> u64 {
    (bytes / TEXT_BYTES_PER_COST) as u64
}

/// Returns the highest cost of comparing two values: the shorter one ends the comparison.
fn equal_cost(left: &FactBound, right: &FactBound) -> u64 {
    let items = left.items.min(right.items) as u64;
    let of_items = match (&left.item, &right.item) {
        (Some(left), Some(right)) if items > 0 => equal_cost(left, right),
        _ => 1,
    };
    let of_text = text_cost(left.text_bytes.min(right.text_bytes));
    of_text.max(items.saturating_mul(of_items)).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::eval::ConditionEvaluator;

    fn node(form: &Value) -> ConditionNode {
        serde_json::from_str(&form.to_string()).unwrap()
    }

    fn bounds() -> BTreeMap<String, FactBound> {
        let all = [
            ("n", FactBound::number()),
            ("t", FactBound::text(40)),
            ("l", FactBound::list(6, FactBound::text(40))),
            ("m", FactBound::numbers(5, 20)),
        ];
        all.map(|(name, bound)| (name.to_owned(), bound)).into()
    }

    #[track_caller]
    fn check(form: Value, expect: u64) {
        assert_eq!(cost_bound(&node(&form), &bounds()), expect, "{form}");
    }

    #[test]
    fn the_bound_is_what_the_worst_facts_cost() {
        check(json!(true), 1);
        check(json!(["&&", [">=", ["var", "n"], 18], true]), 5);
        // Six comparisons of a text of two units with an equally long one.
        check(json!(["in", "a text of forty bytes, as long as any is", ["var", "l"]]), 3 + 6 * 3);
        check(json!(["==", ["var", "t"], "short"]), 4);
        // The names of the fields, then the body for each.
        check(json!(["all", ["var", "m"], true]), 2 + 5 + 5);
        check(json!(["string", 2.5]), 2 + 64);
        check(json!(["?", ["var", "n"], ["[]", 1, 2, 3], 1]), 1 + 1 + 4);
        let nine = json!(["[]", 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        check(json!(["all", nine, ["all", nine, true]]), 11 + 9 * (11 + 9));
        let mut deep = json!(true);
        for _ in 0..9 {
            deep = json!(["all", nine, deep]);
        }
        check(deep, CONDITION_COST_MAX);
    }

    #[test]
    fn what_reads_a_plan_counts_with_the_whole_limit() {
        let reads = [
            ConditionNode::State,
            ConditionNode::Step("a".to_owned()),
            ConditionNode::Input,
            ConditionNode::Output,
        ];
        for node in reads {
            assert_eq!(cost_bound(&node, &bounds()), CONDITION_COST_MAX);
        }
    }

    /// A pseudorandom generator with the same numbers on every machine.
    struct RandomForms(u64);

    impl RandomForms {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % end
        }

        fn text(&mut self, bytes_max: u64) -> String {
            // Few letters and lengths, so that texts are often equally long or equal.
            let length = [0, 1, bytes_max / 2, bytes_max][self.below(4) as usize];
            ["a", "b"][self.below(2) as usize].repeat(length as usize)
        }

        fn form(&mut self, depth: u32, loops: u64) -> Value {
            let kind = if depth == 0 { self.below(7) } else { self.below(24) };
            let mut next = |loops| self.form(depth - 1, loops);
            match kind {
                0 => json!(true),
                1 => json!(3),
                2 => json!(self.text(40)),
                3 if loops > 0 => json!(["local", "x", self.below(loops)]),
                3 | 4 => json!(["var", "l"]),
                5 => {
                    let name = ["n", "t", "m"][self.below(3) as usize];
                    json!(["var", name])
                }
                6 => json!(["var", "t"]),
                7 => json!(["[]", next(loops), next(loops), next(loops)]),
                8 => json!(["{}", "a", next(loops), "bb", next(loops)]),
                9 => json!(["!", next(loops)]),
                10 => json!(["?", next(loops), next(loops), next(loops)]),
                11 => json!(["at", next(loops), next(loops)]),
                12 => json!([".", next(loops), "a"]),
                13 => json!(["string", next(loops)]),
                14 => json!(["contains", next(loops), next(loops)]),
                15..=18 => {
                    let (left, right) = (next(loops), next(loops));
                    let operator = ["==", "in", "+", "<", "&&", "||"][self.below(6) as usize];
                    json!([operator, left, right])
                }
                _ => {
                    let (range, body) = (next(loops), next(loops + 1));
                    let filter = next(loops + 1);
                    match self.below(6) {
                        0 => json!(["map", range, body, filter]),
                        1 => json!(["map", range, body]),
                        2 => json!(["filter", range, body]),
                        3 => json!(["exists", range, body]),
                        4 => json!(["exists_one", range, body]),
                        _ => json!(["all", range, body]),
                    }
                }
            }
        }

        fn facts(&mut self) -> Map<String, Value> {
            let list: Vec<String> = (0..self.below(7)).map(|_| self.text(40)).collect();
            let map: Map<String, Value> =
                (0..self.below(6)).map(|n| (format!("{n}{}", self.text(19)), json!(n))).collect();
            let facts = json!({ "n": self.below(9), "t": self.text(40), "l": list, "m": map });
            facts.as_object().unwrap().clone()
        }
    }

    #[test]
    fn no_evaluation_costs_more_than_its_bound() {
        for seed in 0..20_000 {
            let mut chance = RandomForms(seed);
            let form = chance.form(4, 0);
            let facts = chance.facts();
            let (node, facts) = (node(&form), &facts);
            let mut evaluator = ConditionEvaluator::new(&facts);
            let _ = evaluator.value(&node);
            let (spent, bound) = (evaluator.spent(), cost_bound(&node, &bounds()));
            assert!(spent <= bound, "seed {seed}: {spent} > {bound}: {form}, {facts:?}");
        }
    }
}
