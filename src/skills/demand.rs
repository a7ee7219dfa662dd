//! Lists the demands of a package on its player, so that the player can agree to each before the installation and sees
//! the difference at an upgrade. Pure.

use std::{cmp::Reverse, collections::BTreeSet, fmt, time::Duration};

use super::{
    archive::PinnedKey,
    catalog::{Catalog, PackageOrigin, RetryPolicy, Script, Skill},
    catch_all::{Coverage, coverage},
    grant::Grant,
    manifest::{FUEL_DEFAULT, MEMORY_BYTES_DEFAULT, STDOUT_BYTES_DEFAULT, TIMEOUT_DEFAULT},
    odd_text::odd_part,
    signer_key::SignerKey,
};

/// A limit is shown if it is more than this many times the default.
const LARGE_LIMIT: u64 = 2;

/// One thing that a package asks for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Demand {
    pub kind: DemandKind,
    /// A host, a variable, a pointer, a script or a setting; empty for the kinds that need no name.
    pub what: String,
    /// True for a grant that the package can do without.
    pub is_optional: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DemandKind {
    /// The name of a skill that is part of the program.
    ReplacesBuiltIn,
    Grant(Grant),
    /// A pointer into the story's state.
    Reads,
    /// A pointer into the story's state.
    Writes,
    /// A setting that is secret and has a value.
    Secret,
    /// A setting that the version before kept secret, and this one does not.
    OpenedSecret,
    /// A setting that the player gave to an earlier version, and that the version before did not get.
    LeftoverSetting,
    /// An environment variable that the player's settings name.
    SettingVariable,
    /// Triggers that fire on nearly every sentence.
    CatchesEverything,
    /// Triggers that fire on a large part of the sentences that players say, counted in tenths.
    CatchesMany,
    /// A script with a limit far above the default, in words.
    Limit,
    /// How often a failed step is tried again, far above the default.
    Retries,
    /// A priority above that of every built-in skill.
    Priority,
    /// A capability that another skill has, and that plans would get from this one from now on.
    Capability,
    /// A script that the version before ran only with the player's approval.
    DroppedApproval,
    /// Another author wrote the version before.
    OtherAuthor,
    /// Another key signed the version before.
    OtherKey,
    /// A key signed the version before, and none this one.
    NoSignature,
    /// A script that answers where no other does.
    Fallback,
    /// A script of another skill that its triggers have plans run, and that can do more than compute.
    Runs,
    /// A name or a description that shows something else than it says.
    OddText,
}

impl DemandKind {
    /// The word in documents.
    pub fn as_str(self) -> &'static str {
        match self {
            DemandKind::ReplacesBuiltIn => "replaces-built-in",
            DemandKind::Grant(grant) => grant.as_str(),
            DemandKind::Reads => "reads",
            DemandKind::Writes => "writes",
            DemandKind::Secret => "secret",
            DemandKind::OpenedSecret => "opened-secret",
            DemandKind::LeftoverSetting => "leftover-setting",
            DemandKind::SettingVariable => "setting-variable",
            DemandKind::CatchesEverything => "catches-everything",
            DemandKind::CatchesMany => "catches-many",
            DemandKind::Limit => "limit",
            DemandKind::Retries => "retries",
            DemandKind::Priority => "priority",
            DemandKind::Capability => "capability",
            DemandKind::DroppedApproval => "dropped-approval",
            DemandKind::OtherAuthor => "other-author",
            DemandKind::OtherKey => "other-key",
            DemandKind::NoSignature => "no-signature",
            DemandKind::Fallback => "fallback",
            DemandKind::Runs => "runs",
            DemandKind::OddText => "odd-text",
        }
    }
}

impl Demand {
    /// True if the signer of a version is not the one of the version before, so that it may come from somebody else. An
    /// agreement to everything that a package asks for is none to that.
    pub fn is_about_signer(&self) -> bool {
        matches!(self.kind, DemandKind::OtherKey | DemandKind::NoSignature)
    }

