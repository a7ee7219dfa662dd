//! Variables of Twine and ink: conditions and changes, as far as a campaign has words for them.

use std::collections::BTreeSet;

use narratoria_protocol::visible::clip;

/// Most words and signs of one condition or change.
const LOGIC_TOKENS_MAX: usize = 64;

/// How deep brackets and negations of a condition nest.
const LOGIC_DEPTH_MAX: usize = 12;

/// The largest number of a variable, in both directions.
pub(crate) const STORY_NUMBER_MAX: i64 = 1_000_000;

/// Longest text that is a value of a variable, in characters.
const VALUE_CHARS: usize = 60;

/// A value of a variable.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoryValue {
    /// A whole number.
    Number(i64),
    /// True or false.
    Truth(bool),
    /// A text.
    Text(String),
}

/// Something that a condition looks at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum StorySource {
    /// A variable of the author.
    Variable(String),
    /// How often a passage was told, or a choice with a label was taken.
    Visits(String),
}

/// A change of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorySetting {
    /// The variable.
    pub source: StorySource,
    /// Its change.
    pub change: SourceChange,
}

/// How a variable changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceChange {
    /// It gets this value.
    To(StoryValue),
    /// It rises by as much, or falls.
    By(i64),
}

/// How a variable compares with a value. The others are negations of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestOperator {
    /// It is equal.
    Equal,
    /// It is less.
    Less,
    /// It is less or equal.
    LessOrEqual,
}

/// A variable of a story, as far as its values are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoryVariable {
    /// Its value at the beginning.
    pub initial: StoryValue,
    /// Whether the story says this value, or one that shows its kind.
    pub(crate) is_known: bool,
    /// The values that it is set to.
    pub values: BTreeSet<StoryValue>,
    /// Whether it rises by a number.
    pub rises: bool,
    /// Whether it falls by a number.
    pub falls: bool,
}

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoryTest {
    /// It always has this answer.
    Known(bool),
    /// The variable is neither false nor 0 nor an empty text.
    Truthy(StorySource),
    /// The variable compares so with the value.
    Compare(StorySource, TestOperator, StoryValue),
    /// It does not hold.
    Not(Box<StoryTest>),
    /// All hold.
    All(Vec<StoryTest>),
    /// At least one holds.
    Any(Vec<StoryTest>),
}

impl Default for StoryTest {
    fn default() -> StoryTest {
        StoryTest::Known(true)
    }
}

impl StorySource {
    /// The name of the variable, the passage or the choice.
    pub(crate) fn name(&self) -> &str {
        match self {
            StorySource::Variable(name) | StorySource::Visits(name) => name,
        }
    }
}

impl StoryVariable {
    /// The value, if there is only one.
    pub(crate) fn constant(&self) -> Option<&StoryValue> {
        let changes =
            self.rises || self.falls || self.values.iter().any(|value| *value != self.initial);
        (!changes).then_some(&self.initial)
    }
}

impl StoryValue {
    /// The value after a change.
    pub(crate) fn after(&self, change: &SourceChange) -> StoryValue {
        match (change, self) {
            (SourceChange::To(value), _) => value.clone(),
            (SourceChange::By(by), StoryValue::Number(number)) => {
                let number = number.saturating_add(*by);
                StoryValue::Number(number.clamp(-STORY_NUMBER_MAX, STORY_NUMBER_MAX))
            }
            (SourceChange::By(_), value) => value.clone(),
        }
    }

    /// Whether a condition that is this value alone holds.
    pub(crate) fn is_truthy(&self) -> bool {
        match self {
            StoryValue::Number(number) => *number != 0,
            StoryValue::Truth(truth) => *truth,
            StoryValue::Text(text) => !text.is_empty(),
        }
    }

    /// The value as a reader reads it.
    pub(crate) fn shown(&self) -> String {
        match self {
            StoryValue::Number(number) => number.to_string(),
            StoryValue::Truth(truth) => truth.to_string(),
            StoryValue::Text(text) => text.clone(),
        }
    }

    /// A variable that was never set has a value of the kind that it gets later.
    pub(crate) fn unset(&self) -> StoryValue {
        match self {
            StoryValue::Number(_) => StoryValue::Number(0),
            StoryValue::Truth(_) => StoryValue::Truth(false),
            StoryValue::Text(_) => StoryValue::Text(String::new()),
        }
    }

