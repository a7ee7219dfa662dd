//! How much of the state each skill has written. Pure.
//!
//! Every member of the state (a key at its top) has an account: the bytes that each skill has added to it. A patch that
//! makes a member grow is charged to its skill. A patch that makes it shrink gives the bytes back: to its own skill
//! first, then to the others, the largest share first. Bytes that no account names belong to no skill: the state of an
//! older program, or of a story that was made by hand.
//!
//! The accounts lie in the host's member of the state, so that they follow it through the turns:
//! `{"narratoria": {"bytes": {<member>: {<skill>: <bytes>}}}}`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    Object, StoryState,
    json_size::{member_size, string_size},
    state::STATE_RESERVED_KEY,
};

/// In the host's member of the state.
const BYTES_KEY: &str = "bytes";

/// Bytes of one account beside the two names in it: quotes, colons, braces and a number.
const ACCOUNT_BYTES: usize = 24;

/// The bytes that each skill has added to one member.
type MemberShares = BTreeMap<String, usize>;

/// A state, and how much of it each skill has written.
#[derive(Debug, Clone, Default)]
pub struct StateAccount {
    state: StoryState,
    /// Invariant: the shares of a member are not zero, and together no larger than the member.
    shares: BTreeMap<String, MemberShares>,
    /// Sums of `shares` with the cost of the accounts.
    skills: BTreeMap<String, usize>,
    /// The whole state with the cost of the accounts.
    bytes: usize,
}

/// A member of the state with bytes of one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateShare {
    /// The key at the top of the state.
    pub member: String,
    /// The skill's bytes in it.
    pub bytes: usize,
    /// All of it.
    pub member_bytes: usize,
}

impl StateAccount {
    /// Reads the accounts that the state has. Accounts that cannot be right lose their largest shares.
    pub fn of(state: &StoryState) -> StateAccount {
        StateAccount::read(state, state.clone(), |_| true)
    }

    /// Reads the part of the accounts that is enough for [`StateAccount::record_patch`] after these patches. The sums of
    /// skills and of the state lack the other members.
    pub fn of_patches(state: &StoryState, patches: &[&Object]) -> StateAccount {
        let is_touched = |member: &str| patches.iter().any(|patch| patch.contains_key(member));
        let mut part = state.touched_by(patches.iter().copied());
        let recorded = state.reserved().and_then(|reserved| reserved.get(BYTES_KEY));
        match recorded {
            Some(Value::Object(recorded)) => {
                // An account of a member that is gone goes, too.
                let wanted =
                    |member: &String| is_touched(member) || !state.as_object().contains_key(member);
                let accounts = recorded.iter().filter(|(member, _)| wanted(member));
                let accounts = accounts.map(|(member, of)| (member.clone(), of.clone()));
                let bytes = Value::Object(accounts.collect());
                let host = Object::from_iter([(BYTES_KEY.to_owned(), bytes)]);
                part.put_member(STATE_RESERVED_KEY, Value::Object(host));
            }
            _ => {
                let host = state.reserved().cloned();
                host.into_iter().for_each(|host| part.put_member(STATE_RESERVED_KEY, host));
            }
        }
        StateAccount::read(state, part, is_touched)
    }

    /// Reads the accounts of the wanted members. `part` is the state that the account has of it.
    fn read(
        state: &StoryState,
        part: StoryState,
        is_wanted: impl Fn(&str) -> bool,
    ) -> StateAccount {
        let recorded = state.reserved().and_then(|reserved| reserved.get(BYTES_KEY));
        let mut account =
            StateAccount { bytes: state.bytes(), state: part, ..StateAccount::default() };
        let Some(Value::Object(recorded)) = recorded else { return account };
        for (member, shares) in recorded.iter().filter(|(member, _)| is_wanted(member)) {
            let (Some(value), Value::Object(shares)) = (state.as_object().get(member), shares)
            else {
                continue;
            };
            let size = member_size(member, value);
            for (skill, bytes) in shares {
                let bytes = bytes.as_u64().and_then(|bytes| usize::try_from(bytes).ok());
                account.add(member, skill, bytes.unwrap_or(0).min(size));
            }
            let sum: usize =
                account.shares.get(member).into_iter().flat_map(|it| it.values()).sum();
            account.take(member, None, sum.saturating_sub(size));
        }
        account
    }

