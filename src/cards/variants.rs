//! Passages with texts under conditions → passages of plain text: one for each way in which a passage may read.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    CardProblem, ImportNotes, LinkOffer, PASSAGE_LINKS_MAX, PASSAGE_VARIANTS_MAX, PASSAGES_MAX,
    PassageLink, STORY_LOGIC_PARTS_MAX, STORY_VARIABLES_MAX, SourceChange, StoryPassage,
    StorySetting, StorySource, StoryTest, StoryValue, StoryVariable, VARIANT_TEXT_BYTES_MAX,
    branching::distinct_name,
    passage_text::{LINK_MARK, is_list_of_links},
    taken_names::TakenNames,
};

/// Passages without words that one link passes on its way.
const PASSED_MAX: usize = 8;

/// A part of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StoryPiece {
    Text(String),
    /// The value of a variable stands in the text.
    Value(StorySource),
    Set(StorySetting),
    Link(PassageLink),
    /// The text goes on in that passage; `None` ends the story.
    Divert(Option<String>),
    /// The first arm whose condition holds.
    Branch(Vec<StoryArm>),
}

/// A part of a passage and its condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoryArm {
    pub(crate) test: StoryTest,
    pub(crate) pieces: Vec<StoryPiece>,
}

/// A passage as it was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct DraftPassage {
    pub(crate) name: String,
    pub(crate) pieces: Vec<StoryPiece>,
    /// Links behind all pieces.
    pub(crate) links: Vec<PassageLink>,
    /// As of a [`StoryPassage`].
    pub(crate) same_links_as: Option<String>,
}

/// The passages of a story, and what the conditions in them ask for.
pub(crate) struct ToldPassages {
    pub(crate) passages: Vec<StoryPassage>,
    pub(crate) variables: BTreeMap<StorySource, StoryVariable>,
    /// The name of the first passage.
    pub(crate) start: String,
}

/// How the text of a passage becomes one for readers.
pub(crate) type TextForm = fn(&str, &[PassageLink]) -> String;

/// Calls for each piece, within arms as well.
pub(crate) fn visit_pieces<'p>(pieces: &'p [StoryPiece], call: &mut impl FnMut(&'p StoryPiece)) {
    for piece in pieces {
        call(piece);
        if let StoryPiece::Branch(arms) = piece {
            arms.iter().for_each(|arm| visit_pieces(&arm.pieces, call));
        }
    }
}

/// Writes the passages of a story. `first` are the values that variables begin with.
pub(crate) fn tell_passages(
    mut drafts: Vec<DraftPassage>,
    first: &BTreeMap<String, StoryValue>,
    start: &str,
    form: TextForm,
    notes: &mut ImportNotes,
) -> Result<ToldPassages, CardProblem> {
    // Passages of one name would be ways to read one passage.
    let mut taken = TakenNames::default();
    for draft in &mut drafts {
        draft.name = distinct_name(std::mem::take(&mut draft.name), &mut taken, notes);
    }
    let mut variables = variables_of(&drafts, first, notes);
    for draft in &mut drafts {
        let source = StorySource::Visits(draft.name.clone());
        if let Some(variable) = variables.get_mut(&source) {
            variable.rises = true;
            draft
                .pieces
                .insert(0, StoryPiece::Set(StorySetting { source, change: SourceChange::By(1) }));
        }
    }
    let mut teller = PassageTeller {
        variables: &variables,
        notes,
        passage: "",
        is_full: false,
        count: 1,
        bytes: 0,
        parts: 0,
    };
    let (mut told, groups) = teller.passages(&drafts, form, &mut taken)?;
    let PassageTeller { notes, parts, .. } = teller;
    let mut guide = LinkGuide { told: &told, groups: &groups, variables: &variables, notes, parts };
    let links: Vec<Vec<PassageLink>> =
        told.iter().map(|passage| guide.links(passage)).collect::<Result<_, _>>()?;
    let (start, passed) = guide.start(start)?;
    for setting in &passed {
        if let Some(variable) = variables.get_mut(&setting.source) {
            variable.initial = variable.initial.after(&setting.change);
        }
    }
    for (passage, links) in told.iter_mut().zip(links) {
        passage.links = links;
    }
    check_variables(&variables)?;
    let passages = without_unreached(told, &start);
    Ok(ToldPassages { passages, variables, start })
}

