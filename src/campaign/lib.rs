//! A campaign is a folder of text. This crate reads it within limits, checks it and compiles it into the
//! documents that a story keeps and that the scripts `world/*` and `plot/*` read. Knows the definitions of both; knows
//! nothing of stories, turns and players.
//!
//! `files` reads the folder, `documents` turns each file into a tree with lines and checks its form, `names`, `rules`,
//! `sense` and `conditions` check what the files say about each other, `people`, `beats`, `assemble`, `fill` and `plot` put
//! the parts together, `grammar` reads the author's wordings and plays their examples, `possible` finds what can never happen,
//! `costs` what the conditions cost together, `cover` looks at the picture that lists show, and `compile` writes the
//! documents. `wording` lets a model write names and texts for the parts that the program made. `walks` plays a compiled
//! campaign at random.

mod assemble;
mod beats;
mod compile;
mod conditions;
mod costs;
mod cover;
mod documents;
mod files;
mod fill;
mod grammar;
mod kept;
mod kinds;
mod lore;
mod names;
mod our_files;
mod people;
mod plot;
mod possible;
mod problem;
mod report;
mod rules;
mod schemas;
mod sense;
mod shape;
mod source_of;
mod stored;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod tree;
mod walk;
mod walks;
mod wording;
mod write;

pub use compile::{CampaignParts, CompileResult, compile};
pub use costs::CONDITIONS_COST_MAX;
pub use cover::{CAMPAIGN_COVER_BYTES_MAX, cover_media_type, read_cover};
pub use files::{
    CAMPAIGN_FOLDER_BYTES_MAX, CAMPAIGN_FOLDER_FILES_MAX, CAMPAIGN_MEDIA_BYTES_MAX,
    CAMPAIGN_TEXT_FILE_BYTES_MAX, CAMPAIGN_TEXTS_BYTES_MAX, CampaignFolderError, CampaignSource,
};
pub use lore::{LORE_ENTRIES_MAX, LORE_ENTRY_CHARS_MAX};
pub use problem::{
    CAMPAIGN_NOTES_MAX, CAMPAIGN_PROBLEMS_MAX, CampaignProblem, CampaignProblems, ProblemWeight,
};
pub use report::{CampaignFindings, CampaignSize};
pub use schemas::editor_schemas;
pub use source_of::{campaign_of_premise, campaign_with_made};
pub use stored::check_stored;
pub use understanding::{
    wording_examples::GRAMMAR_TRIALS_MAX,
    wordings::{
        GRAMMAR_BYTES_MAX, GRAMMAR_LOOSE_PARTS_MAX, GRAMMAR_ROW_BYTES_MAX,
        GRAMMAR_ROW_LOOSE_PARTS_MAX, GRAMMAR_ROW_PARTS_MAX, GRAMMAR_ROWS_MAX, VERB_TESTS,
    },
};
pub use walks::{
    CampaignSurvey, DeadEnd, EndingWalks, NeverFired, PlaceVisits, RuledOutEnding, StuckWalk,
    UnansweredTopic, WALK_TURNS_MAX, WALKS_MAX, WalkOptions, WalkRecord, WalkReport,
    WalkReportPage, WalkStep, one_walk, walk_campaign,
};
pub use wording::{
    CampaignWording, WORDING_BYTES_MAX, WORDING_SYSTEM, WordingRequest, WordingTally,
};
pub use write::{
    CampaignStartingPoint, CampaignWriteError, create_campaign, made_files, template_files,
    write_made,
};
