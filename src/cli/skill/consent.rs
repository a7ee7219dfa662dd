//! Shows a person what a package asks for. The package is installed only if the person agrees.

use std::collections::BTreeSet;

use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::visible::visible_line;
use narratoria_skills::{
    Catalog, ConfigForm, Demand, DemandKind, PackageHandle, PackageRoot, Problem, SettingsFolder,
    Skill, StagedPackage, demands, dropped_approvals, find_in_roots, load_for_player, other_author,
    other_signer, replaced_built_in,
};
use serde_json::{Value, json};

use super::find_package;
use crate::{
    confirm::{Agreement, confirm},
    player_settings::PlayerSettingsSource,
    settings::CliSettings,
    setup,
};
use narratoria_ui::Out;

/// Most demands of one package.
const DEMANDS_MAX: usize = 100;

/// Most bytes of the question, over all its lines.
const CONSENT_BYTES_MAX: usize = 16 << 10;

/// Agreements that were given before the question.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ConsentGiven {
    /// To everything that a package asks for, whoever signed it.
    pub(super) everything: bool,
    /// To another signer than that of the version before.
    pub(super) key_change: bool,
}

/// Facts about a package that a person reads before it is installed.
pub(super) struct ConsentRequest {
    title: String,
    /// Demands that the installed version does not have.
    pub(super) new: BTreeSet<Demand>,
    /// Demands that only the installed version has.
    pub(super) gone: BTreeSet<Demand>,
    /// Facts that need no agreement.
    facts: Vec<String>,
    is_upgrade: bool,
}

impl ConsentRequest {
    /// Compares a staged package with the one in its place. Returns the same error as a start if the package could not
    /// be loaded beside the other skills.
    pub(super) fn of(
        staged: &StagedPackage,
        source: &PlayerSettingsSource,
        settings: &CliSettings,
    ) -> Result<ConsentRequest, TurnError> {
        let broken = |problems: Vec<Problem>| find_package::broken(&problems);
        let package = staged.package().map_err(|problem| broken(vec![problem]))?;
        let skill = load(&package, source).map_err(broken)?;
        let previous = staged.previous().and_then(|package| load(&package, source).ok());
        let others = other_skills(settings, source);
        if let Some(problem) = others.claim_conflict(&skill) {
            return Err(broken(vec![problem]));
        }
        let mut wanted = demands_of(&skill, &others);
        let mut held = match &previous {
            Some(previous) => demands_of(previous, &others),
            None => BTreeSet::new(),
        };
        if let Some(previous) = &previous {
            wanted.extend(dropped_approvals(previous, &skill));
            wanted.extend(other_author(previous, &skill));
        }
        // A folder may have been put there by hand, which no person has agreed to.
        if !source.settings.agrees_to_replacement(&skill.name, &skill.origin) {
            held.retain(|demand| demand.kind != DemandKind::ReplacesBuiltIn);
        }
        let opened = previous.as_ref().map(|it| opened_secrets(it, &skill)).unwrap_or_default();
        held.retain(|demand| demand.kind != DemandKind::Secret || !opened.contains(&demand.what));
        wanted.extend(opened.into_iter().map(|what| Demand {
            kind: DemandKind::OpenedSecret,
            what,
            is_optional: false,
        }));
        let mut title = format!("{} {}", staged.name(), staged.version());
        if let Some(version) = staged.previous_version() {
            title += &format!(" in place of {version}");
        }
        if let Some(previous) = &previous {
            let given = source.settings.given_names(&skill.name, &skill.origin);
            wanted.extend(leftover_settings(&given, previous, &skill));
        }
        let signer = staged.pinned().map(|pinned| &pinned.key);
        wanted.extend(staged.previous_pinned().and_then(|before| other_signer(before, signer)));
        Ok(ConsentRequest {
            title,
            new: wanted.difference(&held).cloned().collect(),
            gone: held.difference(&wanted).cloned().collect(),
            facts: signer_fact(staged).into_iter().chain(facts(&package, &skill, source)).collect(),
            is_upgrade: staged.previous_version().is_some(),
        })
    }

    /// Returns true if the package would take the place of a built-in skill from now on.
    pub(super) fn replaces_built_in(&self) -> bool {
        self.new.iter().any(|demand| demand.kind == DemandKind::ReplacesBuiltIn)
    }

    /// Shows the request and asks. A package with no new demands needs no agreement.
    pub(super) fn ask(
        &self,
        given: ConsentGiven,
        settings: &CliSettings,
        err: &mut Out,
    ) -> Result<(), TurnError> {
        let text = self.text();
        if self.new.len() > DEMANDS_MAX || text.len() > CONSENT_BYTES_MAX {
            return Err(self.is_unreadable(text.len()));
        }
        if !self.new.is_empty() || !self.gone.is_empty() || !self.facts.is_empty() {
            err.write_for_consent(&text);
        }
        let (signer, others): (Vec<&Demand>, Vec<&Demand>) =
            self.new.iter().partition(|demand| demand.is_about_signer());
        let is_signer_open = !signer.is_empty() && !given.key_change;
        if !is_signer_open && (others.is_empty() || given.everything) {
            return Ok(());
        }
        match confirm(&format!("Install {}?", self.title), false, settings, err)? {
            Agreement::Agreed => Ok(()),
            Agreement::Declined => {
                let what = format!("{} is not installed", self.title);
                Err(TurnError::new(TurnErrorKind::Refused, what))
            }
            Agreement::NobodyToAsk if is_signer_open => {
                let what = format!(
                    "{} is not installed: it is not signed as the version before it was",
                    self.title
                );
                Err(TurnError::new(TurnErrorKind::Refused, what).hint(
                    "ask its author why; `--accept-key-change` agrees to it, `--yes` alone does not",
                ))
            }
            Agreement::NobodyToAsk => {
                let what = format!(
                    "{} is not installed: nobody has agreed to what it asks for",
                    self.title
                );
                Err(TurnError::new(TurnErrorKind::BadInput, what)
                    .hint("`--yes` agrees to all of it; a terminal asks"))
            }
        }
    }

