//! A world in the making, and the names in it that are taken.

use narratoria_sdk::Rng;

use super::{ground::PremiseGround, reading::PremiseReading};
use crate::definition::WorldDefinition;

/// A world in the making.
pub(super) struct Maker {
    pub(super) rng: Rng,
    pub(super) reading: PremiseReading,
    pub(super) ground: PremiseGround,
    pub(super) world: WorldDefinition,
    /// Names that are taken, in lower case.
    pub(super) used: Vec<String>,
}

impl Maker {
    pub(super) fn is_free(&self, name: &str) -> bool {
        !self.used.contains(&name.to_lowercase())
    }

    pub(super) fn take_name(&mut self, name: &str) -> String {
        self.used.push(name.to_lowercase());
        name.to_owned()
    }

    /// The name, or one with another word before it if it is taken.
    pub(super) fn unique_name(&mut self, name: &str) -> String {
        let others =
            ["", "other ", "far ", "small ", "second "].map(|front| format!("{front}{name}"));
        let free = others.iter().find(|name| self.is_free(name)).unwrap_or(&others[1]).clone();
        self.take_name(&free)
    }

    /// A name of the list that is not taken. The lists are longer than what is asked of them.
    pub(super) fn fresh_name(&mut self, list: &[&str]) -> String {
        let free: Vec<&str> = list.iter().copied().filter(|name| self.is_free(name)).collect();
        let name = self.rng.pick(&free).copied().unwrap_or(list[0]);
        self.unique_name(name)
    }

    pub(super) fn line(&mut self, list: &[&'static str]) -> &'static str {
        self.rng.pick(list).copied().unwrap_or("")
    }
}
