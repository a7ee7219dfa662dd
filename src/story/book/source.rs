//! The story as the formats read it: its turns with their files, one turn at a time.

use std::io::{self, Read, Seek, Write};

use jiff::Timestamp;
use narratoria_protocol::{EntityKind, Scene};

use crate::{
    AssetFolder, AssetName, ExportError, Story, StoryError, TurnId, TurnOutcome,
    columns::{json, parsed, text as column_text, word},
};

/// Most bytes of pictures and sounds in one page or book. Further ones are only named.
pub const BOOK_FILES_BYTES_MAX: u64 = 64 << 20;

/// The destination of a book: a file, or memory.
pub trait BookOutput: Write + Seek {}

impl<T: Write + Seek> BookOutput for T {}

/// A turn that has been read.
pub(super) struct BookTurn {
    /// The player's sentence; `None` for a scene that the story narrated by itself.
    pub(super) prompt: Option<String>,
    /// The title of a scene that the story narrated by itself.
    pub(super) title: Option<String>,
    pub(super) narration: String,
    pub(super) assets: Vec<BookAsset>,
}

/// A file of a turn.
pub(super) struct BookAsset {
    pub(super) label: String,
    pub(super) media_type: String,
    pub(super) path: String,
}

/// The story as the formats read it.
pub(super) struct BookSource<'a> {
    pub(super) story: &'a Story,
    title: String,
    pub(super) turns: Vec<TurnId>,
    folder: Option<AssetFolder>,
    bytes_left: u64,
    pub(super) files_left_out: u64,
    /// When the last turn ended.
    pub(super) changed_at: Timestamp,
}

impl<'a> BookSource<'a> {
    pub(super) fn open(
        story: &'a Story,
        tip: Option<TurnId>,
    ) -> Result<BookSource<'a>, StoryError> {
        let sql = "
            WITH RECURSIVE line (id, parent, depth) AS (
                SELECT id, parent, depth FROM turns WHERE id = ?1
                UNION ALL
                SELECT turns.id, turns.parent, turns.depth
                FROM line JOIN turns ON turns.id = line.parent AND turns.depth = line.depth - 1
            )
            SELECT id FROM line ORDER BY depth";
        let tip = tip.map(TurnId::get);
        let turns = story.rows("`turns`", sql, [tip], |row| row.get("id").map(TurnId))?;
        let sql = "SELECT coalesce((SELECT finished_at FROM turns WHERE id = ?1),
                          (SELECT value FROM meta WHERE key = 'opened_at')) AS at";
        let at = story.rows("`turns`", sql, [tip], |row| parsed(row, "at", str::parse))?;
        let changed_at = at.into_iter().next().unwrap_or(Timestamp::UNIX_EPOCH);
        let folder = AssetFolder::open(story.folder())?;
        let bytes_left = BOOK_FILES_BYTES_MAX;
        let title = story.title()?;
        let files_left_out = 0;
        Ok(BookSource { story, title, turns, folder, bytes_left, files_left_out, changed_at })
    }

    pub(super) fn title(&self) -> &str {
        &self.title
    }

    pub(super) fn turn(&self, at: usize) -> Result<BookTurn, StoryError> {
        let sql = "SELECT prompt, narration, outcome FROM turns WHERE id = ?1";
        let id = self.turns[at];
        let found = self.story.rows("`turns`", sql, [id.get()], |row| {
            let outcome = word(row, "outcome", TurnOutcome::parse)?;
            let is_played = !matches!(outcome, TurnOutcome::Ticked | TurnOutcome::Edited);
            let prompt = is_played.then(|| column_text(row, "prompt")).transpose()?;
            Ok((prompt, outcome == TurnOutcome::Ticked, column_text(row, "narration")?))
        })?;
        let found = found.into_iter().next();
        let (prompt, is_scene, narration) = found.ok_or_else(|| self.story.unknown_turn(id))?;
        let title = if is_scene { self.scene_title(id)? } else { None };
        let assets = self.story.assets_of_turn(id)?.into_iter();
        let assets = assets.map(|row| BookAsset {
            label: row.asset_id,
            media_type: row
                .media_type
                .split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_ascii_lowercase(),
            path: row.path,
        });
        Ok(BookTurn { prompt, title, narration, assets: assets.collect() })
    }

    /// The title of the scene that the turn has written.
    fn scene_title(&self, id: TurnId) -> Result<Option<String>, StoryError> {
        let sql = "SELECT value_after FROM entity_log
                   WHERE turn = ?1 AND kind = ?2 AND value_after IS NOT NULL LIMIT 1";
        let params = rusqlite::params![id.get(), EntityKind::Scene.as_str()];
        let found = self.story.rows("`entity_log`", sql, params, |row| {
            json::<Scene>(row, "value_after").map(|scene| scene.title)
        })?;
        Ok(found.into_iter().next())
    }

    /// Returns the bytes of a file, if they are unchanged and fit into the book.
    pub(super) fn file(&mut self, asset: &BookAsset) -> Option<(AssetName, Vec<u8>)> {
        let found = self.read(asset);
        match &found {
            Some((_, bytes)) => self.bytes_left -= bytes.len() as u64,
            None => self.files_left_out += 1,
        }
        found
    }

    fn read(&self, asset: &BookAsset) -> Option<(AssetName, Vec<u8>)> {
        let name = AssetName::of_path(&asset.path)?;
        let file = self.folder.as_ref()?.open_file(&name).ok()??;
        let mut bytes = Vec::new();
        file.take(self.bytes_left + 1).read_to_end(&mut bytes).ok()?;
        let is_whole = narratoria_protocol::digest::sha256(&bytes) == name.sha256();
        (is_whole && bytes.len() as u64 <= self.bytes_left).then_some((name, bytes))
    }
}

pub(super) fn put(out: &mut dyn Write, text: &str) -> Result<(), ExportError> {
    out.write_all(text.as_bytes()).map_err(ExportError::Output)
}

pub(super) fn output(error: impl Into<io::Error>) -> ExportError {
    ExportError::Output(error.into())
}
