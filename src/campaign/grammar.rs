//! The author's own wordings, `grammar.gram`: rows for the reader of the world, which checks them.

use understanding::{
    wording_examples::check_examples,
    wordings::{WordingFault, check_wordings, read_wordings},
};
use world_model::{
    definition::{WordingDefinition, WorldDefinition},
    world::World,
};

use crate::{
    documents::CampaignDocuments,
    kinds::{FileKind, GRAMMAR},
    problem::CampaignProblems,
};

/// Reads the rows, and reports those whose form is wrong.
pub(crate) fn read_grammar(
    documents: &CampaignDocuments,
    problems: &mut CampaignProblems,
) -> Vec<WordingDefinition> {
    let Some((_, text)) = documents.text(FileKind::Grammar) else { return Vec::new() };
    let (rows, mut faults) = read_wordings(text);
    faults.extend(check_wordings(&rows));
    for WordingFault { line, message } in faults {
        problems.error(GRAMMAR, Some(line as usize), message);
    }
    rows
}

/// Plays the example of each row in the world as it begins.
pub(crate) fn check_grammar(
    definition: &WorldDefinition,
    begun: &World,
    problems: &mut CampaignProblems,
) {
    if definition.wordings.is_empty() {
        return;
    }
    let findings = check_examples(begun);
    for WordingFault { line, message } in findings.faults {
        problems.error(GRAMMAR, Some(line as usize), message);
    }
    for WordingFault { line, message } in findings.warnings {
        problems.warning(GRAMMAR, Some(line as usize), message);
    }
}
