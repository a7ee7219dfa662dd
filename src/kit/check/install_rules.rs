//! The rules about what a package asks of its players, and about the policy of whoever checks it. `skill install` shows
//! the same demands, and a player's host applies the same policy.

use super::{
    finding::{FindingCollector, FindingLocation, TargetKind},
    rules::{self, FindingLevel, Rule},
};
use narratoria_skills::{
    Catalog, Demand, DemandKind, HostPolicy, PolicyEffect, Skill, demands, replaced_built_in,
};

const MANIFEST: &str = "skill.json";

/// Reports the demands that an honest package seldom has.
pub(super) fn check_demands(
    skill: &Skill,
    kind: TargetKind,
    built_in: &Catalog,
    findings: &mut FindingCollector<'_>,
) {
    if kind == TargetKind::BuiltIn {
        return;
    }
    let replaced = replaced_built_in(skill, built_in.iter().map(|skill| skill.name.as_str()));
    let replaced = replaced.filter(|_| kind != TargetKind::AgreedReplacement);
    for demand in demands(skill, built_in).iter().chain(&replaced) {
        let Some(DemandRule { rule, level, pointer }) = rule_of(demand) else { continue };
        let place = place_of(skill, pointer);
        findings.add_at(rule, level, place, demand.to_string());
    }
}

/// Reports each breach of the policy.
pub(super) fn check_policy(
    skill: &Skill,
    kind: TargetKind,
    policy: &HostPolicy,
    findings: &mut FindingCollector<'_>,
) {
    if kind == TargetKind::BuiltIn {
        return;
    }
    for breach in policy.breaches(skill) {
        let rule = match breach.effect {
            PolicyEffect::Refused => &rules::POLICY_REFUSED,
            PolicyEffect::Lowered => &rules::POLICY_LOWERED,
        };
        let place = place_of(skill, &breach.pointer);
        findings.add(rule, place, breach.to_string());
    }
}

/// A plain Agent Skill has no manifest.
fn place_of(skill: &Skill, pointer: &str) -> FindingLocation {
    match skill.is_prompt_only() {
        true => FindingLocation::whole(),
        false => FindingLocation::field(MANIFEST, pointer),
    }
}

struct DemandRule {
    rule: &'static Rule,
    level: FindingLevel,
    /// The place in the manifest.
    pointer: &'static str,
}

/// The rule about a demand; `None` for grants, parts of the state and settings, which every package may ask for, and for a
/// difference between two versions.
fn rule_of(demand: &Demand) -> Option<DemandRule> {
    let (rule, pointer) = match demand.kind {
        DemandKind::ReplacesBuiltIn => (&rules::INSTALL_BUILT_IN_NAME, "/name"),
        DemandKind::Priority => (&rules::INSTALL_PRIORITY, "/priority"),
        DemandKind::Capability => (&rules::INSTALL_CAPABILITY, "/capabilities"),
        DemandKind::CatchesEverything | DemandKind::CatchesMany | DemandKind::Fallback => {
            (&rules::INSTALL_TRIGGERS, "/triggers")
        }
        DemandKind::Limit => (&rules::INSTALL_LIMITS, "/scripts"),
        DemandKind::Retries => (&rules::INSTALL_LIMITS, "/retryPolicy"),
        DemandKind::Runs => (&rules::INSTALL_RUNS, "/triggers"),
        DemandKind::OddText => (&rules::INSTALL_ODD_TEXT, ""),
        DemandKind::Grant(_)
        | DemandKind::Reads
        | DemandKind::Writes
        | DemandKind::Secret
        | DemandKind::OpenedSecret
        | DemandKind::LeftoverSetting
        | DemandKind::SettingVariable
        | DemandKind::DroppedApproval
        | DemandKind::OtherAuthor
        | DemandKind::OtherKey
        | DemandKind::NoSignature => return None,
    };
    // One sentence in five, or an answer where nothing else answers, may well be the purpose of a skill.
    let level = match demand.kind {
        DemandKind::CatchesMany | DemandKind::Fallback => FindingLevel::Note,
        _ => rule.level,
    };
    Some(DemandRule { rule, level, pointer })
}
