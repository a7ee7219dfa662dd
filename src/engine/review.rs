//! A person looks at a plan before it runs (S2 "Plan Review"): as library calls, so that a terminal and a
//! web page do the same thing. Each edit makes a new version with lineage; a refused one changes nothing.

use std::{collections::BTreeSet, pin::Pin};

use tokio_util::sync::CancellationToken;

use super::{Update, World, kept::Results, session::UpdateSink};
use crate::{
    plan::{BuildOptions, Edit, EditError, Edited, Plan, PlanJson, edit},
    skills::Catalog,
};

/// Most edits of one draft. A person makes a few; a program that edits for ever must come to an end.
pub const EDITS_MAX: usize = 1_000;

/// A plan before it runs. Nothing of it has run, except what an earlier plan of the turn had done.
#[derive(Debug, Clone)]
pub struct Draft {
    /// As it would be written.
    pub json: PlanJson,
    /// The same, checked.
    pub plan: Plan,
    /// Who made it: a voice, or `player` after an edit.
    pub by: String,
    /// Counted from 1 within the turn.
    pub version: u32,
    /// Steps that are done already, or that a person has denied, and would not run again; by `toolId`.
    pub kept: BTreeSet<String>,
}

/// What a person makes of a draft.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Run it.
    Start,
    /// Run nothing; the turn ends.
    Cancel,
    /// Change it and show it again.
    Edit(Edit),
    /// Ask the planner for another.
    Regenerate {
        /// What is wrong with this one, in the person's words.
        remark: String,
    },
}

/// A verdict on its way.
pub type Reviewing<'a> = Pin<Box<dyn Future<Output = Verdict> + Send + 'a>>;

/// Somebody who looks at plans before they run.
pub trait Reviewer: Send {
    /// Looks at one version of a draft. `refused` says why the last verdict came to nothing, if it did: the
    /// draft is then the same as before.
    fn review<'a>(&'a mut self, draft: &'a Draft, refused: Option<&'a str>) -> Reviewing<'a>;
}

/// How a review ended.
pub(super) enum Reviewed {
    Start(Box<Draft>),
    Cancelled,
    Regenerate(String),
}

/// What a review needs besides the draft.
pub(super) struct Review<'a> {
    pub(super) turn: u64,
    pub(super) catalog: &'a Catalog,
    pub(super) disabled: &'a BTreeSet<String>,
    pub(super) results: &'a Results,
    /// Skills that have failed for good in this session.
    pub(super) lost: &'a BTreeSet<String>,
    /// Why nobody can be asked for another, if so.
    pub(super) can_regenerate: Result<(), &'static str>,
    pub(super) world: &'a World,
    pub(super) cancel: &'a CancellationToken,
    pub(super) reviewer: &'a mut dyn Reviewer,
}

impl Review<'_> {
    /// Shows the draft until it is started, cancelled or sent back. Also gives each new version and what
    /// changed, in order.
    pub(super) async fn until_decided(
        &mut self,
        mut draft: Draft,
        updates: UpdateSink<'_>,
    ) -> (Reviewed, Vec<(Draft, String)>) {
        let (mut refused, mut versions) = (None::<String>, Vec::new());
        for _ in 0..EDITS_MAX {
            let verdict = tokio::select! {
                biased;
                () = self.cancel.cancelled() => Verdict::Cancel,
                verdict = self.reviewer.review(&draft, refused.as_deref()) => verdict,
            };
            self.tell(&draft, &verdict, updates);
            refused = None;
            match verdict {
                Verdict::Start => return (Reviewed::Start(Box::new(draft)), versions),
                Verdict::Cancel => return (Reviewed::Cancelled, versions),
                Verdict::Regenerate { remark } => match self.can_regenerate {
                    Ok(()) => return (Reviewed::Regenerate(remark), versions),
                    Err(why) => refused = Some(why.to_owned()),
                },
                Verdict::Edit(change) => match self.edited(&draft, &change) {
                    Ok((next, changes)) => {
                        updates(Update::PlanRevised {
                            turn: self.turn,
                            plan_id: next.json.request_id.clone(),
                            parent_plan_id: draft.json.request_id.clone(),
                            version: next.version,
                            changes: changes.clone(),
                        });
                        versions.push((next.clone(), changes));
                        draft = next;
                    }
                    Err(why) => refused = Some(why),
                },
            }
        }
        (Reviewed::Cancelled, versions)
    }

    fn edited(&self, draft: &Draft, change: &Edit) -> Result<(Draft, String), String> {
        let options = |kept: &BTreeSet<String>, mended: BTreeSet<String>| BuildOptions {
            disabled_skills: self.disabled.clone(),
            kept: kept.clone(),
            mended,
            ..BuildOptions::default()
        };
        let id = (self.world.ids)().to_string();
        let lenient = options(&draft.kept, self.results.mendable_ids(self.lost));
        let Edited { json, changes, .. } = edit(&draft.json, change, self.catalog, &lenient, id)
            .map_err(|error| with_hints(&error.to_string(), error.hints()))?;
        let (by, version) = (PLAYER.to_owned(), draft.version + 1);
        // A step that was changed runs again, so its skill must be one that may run.
        let kept = self.results.kept_ids(&json);
        let strict = options(&kept, self.results.mended_ids(&json, self.lost));
        let plan = Plan::build(json.clone(), self.catalog, &strict)
            .map_err(EditError::Invalid)
            .map_err(|error| with_hints(&error.to_string(), error.hints()))?;
        Ok((Draft { json, plan, by, version, kept }, changes))
    }

    fn tell(&self, draft: &Draft, verdict: &Verdict, updates: UpdateSink<'_>) {
        let decision = match verdict {
            Verdict::Start => "start",
            Verdict::Cancel => "cancel",
            Verdict::Edit(_) => "edit",
            Verdict::Regenerate { .. } => "regenerate",
        };
        updates(Update::PlanReviewed {
            turn: self.turn,
            plan_id: draft.json.request_id.clone(),
            decision: decision.to_owned(),
        });
    }
}

fn with_hints(error: &str, hints: Vec<String>) -> String {
    match hints.is_empty() {
        true => error.to_owned(),
        false => format!("{error} ({})", hints.join("; ")),
    }
}

/// Where a plan comes from a file, nobody can be asked for another.
pub(super) const NO_PLANNER: &str = "there is no sentence that another plan could be made of; `narratoria plan new` \
    makes a plan of one, `narratoria run --review` reviews it";

/// There is an end to it.
pub(super) const SENT_BACK_TOO_OFTEN: &str = "no other plan is made in this turn, so many were sent back \
    already; start this one, change it yourself, or cancel";

/// Who makes an edited plan.
pub(super) const PLAYER: &str = "player";
