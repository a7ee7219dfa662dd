//! The rule that decides which skill may change which part of the state. Pure.
//!
//! A skill may change the parts that it claims and those that no skill claims. A claim is a JSON pointer to a member of
//! an object, at any depth; it protects the value there and everything in it. A patch changes a claimed part if it
//! names the part or a place in it, and also if it deletes a place above it or puts something other than an object
//! there. Whether a patch is allowed depends on the patch alone, never on the state, so timing cannot change it.
//!
//! Patches replace a list as a whole, and a list becomes an object by a patch that names any member of it. So nothing can
//! protect an item alone: a claim on an item claims the list ([`claimed_place`]).

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    Object,
    pointer::{pointer_of, pointer_tokens},
    state::{STATE_RESERVED_KEY, list_index},
};

/// The claims of all skills.
#[derive(Debug, Clone, Default)]
pub struct StateClaims {
    root: ClaimNode,
}

#[derive(Debug, Clone, Default)]
struct ClaimNode {
    /// The skills that claim this place, and whether each shares it.
    claims: Vec<(String, bool)>,
    members: BTreeMap<String, ClaimNode>,
}

/// A patch would change a part of the state that its skill may not change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimViolation {
    /// The place in the patch, as a JSON pointer.
    pub pointer: String,
    /// The skill that claims it; `None` for the host's own member.
    pub claimed_by: Option<String>,
}

/// Claims at a place and above it.
#[derive(Clone, Copy, Default)]
struct ClaimsAbove<'a> {
    /// A claim of the skill itself.
    has_own: bool,
    /// A skill that claims the place for itself alone.
    exclusive: Option<&'a str>,
    /// Another skill that shares the place.
    shared: Option<&'a str>,
}

impl<'a> ClaimsAbove<'a> {
    fn with(mut self, node: &'a ClaimNode, skill: &str) -> ClaimsAbove<'a> {
        for (by, is_shared) in &node.claims {
            match is_shared {
                _ if by == skill => self.has_own = true,
                true => self.shared = self.shared.or(Some(by)),
                false => self.exclusive = self.exclusive.or(Some(by)),
            }
        }
        self
    }

    /// The skill whose claim forbids a change here.
    fn forbidden_by(self) -> Option<&'a str> {
        self.exclusive.or(self.shared.filter(|_| !self.has_own))
    }
}

impl StateClaims {
    /// Adds one claim of a skill, on the [`claimed_place`] of a pointer. An invalid pointer claims nothing.
    pub fn add(&mut self, skill: &str, pointer: &str, is_shared: bool) {
        let Some(tokens) = pointer_tokens(&claimed_place(pointer)) else { return };
        let mut node = &mut self.root;
        for token in tokens {
            node = node.members.entry(token).or_default();
        }
        node.claims.push((skill.to_owned(), is_shared));
    }

    /// Checks what a patch of `skill` changes. The error is the first place that it may not change.
    pub fn check(&self, skill: &str, patch: &Object) -> Result<(), ClaimViolation> {
        if patch.contains_key(STATE_RESERVED_KEY) {
            let pointer = format!("/{STATE_RESERVED_KEY}");
            return Err(ClaimViolation { pointer, claimed_by: None });
        }
        let mut path = Vec::new();
        let found = forbidden_in(&self.root, ClaimsAbove::default(), skill, patch, &mut path);
        match found {
            None => Ok(()),
            Some(by) => {
                path.reverse();
                let claimed_by = Some(by.to_owned());
                Err(ClaimViolation { pointer: pointer_of(&path), claimed_by })
            }
        }
    }
}

/// The skill whose claim a member of `patch` violates. `path` becomes the way to that member, from the inside out.
fn forbidden_in<'a>(
    node: &'a ClaimNode,
    above: ClaimsAbove<'a>,
    skill: &str,
    patch: &Object,
    path: &mut Vec<String>,
) -> Option<&'a str> {
    for (key, value) in patch {
        let found = match node.members.get(key) {
            // Nothing is claimed here or below, so only what is claimed above counts.
            None => above.forbidden_by(),
            Some(node) => forbidden_at(node, above.with(node, skill), skill, value, path),
        };
        if found.is_some() {
            path.push(key.clone());
            return found;
        }
    }
    None
}

