//! The files of the story's campaign: read-only in a component, given by the test elsewhere.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
    path::PathBuf,
};

use serde::de::DeserializeOwned;

use crate::SkillError;

/// Largest file of a campaign that is read. All files of a campaign together have 8 MiB.
pub const CAMPAIGN_FILE_BYTES_MAX: u64 = 8 << 20;

/// The folder in which a component with the grant `campaign` finds the files.
#[cfg(target_os = "wasi")]
const CAMPAIGN_FOLDER: &str = "/campaign";

/// The code of a file that is there and cannot be used.
const CODE: &str = "INVALID_CAMPAIGN";

/// The files of the story's campaign.
#[derive(Debug, Clone, Default)]
pub struct CampaignFiles {
    /// By path; all there is, unless there is a folder.
    given: BTreeMap<String, Vec<u8>>,
    folder: Option<PathBuf>,
}

impl CampaignFiles {
    /// Returns the files of the component's host; none outside a component.
    pub(crate) fn from_host() -> CampaignFiles {
        #[cfg(target_os = "wasi")]
        let folder = Some(PathBuf::from(CAMPAIGN_FOLDER));
        #[cfg(not(target_os = "wasi"))]
        let folder = None;
        CampaignFiles { given: BTreeMap::new(), folder }
    }

    /// These files.
    pub(crate) fn with(given: BTreeMap<String, Vec<u8>>) -> CampaignFiles {
        CampaignFiles { given, folder: None }
    }

    /// A file such as `world.json`; `None` if the story has no campaign or the campaign has no such file.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, SkillError> {
        let Some(folder) = &self.folder else { return Ok(self.given.get(path).cloned()) };
        let file = match File::open(folder.join(path)) {
            Ok(file) => file,
            // Without the grant there is no such folder, and the file is missing like any other.
            Err(_) => return Ok(None),
        };
        // Reserves the capacity for the whole file, so that one read is enough.
        let length = file.metadata().map_or(0, |found| found.len()).min(CAMPAIGN_FILE_BYTES_MAX);
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0) + 1);
        let read = file.take(CAMPAIGN_FILE_BYTES_MAX + 1).read_to_end(&mut bytes);
        match read.map(|read| read as u64 > CAMPAIGN_FILE_BYTES_MAX) {
            Ok(false) => Ok(Some(bytes)),
            Ok(true) => {
                let why = format!("it is longer than {CAMPAIGN_FILE_BYTES_MAX} bytes");
                Err(unusable(path, &io::Error::other(why)))
            }
            Err(error) => Err(unusable(path, &error)),
        }
    }

    /// Returns the file as text.
    pub fn text(&self, path: &str) -> Result<Option<String>, SkillError> {
        let Some(bytes) = self.read(path)? else { return Ok(None) };
        let text = String::from_utf8(bytes);
        text.map(Some).map_err(|_| unusable(path, &io::Error::other("it is not UTF-8")))
    }

    /// Returns the file as a type. The error names the field that does not fit.
    pub fn json<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>, SkillError> {
        let Some(bytes) = self.read(path)? else { return Ok(None) };
        // To know the place of each value takes time, and is of use only where one does not fit.
        if let Ok(read) = serde_json::from_slice(&bytes) {
            return Ok(Some(read));
        }
        let mut reader = serde_json::Deserializer::from_slice(&bytes);
        let read = serde_path_to_error::deserialize(&mut reader);
        read.map(Some).map_err(|error| {
            let (place, why) = (error.path().to_string(), error.inner());
            let message = format!("the campaign's `{path}` at `{place}`: {why}");
            SkillError::new(CODE, message)
        })
    }
}

fn unusable(path: &str, why: &io::Error) -> SkillError {
    SkillError::new(CODE, format!("the campaign's `{path}` cannot be read: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_missing_is_none() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("world.json"), "{}").unwrap();
        let files =
            CampaignFiles { folder: Some(folder.path().to_owned()), ..CampaignFiles::default() };
        assert_eq!(files.text("world.json").unwrap().as_deref(), Some("{}"));
        assert_eq!(files.read("plot.json").unwrap(), None);
        assert_eq!(CampaignFiles::from_host().read("world.json").unwrap(), None);
    }

    #[test]
    fn a_file_that_does_not_fit_names_the_place() {
        #[derive(Debug, serde::Deserialize)]
        struct Doors {
            #[expect(dead_code, reason = "it is only read")]
            doors: Vec<u8>,
        }
        let given = BTreeMap::from([("a.json".to_owned(), br#"{"doors": [1, "x"]}"#.to_vec())]);
        let error = CampaignFiles::with(given).json::<Doors>("a.json").unwrap_err();
        insta::assert_snapshot!(error, @r#"INVALID_CAMPAIGN: the campaign's `a.json` at `doors[1]`: invalid type: string "x", expected u8 at line 1 column 17"#);
    }
}
