//! Campaigns as files in memory: what they become, and what is said about them.

use std::path::Path;

use crate::{CampaignSource, CompileResult, compile};

fn shown(result: &CompileResult) -> String {
    let lines: Vec<String> = result.problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

#[test]
fn look_at_the_bundled() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../campaigns");
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.join("manifest.json").is_file() {
            let begin = std::time::Instant::now();
            let source = CampaignSource::read_folder(&path).unwrap();
            let result = compile(&source, "x", None);
            eprintln!(
                "== {} {:?} {:?}\n{}",
                path.display(),
                begin.elapsed(),
                result.counts,
                shown(&result)
            );
        }
    }
}

#[test]
fn look_at_the_templates() {
    use crate::{CampaignStartingPoint, template_files};
    for from in [CampaignStartingPoint::Minimal, CampaignStartingPoint::Full] {
        let result =
            compile(&CampaignSource::in_memory(template_files(from, "salt-harbour")), "x", None);
        eprintln!("== {from:?} {:?}\n{}", result.counts, shown(&result));
    }
}
