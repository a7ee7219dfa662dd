//! Trouble with packages in a session at a terminal: one sentence, once, and again only if the trouble has changed.
//! Pure.

use std::collections::BTreeMap;

use narratoria_engine::Update;

use super::words::some_names;

/// Problems with packages that the player has seen.
#[derive(Debug, Default)]
pub(super) struct PackageTrouble {
    /// The problems of each skill, as they were last reported.
    reported: BTreeMap<String, Vec<String>>,
}

impl PackageTrouble {
    /// Returns the sentence for the problems at the start of a session; `None` if there are none.
    pub(super) fn at_start(&mut self, problems: &[String]) -> Option<String> {
        for problem in problems {
            let name = package_of(problem).unwrap_or_default().to_owned();
            self.reported.entry(name).or_default().push(problem.clone());
        }
        let names: Vec<&str> = self.reported.keys().map(String::as_str).collect();
        match names.as_slice() {
            [] => None,
            [name] => Some(format!(
                "the package `{name}` cannot be used; `narratoria skill list` says why"
            )),
            names => {
                let (count, listed) = (names.len(), some_names(names));
                Some(format!(
                    "{count} packages cannot be used: {listed}; `narratoria skill list` says why"
                ))
            }
        }
    }

    /// Returns the sentence for an update about a skill; `None` if it reports no new trouble.
    pub(super) fn during_play(&mut self, update: &Update) -> Option<String> {
        match update {
            Update::SkillReady { skill, .. } | Update::SkillRemoved { skill } => {
                self.reported.remove(skill);
                None
            }
            Update::SkillFailed { skill, problems, still_used } => {
                if self.reported.get(skill) == Some(problems) {
                    return None;
                }
                self.reported.insert(skill.clone(), problems.clone());
                let first = problems.first().map_or("it cannot be used", String::as_str);
                let more = match problems.len().saturating_sub(1) {
                    0 => String::new(),
                    more => format!(" (and {more} more; `narratoria skill check` shows all)"),
                };
                let rest =
                    if *still_used { "; the version loaded before is still used" } else { "" };
                Some(format!("{first}{more}{rest}"))
            }
            _ => None,
        }
    }
}

/// Returns the package of a problem; its text begins with the name.
fn package_of(problem: &str) -> Option<&str> {
    problem.strip_prefix("package `")?.split_once('`').map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use narratoria_engine::Update;
    use proptest::prelude::*;

    use super::PackageTrouble;

    fn failed(problems: &[&str]) -> Update {
        let problems = problems.iter().map(|problem| format!("package `a`: {problem}")).collect();
        Update::SkillFailed { skill: "a".to_owned(), problems, still_used: false }
    }

    #[test]
    fn any_number_of_problems_at_the_start_is_one_sentence() {
        let at_start = |packages: usize| {
            let problems = (0..packages).flat_map(|package| {
                (0..3).map(move |fault| format!("package `p{package}`: skill.json: fault {fault}"))
            });
            PackageTrouble::default().at_start(&problems.collect::<Vec<_>>()).unwrap_or_default()
        };
        insta::assert_snapshot!([0, 1, 2, 9].map(at_start).join("\n"), @"
        the package `p0` cannot be used; `narratoria skill list` says why
        2 packages cannot be used: `p0`, `p1`; `narratoria skill list` says why
        9 packages cannot be used: `p0`, `p1`, `p2`, `p3` and 5 more; `narratoria skill list` says why
        ");
    }

    #[test]
    fn trouble_is_reported_again_only_when_it_changed() {
        let mut trouble = PackageTrouble::default();
        trouble.at_start(&["package `a`: is not JSON".to_owned()]);
        let told = |trouble: &mut PackageTrouble, update: &Update| {
            trouble.during_play(update).unwrap_or_else(|| "(nothing)".to_owned())
        };
        let ready = Update::SkillReady {
            skill: "a".to_owned(),
            version: "1.0.0".to_owned(),
            reloaded: true,
        };
        let updates = [
            failed(&["is not JSON"]),
            failed(&["has no name", "has no version"]),
            failed(&["has no name", "has no version"]),
            ready,
            failed(&["has no name"]),
        ];
        let lines: Vec<String> = updates.iter().map(|update| told(&mut trouble, update)).collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        (nothing)
        package `a`: has no name (and 1 more; `narratoria skill check` shows all)
        (nothing)
        (nothing)
        package `a`: has no name
        ");
    }

    /// An update about one of three skills: gone, ready, or in one of two kinds of trouble.
    fn about(skill: u8, what: u8) -> Update {
        let skill = format!("s{skill}");
        match what {
            0 => Update::SkillRemoved { skill },
            1 => Update::SkillReady { skill, version: "1.0.0".to_owned(), reloaded: true },
            fault => {
                let problems = vec![format!("package `{skill}`: fault {fault}")];
                Update::SkillFailed { skill, problems, still_used: false }
            }
        }
    }

    proptest! {
        /// However often packages are read again, in any order: the same trouble is reported again only after other
        /// news of that package, and no new trouble is kept back.
        #[test]
        fn of_any_series_of_updates_each_trouble_is_told_once(
            series in prop::collection::vec((0..3_u8, 0..4_u8), 0..40),
        ) {
            let mut trouble = PackageTrouble::default();
            let mut last = [None; 3];
            for (skill, what) in series {
                let told = trouble.during_play(&about(skill, what)).is_some();
                let is_new = what >= 2 && last[usize::from(skill)] != Some(what);
                prop_assert_eq!(told, is_new, "s{} {}", skill, what);
                last[usize::from(skill)] = Some(what);
            }
        }
    }
}
