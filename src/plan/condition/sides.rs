//! Checks the two sides of an operator if one of them is a name or a rung: compares literals with the possible values.

use narratoria_conditions::{CelOperator, ConditionNode};

use super::{
    cel_type::CelType,
    known_names::{KnownNames, Ladder},
};

/// One side of an operator.
pub(super) type TypedSide<'a> = (ConditionNode, CelType<'a>);

/// An operator whose sides have been compared with the names that they may have.
pub(super) enum CheckedSides<'a> {
    /// The sides, with each name spelt as the campaign spells it.
    Sides(TypedSide<'a>, TypedSide<'a>),
    /// A comparison of rungs, which gives true or false.
    Compared(ConditionNode),
}

/// Returns the number under this name; 0 if nothing has changed it yet.
pub(super) fn number_or_zero(of: ConditionNode, name: String) -> ConditionNode {
    let key = ConditionNode::Text(name.clone());
    let is_there = ConditionNode::Binary(CelOperator::In, Box::new([key, of.clone()]));
    let number = ConditionNode::Field(Box::new(of), name);
    ConditionNode::Conditional(Box::new([is_there, number, ConditionNode::Int(0)]))
}

/// Compares literals with the names that the other side may have. The errors are sentences.
pub(super) fn check_sides<'a>(
    operator: CelOperator,
    left: TypedSide<'a>,
    right: TypedSide<'a>,
) -> Result<CheckedSides<'a>, Vec<String>> {
    if let Some(ladder) = left.1.ladder() {
        return rung_sides(operator, ladder, left, right);
    }
    if let Some(ladder) = right.1.ladder() {
        return match flipped(operator) {
            Some(flipped) => rung_sides(flipped, ladder, right, left),
            None => Ok(CheckedSides::Sides(left, right)),
        };
    }
    let names = match operator {
        CelOperator::Equal | CelOperator::NotEqual => {
            let of = |side: &TypedSide<'a>| side.1.names().or_else(|| side.1.member_names());
            of(&left).or_else(|| of(&right))
        }
        CelOperator::In => right.1.member_names().or_else(|| left.1.names()),
        _ => None,
    };
    let Some(names) = names else { return Ok(CheckedSides::Sides(left, right)) };
    let mut faults = Vec::new();
    let (left, right) =
        [left, right].map(|(node, part_type)| (spelt(node, names, &mut faults), part_type)).into();
    if faults.is_empty() { Ok(CheckedSides::Sides(left, right)) } else { Err(faults) }
}

/// Returns the literals of a node in the spelling of these names.
fn spelt(node: ConditionNode, names: &KnownNames, faults: &mut Vec<String>) -> ConditionNode {
    match node {
        ConditionNode::Text(text) => match names.spelling(&text) {
            Ok(name) => ConditionNode::Text(name),
            Err(fault) => {
                faults.push(fault);
                ConditionNode::Text(text)
            }
        },
        ConditionNode::List(items) => {
            ConditionNode::List(items.into_iter().map(|item| spelt(item, names, faults)).collect())
        }
        other => other,
    }
}

/// Returns the operator with its sides exchanged; `None` if they cannot be.
fn flipped(operator: CelOperator) -> Option<CelOperator> {
    Some(match operator {
        CelOperator::Equal | CelOperator::NotEqual => operator,
        CelOperator::Less => CelOperator::Greater,
        CelOperator::LessOrEqual => CelOperator::GreaterOrEqual,
        CelOperator::Greater => CelOperator::Less,
        CelOperator::GreaterOrEqual => CelOperator::LessOrEqual,
        _ => return None,
    })
}

/// Checks the sides if the left one is a ladder.
fn rung_sides<'a>(
    operator: CelOperator,
    ladder: &Ladder,
    quality: TypedSide<'a>,
    other: TypedSide<'a>,
) -> Result<CheckedSides<'a>, Vec<String>> {
    let rungs: Vec<&str> = match (&other.0, operator) {
        (ConditionNode::Text(rung), _) => vec![rung],
        (ConditionNode::List(items), CelOperator::In) => items
            .iter()
            .map(|item| match item {
                ConditionNode::Text(rung) => Ok(rung.as_str()),
                _ => Err(vec![ladder.must_be_compared()]),
            })
            .collect::<Result<_, _>>()?,
        _ => return Err(vec![ladder.must_be_compared()]),
    };
    let faults: Vec<String> = rungs.iter().filter_map(|rung| ladder.place(rung).err()).collect();
    if !faults.is_empty() {
        return Err(faults);
    }
    match operator {
        CelOperator::Less
        | CelOperator::LessOrEqual
        | CelOperator::Greater
        | CelOperator::GreaterOrEqual => {
            let rung = rungs.first().copied().unwrap_or_default();
            let node = ladder.comparison(operator, quality.0, rung).map_err(|fault| vec![fault])?;
            Ok(CheckedSides::Compared(node))
        }
        _ => Ok(CheckedSides::Sides(quality, other)),
    }
}