    /// True and false count as 1 and 0 where they are compared with numbers.
    pub(crate) fn compares(&self, operator: TestOperator, other: &StoryValue) -> bool {
        let number = |value: &StoryValue| match value {
            StoryValue::Number(number) => Some(*number),
            StoryValue::Truth(truth) => Some(i64::from(*truth)),
            StoryValue::Text(_) => None,
        };
        match (operator, number(self), number(other)) {
            (TestOperator::Equal, Some(one), Some(other)) => one == other,
            (TestOperator::Equal, ..) => self == other,
            (TestOperator::Less, Some(one), Some(other)) => one < other,
            (TestOperator::LessOrEqual, Some(one), Some(other)) => one <= other,
            (TestOperator::Less | TestOperator::LessOrEqual, ..) => false,
        }
    }
}

impl StoryTest {
    pub(crate) fn negated(self) -> StoryTest {
        match self {
            StoryTest::Known(answer) => StoryTest::Known(!answer),
            StoryTest::Not(test) => *test,
            test => StoryTest::Not(Box::new(test)),
        }
    }

    /// All of these hold. One that stands twice counts once, and one beside its negation never holds.
    pub(crate) fn all(tests: impl IntoIterator<Item = StoryTest>) -> StoryTest {
        let mut kept: Vec<StoryTest> = Vec::new();
        for test in tests {
            let parts = match test {
                StoryTest::All(parts) => parts,
                test => vec![test],
            };
            for part in parts {
                match part {
                    StoryTest::Known(true) => continue,
                    StoryTest::Known(false) => return StoryTest::Known(false),
                    _ => {}
                }
                if kept.contains(&part.clone().negated()) {
                    return StoryTest::Known(false);
                }
                if !kept.contains(&part) {
                    kept.push(part);
                }
            }
        }
        match kept.len() {
            0 => StoryTest::Known(true),
            1 => kept.pop().unwrap_or_default(),
            _ => StoryTest::All(kept),
        }
    }

    pub(crate) fn any(tests: impl IntoIterator<Item = StoryTest>) -> StoryTest {
        let mut kept: Vec<StoryTest> = Vec::new();
        for test in tests {
            match test {
                StoryTest::Known(false) => {}
                StoryTest::Known(true) => return StoryTest::Known(true),
                test if kept.contains(&test) => {}
                test => kept.push(test),
            }
        }
        match kept.len() {
            0 => StoryTest::Known(false),
            1 => kept.pop().unwrap_or_default(),
            _ => StoryTest::Any(kept),
        }
    }

    /// The condition with each of its simple ones in another form.
    pub(crate) fn map(&self, form: &impl Fn(&StoryTest) -> StoryTest) -> StoryTest {
        match self {
            StoryTest::Known(_) | StoryTest::Truthy(_) | StoryTest::Compare(..) => form(self),
            StoryTest::Not(test) => test.map(form).negated(),
            StoryTest::All(tests) => StoryTest::all(tests.iter().map(|test| test.map(form))),
            StoryTest::Any(tests) => StoryTest::any(tests.iter().map(|test| test.map(form))),
        }
    }

    /// The condition before these changes that holds if this one holds after them.
    pub(crate) fn before(&self, settings: &[StorySetting]) -> StoryTest {
        let mut test = self.clone();
        for setting in settings.iter().rev() {
            if matches!(test, StoryTest::Known(_)) {
                break;
            }
            test = test.map(&|test| before(test, setting));
        }
        test
    }

    /// The condition where these hold.
    pub(crate) fn given(&self, facts: &[StoryTest]) -> StoryTest {
        if facts.contains(self) {
            return StoryTest::Known(true);
        }
        if facts.contains(&self.clone().negated()) {
            return StoryTest::Known(false);
        }
        match self {
            StoryTest::Not(test) => test.given(facts).negated(),
            StoryTest::All(tests) => StoryTest::all(tests.iter().map(|test| test.given(facts))),
            StoryTest::Any(tests) => StoryTest::any(tests.iter().map(|test| test.given(facts))),
            test => test.clone(),
        }
    }

    /// The conditions that all hold if this one does.
    pub(crate) fn facts(&self) -> &[StoryTest] {
        match self {
            StoryTest::Known(_) => &[],
            StoryTest::All(tests) => tests,
            test => std::slice::from_ref(test),
        }
    }