/// What conditions and texts ask for, and the values that it may have.
fn variables_of(
    drafts: &[DraftPassage],
    first: &BTreeMap<String, StoryValue>,
    notes: &mut ImportNotes,
) -> BTreeMap<StorySource, StoryVariable> {
    let StoryLogic { asked, settings } = logic_of(drafts);
    let mut variables: BTreeMap<StorySource, StoryVariable> = BTreeMap::new();
    for (source, compared) in asked {
        let initial = match source {
            StorySource::Variable(name) => first.get(name).cloned(),
            StorySource::Visits(_) => Some(StoryValue::Number(0)),
        };
        let of_kind = || compared.map_or(StoryValue::Number(0), StoryValue::unset);
        let is_known = initial.is_some();
        let initial = initial.unwrap_or_else(of_kind);
        let values = BTreeSet::new();
        let variable = StoryVariable { initial, is_known, values, rises: false, falls: false };
        variables.insert(source.clone(), variable);
    }
    let mut unasked: BTreeSet<&str> = BTreeSet::new();
    for setting in settings {
        let Some(variable) = variables.get_mut(&setting.source) else {
            if let StorySource::Variable(name) = &setting.source {
                unasked.insert(name);
            }
            continue;
        };
        let kind = match &setting.change {
            SourceChange::To(value) => {
                variable.values.insert(value.clone());
                value.unset()
            }
            SourceChange::By(by) => {
                variable.rises |= *by > 0;
                variable.falls |= *by < 0;
                StoryValue::Number(0)
            }
        };
        if !std::mem::replace(&mut variable.is_known, true) {
            variable.initial = kind;
        }
    }
    for (source, variable) in &variables {
        if let (StorySource::Variable(name), false) = (source, variable.is_known) {
            let why = "nothing that is read sets it, so conditions take it as unset";
            notes.not_mapped(format!("variable `{name}`"), why);
        }
    }
    for name in unasked {
        notes.not_mapped(format!("variable `{name}`"), "no condition that is read asks for it");
    }
    variables
}

/// What conditions and texts ask for, with a value that it is compared with, and all changes.
#[derive(Default)]
struct StoryLogic<'t> {
    asked: BTreeMap<&'t StorySource, Option<&'t StoryValue>>,
    settings: Vec<&'t StorySetting>,
}

impl<'t> StoryLogic<'t> {
    fn ask(&mut self, test: &'t StoryTest) {
        test.visit(&mut |source, value| {
            let known = self.asked.entry(source).or_default();
            *known = known.or(value);
        });
    }

    fn link(&mut self, link: &'t PassageLink) {
        self.ask(&link.when);
        self.settings.extend(&link.settings);
    }
}

fn logic_of(drafts: &[DraftPassage]) -> StoryLogic<'_> {
    let mut logic = StoryLogic::default();
    for draft in drafts {
        visit_pieces(&draft.pieces, &mut |piece| match piece {
            StoryPiece::Text(_) | StoryPiece::Divert(_) => {}
            StoryPiece::Value(source) => {
                logic.asked.entry(source).or_default();
            }
            StoryPiece::Set(setting) => logic.settings.push(setting),
            StoryPiece::Link(link) => logic.link(link),
            StoryPiece::Branch(arms) => arms.iter().for_each(|arm| logic.ask(&arm.test)),
        });
        draft.links.iter().for_each(|link| logic.link(link));
    }
    logic
}

/// Refuses a story whose conditions ask for more than a campaign has room for.
fn check_variables(variables: &BTreeMap<StorySource, StoryVariable>) -> Result<(), CardProblem> {
    let count = variables.values().filter(|variable| variable.constant().is_none()).count();
    let limit = STORY_VARIABLES_MAX;
    match count > limit {
        true => Err(CardProblem::TooMany { count, what: "variables in conditions", limit }),
        false => Ok(()),
    }
}