    fn grant_text(&self, grant: Grant) -> String {
        let what = &self.what;
        let text = match grant {
            Grant::Store => "keeps values of its own in each story".to_owned(),
            Grant::Memory => "reads and writes the memory of the story".to_owned(),
            Grant::Llm => "uses your language model".to_owned(),
            Grant::Assets => "makes files that a turn keeps".to_owned(),
            Grant::Data => "keeps files that no undo takes back".to_owned(),
            Grant::Campaign => "reads the campaign of the story".to_owned(),
            Grant::Http => format!("sends requests to `{what}`"),
            Grant::Env => format!("reads the environment variable `{what}`"),
        };
        let optional = if self.is_optional { ", which it can do without" } else { "" };
        format!("{text} (grant `{}`{optional})", grant.as_str())
    }
}

/// A sentence part, such as "sends requests to `api.example.com`".
impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = &self.what;
        match self.kind {
            DemandKind::ReplacesBuiltIn => {
                write!(f, "takes the place of `{what}`, which is part of the program")
            }
            DemandKind::Grant(grant) => f.write_str(&self.grant_text(grant)),
            DemandKind::Reads if what.is_empty() => {
                f.write_str("reads the whole state of the story")
            }
            DemandKind::Reads => write!(f, "reads `{what}` of the story's state"),
            DemandKind::Writes if what.is_empty() => {
                f.write_str("writes the whole state of the story")
            }
            DemandKind::Writes => write!(f, "writes `{what}` of the story's state"),
            DemandKind::Secret => write!(f, "gets your secret setting `{what}`"),
            DemandKind::OpenedSecret => {
                write!(f, "gets your setting `{what}`, and keeps it secret no longer")
            }
            DemandKind::LeftoverSetting => {
                write!(f, "gets your setting `{what}`, which you gave to an earlier version")
            }
            DemandKind::SettingVariable => {
                write!(f, "gets the environment variable `{what}`, which your settings name")
            }
            DemandKind::CatchesEverything => {
                f.write_str("answers nearly every sentence, whatever you say")
            }
            DemandKind::CatchesMany => write!(f, "answers {what} of 10 ordinary sentences"),
            DemandKind::Limit => write!(f, "its script {what}"),
            DemandKind::Retries => {
                let usual = RetryPolicy::default().retries_max;
                write!(f, "tries a failed step again up to {what} times; {usual} are usual")
            }
            DemandKind::Priority => {
                write!(f, "comes before every built-in skill, with the priority {what}")
            }
            DemandKind::Capability => write!(f, "takes over the capability {what}"),
            DemandKind::DroppedApproval => {
                write!(f, "runs its script `{what}` without your approval, which it needed before")
            }
            DemandKind::OtherAuthor => write!(f, "is by somebody else: {what}"),
            DemandKind::OtherKey => write!(f, "is signed by another key: {what}"),
            DemandKind::NoSignature => write!(f, "is not signed; before it was signed by {what}"),
            DemandKind::Fallback => {
                write!(f, "its script `{what}` answers and narrates where no other skill does")
            }
            DemandKind::Runs => {
                write!(
                    f,
                    "runs `{what}` of another skill, with the rights of that skill, and gets its answer"
                )
            }
            DemandKind::OddText => write!(f, "has {what}"),
        }
    }
}

