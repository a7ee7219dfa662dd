//! What all verbs of `model` need.

use narratoria_engine::TurnError;
use narratoria_model::files::{ModelDir, ModelName, default_model};
use narratoria_ui::Look;
use serde_json::Value;

use crate::{
    args::{CommonArgs, Format, FormatArgs},
    config::UserConfig,
    print_document, print_text,
    settings::CliSettings,
};

/// Shared by all verbs of `model`.
pub(super) struct ModelCommandContext {
    pub(super) settings: CliSettings,
    pub(super) look: Look,
    pub(super) files: ModelDir,
    config: UserConfig,
}

impl ModelCommandContext {
    pub(super) fn open(format: FormatArgs) -> Result<ModelCommandContext, TurnError> {
        let settings =
            CliSettings::check(CommonArgs { skills: Vec::new(), format: format.format })?;
        let home = settings.home()?;
        let (files, config) = (ModelDir::open(home.models()), UserConfig::load(home)?);
        let look = settings.terminal.look;
        Ok(ModelCommandContext { settings, look, files, config })
    }

    /// Returns the model that is used without `--model`.
    pub(super) fn in_use(&self) -> ModelName {
        self.config.model.clone().unwrap_or_else(|| ModelName::Hub(default_model()))
    }

    pub(super) fn print(&self, document: &Value, text: &str) -> Result<(), TurnError> {
        match self.settings.format {
            Format::Json => print_document(self.look, document)?,
            Format::Plain => print_text(self.look, text)?,
        }
        Ok(())
    }
}