/// Drops passages that no way leads to: those without words, and ways to read a passage that is told in other ways.
fn without_unreached(mut told: Vec<StoryPassage>, start: &str) -> Vec<StoryPassage> {
    let at_name: BTreeMap<&str, usize> =
        told.iter().enumerate().map(|(at, passage)| (passage.name.as_str(), at)).collect();
    let mut reached = vec![false; told.len()];
    let reach = |seeds: Vec<usize>, reached: &mut Vec<bool>| {
        let mut open = seeds;
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut reached[at], true) {
                let links = told[at].links.iter();
                open.extend(links.filter_map(|link| at_name.get(link.target.as_str())));
            }
        }
    };
    reach(at_name.get(start).into_iter().copied().collect(), &mut reached);
    let title = |passage: &StoryPassage| -> String {
        passage.title.as_ref().unwrap_or(&passage.name).clone()
    };
    let told_titles: BTreeSet<String> = told
        .iter()
        .zip(&reached)
        .filter(|(_, reached)| **reached)
        .map(|(it, _)| title(it))
        .collect();
    // A passage that is told in no way stays, and so does what it leads to.
    let others = told
        .iter()
        .enumerate()
        .filter(|(_, passage)| !told_titles.contains(&title(passage)) && !is_passed(passage));
    reach(others.map(|(at, _)| at).collect(), &mut reached);
    let mut reached = reached.into_iter();
    told.retain(|_| reached.next().unwrap_or(true));
    told
}

/// A passage without words that only leads on.
fn is_passed(passage: &StoryPassage) -> bool {
    let is_way_on = |link: &PassageLink| link.offer == LinkOffer::WayOn;
    passage.text.is_empty() && !passage.links.is_empty() && passage.links.iter().all(is_way_on)
}

/// A way in which a passage may read.
#[derive(Debug, Clone, Default)]
struct PassageVariant {
    guard: StoryTest,
    text: String,
    links: Vec<PassageLink>,
    settings: Vec<StorySetting>,
    /// Where a divert leads that ends the passage.
    ended: Option<Option<String>>,
}

struct PassageTeller<'t, 'n> {
    variables: &'t BTreeMap<StorySource, StoryVariable>,
    notes: &'n mut ImportNotes,
    passage: &'t str,
    /// How many variants the passage has so far.
    count: usize,
    /// It has as many as it may have.
    is_full: bool,
    /// Bytes of texts that stand in several variants, in the whole story.
    bytes: usize,
    /// Parts of all conditions of the story.
    parts: usize,
}

/// Passages, and those of each draft by its name.
type GroupedPassages<'t> = (Vec<StoryPassage>, BTreeMap<&'t str, Vec<usize>>);

