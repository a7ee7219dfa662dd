//! The parts of the state that skills claim: `writes` of the manifest.

use super::{
    catalog::{Catalog, WriteClaim},
    manifest::{MANIFEST_FILE, ManifestJson, WriteClaimJson},
    problem::ProblemList,
};
use narratoria_protocol::{
    STATE_RESERVED_KEY, StateClaims, claimed_place, pointer_tokens, pointers_overlap,
};

/// The claims of a manifest. The contract has checked the form of each pointer.
pub(super) fn build_claims(manifest: &ManifestJson, findings: &mut ProblemList) -> Vec<WriteClaim> {
    let mut claims: Vec<WriteClaim> = Vec::with_capacity(manifest.writes.len());
    for (at, claim) in manifest.writes.iter().enumerate() {
        let (pointer, is_shared) = match claim {
            WriteClaimJson::Pointer(pointer) => (pointer, false),
            WriteClaimJson::Detailed { pointer, shared } => (pointer, *shared),
        };
        let tokens = pointer_tokens(pointer).unwrap_or_default();
        if tokens.first().is_some_and(|member| member == STATE_RESERVED_KEY) {
            let what = format!("`{pointer}` belongs to the host, no skill can claim it");
            findings.field(MANIFEST_FILE, format!("/writes/{at}"), what);
        }
        let place = claimed_place(pointer);
        if place != *pointer {
            let what = format!(
                "`{pointer}` names an item of a list, which a patch can only replace as a whole; claim `{place}`"
            );
            findings.field(MANIFEST_FILE, format!("/writes/{at}"), what);
        }
        if let Some(other) = claims.iter().find(|other| pointers_overlap(&other.pointer, pointer)) {
            let what = format!("`{pointer}` overlaps `{}`; the wider one is enough", other.pointer);
            findings.field(MANIFEST_FILE, format!("/writes/{at}"), what);
        }
        claims.push(WriteClaim { pointer: pointer.clone(), is_shared });
    }
    claims
}

impl Catalog {
    /// Claims of each skill on the state.
    pub fn claims(&self) -> StateClaims {
        let mut claims = StateClaims::default();
        for skill in self.iter() {
            let writes = skill.writes.iter();
            writes.for_each(|claim| claims.add(&skill.name, &claim.pointer, claim.is_shared));
        }
        claims
    }
}
