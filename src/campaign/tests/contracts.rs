//! The schemas in `contracts/` are those that files are checked with.

use std::{fs, path::Path};

use crate::{CampaignSource, CampaignStartingPoint, editor_schemas, template_files};

fn contracts() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contracts")
}

/// `BLESS=1` writes them again. Read the difference.
#[test]
fn the_contracts_are_the_schemas_that_files_are_checked_with() {
    for (name, text) in editor_schemas() {
        let path = contracts().join(format!("{name}.schema.json"));
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &text).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap_or_default(), text, "{name}");
    }
}

/// The validator that knows all of JSON Schema agrees with the one that knows lines.
#[test]
fn a_validator_of_the_whole_language_agrees() {
    let files = template_files(CampaignStartingPoint::Full, "salt-harbour");
    let source = CampaignSource::in_memory(files);
    let mut problems = crate::CampaignProblems::default();
    let documents = crate::documents::read_documents(&source, &mut problems);
    assert!(documents.documents.len() > 15);
    for document in &documents.documents {
        let validator =
            jsonschema::validator_for(crate::schemas::schema_of(document.kind)).unwrap();
        let faults: Vec<String> =
            validator.iter_errors(&document.node.value()).map(|fault| fault.to_string()).collect();
        assert_eq!(faults, [""; 0], "{}", document.path);
        assert!(document.fits, "{}", document.path);
    }
}
