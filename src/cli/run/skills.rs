//! Skills that are compiled during play.

use std::time::Duration;

use narratoria_engine::{LoadProgressFn, Session, SkillStatus, TurnError, TurnErrorKind, Update};
use narratoria_skills::Health;

use super::play_session::PlaySession;
use crate::{exit::Exit, player_line::PlayerLine};
use narratoria_ui::{PromptStatus, StatusTopic, Tone, note, some_names};

/// A wait longer than this is announced. Most small skills take less.
const MOMENT: Duration = Duration::from_millis(300);

/// Longest wait of a typed turn for small skills. Without its storyteller a story loses more than these few seconds are
/// worth; on a slower machine the turn goes without them.
const SMALL_SKILLS_MAX: Duration = Duration::from_secs(10);

impl PlaySession {
    /// Waits before a turn for skills that are nearly ready, never for large ones, and names the skills that it waits
    /// for or goes without. A pipe waits for all, because each of its runs must find the same skills. Returns false if
    /// the player leaves.
    pub(super) async fn await_skills(&mut self) -> bool {
        if !self.ignores_failures {
            return self.reload_skills(None).await;
        }
        if !self.reload_skills(Some(MOMENT)).await {
            return false;
        }
        let small = self.session.small_pending_skills();
        self.note_skills(&small, |names| format!("compiling {names} for it"));
        if !small.is_empty() && !self.reload_skills(Some(SMALL_SKILLS_MAX - MOMENT)).await {
            return false;
        }
        // The old version of a skill that is compiled again stays in use.
        let mut pending = self.session.pending_skills();
        pending.retain(|name| self.session.catalog().get(name).is_none());
        self.note_skills(&pending, |names| {
            format!("this turn goes without {names}: still compiling")
        });
        true
    }

    /// Waits for every skill, however large. Returns false if the player leaves.
    pub(super) async fn await_all_skills(&mut self) -> bool {
        let pending = self.session.pending_skills();
        self.note_skills(&pending, |names| format!("compiling {names} for it"));
        self.reload_skills(None).await
    }

    /// Prints a note about skills, if there are any.
    pub(super) fn note_skills(&mut self, names: &[String], say: impl Fn(&str) -> String) {
        if !names.is_empty() {
            note(&mut self.err, Tone::Notice, "note", &say(&some_names(names)));
        }
    }

    /// Enables a skill again that was disabled after its failures (S0 FR-028).
    pub(super) fn enable_skill(&mut self, name: &str) {
        match self.session.enable_skill(name) {
            Ok(Some(update)) => self.screen.lock().show(&update),
            Ok(None) if self.allows_commands => {
                note(&mut self.err, Tone::Notice, "note", &format!("`{name}` is in play already"));
            }
            Ok(None) => {}
            Err(error) => self.failed(error),
        }
    }

    /// Answers a program's command about skills. The list always comes last, after any message.
    pub(super) fn answer_skill_command(&mut self, command: PlayerLine<'_>) {
        match command {
            PlayerLine::Enable(name) => self.enable_skill(name),
            PlayerLine::Unknown(what) => {
                self.failed(TurnError::new(TurnErrorKind::BadInput, what));
            }
            _ => self.session.prepare(),
        }
        let skills = self.session.skill_statuses();
        self.screen.lock().show(&Update::SkillsListed { skills });
    }

    /// Loads the skills that are ready. Returns false if the player leaves.
    async fn reload_skills(&mut self, wait_max: Option<Duration>) -> bool {
        let leave = self.interrupts.exit_token();
        let renewed = tokio::select! {
            biased;
            () = leave.cancelled() => None,
            renewed = self.session.refresh_skills(wait_max) => Some(renewed),
        };
        if renewed.is_none() {
            self.exit = Exit::Interrupted;
        }
        if renewed == Some(true) && !self.ignores_failures {
            self.prefill_prompt().await;
        }
        renewed.is_some()
    }
}

/// The skills in play, and those that join them at the next line or later.
pub(super) fn skills_text(session: &mut Session) -> String {
    // In this order, a skill that becomes ready between the two calls is still in one of the lists.
    let pending = session.pending_skills();
    session.prepare();
    let catalog = session.catalog();
    let statuses = session.skill_statuses().into_iter();
    let ready = statuses.map(|SkillStatus { name, description, health }| {
        let how = match health {
            Health::Healthy => String::new(),
            Health::Degraded => " (fails often)".to_owned(),
            Health::TemporaryFailure => " (does not answer, may recover)".to_owned(),
            Health::PermanentFailure => {
                format!(" (failed for good, `/enable {name}` brings it back)")
            }
        };
        format!("  {name}: {description}{how}\n")
    });
    let pending = pending.into_iter().filter(|name| catalog.get(name).is_none());
    ready.chain(pending.map(|name| format!("  {name}: is being compiled\n"))).collect()
}

/// Shows beside the prompt that skills are compiled.
pub(super) fn loading_status(status: PromptStatus) -> LoadProgressFn {
    Box::new(move |pending| {
        let words = match pending {
            [] => String::new(),
            [one] => format!("compiling {one}"),
            [_, _, ..] => format!("compiling {} skills", pending.len()),
        };
        status.set(StatusTopic::Skills, &words);
    })
}