fn forbidden_at<'a>(
    node: &'a ClaimNode,
    here: ClaimsAbove<'a>,
    skill: &str,
    value: &Value,
    path: &mut Vec<String>,
) -> Option<&'a str> {
    match value {
        Value::Object(patch) if !patch.is_empty() => forbidden_in(node, here, skill, patch, path),
        Value::Object(_) => here.forbidden_by(),
        _ => here.forbidden_by().or_else(|| forbidden_below(node, here, skill)),
    }
}

/// The skill that has a claim below a place that a patch deletes or replaces.
fn forbidden_below<'a>(node: &'a ClaimNode, here: ClaimsAbove<'a>, skill: &str) -> Option<&'a str> {
    node.members.values().find_map(|node| {
        let here = here.with(node, skill);
        here.forbidden_by().or_else(|| forbidden_below(node, here, skill))
    })
}

/// The place that a claim on this pointer claims: the pointer itself, or the list above the first part of it that may
/// name an item (`3`, or `-` behind the last one). The state itself is no list.
pub fn claimed_place(pointer: &str) -> String {
    let Some(mut tokens) = pointer_tokens(pointer) else { return pointer.to_owned() };
    let is_item = |token: &String| token == "-" || list_index(token).is_some();
    if let Some(at) = tokens.iter().skip(1).position(is_item) {
        tokens.truncate(at + 1);
    }
    pointer_of(&tokens)
}