    /// A part of the account that is enough to apply patches with these members.
    #[must_use]
    pub fn scoped<'a>(&self, patches: impl Iterator<Item = &'a Object> + Clone) -> StateAccount {
        let mut scoped = StateAccount {
            state: StoryState::default(),
            shares: BTreeMap::new(),
            skills: self.skills.clone(),
            bytes: self.bytes,
        };
        for member in patches.flat_map(Object::keys) {
            if let Some(value) = self.state.as_object().get(member)
                && !scoped.state.as_object().contains_key(member)
            {
                scoped.state.put_member(member, value.clone());
                let shares = self.shares.get(member).cloned();
                scoped.shares.extend(shares.map(|shares| (member.clone(), shares)));
            }
        }
        scoped
    }

    /// The most bytes by which a patch of `skill` makes any state grow, with the cost of its accounts.
    pub fn growth_max(skill: &str, patch: &Object) -> usize {
        let sizes = patch
            .iter()
            .map(|(member, value)| member_size(member, value) + account_size(member, skill));
        sizes.sum()
    }

    /// Applies a patch that `skill` wrote.
    pub fn apply(&mut self, skill: &str, patch: &Object) {
        for (member, value) in patch {
            let growth = self.state.apply_member(member, value);
            let size = usize::try_from(growth.unsigned_abs()).unwrap_or(usize::MAX);
            if growth > 0 {
                self.bytes += size;
                self.add(member, skill, size);
            } else {
                self.bytes -= size;
                self.take(member, Some(skill), size);
            }
        }
    }

    /// Bytes of the whole state and of its accounts, as [`json_size`](crate::json_size()) counts them.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Bytes that this skill has written, and those of its accounts.
    pub fn bytes_of(&self, skill: &str) -> usize {
        self.skills.get(skill).copied().unwrap_or(0)
    }

    /// The skills that have written something, with their bytes, in name order.
    pub fn skills(&self) -> impl Iterator<Item = (&str, usize)> {
        self.skills.iter().map(|(skill, bytes)| (skill.as_str(), *bytes))
    }

    /// The members that this skill has written to.
    pub fn shares_of(&self, skill: &str) -> Vec<StateShare> {
        let share = |(member, shares): (&String, &MemberShares)| {
            let value = self.state.as_object().get(member)?;
            Some(StateShare {
                member: member.clone(),
                bytes: *shares.get(skill)?,
                member_bytes: member_size(member, value),
            })
        };
        self.shares.iter().filter_map(share).collect()
    }

    /// The state with the patches so far, its recorded accounts as they were.
    pub fn state(&self) -> &StoryState {
        &self.state
    }

    /// The host's patch that brings the recorded accounts up to date; `None` if they are. It belongs after all patches
    /// of a turn.
    pub fn record_patch(&self) -> Option<Object> {
        let shares = |shares: &MemberShares| -> Value {
            let share = |(skill, bytes): (&String, &usize)| (skill.clone(), Value::from(*bytes));
            Value::Object(shares.iter().map(share).collect())
        };
        let accounts: Object =
            self.shares.iter().map(|(member, of)| (member.clone(), shares(of))).collect();
        let recorded = self.state.reserved();
        if accounts.is_empty() && recorded.is_none() {
            return None;
        }
        let bytes = Object::from_iter([(BYTES_KEY.to_owned(), Value::Object(accounts))]);
        let recorded_bytes = recorded.and_then(|recorded| recorded.get(BYTES_KEY));
        let host = match (recorded, recorded_bytes) {
            (Some(Value::Object(_)), Some(from @ Value::Object(_))) => {
                Object::from_iter([(BYTES_KEY.to_owned(), difference(from, &bytes[BYTES_KEY])?)])
            }
            _ => bytes,
        };
        Some(Object::from_iter([(STATE_RESERVED_KEY.to_owned(), Value::Object(host))]))
    }

    fn add(&mut self, member: &str, skill: &str, bytes: usize) {
        if bytes == 0 {
            return;
        }
        let shares = self.shares.entry(member.to_owned()).or_default();
        let sum = self.skills.entry(skill.to_owned()).or_default();
        let share = shares.entry(skill.to_owned()).or_default();
        if *share == 0 {
            let cost = account_size(member, skill);
            *sum += cost;
            self.bytes += cost;
        }
        *share += bytes;
        *sum += bytes;
    }

    /// Takes bytes off the shares of a member: first off those of `skill`, then off the largest ones.
    fn take(&mut self, member: &str, skill: Option<&str>, bytes: usize) {
        let Some(shares) = self.shares.get_mut(member) else { return };
        let mut order: Vec<(bool, usize, String)> = shares
            .iter()
            .map(|(of, bytes)| (Some(of.as_str()) == skill, *bytes, of.clone()))
            .collect();
        order.sort_by(|one, other| {
            (other.0, other.1).cmp(&(one.0, one.1)).then_with(|| one.2.cmp(&other.2))
        });
        let mut left = bytes;
        for (_, share, of) in order {
            let taken = share.min(left);
            left -= taken;
            let is_empty = taken == share;
            let cost = if is_empty { account_size(member, &of) } else { 0 };
            if is_empty {
                shares.remove(&of);
            } else {
                shares.insert(of.clone(), share - taken);
            }
            self.bytes -= cost;
            if let Some(sum) = self.skills.get_mut(&of) {
                *sum -= taken + cost;
                if *sum == 0 {
                    self.skills.remove(&of);
                }
            }
            if left == 0 {
                break;
            }
        }
        if shares.is_empty() {
            self.shares.remove(member);
        }
    }
}

