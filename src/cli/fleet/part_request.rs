//! One part of a check as a piece of work. Its text has everything that the result depends on, so the text makes the key.

use std::{
    path::{Component, Path, PathBuf},
    time::Duration,
};

use narratoria_built_in::built_in;
use narratoria_kit::check::{CheckPart, CheckTarget, TargetKind};
use narratoria_protocol::{
    JsonBounds,
    digest::{Sha256Hasher, is_digest},
    read_json_as,
};
use narratoria_queue::{WORK_BYTES_MAX, WorkKey};
use narratoria_skills::{PackageRoot, SignerKey};
use serde::{Deserialize, Serialize};

/// The version of the text; a change that would break a reader raises it.
const VERSION: u32 = 1;

/// The kinds of packages, as words of the text.
const KINDS: [(TargetKind, &str); 3] = [
    (TargetKind::Package, "package"),
    (TargetKind::AgreedReplacement, "agreed-replacement"),
    (TargetKind::BuiltIn, "built-in"),
];

/// One part of a check. An unknown field is refused: a result that ignores it would be another one's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PartRequest {
    version: u32,
    /// The digest of the package's files.
    pub(super) digest: String,
    /// The folder's name.
    pub(super) name: String,
    kind: String,
    signer: Option<String>,
    part: String,
    pub(super) seed: u64,
    pub(super) strict: bool,
    /// The file of `--policy`: its name and text.
    pub(super) policy: Option<(String, String)>,
    time_budget_ms: u64,
}

/// What all parts of a check have in common.
pub(super) struct CommonRequest {
    pub(super) seed: u64,
    pub(super) strict: bool,
    pub(super) policy: Option<(String, String)>,
    pub(super) time_budget: Duration,
}

impl PartRequest {
    pub(super) fn new(
        target: &CheckTarget,
        digest: &str,
        part: &CheckPart,
        common: &CommonRequest,
    ) -> PartRequest {
        let word = KINDS.iter().find(|(kind, _)| *kind == target.kind).map_or("", |(_, word)| word);
        PartRequest {
            version: VERSION,
            digest: digest.to_owned(),
            name: target.name.clone(),
            kind: word.to_owned(),
            signer: target.signer.as_ref().map(|key| key.as_str().to_owned()),
            part: part.name(),
            seed: common.seed,
            strict: common.strict,
            policy: common.policy.clone(),
            time_budget_ms: u64::try_from(common.time_budget.as_millis()).unwrap_or(u64::MAX),
        }
    }

    pub(super) fn write(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers are JSON")
    }

    /// Reads what a client has left; `Err` says what is wrong with it, as a part of a sentence.
    pub(super) fn read(text: &str) -> Result<PartRequest, String> {
        let bounds = JsonBounds::of_bytes(WORK_BYTES_MAX);
        let request: PartRequest =
            read_json_as(text.as_bytes(), bounds).map_err(|error| error.predicate())?;
        let mut name = Path::new(&request.name).components();
        let is_name = matches!((name.next(), name.next()), (Some(Component::Normal(_)), None));
        if request.version != VERSION {
            return Err(format!("has version {}, and {VERSION} is known", request.version));
        }
        let is_known =
            CheckPart::parse(&request.part).is_some() && kind_of(&request.kind).is_some();
        if !is_name || !is_digest(&request.digest) || !is_known {
            return Err("names no package, kind, digest or part".to_owned());
        }
        Ok(request)
    }

    pub(super) fn key(&self, kind: &str) -> WorkKey {
        WorkKey::of([kind, &self.write()])
    }

    pub(super) fn part(&self) -> CheckPart {
        CheckPart::parse(&self.part).unwrap_or(CheckPart::Package)
    }

    pub(super) fn time_budget(&self) -> Duration {
        Duration::from_millis(self.time_budget_ms)
    }

    /// The package in its folder on this machine.
    pub(super) fn target(&self, folder: PathBuf) -> CheckTarget {
        let kind = kind_of(&self.kind).unwrap_or_default();
        CheckTarget {
            name: self.name.clone(),
            display_name: self.name.clone(),
            folder,
            kind,
            signer: self.signer.as_deref().and_then(|key| SignerKey::parse(key).ok()),
        }
    }
}

fn kind_of(word: &str) -> Option<TargetKind> {
    KINDS.iter().find(|(_, known)| *known == word).map(|(kind, _)| *kind)
}

/// The kind of work that programs like this one do: the version, and a digest of the skills that are part of it. Workers of two
/// versions share a queue, and each takes what its own clients have left.
pub(super) fn work_kind() -> String {
    let mut digest = Sha256Hasher::default();
    if let PackageRoot::BuiltIn(packages) = built_in() {
        for (name, files) in packages {
            digest.update(name.as_bytes());
            for (path, content) in *files {
                digest.update(path.as_bytes());
                digest.update(content);
            }
        }
    }
    format!("skill-check/{VERSION} {}-{}", env!("CARGO_PKG_VERSION"), &digest.hex()[..16])
}

#[cfg(test)]
mod tests {
    use super::{CheckPart, CommonRequest, Duration, KINDS, PartRequest};

    #[test]
    fn a_request_is_read_as_it_is_written_and_leads_to_no_other_folder() {
        let text = "{\"version\":1,\"digest\":\"D\",\"name\":\"moon\",\"kind\":\"package\",\"signer\":null,\
                    \"part\":\"package\",\"seed\":7,\"strict\":false,\"policy\":null,\"timeBudgetMs\":60000}"
            .replace('D', &"a".repeat(64));
        let request = PartRequest::read(&text).unwrap();
        assert_eq!(request.write(), text);
        let common = CommonRequest {
            seed: 7,
            strict: false,
            policy: None,
            time_budget: Duration::from_secs(60),
        };
        let target = request.target("/x".into());
        let again = PartRequest::new(&target, &"a".repeat(64), &CheckPart::Package, &common);
        assert_eq!(again, request);
        assert_ne!(request.key("a"), request.key("b"));
        for (kind, word) in KINDS {
            let text = text.replace("\"kind\":\"package\"", &format!("\"kind\":\"{word}\""));
            let target = PartRequest::read(&text).unwrap().target("/x".into());
            assert_eq!(target.kind, kind);
            let again = PartRequest::new(&target, &"a".repeat(64), &CheckPart::Package, &common);
            assert_eq!(again.write(), text);
        }
        for (from, to) in [
            ("moon", "../moon"),
            ("moon", "/"),
            ("\"seed\"", "\"sead\""),
            ("aaaa", "zzzz"),
            ("package\",\"s", "pack\",\"s"),
        ] {
            assert!(PartRequest::read(&text.replace(from, to)).is_err(), "{to}");
        }
    }
}
