//! The campaign of a story: its documents from when the story began, each with its digest. Only a story without turns
//! can take one, and nothing changes it afterwards: undo and branches never touch it.

use std::collections::BTreeMap;

use narratoria_protocol::{
    CAMPAIGN_BYTES_MAX, CampaignFault, CompiledCampaign,
    digest::{is_digest, sha256},
    is_campaign_name, is_campaign_path,
};

use crate::{Story, StoryError, columns::text, format::Durability};

/// The name, version and title of a story's campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CampaignHeading {
    /// The name of its folder.
    pub name: String,
    pub version: String,
    pub title: String,
}

/// A document with its digest from when it was stored.
struct StoredDocument {
    path: String,
    sha256: String,
    text: String,
}

impl Story {
    /// Returns the heading of the story's campaign; `None` for a story without one.
    pub fn campaign_heading(&self) -> Result<Option<CampaignHeading>, StoryError> {
        let sql = "SELECT name, campaign_version, title FROM campaign";
        let found = self.rows("`campaign`", sql, [], |row| {
            let version = text(row, "campaign_version")?;
            Ok(CampaignHeading { name: text(row, "name")?, version, title: text(row, "title")? })
        })?;
        Ok(found.into_iter().next())
    }

    /// Returns the story's title for readers: that of its campaign, otherwise its name.
    pub fn title(&self) -> Result<String, StoryError> {
        let title = self.campaign_heading()?.map(|heading| heading.title);
        let title = title.filter(|title| !title.trim().is_empty());
        Ok(title.unwrap_or_else(|| self.name().to_string()))
    }

    /// Returns the story's campaign; `None` for a story without one.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::Damaged`] if the documents are not the stored ones.
    pub fn campaign(&self) -> Result<Option<CompiledCampaign>, StoryError> {
        let Some(CampaignHeading { name, version, title }) = self.campaign_heading()? else {
            return Ok(None);
        };
        let stored = self.campaign_documents()?;
        if let Some(changed) = stored.iter().find(|document| document.is_changed()) {
            return Err(self.damaged(changed.fault()));
        }
        let documents: BTreeMap<String, String> =
            stored.into_iter().map(|document| (document.path, document.text)).collect();
        let built = CompiledCampaign::build(&name, &version, &title, documents);
        built.map(Some).map_err(|fault| self.damaged(fault.to_string()))
    }

    /// Stores the campaign of a new story.
    ///
    /// # Errors
    ///
    /// Returns [`StoryError::HasBegun`] for a story with turns or another campaign.
    pub fn set_campaign(&mut self, campaign: &CompiledCampaign) -> Result<(), StoryError> {
        if self.turns_ever()? > 0 || self.campaign_heading()?.is_some() {
            return Err(StoryError::HasBegun { name: self.name().clone() });
        }
        self.write(Durability::Disk, |story| {
            let failed = |source| story.failed(source);
            let sql =
                "INSERT INTO campaign (only, name, campaign_version, title) VALUES (1, ?1, ?2, ?3)";
            story
                .tx
                .execute(sql, [campaign.name(), campaign.version(), campaign.title()])
                .map_err(failed)?;
            let sql = "INSERT INTO campaign_documents (document, sha256, text) VALUES (?1, ?2, ?3)";
            let mut insert = story.tx.prepare(sql).map_err(failed)?;
            for (path, text) in campaign.documents() {
                insert.execute([path.as_str(), &sha256(text.as_bytes()), text]).map_err(failed)?;
            }
            Ok(())
        })
    }

    /// Returns the faults of the stored campaign, for [`Story::verify`].
    pub(crate) fn campaign_faults(&self) -> Result<Vec<String>, StoryError> {
        let stored = self.campaign_documents()?;
        let mut faults: Vec<String> = stored
            .iter()
            .filter(|document| document.is_changed())
            .map(StoredDocument::fault)
            .collect();
        match self.campaign_heading()? {
            None if stored.is_empty() => {}
            None => faults.push("it has documents of a campaign and no campaign".to_owned()),
            Some(CampaignHeading { name, version, title }) => {
                let documents =
                    stored.into_iter().map(|document| (document.path, document.text)).collect();
                let built = CompiledCampaign::build(&name, &version, &title, documents);
                faults.extend(built.err().as_ref().map(CampaignFault::to_string));
            }
        }
        Ok(faults)
    }

    fn campaign_documents(&self) -> Result<Vec<StoredDocument>, StoryError> {
        let sql = "SELECT coalesce(sum(octet_length(text)), 0) AS bytes FROM campaign_documents";
        let bytes = self.rows("`campaign_documents`", sql, [], |row| row.get::<_, i64>("bytes"))?;
        if let Some(bytes) = bytes.into_iter().find(|bytes| *bytes > CAMPAIGN_BYTES_MAX as i64) {
            let what = format!("its campaign has {bytes} bytes, the limit is {CAMPAIGN_BYTES_MAX}");
            return Err(self.damaged(what));
        }
        let sql = "SELECT document, sha256, text FROM campaign_documents ORDER BY document";
        self.rows("`campaign_documents`", sql, [], |row| {
            let (path, sha256) = (text(row, "document")?, text(row, "sha256")?);
            Ok(StoredDocument { path, sha256, text: text(row, "text")? })
        })
    }
}

impl StoredDocument {
    fn is_changed(&self) -> bool {
        sha256(self.text.as_bytes()) != self.sha256
    }

    fn fault(&self) -> String {
        let path = crate::name::quote(&self.path);
        format!("the document `{path}` of its campaign has another text than when it was stored")
    }
}

/// Checks the name of a campaign in an imported line.
pub(crate) fn check_name(text: &str) -> Result<(), String> {
    is_campaign_name(text).then_some(()).ok_or_else(|| "it is no name of a campaign".to_owned())
}

pub(crate) fn check_path(text: &str) -> Result<(), String> {
    is_campaign_path(text).then_some(()).ok_or_else(|| "it is no path of a document".to_owned())
}

pub(crate) fn check_digest(text: &str) -> Result<(), String> {
    is_digest(text).then_some(()).ok_or_else(|| "it is no digest".to_owned())
}