impl<'t> PassageTeller<'t, '_> {
    /// The passages of all drafts, with links that name drafts.
    fn passages(
        &mut self,
        drafts: &'t [DraftPassage],
        form: TextForm,
        taken: &mut TakenNames,
    ) -> Result<GroupedPassages<'t>, CardProblem> {
        let mut told: Vec<StoryPassage> = Vec::new();
        let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for draft in drafts {
            let variants = self.variants(draft)?;
            let many = variants.len() > 1;
            for (n, variant) in variants.into_iter().enumerate() {
                let name =
                    if n == 0 { draft.name.clone() } else { taken.take(draft.name.clone(), ' ') };
                groups.entry(&draft.name).or_default().push(told.len());
                let text = form(&variant.text, &variant.links);
                let links = match variant.ended {
                    Some(Some(target)) => vec![PassageLink::way_on(target)],
                    Some(None) => Vec::new(),
                    None => variant.links.into_iter().chain(draft.links.iter().cloned()).collect(),
                };
                let group = || draft.same_links_as.clone().unwrap_or_else(|| draft.name.clone());
                let same_links_as = if many { Some(group()) } else { draft.same_links_as.clone() };
                let (settings, guard) = (variant.settings, variant.guard);
                let title = (n > 0).then(|| draft.name.clone());
                told.push(StoryPassage {
                    name,
                    title,
                    text,
                    links,
                    same_links_as,
                    settings,
                    guard,
                });
                if told.len() > PASSAGES_MAX {
                    let (count, limit) = (told.len(), PASSAGES_MAX);
                    return Err(CardProblem::TooMany { count, what: "passages", limit });
                }
            }
        }
        Ok((told, groups))
    }

    fn variants(&mut self, draft: &'t DraftPassage) -> Result<Vec<PassageVariant>, CardProblem> {
        (self.passage, self.is_full, self.count) = (&draft.name, false, 1);
        let variants = self.tell(&draft.pieces, vec![PassageVariant::default()]);
        if self.bytes > VARIANT_TEXT_BYTES_MAX {
            let (count, limit) = (self.bytes, VARIANT_TEXT_BYTES_MAX);
            return Err(CardProblem::TooMany {
                count,
                what: "bytes of texts beside conditions",
                limit,
            });
        }
        check_parts(self.parts)?;
        Ok(variants)
    }

    /// Appends pieces to each variant that no divert has ended.
    fn tell(&mut self, pieces: &[StoryPiece], mut all: Vec<PassageVariant>) -> Vec<PassageVariant> {
        for (at, piece) in pieces.iter().enumerate() {
            if self.bytes > VARIANT_TEXT_BYTES_MAX || self.parts > STORY_LOGIC_PARTS_MAX {
                break;
            }
            let mut open = all.iter_mut().filter(|variant| variant.ended.is_none());
            match piece {
                StoryPiece::Text(text) => {
                    let mut count = 0;
                    for variant in open {
                        variant.text += text;
                        count += 1;
                    }
                    self.bytes += text.len() * usize::saturating_sub(count, 1);
                }
                StoryPiece::Value(source) => {
                    let variable = self.variables.get(source).filter(|variable| variable.is_known);
                    let value = variable.and_then(StoryVariable::constant).map(StoryValue::shown);
                    match value {
                        Some(value) => open.for_each(|variant| variant.text += &value),
                        None => self.notes.not_mapped(
                            format!("passage `{}`: `{}`", self.passage, source.name()),
                            "a variable; nothing stands for its value",
                        ),
                    }
                }
                StoryPiece::Set(setting) => {
                    open.for_each(|variant| variant.settings.push(setting.clone()));
                }
                StoryPiece::Link(link) => open.for_each(|variant| variant.push(link.clone())),
                StoryPiece::Divert(target) => {
                    open.for_each(|variant| variant.ended = Some(target.clone()));
                }
                StoryPiece::Branch(arms) => {
                    let before = open.next().map(|variant| variant.text.as_str());
                    let line = before.unwrap_or_default();
                    let line = line.rsplit_once('\n').map_or(line, |(_, line)| line);
                    let is_list = is_list_of_links(line)
                        && begins_line(pieces.get(at + 1))
                        && has_links_alone(arms);
                    all = match is_list {
                        true => self.offer(arms, all),
                        false => self.divide(arms, all),
                    };
                }
            }
        }
        all
    }

    /// Links under conditions divide no passage: each is offered if its condition holds.
    fn offer(&mut self, arms: &[StoryArm], mut all: Vec<PassageVariant>) -> Vec<PassageVariant> {
        let mut links = Vec::new();
        self.links_of(arms, &StoryTest::Known(true), &mut links);
        for variant in all.iter_mut().filter(|variant| variant.ended.is_none()) {
            links.iter().for_each(|link| variant.push(link.clone()));
        }
        all
    }

    fn links_of(&mut self, arms: &[StoryArm], outer: &StoryTest, links: &mut Vec<PassageLink>) {
        let mut otherwise = outer.clone();
        for arm in arms {
            if self.parts > STORY_LOGIC_PARTS_MAX {
                return;
            }
            let holds = self.folded(&arm.test);
            let when = StoryTest::all([otherwise.clone(), holds.clone()]);
            self.parts += when.parts();
            otherwise = StoryTest::all([otherwise, holds.negated()]);
            if when == StoryTest::Known(false) {
                continue;
            }
            for piece in &arm.pieces {
                match piece {
                    StoryPiece::Link(_) if self.parts > STORY_LOGIC_PARTS_MAX => return,
                    StoryPiece::Link(link) => {
                        let when = StoryTest::all([when.clone(), self.folded(&link.when)]);
                        self.parts += when.parts();
                        links.push(PassageLink { when, ..link.clone() });
                    }
                    StoryPiece::Branch(arms) => self.links_of(arms, &when, links),
                    _ => {}
                }
            }
        }
    }

    /// Each variant becomes one for each arm that may hold, and one for the case that none holds.
    fn divide(&mut self, arms: &[StoryArm], all: Vec<PassageVariant>) -> Vec<PassageVariant> {
        if self.is_full {
            return self.undivided(arms, all);
        }
        let mut added = 0;
        let mut ways = Vec::new();
        for variant in all.iter().filter(|variant| variant.ended.is_none()) {
            let held = self.arms_that_may_hold(arms, variant);
            added += held.len().saturating_sub(1);
            ways.push(held);
            if self.count + added > PASSAGE_VARIANTS_MAX {
                self.is_full = true;
                self.notes.not_mapped(
                    format!("passage `{}`", self.passage),
                    format!(
                        "more than {PASSAGE_VARIANTS_MAX} ways to read it; of further conditions the first text is always told"
                    ),
                );
                return self.undivided(arms, all);
            }
        }
        self.count += added;
        let mut divided = Vec::new();
        let mut ways = ways.into_iter();
        for mut variant in all {
            let Some(mut held) = variant.ended.is_none().then(|| ways.next()).flatten() else {
                divided.push(variant);
                continue;
            };
            let last = held.pop();
            for (guard, pieces) in held {
                self.bytes += variant.text.len();
                let held = PassageVariant { guard, ..variant.clone() };
                divided.extend(self.tell(pieces, vec![held]));
            }
            if let Some((guard, pieces)) = last {
                variant.guard = guard;
                divided.extend(self.tell(pieces, vec![variant]));
            }
        }
        divided
    }

    /// The arms that may hold for a variant, with the condition that it then has. The last is that none holds.
    fn arms_that_may_hold<'p>(
        &mut self,
        arms: &'p [StoryArm],
        variant: &PassageVariant,
    ) -> Vec<(StoryTest, &'p [StoryPiece])> {
        let mut ways: Vec<(StoryTest, &[StoryPiece])> = Vec::new();
        let mut otherwise = variant.guard.clone();
        for arm in arms {
            if ways.len() > PASSAGE_VARIANTS_MAX || self.parts > STORY_LOGIC_PARTS_MAX {
                break;
            }
            let holds = self.folded(&arm.test).before(&variant.settings);
            let guard = StoryTest::all([otherwise.clone(), holds.clone()]);
            otherwise = StoryTest::all([otherwise, holds.negated()]);
            // The arm's condition has been followed back over each of the changes before it.
            self.parts += guard.parts() + variant.settings.len() / SETTINGS_OF_A_PART;
            if guard != StoryTest::Known(false) {
                ways.push((guard, &arm.pieces));
            }
            if otherwise == StoryTest::Known(false) {
                break;
            }
        }
        if otherwise != StoryTest::Known(false) || ways.is_empty() {
            ways.push((otherwise, &[]));
        }
        ways
    }

    /// The first arm is always told.
    fn undivided(&mut self, arms: &[StoryArm], all: Vec<PassageVariant>) -> Vec<PassageVariant> {
        let first = arms.first().map(|arm| arm.pieces.as_slice()).unwrap_or_default();
        let undivided = |piece: &&StoryPiece| !matches!(piece, StoryPiece::Branch(_));
        let first: Vec<StoryPiece> = first.iter().filter(undivided).cloned().collect();
        self.tell(&first, all)
    }

    /// The condition without what never changes.
    fn folded(&self, test: &StoryTest) -> StoryTest {
        test.map(&|test| match test {
            StoryTest::Truthy(source) => match self.constant(source) {
                Some(value) => StoryTest::Known(value.is_truthy()),
                None => test.clone(),
            },
            StoryTest::Compare(source, operator, value) => match self.constant(source) {
                Some(constant) => StoryTest::Known(constant.compares(*operator, value)),
                None => test.clone(),
            },
            test => test.clone(),
        })
    }

    /// The value of a variable that has only one.
    fn constant(&self, source: &StorySource) -> Option<&StoryValue> {
        self.variables.get(source).and_then(StoryVariable::constant)
    }
}

