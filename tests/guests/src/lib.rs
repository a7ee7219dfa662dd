//! Test guests that break rules, as components: real programs, built from `programs/src/bin`, each with its
//! expected ending from `programs/expect`. [`host`] has the grants and requests that they run with.

pub mod host;

/// A compiled program.
#[derive(Debug, Clone, Copy)]
pub struct Guest {
    pub name: &'static str,
    pub component: &'static [u8],
    /// How it must end: `ok`, `gave up: ` and its summary, or the text of the host's error.
    pub expect: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/guests.rs"));

pub fn find(name: &str) -> Option<&'static Guest> {
    ALL.iter().find(|guest| guest.name == name)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    fn stems(dir: &str, extension: &str) -> BTreeSet<String> {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs").join(dir);
        fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|found| found == extension))
            .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn every_program_has_an_expected_ending_and_every_ending_a_program() {
        let programs = stems("src/bin", "rs");
        let endings = stems("expect", "txt");
        assert_eq!(programs, endings);
        let built: BTreeSet<String> = ALL.iter().map(|guest| guest.name.to_owned()).collect();
        assert_eq!(programs, built);
    }

    #[test]
    fn every_expected_ending_is_one_line() {
        for guest in ALL {
            assert!(!guest.expect.is_empty(), "expect/{}.txt is empty", guest.name);
            assert_eq!(guest.expect.lines().count(), 1, "expect/{}.txt", guest.name);
        }
    }

    #[test]
    fn every_guest_is_a_component() {
        for guest in ALL {
            // The magic number, then version 0x0d of the layer `component`.
            assert!(guest.component.starts_with(b"\0asm\x0d\0\x01\0"), "{}", guest.name);
        }
        assert_eq!(TRAP.name, "trap");
        assert_eq!(find("trap").unwrap().name, "trap");
    }

    /// Equal sources must give equal bytes on every machine.
    #[test]
    fn no_guest_names_a_folder_of_this_machine() {
        let here = env!("CARGO_MANIFEST_DIR").as_bytes();
        let out = env!("OUT_DIR").as_bytes();
        for guest in ALL {
            for folder in [here, out] {
                let root = &folder[..folder.len().min(16)];
                let named = guest.component.windows(root.len()).any(|bytes| bytes == root);
                assert!(!named, "{} names {}", guest.name, String::from_utf8_lossy(root));
            }
        }
    }
}
