//! One package becomes one [`Skill`], or all its problems.

use std::collections::BTreeMap;

use semver::{Version, VersionReq};

use super::{
    agent_skill::{is_agent_skill, load_agent_skill},
    catalog::{PackageOrigin, Skill},
    claims::build_claims,
    compile_budget::{CompileBudget, CompiledSize, PACKAGE_STEPS_MAX},
    config::{ConfiguredPackage, PlayerSide, load_config},
    examples::load_examples,
    forbidden::{ForbiddenFile, PackageForm, find_forbidden},
    front_matter::{SKILL_MD, SKILL_PROMPT_BYTES_MAX, parse_skill_md},
    manifest::{MANIFEST_FILE, ManifestJson, parse_manifest},
    package::{PackageFiles, path_fault},
    problem::{Problem, ProblemList},
    schema_meter::limit_steps,
    scripts::build_scripts,
    triggers::build_triggers,
};

pub(super) const PROMPT_MD: &str = "prompt.md";

/// Longest `skill.json`. One with 64 scripts is about 60 KiB.
pub const MANIFEST_BYTES_MAX: u64 = 256 << 10;

/// A skill and the other skills that it needs.
#[derive(Debug)]
pub(super) struct SkillWithDependencies {
    pub(super) skill: Skill,
    pub(super) dependencies: BTreeMap<String, VersionReq>,
    /// Remarks that do not keep it from being used.
    pub(super) notes: Vec<Problem>,
    /// Amounts that it makes the host keep.
    pub(super) size: CompiledSize,
}

/// Checks the package that lies in the folder `name`. `budget` is what it may make the host compile.
pub(super) fn load_skill(
    name: &str,
    package: &PackageFiles,
    origin: PackageOrigin,
    player: &PlayerSide<'_>,
    mut budget: CompileBudget,
) -> Result<SkillWithDependencies, Vec<Problem>> {
    let mut findings = ProblemList::for_package(name);
    let signer = player.settings.signer(&origin);
    let candidate = limit_steps(PACKAGE_STEPS_MAX, || {
        build(name, package, origin, player, (&mut budget, &mut findings))
    });
    match candidate {
        Some(mut candidate) if findings.is_empty() => {
            candidate.skill.signer = signer;
            Ok(candidate)
        }
        _ => Err(findings.into_problems()),
    }
}

fn build(
    name: &str,
    package: &PackageFiles,
    origin: PackageOrigin,
    player: &PlayerSide<'_>,
    (budget, findings): (&mut CompileBudget, &mut ProblemList),
) -> Option<SkillWithDependencies> {
    if is_agent_skill(package) {
        report_forbidden(package, &[], findings);
        let skill = load_agent_skill(name, package, origin, findings)?;
        return Some(SkillWithDependencies {
            skill,
            dependencies: BTreeMap::new(),
            notes: Vec::new(),
            size: CompiledSize::default(),
        });
    }
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
    let schema_file = manifest.config_schema.as_deref();
    let configured = ConfiguredPackage { name, files: package, origin: &origin, schema_file };
    let config = load_config(configured, player, findings);
    let triggers = build_triggers(&manifest, budget, findings);
    let scripts = build_scripts(package, &manifest, budget, findings);
    let writes = build_claims(&manifest, findings);
    let names: Vec<&str> = manifest.scripts.iter().map(|script| script.name.as_str()).collect();
    let examples = load_examples(package, &names, &scripts, findings);
    let components: Vec<&str> = manifest.scripts.iter().map(|it| it.path.as_str()).collect();
    report_forbidden(package, &components, findings);
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
        names_backoff: manifest.retry_policy.names_backoff(),
        triggers,
        examples,
        scripts,
        writes,
        config: config.values,
        secrets: config.secrets,
        setting_variables: config.variables,
        origin,
        signer: None,
    };
    Some(SkillWithDependencies { skill, dependencies, notes: config.notes, size: budget.taken() })
}

/// The files that the package may not hold, with their paths; an empty path is the package itself. `components` are
/// the files that the manifest names as such: they are judged as components.
pub(super) fn forbidden_files(
    package: &PackageFiles,
    components: &[&str],
) -> Vec<(String, ForbiddenFile)> {
    let form = match is_agent_skill(package) {
        true => PackageForm::AgentSkill,
        false => PackageForm::Folder,
    };
    let mut found = find_forbidden(package, form);
    found.retain(|(path, fault)| {
        *fault != ForbiddenFile::Native || !components.contains(&path.as_str())
    });
    found
}

/// Known errors of a file are not reported again.
fn report_forbidden(package: &PackageFiles, components: &[&str], findings: &mut ProblemList) {
    for (path, fault) in forbidden_files(package, components) {
        match path.as_str() {
            "" => findings.whole(fault.to_string()),
            path if findings.has_file(path) => {}
            path => findings.file(path, fault.to_string()),
        }
    }
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

/// Reads the file that the manifest names, otherwise the body of `SKILL.md`, otherwise `prompt.md` (S0 FR-004).
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