impl PassageVariant {
    fn push(&mut self, link: PassageLink) {
        self.links.push(link);
        self.text.push(LINK_MARK);
    }
}

/// Changes that cost as much as a part of a condition.
const SETTINGS_OF_A_PART: usize = 16;

fn check_parts(count: usize) -> Result<(), CardProblem> {
    let limit = STORY_LOGIC_PARTS_MAX;
    match count > limit {
        true => Err(CardProblem::TooMany { count, what: "parts of conditions", limit }),
        false => Ok(()),
    }
}

/// Returns true if no words follow on the line.
fn begins_line(next: Option<&StoryPiece>) -> bool {
    match next {
        None | Some(StoryPiece::Link(_) | StoryPiece::Branch(_) | StoryPiece::Divert(_)) => true,
        Some(StoryPiece::Text(text)) => text.split('\n').next().is_some_and(is_list_of_links),
        Some(StoryPiece::Set(_) | StoryPiece::Value(_)) => false,
    }
}

/// Returns true if the arms have links, and nothing else that counts.
fn has_links_alone(arms: &[StoryArm]) -> bool {
    let (mut links, mut others) = (0, 0);
    for arm in arms {
        visit_pieces(&arm.pieces, &mut |piece| match piece {
            StoryPiece::Link(_) => links += 1,
            StoryPiece::Text(text) if is_list_of_links(text) => {}
            StoryPiece::Branch(_) => {}
            _ => others += 1,
        });
    }
    links > 0 && others == 0
}

