//! Campaigns. The bytes are files, each after a line `=== PATH`; a file that is not among them is that of a small good
//! campaign, unless the first byte is `0`: then there are no others.

use std::collections::BTreeMap;

use narratoria_campaign::{
    CampaignSource, CampaignStartingPoint, compile, made_files, template_files,
};

use super::packages::{check_text, sections};

pub(crate) fn check(bytes: &[u8]) {
    let (is_alone, rest) = match bytes.split_first() {
        Some((b'0', rest)) => (true, rest),
        Some((_, rest)) => (false, rest),
        None => return,
    };
    let mut files = BTreeMap::new();
    if !is_alone {
        files.extend(template_files(CampaignStartingPoint::Minimal, "fuzzed"));
    }
    files.extend(sections(rest));
    let source = CampaignSource::in_memory(files.clone());
    let result = compile(&source, "fuzzed", Some(1));
    for problem in &result.problems {
        check_text(&problem.to_string());
    }
    assert_eq!(result.campaign.is_some(), result.counts[0] == 0, "an error is no error");
    let (Some(campaign), Some(parts)) = (result.campaign, result.parts) else { return };
    let again = compile(&source, "fuzzed", Some(1)).campaign;
    assert_eq!(again.as_ref(), Some(&campaign), "the same files are another campaign");
    // What was made can be written down, and is the same then.
    let made = made_files(&parts, &|path| files.contains_key(path));
    files.extend(made.into_iter().map(|(path, text)| (path, text.into_bytes())));
    let filled = compile(&CampaignSource::in_memory(files), "fuzzed", Some(1));
    let filled = filled.parts.map(|parts| parts.world);
    assert_eq!(filled.as_ref(), Some(&parts.world), "a filled campaign is another one");
}
