//! The stories: whether each can be read, the version of its format, and whether another process has it open.

use std::path::Path;

use narratoria_engine::with_causes;
use narratoria_story::{
    FORMAT_VERSION, StoryError, StoryListing, StoryName, list, newest_copy, played_by,
};
use serde_json::json;

use super::{
    access::{move_aside, permit},
    finding::{DoctorFinding, quoted},
    probe::DoctorContext,
};
use crate::story::list::size_text;

pub(super) fn look(context: &DoctorContext) -> Vec<DoctorFinding> {
    let stories = context.home.as_ref().map(|home| home.stories()).filter(|path| path.is_dir());
    let Some(stories) = stories else {
        return vec![DoctorFinding::ok("there are none yet", json!(0))];
    };
    let found = match list(&stories) {
        Ok(found) => found,
        Err(error) => {
            return vec![DoctorFinding::fault(with_causes(&error), json!(null), permit(&stories))];
        }
    };
    let bytes = found.stories.iter().fold(0_u64, |sum, story| sum.saturating_add(story.bytes));
    let (count, more) = (found.stories.len(), found.left_off);
    let counted = match count {
        1 => "1 story".to_owned(),
        count => format!("{count} stories"),
    };
    let value = json!({"stories": count, "bytes": bytes, "leftOff": more});
    let mut findings = vec![DoctorFinding::ok(
        format!("{counted}, {} together, format {FORMAT_VERSION}", size_text(bytes)),
        value,
    )];
    for story in &found.stories {
        findings.extend(about_file(story, &stories));
        findings.extend(about_lock(&story.name, &stories));
    }
    findings
}

/// A story that cannot be read, or is of an older version.
fn about_file(story: &StoryListing, stories: &Path) -> Option<DoctorFinding> {
    let name = &story.name;
    let folder = stories.join(name.as_str());
    let error = match &story.summary {
        Ok(found) if found.format == FORMAT_VERSION => return None,
        Ok(found) => {
            let text = format!(
                "the story `{name}` has format {}; it is copied and brought to {FORMAT_VERSION} when it is played",
                found.format
            );
            let command = format!("narratoria run --story {name}");
            return Some(DoctorFinding::note(text, json!(found.format), command));
        }
        Err(error) => error,
    };
    let command = match error {
        // Only another program helps, and this says which one is here.
        StoryError::NewerFormat { .. } => "narratoria --version".to_owned(),
        StoryError::WrongKind { path, .. } => move_aside(path),
        // Another program holds the file, and nothing of it is wrong.
        StoryError::Busy { .. } => "narratoria doctor".to_owned(),
        StoryError::Io { .. } | StoryError::ReadOnly { .. } => {
            format!("chmod -R u+rwX {}", quoted(&folder.display().to_string()))
        }
        _ => match newest_copy(&folder) {
            Some(copy) => {
                let copy = copy.display().to_string();
                format!("narratoria story restore {name} {}", quoted(&copy))
            }
            None if matches!(error, StoryError::NotAStory { .. }) => move_aside(&folder),
            None if matches!(error, StoryError::DatabaseLost { .. }) => {
                format!("narratoria story delete {name}")
            }
            None => format!("narratoria story repair {name}"),
        },
    };
    Some(DoctorFinding::fault(with_causes(error), json!(folder.display().to_string()), command))
}

fn about_lock(name: &StoryName, stories: &Path) -> Option<DoctorFinding> {
    let holder = played_by(stories, name)?;
    let text =
        format!("the story `{name}` is open elsewhere ({holder}); leave it there, or play another");
    Some(DoctorFinding::note(text, json!(holder), "narratoria run --story another"))
}
