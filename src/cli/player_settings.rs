//! The player's side of loading a package: the player's settings and policy, and the environment that settings may
//! read.

use narratoria_engine::TurnError;
use narratoria_skills::{HostPolicy, PlayerSide, PlayerVariables, SettingsFolder};

use super::{config::host_policy, environment, settings::CliSettings};

/// Values that [`PlayerSide`] borrows.
pub(super) struct PlayerSettingsSource {
    pub(super) settings: SettingsFolder,
    pub(super) policy: HostPolicy,
}

impl PlayerSettingsSource {
    pub(super) fn open(settings: &CliSettings) -> Result<PlayerSettingsSource, TurnError> {
        let (folder, policy) = (settings.skill_settings(), host_policy(settings)?);
        Ok(PlayerSettingsSource { settings: folder, policy })
    }

    pub(super) fn variables(&self) -> PlayerVariables<'_> {
        PlayerVariables::new(&environment::variable, &self.policy)
    }

    pub(super) fn side(&self) -> PlayerSide<'_> {
        PlayerSide::new(&self.settings, self.variables())
    }
}