    /// The answer of a condition about a number that is at least this; `None` if it may be either.
    pub(crate) fn answer_from(&self, least: i64) -> Option<bool> {
        match self {
            StoryTest::Truthy(_) if least > 0 => Some(true),
            StoryTest::Compare(_, operator, StoryValue::Number(number)) => {
                let never = match operator {
                    TestOperator::Equal | TestOperator::LessOrEqual => *number < least,
                    TestOperator::Less => *number <= least,
                };
                never.then_some(false)
            }
            _ => None,
        }
    }

    /// Calls for each source of the condition, with the value that it is compared with.
    pub(crate) fn visit<'t>(
        &'t self,
        call: &mut impl FnMut(&'t StorySource, Option<&'t StoryValue>),
    ) {
        match self {
            StoryTest::Known(_) => {}
            StoryTest::Truthy(source) => call(source, None),
            StoryTest::Compare(source, _, value) => call(source, Some(value)),
            StoryTest::Not(test) => test.visit(call),
            StoryTest::All(tests) | StoryTest::Any(tests) => {
                tests.iter().for_each(|test| test.visit(call));
            }
        }
    }

    /// How many simple conditions it has.
    pub(crate) fn parts(&self) -> usize {
        let mut parts = 1;
        self.visit(&mut |_, _| parts += 1);
        parts
    }
}

fn before(test: &StoryTest, setting: &StorySetting) -> StoryTest {
    match (test, &setting.change) {
        (StoryTest::Truthy(source), change) if *source == setting.source => match change {
            SourceChange::To(value) => StoryTest::Known(value.is_truthy()),
            SourceChange::By(by) => {
                let zero = StoryValue::Number(-by);
                StoryTest::Compare(source.clone(), TestOperator::Equal, zero).negated()
            }
        },
        (StoryTest::Compare(source, operator, value), change) if *source == setting.source => {
            match (change, value) {
                (SourceChange::To(to), value) => StoryTest::Known(to.compares(*operator, value)),
                (SourceChange::By(by), StoryValue::Number(number)) => {
                    let number = StoryValue::Number(number.saturating_sub(*by));
                    StoryTest::Compare(source.clone(), *operator, number)
                }
                (SourceChange::By(_), _) => test.clone(),
            }
        }
        _ => test.clone(),
    }
}

/// Reads a condition of the passage. Returns `None` if it is not as simple as a campaign's.
pub(crate) fn parse_test(text: &str, passage: &str) -> Option<StoryTest> {
    let mut reader = LogicReader { tokens: tokens(text)?, at: 0, passage };
    let test = reader.any(0)?;
    (reader.at == reader.tokens.len()).then_some(test)
}

/// Reads a value.
pub(crate) fn parse_value(text: &str) -> Option<StoryValue> {
    let mut reader = LogicReader { tokens: tokens(text)?, at: 0, passage: "" };
    let value = reader.value()?;
    (reader.at == reader.tokens.len()).then_some(value)
}