/// Finds the passages that links lead to: each way to read the passage that a link names, past passages without words.
struct LinkGuide<'t, 'n> {
    told: &'t [StoryPassage],
    groups: &'t BTreeMap<&'t str, Vec<usize>>,
    variables: &'t BTreeMap<StorySource, StoryVariable>,
    notes: &'n mut ImportNotes,
    parts: usize,
}

/// What is known while the links of a passage are offered: its condition, and what it has changed.
struct PassageFacts {
    /// The last values of variables that it sets.
    set: Vec<StorySetting>,
    /// The parts of its condition about what it does not change.
    facts: Vec<StoryTest>,
    /// What has risen from 0 at least once.
    visited: Vec<StorySource>,
}

impl PassageFacts {
    fn of(passage: &StoryPassage) -> PassageFacts {
        let mut known = PassageFacts { set: Vec::new(), facts: Vec::new(), visited: Vec::new() };
        let mut changed: BTreeMap<&StorySource, Option<StoryValue>> = BTreeMap::new();
        for setting in &passage.settings {
            let before = changed.get(&setting.source).cloned().flatten();
            let after = match &setting.change {
                SourceChange::To(value) => Some(value.clone()),
                change => before.map(|value| value.after(change)),
            };
            changed.insert(&setting.source, after);
            if matches!(setting.source, StorySource::Visits(_)) {
                known.visited.push(setting.source.clone());
            }
        }
        for test in passage.guard.facts() {
            let mut is_same = true;
            test.visit(&mut |source, _| is_same &= !changed.contains_key(source));
            if is_same {
                known.facts.push(test.clone());
            }
        }
        for (source, value) in changed {
            let set =
                |value| StorySetting { source: source.clone(), change: SourceChange::To(value) };
            known.set.extend(value.map(set));
        }
        known
    }

    fn fold(&self, test: &StoryTest) -> StoryTest {
        let test = test.before(&self.set).given(&self.facts);
        test.map(&|test| {
            let mut is_visited = false;
            test.visit(&mut |source, _| is_visited = self.visited.contains(source));
            match test.answer_from(1).filter(|_| is_visited) {
                Some(answer) => StoryTest::Known(answer),
                None => test.clone(),
            }
        })
    }
}

