//! The skills of a session. They may change between two turns, never during one.

use std::{future::pending, sync::Arc, time::Duration};

use super::{LoadedSkills, Scripts, SkillLoader, Update};
use narratoria_skills::{Catalog, HealthTracker};

pub(crate) struct SessionSkills {
    catalog: Catalog,
    scripts: Arc<Scripts>,
    /// Loads changed and newly compiled skills. Without it, the skills stay as they are.
    loader: Option<SkillLoader>,
    /// Changes that are not reported yet.
    updates: Vec<Update>,
}

impl SessionSkills {
    pub(crate) fn new(catalog: Catalog, scripts: Scripts) -> SessionSkills {
        SessionSkills { catalog, scripts: Arc::new(scripts), loader: None, updates: Vec::new() }
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    pub(crate) fn scripts(&self) -> &Arc<Scripts> {
        &self.scripts
    }

    pub(crate) fn set_loader(&mut self, loader: SkillLoader) {
        self.loader = Some(loader);
    }

    /// Has the packages scanned and waits for pending skills, as [`SkillLoader::refresh`] does.
    pub(crate) async fn refresh(&self, limit: Option<Duration>) {
        if let Some(loader) = &self.loader {
            loader.refresh(limit).await;
        }
    }

    /// Completes when there are changes to take; never without a loader.
    pub(crate) fn changed(&self) -> impl Future<Output = ()> + Send + 'static {
        let changed = self.loader.as_ref().map(SkillLoader::changed);
        async move {
            match changed {
                Some(changed) => changed.await,
                None => pending().await,
            }
        }
    }

    pub(crate) fn pending_names(&self) -> Vec<String> {
        self.loader.as_ref().map(SkillLoader::pending_names).unwrap_or_default()
    }

    pub(crate) fn small_pending_names(&self) -> Vec<String> {
        self.loader.as_ref().map(SkillLoader::small_pending_names).unwrap_or_default()
    }

    /// Takes the skills that are ready, and returns true if anything has changed. Reloading a skill resets its
    /// health.
    pub(crate) fn take_changes(&mut self, health: &mut HealthTracker) -> bool {
        let Some((LoadedSkills { catalog, scripts }, events)) =
            self.loader.as_ref().and_then(SkillLoader::take)
        else {
            return false;
        };
        (self.catalog, self.scripts) = (catalog, Arc::new(scripts));
        for changed in events.iter().filter_map(|event| event.changed_skill()) {
            _ = health.reset(changed);
        }
        self.updates.extend(events.into_iter().filter_map(|event| event.into_update()));
        true
    }

    /// Returns the changes since the last call.
    pub(crate) fn take_updates(&mut self) -> Vec<Update> {
        std::mem::take(&mut self.updates)
    }
}