/// Reads changes such as `$x to 1`, `x += 2`, `x++` and `x = x - 1`, with commas or semicolons between them.
pub(crate) fn parse_settings(text: &str) -> Option<Vec<StorySetting>> {
    let mut settings = Vec::new();
    let mut reader = LogicReader { tokens: tokens(text)?, at: 0, passage: "" };
    while reader.at < reader.tokens.len() {
        settings.push(reader.setting()?);
        if reader.at < reader.tokens.len() && !reader.sign(&[",", ";"]) {
            return None;
        }
    }
    (!settings.is_empty()).then_some(settings)
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum LogicToken {
    Name(String),
    Number(i64),
    Text(String),
    Sign(&'static str),
}

/// Longer ones first.
const SIGNS: &[&str] = &[
    "===", "!==", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "<", ">", "=", "!",
    "(", ")", "+", "-", ",", ";", ":",
];

/// Words that mean a sign.
const WORDS: &[(&str, &str)] = &[
    ("is", "=="),
    ("eq", "=="),
    ("neq", "!="),
    ("isnot", "!="),
    ("gt", ">"),
    ("gte", ">="),
    ("lt", "<"),
    ("lte", "<="),
    ("and", "&&"),
    ("or", "||"),
    ("not", "!"),
    ("to", "="),
];

/// Where programs keep the variables of a story.
const STORES: &[&str] = &["window.story.state.", "State.variables.", "story.state.", "s."];

fn tokens(text: &str) -> Option<Vec<LogicToken>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        if tokens.len() >= LOGIC_TOKENS_MAX {
            return None;
        }
        let length = match first {
            '"' | '\'' => {
                let inner = &rest[1..];
                let end = inner.find(first)?;
                let value = &inner[..end];
                if value.contains('\\') || clip(value, VALUE_CHARS) != value {
                    return None;
                }
                tokens.push(LogicToken::Text(value.to_owned()));
                end + 2
            }
            '0'..='9' => {
                let end = rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len());
                // Neither a fraction nor a name.
                let next = rest[end..].chars().next();
                if next.is_some_and(|char| char == '.' || char.is_alphanumeric()) {
                    return None;
                }
                let number = rest[..end].parse::<i64>().ok();
                tokens.push(LogicToken::Number(number.filter(|it| *it <= STORY_NUMBER_MAX)?));
                end
            }
            first if first.is_alphabetic() || matches!(first, '$' | '_') => {
                let plain = rest.strip_prefix('$').unwrap_or(rest);
                let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.');
                let end = plain.find(|char| !is_part(char)).unwrap_or(plain.len());
                let name = &plain[..end];
                let word = WORDS.iter().find(|(word, _)| *word == name && rest == plain);
                let stored = STORES.iter().find_map(|store| name.strip_prefix(store));
                let name = stored.unwrap_or(name);
                if name.is_empty() || name.ends_with('.') || clip(name, VALUE_CHARS) != name {
                    return None;
                }
                tokens.push(match word {
                    Some((_, sign)) => LogicToken::Sign(sign),
                    None => LogicToken::Name(name.to_owned()),
                });
                end + rest.len() - plain.len()
            }
            _ => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign))?;
                tokens.push(LogicToken::Sign(sign));
                sign.len()
            }
        };
        rest = rest[length..].trim_start();
    }
    Some(tokens)
}

struct LogicReader<'a> {
    tokens: Vec<LogicToken>,
    at: usize,
    passage: &'a str,
}

/// A side of a comparison.
enum TestSide {
    Source(StorySource),
    Value(StoryValue),
}

