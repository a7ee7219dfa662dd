//! The variables of a campaign's conditions, and their compiler.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    cel_type::CelType,
    check::ConditionChecker,
    known_names::{KnownNames, Ladder},
    names,
    scope::ConditionScope,
    syntax::{self, CONDITION_BYTES_MAX},
};
use crate::{StepIdx, error::quote};
use narratoria_conditions::CompiledCondition;
use narratoria_skills::{PatternFault, PatternSize, schema_view::TypeSet};

/// Words of CEL that name nothing.
const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// A variable of conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionVariable {
    /// Letters (a-z), digits and underscores.
    pub name: String,
    /// Its values.
    pub kind: VariableKind,
}

/// The values that a variable may have. `what` is the word for one of the names, such as `place`; if `known` is empty,
/// any name will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VariableKind {
    /// One of these texts, which have an order.
    Ladder {
        /// The lowest first.
        rungs: Vec<String>,
    },
    /// A whole number.
    Whole,
    /// One of these texts.
    Name {
        /// The word for one of them.
        what: String,
        /// All known texts.
        known: Vec<String>,
    },
    /// A list of such texts.
    Names {
        /// The word for one of them.
        what: String,
        /// All known texts.
        known: Vec<String>,
    },
    /// A whole number for each of such texts, 0 if none is stored.
    Numbers {
        /// The word for one of them.
        what: String,
        /// All known texts.
        known: Vec<String>,
    },
}

/// Everything that a campaign's conditions may name.
#[derive(Debug, Clone)]
pub struct ConditionVocabulary {
    variables: BTreeMap<String, VariableValues>,
}

#[derive(Debug, Clone)]
enum VariableValues {
    Rung(Ladder),
    Whole,
    Name(KnownNames),
    Names(KnownNames),
    Numbers(KnownNames),
}

impl ConditionVocabulary {
    /// Checks the variables. Reports everything that is wrong with them, one sentence each.
    pub fn new(variables: Vec<ConditionVariable>) -> Result<ConditionVocabulary, Vec<String>> {
        let (mut known, mut faults) = (BTreeMap::new(), Vec::new());
        for ConditionVariable { name, kind } in variables {
            faults.extend(name_fault(&name));
            let values = match kind {
                VariableKind::Ladder { rungs } => {
                    faults.extend(ladder_fault(&name, &rungs));
                    VariableValues::Rung(Ladder { name: name.clone(), rungs })
                }
                VariableKind::Whole => VariableValues::Whole,
                VariableKind::Name { what, known: names } => {
                    VariableValues::Name(KnownNames { what, names })
                }
                VariableKind::Names { what, known: names } => {
                    VariableValues::Names(KnownNames { what, names })
                }
                VariableKind::Numbers { what, known: names } => {
                    VariableValues::Numbers(KnownNames { what, names })
                }
            };
            if known.insert(name.clone(), values).is_some() {
                faults.push(format!("the variable `{}` is declared twice", quote(&name)));
            }
        }
        if faults.is_empty() { Ok(ConditionVocabulary { variables: known }) } else { Err(faults) }
    }

    /// Parses and checks a condition. Reports every error, one sentence each. Never panics, whatever the text.
    pub fn compile(&self, text: &str) -> Result<CompiledCondition, Vec<String>> {
        if text.trim().is_empty() {
            return Err(vec!["the condition is empty; leave it out".to_owned()]);
        }
        let bytes = text.len();
        if bytes > CONDITION_BYTES_MAX {
            return Err(vec![format!(
                "the condition has {bytes} bytes, the limit is {CONDITION_BYTES_MAX}; keep a part of it in a quality"
            )]);
        }
        let expression = syntax::parse(text).map_err(|what| vec![what])?;
        let (node, _) = ConditionChecker::new(self).check(&expression)?;
        Ok(CompiledCondition { text: text.to_owned(), node })
    }
}

fn name_fault(name: &str) -> Option<String> {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    let shown = quote(name);
    if !begins || !name.bytes().all(is_word) {
        return Some(format!(
            "`{shown}` cannot be a variable: it must be letters (a-z), digits and underscores, a letter first"
        ));
    }
    let is_taken = RESERVED.contains(&name) || names::FUNCTIONS.contains(&name);
    is_taken.then(|| format!("`{shown}` cannot be a variable: it is a word of conditions"))
}

fn ladder_fault(name: &str, rungs: &[String]) -> Option<String> {
    let name = quote(name);
    if rungs.len() < 2 {
        return Some(format!("the ladder `{name}` needs two rungs or more"));
    }
    let mut seen = BTreeSet::new();
    let twice = rungs.iter().find(|rung| !seen.insert(rung.as_str()))?;
    Some(format!("the ladder `{name}` has the rung `{}` twice", quote(twice)))
}

impl ConditionScope for ConditionVocabulary {
    fn step(&self, _id: &str) -> Option<StepIdx> {
        None
    }

    fn ids(&self) -> Vec<String> {
        Vec::new()
    }

    fn output_type(&self, _id: &str) -> CelType<'_> {
        CelType::UNKNOWN
    }

    fn input_type(&self) -> CelType<'_> {
        CelType::UNKNOWN
    }

    fn variable(&self, name: &str) -> Option<CelType<'_>> {
        Some(match self.variables.get(name)? {
            VariableValues::Rung(ladder) => CelType::rung(ladder),
            VariableValues::Whole => CelType::of_types(TypeSet::INTEGER),
            VariableValues::Name(names) => CelType::name(names),
            VariableValues::Names(names) => CelType::list_of(CelType::name(names)),
            VariableValues::Numbers(names) => CelType::numbers(names),
        })
    }

    fn variables(&self) -> Option<Vec<String>> {
        Some(self.variables.keys().cloned().collect())
    }

    fn take_pattern(&self, _pattern: &str) -> Result<PatternSize, PatternFault> {
        Err(PatternFault::Syntax { reason: names::NO_PATTERNS.to_owned() })
    }
}
