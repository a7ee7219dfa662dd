//! Finds campaigns: those of the program, those in the folder `campaigns` of the home, and folders that a player names.

use std::{
    fs,
    path::{Path, PathBuf},
};

use narratoria_bundled_campaigns::{BundledCampaign, bundled};
use narratoria_campaign::{
    CampaignFolderError, CampaignParts, CampaignSource, CompileResult, ProblemWeight,
};
use narratoria_engine::{TurnError, TurnErrorKind};
use narratoria_protocol::{
    CompiledCampaign, JsonBounds, is_campaign_name,
    nearest::nearest,
    read_json_as,
    visible::{clip, visible_word},
};
use narratoria_skills::read_outside;
use serde::{Deserialize, Serialize};

use crate::settings::CliSettings;
use narratoria_ui::{Out, Tone, note, plural};

/// The file that makes a folder a campaign.
pub(super) const MANIFEST: &str = "manifest.json";

/// Longest manifest that is read for a list.
const MANIFEST_BYTES_MAX: u64 = 256 << 10;

const MANIFEST_BOUNDS: JsonBounds = JsonBounds::of_bytes(MANIFEST_BYTES_MAX as usize);

/// Most campaigns of the home that a list reads.
const HOME_CAMPAIGNS_MAX: usize = 1_000;

/// Most faults of a campaign that an error shows.
const FAULTS_SHOWN_MAX: usize = 5;

/// The beginning of a note about a generated part.
const GENERATED: &str = "generated: ";

/// Most characters of each text in a list.
const LINE_CHARS_MAX: usize = 200;

/// A campaign that was found and is not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundCampaign {
    /// The name of its folder.
    pub(crate) name: String,
    pub(crate) place: CampaignPlace,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CampaignPlace {
    Bundled(&'static BundledCampaign),
    Folder(PathBuf),
}

/// The parts of a manifest that a list shows.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct CampaignCard {
    pub(crate) title: String,
    pub(crate) version: String,
    pub(crate) author: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) genre: Option<String>,
    #[serde(rename = "estimated_playtime_hours")]
    pub(crate) playtime_hours: Option<f64>,
    pub(crate) cover: Option<CoverCard>,
}

/// The picture that a manifest names.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub(crate) struct CoverCard {
    /// The path in the folder of the campaign.
    pub(crate) file: String,
    /// What is to be seen on it.
    pub(crate) alt: String,
}

impl FoundCampaign {
    /// Names the origin of the campaign in one word.
    pub(crate) fn origin(&self) -> &'static str {
        match self.place {
            CampaignPlace::Bundled(_) => "program",
            CampaignPlace::Folder(_) => "home",
        }
    }

    /// Returns the argument that names the campaign on the command line.
    fn argument(&self) -> String {
        match &self.place {
            CampaignPlace::Bundled(_) => self.name.clone(),
            CampaignPlace::Folder(folder) => {
                visible_word(&folder.display().to_string()).into_owned()
            }
        }
    }

    /// Returns the card from the manifest. It is empty but for the title if the manifest cannot be read.
    pub(crate) fn card(&self) -> CampaignCard {
        let text = match &self.place {
            CampaignPlace::Bundled(campaign) => {
                let manifest = campaign.files.iter().find(|(path, _)| *path == MANIFEST);
                manifest.map(|(_, bytes)| bytes.to_vec())
            }
            CampaignPlace::Folder(folder) => {
                read_outside(&folder.join(MANIFEST), MANIFEST_BYTES_MAX).ok()
            }
        };
        let card = text.and_then(|text| read_json_as::<CampaignCard>(&text, MANIFEST_BOUNDS).ok());
        let mut card = card.unwrap_or_default();
        let shorten = |text: &mut String| *text = clip(text.trim(), LINE_CHARS_MAX).into_owned();
        shorten(&mut card.title);
        shorten(&mut card.version);
        [&mut card.author, &mut card.description, &mut card.genre]
            .into_iter()
            .flatten()
            .for_each(shorten);
        if let Some(cover) = &mut card.cover {
            shorten(&mut cover.file);
            shorten(&mut cover.alt);
        }
        if card.title.is_empty() {
            card.title.clone_from(&self.name);
        }
        card
    }
}

