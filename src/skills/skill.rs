//! One package becomes one [`Skill`], or all its problems.

use std::collections::BTreeMap;

use semver::{Version, VersionReq};

use super::{
    catalog::{PackageOrigin, Skill},
    config::{UnsetVariable, VariableLookup, load_config},
    examples::load_examples,
    front_matter::parse_skill_md,
    manifest::{MANIFEST_FILE, ManifestJson, parse_manifest},
    package::{PackageFiles, path_fault},
    problem::{Problem, ProblemList},
    scripts::build_scripts,
    triggers::build_triggers,
};

pub(super) const SKILL_MD: &str = "SKILL.md";
pub(super) const PROMPT_MD: &str = "prompt.md";

/// Longest `skill.json`. One with 64 scripts is about 60 KiB.
pub const MANIFEST_BYTES_MAX: u64 = 256 << 10;
/// Longest prompt, front matter included: every plan's prompt carries it.
const SKILL_PROMPT_BYTES_MAX: u64 = 64 << 10;

/// A skill and the other skills that it needs.
#[derive(Debug)]
pub(super) struct SkillWithDependencies {
    pub(super) skill: Skill,
    pub(super) dependencies: BTreeMap<String, VersionReq>,
}

/// Checks the package that lies in the folder `name`.
pub(super) fn load_skill(
    name: &str,
    package: &PackageFiles,
    origin: PackageOrigin,
    env: (VariableLookup<'_>, UnsetVariable),
) -> Result<SkillWithDependencies, Vec<Problem>> {
    let mut findings = ProblemList::for_package(name);
    let candidate = build(name, package, origin, env, &mut findings);
    match candidate {
        Some(candidate) if findings.is_empty() => Ok(candidate),
        _ => Err(findings.into_problems()),
    }
}

fn build(
    name: &str,
    package: &PackageFiles,
    origin: PackageOrigin,
    env: (VariableLookup<'_>, UnsetVariable),
    findings: &mut ProblemList,
) -> Option<SkillWithDependencies> {
    let document = package.json(MANIFEST_FILE, MANIFEST_BYTES_MAX, findings)?;
    let manifest = parse_manifest(document, findings)?;
    if manifest.name != name {
        let what = format!("`{}` must equal the folder `{name}`", manifest.name);
        findings.field(MANIFEST_FILE, "/name", what);
    }
    // Each part is checked even if another one is faulty, so that an author sees all problems at once.
    let version = parse_version(&manifest, findings);
    let dependencies = parse_dependencies(&manifest, findings);
    let prompt = load_prompt(name, package, manifest.prompt.as_deref(), findings);
    let config = load_config(package, manifest.config_schema.as_deref(), env, findings);
    let triggers = build_triggers(&manifest, findings);
    let scripts = build_scripts(package, &manifest, findings);
    let names: Vec<&str> = manifest.scripts.iter().map(|script| script.name.as_str()).collect();
    let examples = load_examples(package, &names, &scripts, findings);
    let config = config?;
    let skill = Skill {
        display_name: manifest.display_name.unwrap_or_else(|| manifest.name.clone()),
        name: manifest.name,
        description: manifest.description,
        version: version?,
        author: manifest.author,
        license: manifest.license,
        prompt: prompt?,
        capabilities: manifest.capabilities,
        priority: manifest.priority,
        retry: manifest.retry_policy.policy(),
        triggers,
        examples,
        scripts,
        config: config.values,
        secrets: config.secrets,
        origin,
    };
    Some(SkillWithDependencies { skill, dependencies })
}

/// The contract's pattern accepts a few texts that are no versions, such as `1.0.0-..`.
fn parse_version(manifest: &ManifestJson, findings: &mut ProblemList) -> Option<Version> {
    match Version::parse(&manifest.version) {
        Ok(version) => Some(version),
        Err(error) => {
            let what = format!("`{}` is not a version: {error}", manifest.version);
            findings.field(MANIFEST_FILE, "/version", what);
            None
        }
    }
}

fn parse_dependencies(
    manifest: &ManifestJson,
    findings: &mut ProblemList,
) -> BTreeMap<String, VersionReq> {
    let mut dependencies = BTreeMap::new();
    for (name, text) in &manifest.dependencies {
        match VersionReq::parse(text) {
            Ok(wanted) => {
                dependencies.insert(name.clone(), wanted);
            }
            Err(error) => {
                let what = format!("`{text}` is not a version requirement: {error}");
                findings.field(MANIFEST_FILE, format!("/dependencies/{name}"), what);
            }
        }
    }
    dependencies
}

/// The file that the manifest names, else the body of `SKILL.md`, else `prompt.md` (S0 FR-004).
fn load_prompt(
    name: &str,
    package: &PackageFiles,
    named: Option<&str>,
    findings: &mut ProblemList,
) -> Option<String> {
    let has_skill_md = package.has(SKILL_MD);
    let body = if has_skill_md { load_skill_md(name, package, findings) } else { None };
    let file = match named {
        Some(SKILL_MD) if has_skill_md => return body,
        Some(file) => {
            if let Some(fault) = path_fault(file) {
                findings.field(MANIFEST_FILE, "/prompt", fault);
                return None;
            }
            file
        }
        None if has_skill_md => return body,
        None if package.has(PROMPT_MD) => PROMPT_MD,
        None => {
            findings.whole(format!(
                "has neither `{SKILL_MD}` nor `{PROMPT_MD}`, one of them must hold its prompt"
            ));
            return None;
        }
    };
    let text = package.text(file, SKILL_PROMPT_BYTES_MAX, findings)?;
    Some(text.trim().to_owned())
}

fn load_skill_md(name: &str, package: &PackageFiles, findings: &mut ProblemList) -> Option<String> {
    let text = package.text(SKILL_MD, SKILL_PROMPT_BYTES_MAX, findings)?;
    match parse_skill_md(&text, name) {
        Ok(body) => Some(body),
        Err(faults) => {
            for fault in faults {
                findings.file(SKILL_MD, fault);
            }
            None
        }
    }
}