/// A passage that a link leads to.
struct LinkWay {
    passage: usize,
    guard: StoryTest,
    settings: Vec<StorySetting>,
}

impl LinkGuide<'_, '_> {
    fn links(&mut self, passage: &StoryPassage) -> Result<Vec<PassageLink>, CardProblem> {
        let mut links = Vec::new();
        let known = PassageFacts::of(passage);
        for (n, link) in passage.links.iter().enumerate() {
            if !self.groups.contains_key(link.target.as_str()) {
                links.push(link.clone());
                continue;
            }
            let mut ways = Vec::new();
            self.ways(&link.target, link.when.clone(), link.settings.clone(), 0, &mut ways)?;
            let left = passage.links.len() - n - 1;
            if links.len() + ways.len() + left > PASSAGE_LINKS_MAX {
                self.notes.not_mapped(
                    format!("passage `{}`: link `{}`", passage.name, link.label),
                    "its passage has too many links; it leads to the first way to read the next",
                );
                ways.truncate(1);
                ways.iter_mut().for_each(|way| way.guard = link.when.clone());
            }
            let mut is_alternative = false;
            for way in ways {
                let target = self.told[way.passage].name.clone();
                let (when, settings) = (known.fold(&way.guard), way.settings);
                if when == StoryTest::Known(false) {
                    continue;
                }
                let is_alternative = std::mem::replace(&mut is_alternative, true);
                links.push(PassageLink { target, when, settings, is_alternative, ..link.clone() });
            }
        }
        Ok(links)
    }

    fn ways(
        &mut self,
        target: &str,
        guard: StoryTest,
        settings: Vec<StorySetting>,
        passed: usize,
        ways: &mut Vec<LinkWay>,
    ) -> Result<(), CardProblem> {
        let group = self.groups.get(target).map(Vec::as_slice).unwrap_or_default();
        for at in group {
            let variant = &self.told[*at];
            let guard = StoryTest::all([guard.clone(), variant.guard.before(&settings)]);
            self.parts += guard.parts() - 1;
            check_parts(self.parts)?;
            if guard == StoryTest::Known(false) {
                continue;
            }
            let on = variant.links.first().filter(|_| is_passed(variant) && passed < PASSED_MAX);
            match on.filter(|on| self.groups.contains_key(on.target.as_str())) {
                Some(on) => {
                    self.parts += settings.len() + variant.settings.len() + on.settings.len();
                    check_parts(self.parts)?;
                    let all = [settings.as_slice(), &variant.settings, &on.settings].concat();
                    self.ways(&on.target, guard, all, passed + 1, ways)?;
                }
                None if ways.len() < PASSAGE_LINKS_MAX => {
                    ways.push(LinkWay { passage: *at, guard, settings: settings.clone() });
                }
                None => {}
            }
        }
        Ok(())
    }

    /// The passage that begins the story, and what passages before it change.
    fn start(&mut self, start: &str) -> Result<(String, Vec<StorySetting>), CardProblem> {
        let mut ways = Vec::new();
        self.ways(start, StoryTest::Known(true), Vec::new(), 0, &mut ways)?;
        let way = ways.into_iter().find(|way| {
            let answer = way.guard.map(&|test| StoryTest::Known(self.begins(test)));
            answer == StoryTest::Known(true)
        });
        Ok(match way {
            Some(way) => (self.told[way.passage].name.clone(), way.settings),
            None => (start.to_owned(), Vec::new()),
        })
    }

    /// Whether a simple condition holds at the beginning.
    fn begins(&self, test: &StoryTest) -> bool {
        let value = |source| self.variables.get(source).map(|variable| &variable.initial);
        match test {
            StoryTest::Known(answer) => *answer,
            StoryTest::Truthy(source) => value(source).is_some_and(StoryValue::is_truthy),
            StoryTest::Compare(source, operator, other) => {
                value(source).is_some_and(|value| value.compares(*operator, other))
            }
            StoryTest::Not(_) | StoryTest::All(_) | StoryTest::Any(_) => false,
        }
    }
}
