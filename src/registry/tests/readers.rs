//! Whatever a server or a person writes, it is read or refused.

use proptest::prelude::*;

use crate::{
    OciReference,
    challenge::AuthChallenge,
    layout::{PACKAGE_TYPE, read_attached, read_package, read_referrers},
};

/// Texts that are nearly what a reader wants.
fn nearly(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => proptest::sample::select(words).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    proptest::collection::vec(word, 0..12).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn a_reference_that_is_read_is_written_as_the_same(
        text in nearly(&["oci://", "a.example", ":5000", "/", "team", "-", ".", ":1.2.0", "@", "sha256:", "\u{e4}"]),
    ) {
        if let Ok(reference) = OciReference::parse(&text) {
            prop_assert_eq!(OciReference::parse(&reference.to_string()), Ok(reference));
        }
    }

    #[test]
    fn any_challenge_is_read(
        text in nearly(&["Bearer ", "Basic ", "realm", "=", "\"", "\\", ",", " ", "https://a", "\u{e4}"]),
    ) {
        let chosen = AuthChallenge::choose([text.as_str()].into_iter());
        if let Some(AuthChallenge::Bearer { realm, .. }) = chosen {
            prop_assert!(!realm.is_empty());
        }
    }

    #[test]
    fn any_manifest_is_read_or_refused(
        text in nearly(&["{", "}", "[", "]", ":", ",", "\"layers\"", "\"digest\"", "\"size\"", "1e99", "-1", "null"]),
    ) {
        let bytes = text.as_bytes();
        prop_assert!(read_package(bytes).is_err());
        prop_assert!(read_attached(bytes, PACKAGE_TYPE).is_err());
        drop(read_referrers(bytes));
    }
}