fn account_size(member: &str, skill: &str) -> usize {
    string_size(member) + string_size(skill) + ACCOUNT_BYTES
}

/// The patch that turns one object into another; `None` if they are equal.
fn difference(from: &Value, to: &Value) -> Option<Value> {
    match (from, to) {
        _ if from == to => None,
        (Value::Object(from), Value::Object(to)) => {
            let gone = from.keys().filter(|key| !to.contains_key(*key));
            let mut patch: Object = gone.map(|key| (key.clone(), Value::Null)).collect();
            for (key, value) in to {
                let change = match from.get(key) {
                    Some(before) => difference(before, value),
                    None => Some(value.clone()),
                };
                patch.extend(change.map(|change| (key.clone(), change)));
            }
            Some(Value::Object(patch))
        }
        _ => Some(to.clone()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{
        json_size::json_size,
        testing::{object, tree, with_nulls},
    };

    fn account(state: Value) -> StateAccount {
        StateAccount::of(&StoryState::new(object(state)))
    }

    fn shares(account: &StateAccount, skill: &str) -> Vec<(String, usize)> {
        account.shares_of(skill).into_iter().map(|share| (share.member, share.bytes)).collect()
    }

    /// Returns the size of a text with this number of values; an object counts as 8 values.
    fn size(text: &str, values: usize) -> usize {
        text.len() + 8 * values
    }

    #[test]
    fn a_skill_pays_for_the_bytes_that_it_adds_and_gets_back_those_that_it_removes() {
        let mut state = account(json!({"room": "cave"}));
        assert_eq!(state.bytes_of("dice"), 0);
        state.apply("dice", &object(json!({"dice": {"last": 7}})));
        assert_eq!(
            shares(&state, "dice"),
            [("dice".to_owned(), size(r#""dice":{"last":7,},"#, 9))]
        );
        state.apply("world", &object(json!({"dice": {"note": "abc"}})));
        assert_eq!(shares(&state, "world"), [("dice".to_owned(), size(r#""note":"abc","#, 1))]);
        state.apply("dice", &object(json!({"dice": {"last": null}})));
        assert_eq!(shares(&state, "dice"), [("dice".to_owned(), size(r#""dice":{},"#, 8))]);
        // No skill keeps a share of a removed value.
        state.apply("world", &object(json!({"dice": null, "room": null})));
        assert_eq!((state.bytes(), state.skills().count()), (size("{}", 8), 0));
    }

    #[test]
    fn a_skill_that_removes_what_another_wrote_gives_the_bytes_back_to_it() {
        let mut state = account(json!({}));
        state.apply("flood", &object(json!({"player": {"junk": "x".repeat(1_000)}})));
        state.apply("player", &object(json!({"player": {"hp": 7}})));
        let before = state.bytes_of("player");
        state.apply("player", &object(json!({"player": {"junk": null}})));
        assert!(state.bytes_of("flood") < 200 && state.bytes_of("player") <= before);
    }

    #[test]
    fn the_accounts_travel_in_the_state() {
        let mut state = account(json!({"room": "cave"}));
        assert_eq!(state.record_patch(), None);
        let mut story = StoryState::new(object(json!({"room": "cave"})));
        for patch in [
            json!({"dice": {"last": 7}}),
            json!({"dice": {"last": 12}, "x": 1}),
            json!({"x": null}),
        ] {
            state.apply("dice", &object(patch.clone()));
            story.apply(&object(patch));
            let record = state.record_patch().unwrap();
            story.apply(&record);
            state = StateAccount::of(&story);
            assert_eq!(state.record_patch(), None);
        }
        let text =
            r#"{"room":"cave","dice":{"last":12},"narratoria":{"bytes":{"dice":{"dice":92}}}}"#;
        assert_eq!(story.to_json(), text);
    }

    #[test]
    fn accounts_that_cannot_be_right_are_corrected() {
        let wrong = json!({
            "room": "cave",
            "narratoria": {"bytes": {"room": {"a": 900, "b": 3}, "gone": {"a": 5}, "odd": 3}}
        });
        let state = account(wrong);
        assert_eq!(shares(&state, "a"), [("room".to_owned(), size(r#""room":"cave","#, 1) - 3)]);
        assert_eq!(shares(&state, "b"), [("room".to_owned(), 3)]);
        let record = state.record_patch().unwrap();
        assert_eq!(
            Value::Object(record),
            json!({"narratoria": {"bytes": {"room": {"a": 19}, "gone": null, "odd": null}}})
        );
        for odd in [json!(7), json!({"bytes": []}), json!(null)] {
            let state = account(json!({"room": "cave", "narratoria": odd}));
            assert_eq!(state.skills().count(), 0);
        }
    }

    proptest! {
        /// However several skills patch a state: the sums are right, no share is larger than its member, and no
        /// skill's bytes grow by another skill's patch.
        #[test]
        fn the_accounts_of_random_patches_are_right(
            start in tree(with_nulls()),
            patches in proptest::collection::vec((0..3_usize, tree(with_nulls())), 0..8),
        ) {
            let skills = ["dice", "world", "flood"];
            let first = StoryState::new(start);
            let mut story = first.clone();
            let mut state = StateAccount::of(&story);
            let skills_of: Vec<usize> = patches.iter().map(|(skill, _)| *skill).collect();
            for (skill, patch) in &patches {
                let before = skills.map(|skill| state.bytes_of(skill));
                let bytes_before = state.bytes();
                let mut scoped = state.scoped([patch].into_iter());
                scoped.apply(skills[*skill], patch);
                state.apply(skills[*skill], patch);
                story.apply(patch);
                prop_assert_eq!(scoped.bytes(), state.bytes());
                let growth_max = StateAccount::growth_max(skills[*skill], patch);
                prop_assert!(state.bytes() <= bytes_before + growth_max);
                for (at, name) in skills.iter().enumerate() {
                    prop_assert_eq!(scoped.bytes_of(name), state.bytes_of(name));
                    prop_assert!(at == *skill || state.bytes_of(name) <= before[at]);
                }
                prop_assert_eq!(state.state(), &story);
                let whole = json_size(&Value::Object(story.as_object().clone()));
                let costs: usize = state.shares.iter().flat_map(|(member, shares)| {
                    shares.keys().map(|skill| account_size(member, skill)).collect::<Vec<_>>()
                }).sum();
                prop_assert_eq!(state.bytes(), whole + costs);
                for (member, shares) in &state.shares {
                    let size = member_size(member, &story.as_object()[member]);
                    prop_assert!(shares.values().sum::<usize>() <= size);
                }
                let sums: usize = state.skills().map(|(_, bytes)| bytes).sum();
                let shared: usize = state.shares.values().flat_map(|shares| shares.values()).sum();
                prop_assert_eq!(sums, shared + costs);
            }
            let patches: Vec<&Object> = patches.iter().map(|(_, patch)| patch).collect();
            let mut part = StateAccount::of_patches(&first, &patches);
            for (skill, patch) in skills_of.iter().zip(&patches) {
                part.apply(skills[*skill], patch);
            }
            prop_assert_eq!(part.record_patch(), state.record_patch());
            let mut recorded = story.clone();
            state.record_patch().into_iter().for_each(|patch| recorded.apply(&patch));
            let read = StateAccount::of(&recorded);
            prop_assert_eq!(&read.shares, &state.shares);
            prop_assert_eq!(read.bytes(), state.bytes());
            // The text is never longer than the counted bytes.
            prop_assert!(recorded.to_json().len() <= state.bytes() + 40);
        }
    }
}