    /// Returns the refusal of a question that is too long to read. `--yes` does not help, because the player would
    /// agree unread.
    fn is_unreadable(&self, bytes: usize) -> TurnError {
        let (title, demands) = (&self.title, self.new.len());
        let what = format!(
            "{title} is not installed: it asks for {demands} things in {bytes} bytes, and a person reads {DEMANDS_MAX} \
             in {CONSENT_BYTES_MAX} at most"
        );
        TurnError::new(TurnErrorKind::BadInput, what)
            .hint("`narratoria skill inspect` shows them all; ask its author for a package that asks for less")
    }

    fn text(&self) -> String {
        let title = visible_line(&self.title);
        let mut text = match (self.new.is_empty(), self.is_upgrade) {
            (true, false) => format!("{title} asks for nothing\n"),
            (true, true) => format!("{title} asks for nothing more\n"),
            (false, false) => format!("{title} asks for this:\n"),
            (false, true) => format!("{title} asks for more than before:\n"),
        };
        for demand in &self.new {
            text += &format!("  + {}\n", visible_line(&demand.to_string()));
        }
        for demand in &self.gone {
            text += &format!("  - no longer: {}\n", visible_line(&demand.to_string()));
        }
        for fact in &self.facts {
            text += &format!("  · {}\n", visible_line(fact));
        }
        text
    }
}

fn load(package: &PackageHandle, source: &PlayerSettingsSource) -> Result<Skill, Vec<Problem>> {
    package.load(&source.side().tolerating_missing())
}

/// Loads the skills that a start would load.
pub(super) fn other_skills(settings: &CliSettings, source: &PlayerSettingsSource) -> Catalog {
    load_for_player(&setup::roots(settings), &source.side().tolerating_missing()).catalog
}

/// Returns all demands of a skill beside these others, including its name.
pub(super) fn demands_of(skill: &Skill, others: &Catalog) -> BTreeSet<Demand> {
    let mut all = demands(skill, others);
    let built_in: [PackageRoot; 1] = [narratoria_built_in::built_in()];
    let built_in = find_in_roots(&built_in, &SettingsFolder::none());
    all.extend(replaced_built_in(skill, built_in.iter().map(|package| package.name())));
    all
}

/// Returns the settings that the version before kept secret and that the next version gets without keeping them secret.
fn opened_secrets(before: &Skill, next: &Skill) -> BTreeSet<String> {
    let is_open = |name: &&String| {
        [before, next].iter().all(|skill| skill.config.contains_key(*name))
            && !next.secrets.contains(name)
    };
    before.secrets.iter().filter(is_open).cloned().collect()
}

/// Returns the settings with a value from the player that the version before did not get and the next one gets.
fn leftover_settings(given: &BTreeSet<String>, before: &Skill, next: &Skill) -> Vec<Demand> {
    let is_new =
        |name: &&String| !before.config.contains_key(*name) && next.config.contains_key(*name);
    let demand = |what: &String| Demand {
        kind: DemandKind::LeftoverSetting,
        what: what.clone(),
        is_optional: false,
    };
    given.iter().filter(is_new).map(demand).collect()
}

/// Returns the demands as a list for programs.
pub(super) fn demands_document(demands: &BTreeSet<Demand>) -> Value {
    demands
        .iter()
        .map(|demand| {
            let mut document = json!({"kind": demand.kind.as_str(), "what": demand.what});
            if demand.is_optional {
                document["optional"] = json!(true);
            }
            document
        })
        .collect()
}

/// Says who signed a package. A key that is new with the package is remembered, and one that is not the same is no fact
/// but a demand.
fn signer_fact(staged: &StagedPackage) -> Option<String> {
    let pinned = staged.pinned()?;
    let key = &pinned.key;
    match staged.previous_pinned() {
        Some(before) if before.key == *key => Some(format!(
            "is signed by the same key as before, {key}, first seen at {}",
            before.since
        )),
        Some(_) => None,
        None => Some(format!(
            "is signed by the key {key}, which is first seen now; another one will be asked about"
        )),
    }
}

/// Returns facts for the player that need no agreement.
fn facts(package: &PackageHandle, skill: &Skill, source: &PlayerSettingsSource) -> Vec<String> {
    let form = package.config_form(&source.settings);
    form.map(|form| suggested_variables(&form, skill)).unwrap_or_default()
}

/// Returns the variables that the schema suggests and that the player has not named.
pub(super) fn suggested_variables(form: &ConfigForm, skill: &Skill) -> Vec<String> {
    let suggested =
        form.settings().iter().filter_map(|setting| Some((setting, setting.env.as_ref()?)));
    let open = suggested.filter(|(_, variable)| !skill.setting_variables.contains_key(*variable));
    open.map(|(setting, variable)| {
        let name = &setting.name;
        format!(
            "its setting `{name}` may be taken from the environment variable `{variable}`, if you set `${{{variable}}}`"
        )
    })
    .collect()
}