/// Everything that a skill asks for beside these others, in a fixed order. One of its own name does not count.
pub fn demands(skill: &Skill, others: &Catalog) -> BTreeSet<Demand> {
    let mut all = BTreeSet::new();
    for (grant, name) in requested(skill) {
        let is_optional = can_do_without(skill, grant, name);
        let (kind, what) = (DemandKind::Grant(grant), name.to_owned());
        all.insert(Demand { kind, what, is_optional });
    }
    let mut add = |kind: DemandKind, what: &str| {
        all.insert(Demand { kind, what: what.to_owned(), is_optional: false });
    };
    for script in &skill.scripts {
        script.reads.iter().for_each(|pointer| add(DemandKind::Reads, pointer));
    }
    conditions_read(skill).iter().for_each(|pointer| add(DemandKind::Reads, pointer));
    for claim in &skill.writes {
        let shared = if claim.is_shared { " (shared)" } else { "" };
        add(DemandKind::Writes, &format!("{}{shared}", claim.pointer));
    }
    for secret in skill.secrets.iter().filter(|name| skill.config.contains_key(*name)) {
        add(DemandKind::Secret, secret);
    }
    skill.setting_variables.keys().for_each(|name| add(DemandKind::SettingVariable, name));
    match coverage(&skill.triggers) {
        Coverage::Few => {}
        Coverage::Many { tenths } => add(DemandKind::CatchesMany, &tenths.to_string()),
        Coverage::NearlyAll => add(DemandKind::CatchesEverything, ""),
    }
    skill.scripts.iter().flat_map(large_limits).for_each(|what| add(DemandKind::Limit, &what));
    if u64::from(skill.retry.retries_max)
        > LARGE_LIMIT * u64::from(RetryPolicy::default().retries_max)
    {
        add(DemandKind::Retries, &skill.retry.retries_max.to_string());
    }
    lent_scripts(skill, others).iter().for_each(|path| add(DemandKind::Runs, path));
    let others: Vec<&Skill> =
        others.iter().map(|other| &**other).filter(|other| other.name != skill.name).collect();
    if skill.origin != PackageOrigin::BuiltIn {
        let built_in = others.iter().filter(|other| other.origin == PackageOrigin::BuiltIn);
        if built_in.map(|other| other.priority).max().is_some_and(|most| skill.priority > most) {
            add(DemandKind::Priority, &skill.priority.to_string());
        }
        for (tag, holder) in taken_capabilities(skill, &others) {
            add(DemandKind::Capability, &format!("`{tag}` from the skill `{holder}`"));
        }
    }
    for trigger in skill.triggers.iter().filter(|trigger| trigger.fallback) {
        add(DemandKind::Fallback, &trigger.script);
    }
    for (field, text) in shown_texts(skill) {
        if let Some(part) = odd_part(text) {
            add(DemandKind::OddText, &format!("{part} in {field}"));
        }
    }
    all
}

/// The name of a built-in skill, if a package that is none has it.
pub fn replaced_built_in<'n>(
    skill: &Skill,
    mut built_in: impl Iterator<Item = &'n str>,
) -> Option<Demand> {
    let is_folder = matches!(skill.origin, PackageOrigin::Folder(_));
    (is_folder && built_in.any(|name| name == skill.name)).then(|| Demand {
        kind: DemandKind::ReplacesBuiltIn,
        what: skill.name.clone(),
        is_optional: false,
    })
}

/// The texts of a package that a player reads before it is installed, each with its name in a sentence.
fn shown_texts(skill: &Skill) -> impl Iterator<Item = (String, &str)> {
    let whole = [
        ("its displayed name", Some(&skill.display_name)),
        ("its description", Some(&skill.description)),
        ("the name of its author", skill.author.as_ref()),
        ("its licence", skill.license.as_ref()),
    ];
    let whole =
        whole.into_iter().filter_map(|(field, text)| Some((field.to_owned(), text?.as_str())));
    let scripts = skill.scripts.iter();
    whole.chain(scripts.map(|script| {
        (format!("the description of its script `{}`", script.name), script.description.as_str())
    }))
}