/// Returns true if one of two places lies in the other, or both are one place.
pub fn pointers_overlap(one: &str, other: &str) -> bool {
    match (pointer_tokens(one), pointer_tokens(other)) {
        (Some(one), Some(other)) => one.iter().zip(&other).all(|(one, other)| one == other),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{
        merge,
        testing::{object, tree_with_lists},
    };

    /// `claims` reads `world /door; party* /group`: the star marks a shared claim. The skill `lock` patches.
    #[track_caller]
    fn check(claims: &str, patch: Value, expect: &str) {
        let mut all = StateClaims::default();
        for claim in claims.split("; ").filter(|claim| !claim.is_empty()) {
            let (skill, pointer) = claim.split_once(' ').unwrap();
            all.add(skill.trim_end_matches('*'), pointer, skill.ends_with('*'));
        }
        let found = match all.check("lock", &object(patch)) {
            Ok(()) => "allowed".to_owned(),
            Err(ClaimViolation { pointer, claimed_by }) => {
                format!("{pointer} of {}", claimed_by.as_deref().unwrap_or("the host"))
            }
        };
        assert_eq!(found, expect);
    }

    #[test]
    fn what_no_skill_claims_is_free() {
        check("", json!({"door": 1}), "allowed");
        check("world /door", json!({"lamp": {"door": 1}}), "allowed");
        check("world /door/lock", json!({"door": {"colour": "red"}}), "allowed");
        check("world /door/lock", json!({"door": {}}), "allowed");
        check("world door", json!({"door": 1}), "allowed");
    }

    #[test]
    fn a_skill_may_change_what_it_claims() {
        check("lock /door", json!({"door": {"open": null}}), "allowed");
        check("lock /door; world /door/hinge", json!({"door": {"open": 1}}), "allowed");
    }

    #[test]
    fn a_claimed_part_is_protected_from_every_side() {
        for value in [json!(null), json!(1), json!([]), json!({}), json!({"lock": {"x": 1}})] {
            check(
                "world /door",
                json!({"door": value}),
                match &value {
                    Value::Object(members) if !members.is_empty() => "/door/lock of world",
                    _ => "/door of world",
                },
            );
        }
        // A place above it.
        for value in [json!(null), json!("gone"), json!([{"lock": 1}])] {
            check("world /a/b/c", json!({"x": 1, "a": value}), "/a of world");
        }
        check("world /a/b/c", json!({"a": {"b": null}}), "/a/b of world");
        check("world /a~1b/m~0n", json!({"a/b": {"m~n": 1}}), "/a~1b/m~0n of world");
        check("world /", json!({"": 1}), "/ of world");
    }

    #[test]
    fn a_part_is_shared_only_by_those_who_claim_it_shared() {
        check("lock* /group; world* /group", json!({"group": null}), "allowed");
        check("lock* /group; world* /group/gold", json!({"group": null}), "allowed");
        check("lock* /group/gold; world* /group", json!({"group": {"gold": 3}}), "allowed");
        check(
            "lock* /group/gold; world* /group",
            json!({"group": {"food": 3}}),
            "/group/food of world",
        );
        check("lock* /group/gold; world* /group", json!({"group": null}), "/group of world");
        check("lock* /group; world /group/gold", json!({"group": null}), "/group of world");
        check("world* /group", json!({"group": {"gold": 1}}), "/group/gold of world");
    }

    #[test]
    fn a_claim_on_an_item_claims_its_list() {
        for (claim, place) in [
            ("/list/3", "/list"),
            ("/list/-", "/list"),
            ("/a/b/0/lock", "/a/b"),
            ("/a/0/1", "/a"),
            ("/3", "/3"),
            ("/a/01/b", "/a/01/b"),
            ("/a/-1", "/a/-1"),
            ("/a/99999999999999999999999", "/a/99999999999999999999999"),
            ("", ""),
        ] {
            assert_eq!(claimed_place(claim), place, "{claim}");
        }
        // Each of these would make an object of the list.
        for patch in [json!({"x": 1}), json!({"3": {"x": 1}}), json!({"0": null}), json!({})] {
            let pointer = match patch.as_object().unwrap().keys().next() {
                Some(key) => format!("/list/{key}"),
                None => "/list".to_owned(),
            };
            check("world /list/3", json!({"list": patch}), &format!("{pointer} of world"));
        }
        check("lock /list/3", json!({"list": [1, 2]}), "allowed");
    }

    #[test]
    fn the_hosts_member_is_no_skills() {
        check("lock /narratoria", json!({"narratoria": null}), "/narratoria of the host");
        check("", json!({"narratoria": {"bytes": {}}}), "/narratoria of the host");
    }

    #[test]
    fn places_overlap_if_one_lies_in_the_other() {
        let overlap = |one, other| {
            assert_eq!(pointers_overlap(one, other), pointers_overlap(other, one));
            pointers_overlap(one, other)
        };
        assert!(overlap("/a", "/a") && overlap("/a", "/a/b") && overlap("/a~1b/c", "/a~1b"));
        assert!(!overlap("/a", "/ab") && !overlap("/a/b", "/a/c") && !overlap("/a/", "/a/b"));
    }

    proptest! {
        /// The rule itself: an allowed patch leaves every place alone that another skill claims and does not share.
        #[test]
        fn no_allowed_patch_changes_what_another_skill_claims(
            state in tree_with_lists(),
            patch in tree_with_lists(),
            claims in proptest::collection::vec(("(/[a-c01-]){1,3}", 0..3_usize, any::<bool>()), 0..6),
        ) {
            let skills = ["lock", "world", "dice"];
            let mut all = StateClaims::default();
            for (pointer, skill, is_shared) in &claims {
                all.add(skills[*skill], pointer, *is_shared);
            }
            if all.check("lock", &patch).is_ok() {
                let before = Value::Object(state.clone());
                let mut after = state;
                merge(&mut after, &patch);
                let after = Value::Object(after);
                let is_own = |pointer: &str| {
                    let own = claims.iter().filter(|(_, skill, _)| *skill == 0);
                    let pointer = claimed_place(pointer);
                    own.into_iter().any(|(own, ..)| pointers_overlap(&claimed_place(own), &pointer))
                };
                for (pointer, skill, is_shared) in &claims {
                    if *skill != 0 && !(*is_shared && is_own(pointer)) {
                        prop_assert_eq!(before.pointer(pointer), after.pointer(pointer));
                    }
                }
            } else {
                // Without the other skills' claims every patch is allowed.
                let mut own = StateClaims::default();
                let of_own = claims.iter().filter(|(_, skill, _)| *skill == 0);
                of_own.into_iter().for_each(|(pointer, _, shared)| own.add("lock", pointer, *shared));
                prop_assert!(own.check("lock", &patch).is_ok());
            }
        }
    }
}
