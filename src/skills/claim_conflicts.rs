//! Two skills that claim one part of the state.

use std::collections::BTreeMap;

use super::{
    catalog::{Catalog, PackageOrigin, Skill},
    manifest::MANIFEST_FILE,
    problem::{Problem, Severity},
    skill::SkillWithDependencies,
};
use narratoria_protocol::pointers_overlap;

/// Removes each skill that claims a part of the state which an earlier skill claims, unless both share it. Built-in
/// skills come first, then the others in name order.
pub(super) fn drop_conflicting_claims(
    chosen: &mut BTreeMap<String, SkillWithDependencies>,
    problems: &mut Vec<Problem>,
) {
    let mut names: Vec<(bool, String)> = chosen
        .values()
        .filter(|candidate| !candidate.skill.writes.is_empty())
        .map(|candidate| &candidate.skill)
        .map(|skill| (skill.origin != PackageOrigin::BuiltIn, skill.name.clone()))
        .collect();
    names.sort();
    let mut kept: Vec<String> = Vec::new();
    for (_, name) in names {
        let conflict = kept
            .iter()
            .find_map(|earlier| claim_conflict(&chosen[earlier].skill, &chosen[&name].skill));
        match conflict {
            None => kept.push(name),
            Some(problem) => {
                chosen.remove(&name);
                problems.push(problem);
            }
        }
    }
}

impl Catalog {
    /// Why this skill and one of these could not be loaded together: the problem that a start would report. A skill of
    /// the same name does not count, because only one of the two is loaded.
    pub fn claim_conflict(&self, skill: &Skill) -> Option<Problem> {
        let others = self.iter().filter(|other| other.name != skill.name);
        let mut conflicts = others.filter_map(|other| claim_conflict(other, skill));
        conflicts.next()
    }
}

/// The first claim of `later` that `earlier` does not share.
fn claim_conflict(earlier: &Skill, later: &Skill) -> Option<Problem> {
    later.writes.iter().enumerate().find_map(|(at, claim)| {
        let other = earlier.writes.iter().find(|other| {
            !(other.is_shared && claim.is_shared)
                && pointers_overlap(&other.pointer, &claim.pointer)
        })?;
        let what = format!(
            "`{}` is claimed by the skill `{}` (`{}`); both must declare it `shared`, or one of them must go",
            claim.pointer, earlier.name, other.pointer
        );
        Some(Problem {
            package: later.name.clone(),
            file: Some(MANIFEST_FILE.to_owned()),
            field: Some(format!("/writes/{at}")),
            what,
            severity: Severity::Skipped,
        })
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use proptest::prelude::*;

    use super::*;
    use crate::{WriteClaim, compile_budget::CompiledSize, testing::skill};
    use narratoria_protocol::StateClaims;

    /// `!world /door, /lamp; party* /group`: the mark means built-in, the star a skill that shares its claims.
    fn skills(text: &str) -> BTreeMap<String, SkillWithDependencies> {
        let one = |text: &str| {
            let (name, pointers) = text.split_once(' ').unwrap_or((text, ""));
            let word = name.trim_start_matches('!').trim_end_matches('*');
            let mut skill = skill(word, &[]);
            if !name.starts_with('!') {
                skill.origin = PackageOrigin::Folder(PathBuf::from(word));
            }
            let pointers = pointers.split(", ").filter(|pointer| !pointer.is_empty());
            skill.writes = pointers
                .map(|pointer| WriteClaim {
                    pointer: pointer.to_owned(),
                    is_shared: name.ends_with('*'),
                })
                .collect();
            let dependencies = BTreeMap::new();
            let (notes, size) = (Vec::new(), CompiledSize::default());
            (word.to_owned(), SkillWithDependencies { skill, dependencies, notes, size })
        };
        text.split("; ").map(one).collect()
    }

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let (mut chosen, mut problems) = (skills(text), Vec::new());
        drop_conflicting_claims(&mut chosen, &mut problems);
        let kept: Vec<&str> = chosen.keys().map(String::as_str).collect();
        let problems = problems.iter().map(|problem| format!("\n{problem}"));
        assert_eq!(format!("{}{}", kept.join(" "), problems.collect::<String>()), expect);
    }

    #[test]
    fn skills_that_claim_different_parts_live_side_by_side() {
        check("dice; world /door; lock /key", "dice lock world");
        check("lock* /group; world* /group/gold", "lock world");
    }

    #[test]
    fn of_two_skills_that_claim_one_part_the_later_is_not_loaded() {
        let what = "package `world`: skill.json: /writes/1: `/door/hinge` is claimed by the skill `lock` (`/door`); \
                    both must declare it `shared`, or one of them must go";
        check("world /lamp, /door/hinge; lock /door", &format!("lock\n{what}"));
        let what = "package `lock`: skill.json: /writes/0: `/door` is claimed by the skill `world` (`/door/hinge`); \
                    both must declare it `shared`, or one of them must go";
        check("!world /lamp, /door/hinge; lock /door", &format!("world\n{what}"));
        check(
            "!world* /door; lock /door",
            &format!("world\n{}", what.replace("/door/hinge", "/door")),
        );
    }

    proptest! {
        /// No two skills that are left may be at odds, and each of them may write all that it claims.
        #[test]
        fn skills_that_are_left_can_write_what_they_claim(
            claims in proptest::collection::vec(
                (proptest::collection::vec("(/[a-c]){1,3}", 0..3), any::<[bool; 2]>()), 1..6),
        ) {
            let one = |(at, (pointers, [built_in, shared])): (usize, &(Vec<String>, [bool; 2]))| {
                let (mark, star) = (if *built_in { "!" } else { "" }, if *shared { "*" } else { "" });
                format!("{mark}k{at}{star} {}", pointers.join(", "))
            };
            let text: Vec<String> = claims.iter().enumerate().map(one).collect();
            let mut chosen = skills(&text.join("; "));
            drop_conflicting_claims(&mut chosen, &mut Vec::new());
            let mut all = StateClaims::default();
            for skill in chosen.values().map(|candidate| &candidate.skill) {
                skill.writes.iter().for_each(|it| all.add(&skill.name, &it.pointer, it.is_shared));
            }
            for skill in chosen.values().map(|candidate| &candidate.skill) {
                for claim in &skill.writes {
                    let tokens = narratoria_protocol::pointer_tokens(&claim.pointer).unwrap();
                    let patch = tokens.iter().rev().fold(serde_json::json!(1), |value, token| {
                        serde_json::json!({token: value})
                    });
                    prop_assert!(all.check(&skill.name, patch.as_object().unwrap()).is_ok());
                }
            }
        }
    }
}
