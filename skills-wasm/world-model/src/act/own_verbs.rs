//! Verbs of the campaign's author. What comes of them stands in storylets; the world knows their names alone.

use crate::{
    act::{Act, ActTarget, ActionRun, gestures::NOTHING_DONE},
    action::Action,
    fact::{FactKind, WorldFact},
    words,
};

impl ActionRun<'_> {
    /// Does what a verb of the author names: tells its line, or that nothing comes of it. A storylet tells more.
    pub(super) fn own_verb(&mut self, action: &Action) -> Act {
        let verb = action.text.as_deref().unwrap_or_default();
        let object = match action.target.as_ref().map(|_| self.target(action)).transpose()? {
            Some(ActTarget::Named(id)) => Some(self.world.name(id).to_owned()),
            Some(ActTarget::Mention(word, _)) => Some(word),
            None => None,
        };
        self.with(action)?;
        let known = self.world.definition.verbs.iter().find(|known| known.name == verb);
        let text = match known.map_or("", |known| known.says.as_str()) {
            "" => NOTHING_DONE.to_owned(),
            says => words::ended(says),
        };
        let mut fact = WorldFact::you(FactKind::Gesture, text).because(verb);
        fact.object = object;
        self.fact(fact);
        Ok(())
    }
}