/// The parts of the state that decide whether a trigger counts or a follow-up runs, and that no script of the skill reads:
/// its scripts learn of them by being run.
fn conditions_read(skill: &Skill) -> BTreeSet<String> {
    if skill.origin == PackageOrigin::BuiltIn {
        return BTreeSet::new();
    }
    let is_read = |pointer: &String| {
        let mut reads = skill.scripts.iter().flat_map(|script| &script.reads);
        reads.any(|read| {
            pointer
                .strip_prefix(read.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    let follow_ups = skill.triggers.iter().flat_map(|trigger| &trigger.follow_ups);
    let conditions = follow_ups.filter_map(|step| step.when.as_deref());
    let presences = skill.triggers.iter().flat_map(|it| it.if_state.iter().chain(&it.unless_state));
    let pointers = conditions.flat_map(state_pointers).chain(presences.cloned());
    pointers.filter(|pointer| !is_read(pointer)).collect()
}

/// Returns the pointers behind each `state` of a condition: `/story/mood` for `state.story.mood == 'grim'`. If no plain
/// names follow `state`, the pointer is empty, which is the whole state.
fn state_pointers(condition: &str) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, word) in condition.match_indices("state") {
        let before = condition[..at].trim_end().chars().next_back();
        let rest = &condition[at + word.len()..];
        if before.is_some_and(|c| is_word(c) || c == '.') || rest.starts_with(is_word) {
            continue;
        }
        let (mut pointer, mut rest) = (String::new(), rest);
        while let Some(after) = rest.strip_prefix('.') {
            let end = after.find(|c| !is_word(c)).unwrap_or(after.len());
            // `state.story.contains('x')` calls a function.
            if end == 0 || after[end..].starts_with('(') {
                break;
            }
            pointer += "/";
            pointer += &after[..end];
            rest = &after[end..];
        }
        found.push(pointer);
    }
    found
}

/// The scripts of `next` that run without the player's approval, while those of `previous` needed it. A script that is
/// new, or may do more than before, could do the work of one that needed it, whether that one is still there or not.
pub fn dropped_approvals(previous: &Skill, next: &Skill) -> BTreeSet<Demand> {
    let had_one = previous.scripts.iter().any(|script| script.requires_approval);
    let is_dropped = |script: &&Script| {
        let needed = match previous.script(&script.name) {
            Some(before) => before.requires_approval || (had_one && may_do_more(before, script)),
            None => had_one,
        };
        !script.requires_approval && needed
    };
    let scripts = next.scripts.iter().filter(is_dropped);
    let demand = |script: &Script| Demand {
        kind: DemandKind::DroppedApproval,
        what: script.name.clone(),
        is_optional: false,
    };
    scripts.map(demand).collect()
}

/// Returns true if a script has grants or reads parts of the state that it had not before.
fn may_do_more(before: &Script, now: &Script) -> bool {
    let known: BTreeSet<_> = requested_by(before).collect();
    requested_by(now).any(|asked| !known.contains(&asked))
        || now.reads.iter().any(|pointer| !before.reads.contains(pointer))
}

/// Says so if the author of a version is not the one of the version before. Only a player who knows both can tell whether
/// that is right.
pub fn other_author(previous: &Skill, next: &Skill) -> Option<Demand> {
    let name = |skill: &Skill| skill.author.clone().unwrap_or_else(|| "nobody named".to_owned());
    (previous.author != next.author).then(|| Demand {
        kind: DemandKind::OtherAuthor,
        what: format!("{}; before it was {}", name(next), name(previous)),
        is_optional: false,
    })
}

/// Says so if a version is not signed by the key of the version before.
pub fn other_signer(before: &PinnedKey, now: Option<&SignerKey>) -> Option<Demand> {
    let PinnedKey { key, since } = before;
    let known = format!("{key}, first seen at {since}");
    let (kind, what) = match now {
        Some(now) if now == key => return None,
        Some(now) => (DemandKind::OtherKey, format!("{now}; before it was {known}")),
        None => (DemandKind::NoSignature, known),
    };
    Some(Demand { kind, what, is_optional: false })
}

/// The limits of a script that are far above the default, in words.
fn large_limits(script: &Script) -> Vec<String> {
    let is_large = |value: u64, default: u64| value > default.saturating_mul(LARGE_LIMIT);
    let seconds = |time: Duration| time.as_secs();
    let mebibytes = |bytes: u64| bytes >> 20;
    let (limits, name) = (&script.limits, &script.name);
    let mut found = Vec::new();
    if is_large(limits.fuel, FUEL_DEFAULT) {
        let (fuel, usual) = (limits.fuel, FUEL_DEFAULT);
        found.push(format!("`{name}` may use {fuel} units of fuel; {usual} are usual"));
    }
    if is_large(limits.memory_bytes, MEMORY_BYTES_DEFAULT) {
        let (memory, usual) = (mebibytes(limits.memory_bytes), mebibytes(MEMORY_BYTES_DEFAULT));
        found.push(format!("`{name}` may use {memory} MiB of memory; {usual} are usual"));
    }
    if is_large(limits.stdout_bytes, STDOUT_BYTES_DEFAULT) {
        let (output, usual) = (mebibytes(limits.stdout_bytes), mebibytes(STDOUT_BYTES_DEFAULT));
        found.push(format!("`{name}` may write {output} MiB at once; {usual} are usual"));
    }
    if is_large(seconds(script.timeout), seconds(TIMEOUT_DEFAULT)) {
        let (time, usual) = (seconds(script.timeout), seconds(TIMEOUT_DEFAULT));
        found.push(format!("`{name}` may take {time} seconds; {usual} are usual"));
    }
    found
}

/// The scripts of other skills that the triggers of this one run, and that may do more than compute: they read the state or
/// hold a grant, or their skill claims a part of the state. One that is not there may be installed later.
fn lent_scripts<'s>(skill: &'s Skill, others: &Catalog) -> BTreeSet<&'s str> {
    if skill.origin == PackageOrigin::BuiltIn {
        return BTreeSet::new();
    }
    let is_powerful = |path: &str| match others.resolve(path) {
        Ok((runs, idx)) => {
            let Script { grants, reads, .. } = &runs.scripts[idx];
            let holds_one = Grant::ALL.into_iter().any(|grant| grant.is_requested_in(grants));
            let is_powerful = holds_one || !reads.is_empty() || !runs.writes.is_empty();
            runs.name != skill.name && is_powerful
        }
        Err(_) => path.split('/').next() != Some(&skill.name),
    };
    let follow_ups = skill.triggers.iter().flat_map(|trigger| &trigger.follow_ups);
    follow_ups.map(|step| step.tool.as_str()).filter(|path| is_powerful(path)).collect()
}

