//! A session's skills become others, between its turns.

use std::{sync::Arc, time::Duration};

use super::{LoadedSkills, Session, SkillLoader, session::UpdateSink};

impl Session {
    /// From now on the session's skills are those of this stock, which its first ones were taken from.
    pub fn set_skill_loader(&mut self, stock: SkillLoader) {
        self.skill_loader = Some(stock);
    }

    /// Looks whether packages have changed, and takes what can be used by now. Waits at most `patience` for
    /// small components, which take no time to speak of, and not at all for large ones; without one, until
    /// nothing is on its way any more. Whether anything is different.
    pub async fn refresh_skills(&mut self, patience: Option<Duration>) -> bool {
        if let Some(stock) = &self.skill_loader {
            stock.refresh(patience).await;
        }
        self.take_skills()
    }

    /// Until there are other skills than the session has, or news of some. Never, where no others come.
    pub fn skills_changed(&self) -> impl Future<Output = ()> + Send + 'static {
        let stirred = self.skill_loader.as_ref().map(SkillLoader::changed);
        async move {
            match stirred {
                Some(stirred) => stirred.await,
                None => std::future::pending().await,
            }
        }
    }

    /// Names of the skills that are being made ready.
    pub fn pending_skills(&self) -> Vec<String> {
        self.skill_loader.as_ref().map(SkillLoader::pending_names).unwrap_or_default()
    }

    /// Of these, the names of those that take a moment rather than seconds.
    pub fn small_pending_skills(&self) -> Vec<String> {
        self.skill_loader.as_ref().map(SkillLoader::small_pending_names).unwrap_or_default()
    }

    /// Tells what became of skills since the last time.
    pub fn report_skills(&mut self, updates: UpdateSink<'_>) {
        self.skill_updates.drain(..).for_each(updates);
    }

    /// Takes what is ready. A skill that is another now is not blamed for what it was. Whether anything is
    /// different.
    pub(super) fn take_skills(&mut self) -> bool {
        let Some((LoadedSkills { catalog, scripts }, news)) =
            self.skill_loader.as_ref().and_then(SkillLoader::take)
        else {
            return false;
        };
        (self.catalog, self.scripts) = (catalog, Arc::new(scripts));
        for changed in news.iter().filter_map(|news| news.changed_skill()) {
            self.health.reset(changed);
        }
        self.skill_updates.extend(news.into_iter().filter_map(|news| news.into_update()));
        true
    }
}
