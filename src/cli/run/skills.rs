//! Skills that are compiled while somebody plays.

use std::time::Duration;

use narratoria::engine::{Progress, Session};

use super::{Exit, Play};
use crate::ui::{Status, Tone, Topic, note};

/// Whoever waits longer than this should know what for. Most small skills take less.
const MOMENT: Duration = Duration::from_millis(300);

/// How long a turn that somebody typed waits for small skills, told or not. A story without its storyteller is
/// worth less than a few seconds; on a machine that needs longer the turn goes without.
const SMALL_SKILLS_MAX: Duration = Duration::from_secs(10);

impl Play {
    /// Before a turn: waits for skills that are nearly there, never for large ones, and says what it waits for
    /// and what it goes without. A pipe has all the time in the world, and every run of it must find the same
    /// skills. False when the player leaves instead.
    pub(super) async fn await_skills(&mut self) -> bool {
        if !self.forgiving {
            return self.renew(None).await;
        }
        if !self.renew(Some(MOMENT)).await {
            return false;
        }
        let small = self.session.small_skills_coming();
        self.note_skills(&small, |names| format!("compiling {names} for it"));
        if !small.is_empty() && !self.renew(Some(SMALL_SKILLS_MAX - MOMENT)).await {
            return false;
        }
        // One that is compiled anew is used as it was before.
        let mut coming = self.session.skills_coming();
        coming.retain(|name| self.session.catalog().get(name).is_none());
        self.note_skills(&coming, |names| {
            format!("this turn goes without {names}: still compiling")
        });
        true
    }

    /// Waits for every skill, however large. False when the player leaves instead.
    pub(super) async fn await_all_skills(&mut self) -> bool {
        let coming = self.session.skills_coming();
        self.note_skills(&coming, |names| format!("compiling {names} for it"));
        self.renew(None).await
    }

    /// Says something of skills, if there are any.
    pub(super) fn note_skills(&mut self, names: &[String], say: impl Fn(&str) -> String) {
        if !names.is_empty() {
            let names = format!("`{}`", names.join("`, `"));
            note(&mut self.err, Tone::Aside, "note", &say(&names));
        }
    }

    /// Takes the skills as they are now. False when the player leaves instead.
    async fn renew(&mut self, patience: Option<Duration>) -> bool {
        let leave = self.interrupts.leave();
        let renewed = tokio::select! {
            biased;
            () = leave.cancelled() => None,
            renewed = self.session.renew_skills(patience) => Some(renewed),
        };
        if renewed.is_none() {
            self.exit = Exit::Interrupted;
        }
        if renewed == Some(true) && !self.forgiving {
            self.read_up().await;
        }
        renewed.is_some()
    }
}

/// The skills in play, and those that join them at the next line or later.
pub(super) fn list(session: &mut Session) -> String {
    // In this order, one that becomes ready right now is in either list.
    let coming = session.skills_coming();
    session.prepare();
    let catalog = session.catalog();
    let ready = catalog.iter().map(|skill| format!("  {}: {}\n", skill.name, skill.description));
    let coming = coming.into_iter().filter(|name| catalog.get(name).is_none());
    ready.chain(coming.map(|name| format!("  {name}: is being compiled\n"))).collect()
}

/// What stands beside the prompt while skills come.
pub(super) fn progress(status: Status) -> Progress {
    Box::new(move |coming| {
        let words = match coming {
            [] => String::new(),
            [one] => format!("compiling {one}"),
            [_, _, ..] => format!("compiling {} skills", coming.len()),
        };
        status.say(Topic::Skills, &words);
    })
}