/// The capabilities that plans would get from this skill from now on, each with the skill that had it. Plans take the
/// skill of highest priority, and of equals the first by name.
fn taken_capabilities<'s>(skill: &'s Skill, others: &[&'s Skill]) -> Vec<(&'s str, &'s str)> {
    fn rank(skill: &Skill) -> (Reverse<u8>, &str) {
        (Reverse(skill.priority), &skill.name)
    }
    let tags = skill.capabilities.iter().filter_map(|tag| {
        let holders = others.iter().filter(|other| other.capabilities.contains(tag));
        let holder = holders.min_by_key(|other| rank(other))?;
        (rank(skill) < rank(holder)).then_some((tag.as_str(), holder.name.as_str()))
    });
    tags.collect()
}

/// Each grant that a script requests; `http` and `env` once for each host and variable.
fn requested(skill: &Skill) -> impl Iterator<Item = (Grant, &str)> {
    skill.scripts.iter().flat_map(requested_by)
}

fn requested_by(script: &Script) -> impl Iterator<Item = (Grant, &str)> {
    let grants = Grant::ALL.into_iter().filter(|it| it.is_requested_in(&script.grants));
    grants.flat_map(|grant| {
        let names = grant.names(&script.grants);
        let whole = names.is_empty().then_some("");
        names.iter().map(String::as_str).chain(whole).map(move |name| (grant, name))
    })
}

/// Returns true if every script that requests it can do without it.
fn can_do_without(skill: &Skill, grant: Grant, name: &str) -> bool {
    skill.scripts.iter().all(|script| {
        let names = grant.names(&script.grants);
        let requests = grant.is_requested_in(&script.grants)
            && (names.is_empty() || names.iter().any(|one| one == name));
        !requests || script.grants.optional.contains(&grant)
    })
}

#[cfg(test)]
mod tests;
