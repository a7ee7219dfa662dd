//! A session's skills become others, between its turns.

use std::{sync::Arc, time::Duration};

use super::{Session, Stock, Stocked, session::UpdateSink};

impl Session {
    /// From now on the session's skills are those of this stock, which its first ones were taken from.
    pub fn follow(&mut self, stock: Stock) {
        self.stock = Some(stock);
    }

    /// Looks whether packages have changed, and takes what can be used by now. Waits at most `patience` for
    /// small components, which take no time to speak of, and not at all for large ones; without one, until
    /// nothing is on its way any more. Whether anything is different.
    pub async fn renew_skills(&mut self, patience: Option<Duration>) -> bool {
        if let Some(stock) = &self.stock {
            stock.renew(patience).await;
        }
        self.take_skills()
    }

    /// Until there are other skills than the session has, or news of some. Never, where no others come.
    pub fn skills_stirred(&self) -> impl Future<Output = ()> + Send + 'static {
        let stirred = self.stock.as_ref().map(Stock::stirred);
        async move {
            match stirred {
                Some(stirred) => stirred.await,
                None => std::future::pending().await,
            }
        }
    }

    /// Names of the skills that are being made ready.
    pub fn skills_coming(&self) -> Vec<String> {
        self.stock.as_ref().map(Stock::coming).unwrap_or_default()
    }

    /// Of these, the names of those that take a moment rather than seconds.
    pub fn small_skills_coming(&self) -> Vec<String> {
        self.stock.as_ref().map(Stock::coming_small).unwrap_or_default()
    }

    /// Tells what became of skills since the last time.
    pub fn tell_skills(&mut self, updates: UpdateSink<'_>) {
        self.skill_news.drain(..).for_each(updates);
    }

    /// Takes what is ready. A skill that is another now is not blamed for what it was. Whether anything is
    /// different.
    pub(super) fn take_skills(&mut self) -> bool {
        let Some((Stocked { catalog, scripts }, news)) = self.stock.as_ref().and_then(Stock::take)
        else {
            return false;
        };
        (self.catalog, self.scripts) = (catalog, Arc::new(scripts));
        for changed in news.iter().filter_map(|news| news.changed()) {
            self.health.forget(changed);
        }
        self.skill_news.extend(news.into_iter().filter_map(|news| news.into_update()));
        true
    }
}
