//! Fields of the published format that are kept and change nothing in play. Each stands here, and a test holds the list to
//! the contracts: a field has an effect, or it is listed.

use crate::{
    documents::CampaignDocuments, kinds::FileKind, problem::CampaignProblems, walk::spots,
};

/// Why a field changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeptFor {
    /// It describes the campaign to people and other programs; `campaign list` shows some. No author expects an effect.
    Readers,
    /// An author may expect an effect, so a note says that there is none.
    OtherPrograms,
}

/// A field, by the path that [`spots`] takes. The fields within it are kept as well.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeptField {
    pub(crate) kind: FileKind,
    pub(crate) path: &'static str,
    pub(crate) kept_for: KeptFor,
}

/// All of them.
pub(crate) const KEPT_FIELDS: [KeptField; 41] = [
    readers(FileKind::Manifest, "author"),
    readers(FileKind::Manifest, "description"),
    readers(FileKind::Manifest, "cover"),
    readers(FileKind::Manifest, "content_warnings"),
    readers(FileKind::Manifest, "estimated_playtime_hours"),
    readers(FileKind::Manifest, "player_count"),
    readers(FileKind::Manifest, "campaign_format_version"),
    readers(FileKind::Manifest, "homepage"),
    readers(FileKind::Manifest, "license"),
    readers(FileKind::Manifest, "tags"),
    // No planner and no model reads them: what it does not know it cannot give away.
    readers(FileKind::Profile, "secrets"),
    readers(FileKind::Profile, "metadata.importance"),
    readers(FileKind::Profile, "metadata.tags"),
    others(FileKind::Profile, "portrait"),
    others(FileKind::Profile, "voice"),
    others(FileKind::Profile, "goals.priority"),
    others(FileKind::Profile, "stats"),
    others(FileKind::PlayerTemplate, "character_creation"),
    others(FileKind::PlayerTemplate, "allowed_races.description"),
    others(FileKind::PlayerTemplate, "allowed_races.starting_items"),
    others(FileKind::PlayerTemplate, "allowed_races.starting_relationships"),
    others(FileKind::PlayerTemplate, "allowed_classes.description"),
    others(FileKind::PlayerTemplate, "allowed_classes.starting_items"),
    others(FileKind::PlayerTemplate, "allowed_classes.starting_relationships"),
    others(FileKind::PlayerTemplate, "allowed_backgrounds.description"),
    others(FileKind::PlayerTemplate, "allowed_backgrounds.starting_items"),
    others(FileKind::PlayerTemplate, "allowed_backgrounds.starting_relationships"),
    others(FileKind::PlayerTemplate, "required_attributes"),
    others(FileKind::PlayerTemplate, "optional_attributes"),
    others(FileKind::PlayerTemplate, "starting_stats"),
    others(FileKind::PlayerTemplate, "prompts"),
    others(FileKind::BeatsJson, "beats.outcomes.description"),
    others(FileKind::BeatsJson, "beats.mood"),
    others(FileKind::BeatsJson, "beats.music"),
    others(FileKind::BeatsJson, "beats.background"),
    others(FileKind::BeatsJson, "beats.skippable"),
    readers(FileKind::BeatsJson, "beats.tags"),
    readers(FileKind::Manifest, "generated"),
    readers(FileKind::Profile, "generated"),
    readers(FileKind::PlayerTemplate, "generated"),
    readers(FileKind::BeatsJson, "generated"),
];

const fn readers(kind: FileKind, path: &'static str) -> KeptField {
    KeptField { kind, path, kept_for: KeptFor::Readers }
}

const fn others(kind: FileKind, path: &'static str) -> KeptField {
    KeptField { kind, path, kept_for: KeptFor::OtherPrograms }
}

/// Notes which fields of each file have no effect, each at its first line.
pub(crate) fn note_kept_fields(documents: &CampaignDocuments, problems: &mut CampaignProblems) {
    for document in documents.documents.iter().filter(|document| document.fits) {
        let listed = KEPT_FIELDS.iter().filter(|field| {
            field.kind == document.kind && field.kept_for == KeptFor::OtherPrograms
        });
        for field in listed {
            if let Some(first) = spots(&document.node, field.path).first() {
                let what = format!("`{}` is kept and has no effect", field.path);
                problems.note(&document.path, Some(first.node.line), what);
            }
        }
    }
}