/// Returns all campaigns that have a name. A campaign of the home hides one of the program that has its name.
pub(crate) fn all(settings: &CliSettings) -> Vec<FoundCampaign> {
    let mut found = in_home(settings);
    for campaign in bundled() {
        if !found.iter().any(|other| other.name == campaign.name) {
            let place = CampaignPlace::Bundled(campaign);
            found.push(FoundCampaign { name: campaign.name.to_owned(), place });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn in_home(settings: &CliSettings) -> Vec<FoundCampaign> {
    let Ok(home) = settings.home() else { return Vec::new() };
    let entries = fs::read_dir(home.campaigns()).into_iter().flatten().flatten();
    let campaign = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let folder = entry.path();
        let is_campaign = is_campaign_name(&name) && folder.join(MANIFEST).is_file();
        is_campaign.then_some(FoundCampaign { name, place: CampaignPlace::Folder(folder) })
    };
    entries.take(HOME_CAMPAIGNS_MAX).filter_map(campaign).collect()
}

/// Returns the campaign of this name, of the home or of the program.
pub(crate) fn named(settings: &CliSettings, name: &str) -> Option<FoundCampaign> {
    let in_home = || {
        let folder = settings.home().ok()?.campaigns().join(name);
        let is_campaign = is_campaign_name(name) && folder.join(MANIFEST).is_file();
        is_campaign.then_some(CampaignPlace::Folder(folder))
    };
    let place = in_home().or_else(|| {
        bundled().iter().find(|campaign| campaign.name == name).map(CampaignPlace::Bundled)
    })?;
    Some(FoundCampaign { name: name.to_owned(), place })
}

/// Finds the campaign that a player names: a name of the list, or a folder.
pub(crate) fn find(settings: &CliSettings, text: &str) -> Result<FoundCampaign, TurnError> {
    if let Some(found) = named(settings, text) {
        return Ok(found);
    }
    let path = Path::new(text);
    if path.is_dir() {
        return Ok(FoundCampaign {
            name: folder_name(path),
            place: CampaignPlace::Folder(path.to_owned()),
        });
    }
    let shown = visible_word(&clip(text, LINE_CHARS_MAX)).into_owned();
    let error = format!("there is no campaign `{shown}`, and no folder of that name");
    let error = TurnError::new(TurnErrorKind::NotFound, error);
    let known = all(settings);
    Err(match nearest(text, known.iter().map(|campaign| campaign.name.as_str())) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`narratoria campaign list` lists the campaigns"),
    })
}

/// Reads the files of a campaign.
pub(crate) fn read(found: &FoundCampaign) -> Result<CampaignSource, TurnError> {
    match &found.place {
        CampaignPlace::Bundled(campaign) => {
            Ok(CampaignSource::in_memory(campaign.files.iter().copied()))
        }
        CampaignPlace::Folder(folder) => CampaignSource::read_folder(folder).map_err(|error| {
            let kind = match error {
                CampaignFolderError::Missing { .. } | CampaignFolderError::NotAFolder { .. } => {
                    TurnErrorKind::NotFound
                }
                CampaignFolderError::Io { .. } => TurnErrorKind::BadInput,
            };
            TurnError::new(kind, error)
        }),
    }
}

/// Says how many warnings there are about a campaign that is used all the same.
pub(super) fn note_warnings(found: &FoundCampaign, warnings: usize, err: &mut Out) {
    if warnings > 0 {
        let text = format!(
            "the campaign has {}; `narratoria campaign check {}` shows {}",
            plural(warnings, "warning"),
            found.argument(),
            if warnings == 1 { "it" } else { "them" }
        );
        note(err, Tone::Notice, "note", &text);
    }
}

/// A campaign that can be played.
#[cfg_attr(not(feature = "llama"), expect(dead_code, reason = "a model writes words for it"))]
pub(crate) struct ReadCampaign {
    /// The name of its folder.
    pub(crate) name: String,
    pub(crate) source: CampaignSource,
    /// The seed of the generated parts. Without one, the premise gives it.
    pub(crate) seed: Option<u64>,
    pub(crate) parts: CampaignParts,
    pub(crate) compiled: CompiledCampaign,
}

/// Reads a campaign and compiles it. The error of a campaign with faults shows the first of them.
pub(crate) fn compile(found: &FoundCampaign, err: &mut Out) -> Result<ReadCampaign, TurnError> {
    let source = read(found)?;
    let CompileResult { campaign, parts, problems, .. } =
        narratoria_campaign::compile(&source, &found.name, None);
    let of = |weight| problems.iter().filter(move |problem| problem.severity == weight);
    let (Some(compiled), Some(parts)) = (campaign, parts) else {
        let count = of(ProblemWeight::Error).count();
        let faults = if count == 1 { "a fault".to_owned() } else { format!("{count} faults") };
        let error = format!("the campaign `{}` has {faults}, so it cannot be played", found.name);
        let error = TurnError::new(TurnErrorKind::BadInput, error);
        let shown = of(ProblemWeight::Error).take(FAULTS_SHOWN_MAX);
        let error = shown.fold(error, |error, fault| error.hint(fault.to_string()));
        return Err(
            error.hint(format!("`narratoria campaign check {}` says more", found.argument()))
        );
    };
    note_warnings(found, of(ProblemWeight::Warning).count(), err);
    if of(ProblemWeight::Note).any(|problem| problem.message.starts_with(GENERATED)) {
        let text = format!(
            "what the campaign lacks was made for this story; `narratoria campaign check {}` lists it",
            found.argument()
        );
        note(err, Tone::Notice, "note", &text);
    }
    Ok(ReadCampaign { name: found.name.clone(), source, seed: None, parts, compiled })
}

/// Turns the name of the folder into the name of a campaign: `My Campaign` becomes `my-campaign`.
fn folder_name(path: &Path) -> String {
    let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = whole.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let name = name.unwrap_or_default();
    let words = name.split(|letter: char| !letter.is_ascii_lowercase() && !letter.is_ascii_digit());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").chars().take(40).collect();
    let name = name.trim_end_matches('-');
    if is_campaign_name(name) { name.to_owned() } else { "campaign".to_owned() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::folder_name;

    #[test]
    fn a_folder_s_name_becomes_the_name_of_a_campaign() {
        let name = |path: &str| folder_name(Path::new(path));
        assert_eq!(name("/somewhere/My Salt Harbour (2)/"), "my-salt-harbour-2");
        assert_eq!(name("/somewhere/Größe"), "gr-e");
        assert_eq!(name("/somewhere/日本"), "campaign");
        assert_eq!(name(&format!("/somewhere/{}", "word ".repeat(30))).len(), 39);
    }
}
