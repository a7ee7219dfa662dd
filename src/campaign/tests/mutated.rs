//! Campaigns with random changes: none panics, and each one that compiles is a world that passes its check.

use proptest::prelude::*;

use super::{full, minimal};
use crate::{CampaignSource, compile};

/// A change of one file: where, what, and how many bytes go.
#[derive(Debug, Clone)]
struct Mutation {
    file: usize,
    at: usize,
    removed: usize,
    added: String,
}

/// Pieces that break documents in their own ways.
const PIECES: [&str; 16] = [
    "\"",
    "[",
    "]",
    "{",
    "}",
    "=",
    "\n",
    "''",
    "\\",
    "\u{0}",
    "[[storylet]]\n",
    "when = \"1/0 == 1\"\n",
    "name = \"x\"\n",
    "'''",
    "\u{202e}",
    "9999999999999999999",
];

fn mutation() -> impl Strategy<Value = Mutation> {
    let added = prop_oneof![
        Just(String::new()),
        prop::sample::select(&PIECES[..]).prop_map(str::to_owned),
        "[a-z ]{1,8}",
    ];
    (any::<usize>(), any::<usize>(), 0..12_usize, added)
        .prop_map(|(file, at, removed, added)| Mutation { file, at, removed, added })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_changed_campaign_never_panics(is_full: bool, mutations in prop::collection::vec(mutation(), 1..6)) {
        let mut files = if is_full { full() } else { minimal() };
        for mutation in mutations {
            let count = files.len();
            let Some(bytes) = files.values_mut().nth(mutation.file % count) else { continue };
            let at = mutation.at % (bytes.len() + 1);
            let end = (at + mutation.removed).min(bytes.len());
            bytes.splice(at..end, mutation.added.into_bytes());
        }
        let result = compile(&CampaignSource::in_memory(files), "changed", None);
        prop_assert_eq!(result.campaign.is_some(), result.counts[0] == 0);
        if let Some(parts) = result.parts {
            prop_assert_eq!(world_model::check::check(&parts.world), Ok(()));
        }
    }
}

/// Documents that would overflow a stack, or take forever.
#[test]
fn documents_that_nest_without_end_are_refused_and_long_prose_is_not() {
    let said = |path: &str, text: String| {
        let mut files = minimal();
        files.insert(path.to_owned(), text.into_bytes());
        let result = compile(&CampaignSource::in_memory(files), "deep", None);
        let lines: Vec<String> = result.problems.iter().map(ToString::to_string).collect();
        lines.join("\n")
    };
    let hints = |text: String| said("plot/hints.toml", text);
    let deep = "plot/hints.toml:1: it nests deeper than 32 levels";
    assert_eq!(hints(format!("hint = {}", "[".repeat(100_000))), deep);
    assert_eq!(hints(format!("a = {}", "{a=".repeat(100_000))), deep);
    assert_eq!(hints(format!("a{} = 1", ".a".repeat(100_000))), deep);
    assert_eq!(hints(format!("[a{}]", ".a".repeat(100_000))), deep);
    assert_eq!(
        said("plot/beats.json", "[".repeat(100_000)),
        "plot/beats.json: nests deeper than 32 levels"
    );
    let prose = "It rains... [It does.] ".repeat(15) + "it's \\\" a [[[[[ day.";
    for quote in ["\"\"\"", "\""] {
        let text = format!(
            "# {}\n[[hint]]\nwhen = 'true'\ntext = {quote}{prose}{quote}\n",
            "[".repeat(99)
        );
        assert_eq!(hints(text), "");
    }
}
