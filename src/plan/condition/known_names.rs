//! Texts that have a meaning only if they are among a few: names of a campaign, and the rungs of a ladder. The check
//! finds the one that a literal means, or names the nearest.

use narratoria_conditions::{CelOperator, ConditionNode};
use narratoria_protocol::nearest::nearest;

use crate::error::quote;

/// Most names that a message lists.
const NAMES_SHOWN_MAX: usize = 8;

/// The names of one kind.
#[derive(Debug, Clone)]
pub(super) struct KnownNames {
    /// The word of messages for one of them, such as `place`.
    pub(super) what: String,
    /// All names; empty if any name will do.
    pub(super) names: Vec<String>,
}

/// A quality whose values have an order.
#[derive(Debug, Clone)]
pub(super) struct Ladder {
    pub(super) name: String,
    /// The lowest first.
    pub(super) rungs: Vec<String>,
}

impl KnownNames {
    /// Returns the name in the spelling of its declaration.
    pub(super) fn spelling(&self, name: &str) -> Result<String, String> {
        if self.names.is_empty() || self.names.iter().any(|known| known == name) {
            return Ok(name.to_owned());
        }
        let lower = name.to_lowercase();
        if let Some(known) = self.names.iter().find(|known| known.to_lowercase() == lower) {
            return Ok(known.clone());
        }
        let (what, shown) = (&self.what, quote(name));
        Err(format!("there is no {what} `{shown}`; {}", help(&lower, &self.names)))
    }
}

impl Ladder {
    pub(super) fn place(&self, rung: &str) -> Result<usize, String> {
        self.rungs.iter().position(|known| known == rung).ok_or_else(|| {
            let help = help(rung, &self.rungs);
            format!("`{}` is no rung of `{}`; {help}", quote(rung), self.name)
        })
    }

    pub(super) fn must_be_compared(&self) -> String {
        let (name, rungs) = (&self.name, self.rungs.join("`, `"));
        format!("`{name}` is a ladder: compare it with one of its rungs, `{rungs}`")
    }

    /// Returns `quality OPERATOR rung` as a test of the rungs for which it is true.
    pub(super) fn comparison(
        &self,
        operator: CelOperator,
        quality: ConditionNode,
        rung: &str,
    ) -> Result<ConditionNode, String> {
        let place = self.place(rung)?;
        let is_true = |at: &usize| match operator {
            CelOperator::Less => *at < place,
            CelOperator::LessOrEqual => *at <= place,
            CelOperator::Greater => *at > place,
            _ => *at >= place,
        };
        let rungs = (0..self.rungs.len()).filter(is_true);
        let rungs: Vec<ConditionNode> =
            rungs.map(|at| ConditionNode::Text(self.rungs[at].clone())).collect();
        if rungs.is_empty() {
            let (symbol, name) = (operator.symbol(), &self.name);
            return Err(format!("no rung of `{name}` is {symbol} `{rung}`, so this is never true"));
        }
        let sides = Box::new([quality, ConditionNode::List(rungs)]);
        Ok(ConditionNode::Binary(CelOperator::In, sides))
    }
}

fn help(name: &str, known: &[String]) -> String {
    let lower: Vec<String> = known.iter().map(|known| known.to_lowercase()).collect();
    let near = nearest(name, &lower).and_then(|near| lower.iter().position(|one| *one == near));
    match near {
        Some(at) => format!("did you mean `{}`?", known[at]),
        None => {
            let shown: Vec<&str> = known.iter().take(NAMES_SHOWN_MAX).map(String::as_str).collect();
            let rest = if known.len() > shown.len() { " and others" } else { "" };
            format!("there is `{}`{rest}", shown.join("`, `"))
        }
    }
}