impl LogicReader<'_> {
    /// Takes one of these signs.
    fn sign(&mut self, signs: &[&str]) -> bool {
        let is_it = matches!(self.tokens.get(self.at), Some(LogicToken::Sign(sign)) if signs.contains(sign));
        self.at += usize::from(is_it);
        is_it
    }

    fn name(&mut self) -> Option<String> {
        let LogicToken::Name(name) = self.tokens.get(self.at)? else { return None };
        self.at += 1;
        Some(name.clone())
    }

    fn any(&mut self, depth: usize) -> Option<StoryTest> {
        let mut tests = vec![self.all(depth)?];
        while self.sign(&["||"]) {
            tests.push(self.all(depth)?);
        }
        Some(StoryTest::any(tests))
    }

    fn all(&mut self, depth: usize) -> Option<StoryTest> {
        let mut tests = vec![self.one(depth)?];
        while self.sign(&["&&"]) {
            tests.push(self.one(depth)?);
        }
        Some(StoryTest::all(tests))
    }

    fn one(&mut self, depth: usize) -> Option<StoryTest> {
        if depth > LOGIC_DEPTH_MAX {
            return None;
        }
        if self.sign(&["!"]) {
            return self.one(depth + 1).map(StoryTest::negated);
        }
        let start = self.at;
        if self.sign(&["("]) {
            if let Some(test) = self.any(depth + 1)
                && self.sign(&[")"])
            {
                return Some(test);
            }
            self.at = start;
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Option<StoryTest> {
        let left = self.side()?;
        let (operator, is_negated) = match () {
            // `is not` of Harlowe.
            () if self.sign(&["==", "==="]) => (TestOperator::Equal, self.sign(&["!"])),
            () if self.sign(&["!=", "!=="]) => (TestOperator::Equal, true),
            () if self.sign(&["<"]) => (TestOperator::Less, false),
            () if self.sign(&["<="]) => (TestOperator::LessOrEqual, false),
            () if self.sign(&[">"]) => (TestOperator::LessOrEqual, true),
            () if self.sign(&[">="]) => (TestOperator::Less, true),
            () => {
                return Some(match left {
                    TestSide::Source(source) => StoryTest::Truthy(source),
                    TestSide::Value(value) => StoryTest::Known(value.is_truthy()),
                });
            }
        };
        let test = match (left, self.side()?) {
            (TestSide::Source(source), TestSide::Value(value)) => {
                StoryTest::Compare(source, operator, value)
            }
            (TestSide::Value(value), TestSide::Source(source)) => match operator {
                TestOperator::Equal => StoryTest::Compare(source, operator, value),
                // `1 < x` is no `x <= 1`.
                TestOperator::Less => {
                    StoryTest::Compare(source, TestOperator::LessOrEqual, value).negated()
                }
                TestOperator::LessOrEqual => {
                    StoryTest::Compare(source, TestOperator::Less, value).negated()
                }
            },
            (TestSide::Value(one), TestSide::Value(other)) => {
                StoryTest::Known(one.compares(operator, &other))
            }
            (TestSide::Source(_), TestSide::Source(_)) => return None,
        };
        Some(if is_negated { test.negated() } else { test })
    }

    fn side(&mut self) -> Option<TestSide> {
        if let Some(value) = self.value() {
            return Some(TestSide::Value(value));
        }
        // `(visited: "Cellar")` of Harlowe.
        if self.sign(&["("]) {
            let is_visited = matches!(self.name()?.as_str(), "visited" | "history");
            let passage = self.sign(&[":"]).then(|| self.passage_name()).flatten()?;
            return (is_visited && self.sign(&[")"])).then_some(TestSide::Source(passage));
        }
        let name = self.name()?;
        match name.as_str() {
            "visited" | "hasVisited" if self.sign(&["("]) => {
                if self.sign(&[")"]) {
                    return Some(TestSide::Source(self.this_passage()));
                }
                let passage = self.passage_name()?;
                self.sign(&[")"]).then_some(TestSide::Source(passage))
            }
            "visits" | "visit" => Some(TestSide::Source(self.this_passage())),
            _ => Some(TestSide::Source(StorySource::Variable(name))),
        }
    }

    fn this_passage(&self) -> StorySource {
        StorySource::Visits(self.passage.to_owned())
    }

    fn passage_name(&mut self) -> Option<StorySource> {
        let LogicToken::Text(name) = self.tokens.get(self.at)? else { return None };
        self.at += 1;
        Some(StorySource::Visits(name.clone()))
    }

    fn value(&mut self) -> Option<StoryValue> {
        let start = self.at;
        let is_negative = self.sign(&["-"]);
        let value = match self.tokens.get(self.at)? {
            LogicToken::Number(number) => {
                StoryValue::Number(if is_negative { -number } else { *number })
            }
            LogicToken::Text(text) if !is_negative => StoryValue::Text(text.clone()),
            LogicToken::Name(name) if !is_negative && name == "true" => StoryValue::Truth(true),
            LogicToken::Name(name) if !is_negative && name == "false" => StoryValue::Truth(false),
            _ => {
                self.at = start;
                return None;
            }
        };
        self.at += 1;
        Some(value)
    }

    fn setting(&mut self) -> Option<StorySetting> {
        let name = self.name()?;
        let source = StorySource::Variable(name.clone());
        let set = |change| Some(StorySetting { source, change });
        if self.sign(&["++"]) {
            return set(SourceChange::By(1));
        }
        if self.sign(&["--"]) {
            return set(SourceChange::By(-1));
        }
        let by = if self.sign(&["+="]) {
            1
        } else if self.sign(&["-="]) {
            -1
        } else if self.sign(&["="]) {
            if let Some(value) = self.value() {
                return set(SourceChange::To(value));
            }
            let itself = self.name()?;
            if itself != name && itself != "it" {
                return None;
            }
            if self.sign(&["+"]) {
                1
            } else if self.sign(&["-"]) {
                -1
            } else {
                return None;
            }
        } else {
            return None;
        };
        match self.value()? {
            StoryValue::Number(number) => set(SourceChange::By(by * number)),
            StoryValue::Truth(_) | StoryValue::Text(_) => None,
        }
    }
}
