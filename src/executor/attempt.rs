//! Attempts: how one starts, what follows when it ends.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde_json::Value;
use tokio::{sync::mpsc, time::Instant};

use super::{
    Attempt, AttemptCall, ExecutedBy, ExecutionEvent, Failure, GUARD_MARGIN, Outcome,
    QuestionPolicy, StepTrace, Takeover,
    attempt_result::AttemptResult,
    clock::{Countdown, after},
    decisions::OpenQuestions,
    halt::HaltReason,
    prepare::PreparedStep,
    run::{AttemptOutput, Run, RunningAttempt, StepActivity},
    state_view, step_seed,
    task::Task,
};
use narratoria_plan::{Candidate, Step, StepIdx};
use narratoria_protocol::MEMORY_OWNER;
use narratoria_protocol::{InvocationOutcome, InvocationOutput, StoreMap, StoreWrite};
use narratoria_protocol::{OPERATION_RUN, Object, Request};

impl Run<'_> {
    /// Starts the next attempt of a step that holds a slot and has been prepared.
    pub(super) fn start_attempt(&mut self, idx: StepIdx) {
        let now = self.now();
        let step = self.plan.step(idx);
        let Some(work) = &mut self.steps[idx.0].prepared else { return };
        work.attempt += 1;
        let (attempt, item, able) = (work.attempt, work.item(), work.candidates[0]);
        let by =
            work.executed_by.get_or_insert_with(|| ExecutedBy::of(step, able.candidate)).clone();
        let candidate = &step.candidates[able.candidate];
        let limit = self.limit_of(candidate).min(self.clock.left(now));
        let (answers, receiver) = match self.options.questions {
            QuestionPolicy::Ask => {
                let (sender, receiver) = mpsc::unbounded_channel();
                (Some(sender), Some(receiver))
            }
            QuestionPolicy::Unanswered => (None, None),
        };
        self.last_serial += 1;
        let (serial, outbox) = (self.last_serial, self.outbox.clone());
        let call = AttemptCall {
            skill: candidate.skill.clone(),
            script_idx: candidate.script_idx,
            candidate: able.candidate,
            request: self.request(idx, step, candidate),
            timeout: limit,
            step_idx: idx,
            item,
            attempt,
            store: candidate
                .script()
                .grants
                .store
                .then(|| self.store_view(idx, &candidate.skill.name)),
            memory: candidate.script().grants.memory.then(|| self.store_view(idx, MEMORY_OWNER)),
            answers: receiver,
        };
        let sink = Box::new(move |said| {
            // The loop has gone only when the plan is over, and then nobody listens.
            let _ = outbox.send(AttemptOutput { step: idx, serial, output: said });
        });
        let runner = self.runner.clone();
        let overlaps = self.plan.parallel() && step.is_async && runner.is_cpu_bound();
        let task: Task<'_, InvocationOutcome> = match overlaps {
            true => Task::spawned(move || runner.run(call, sink)),
            false => Task::inline(move || runner.run(call, sink)),
        };
        self.steps[idx.0].activity = StepActivity::Running(Box::new(RunningAttempt {
            task,
            serial,
            executed_by: by.clone(),
            started: now,
            limit,
            guard: Countdown::new(limit.saturating_add(GUARD_MARGIN), now),
            events: Vec::new(),
            questions: OpenQuestions::new(answers),
        }));
        self.active.insert(idx);
        (self.on_event)(ExecutionEvent::StepStarted { step: idx, item, attempt, executed_by: &by });
    }

    fn limit_of(&self, candidate: &Candidate) -> Duration {
        candidate.timeout.min(self.options.step_timeout_max)
    }

    fn request(&self, idx: StepIdx, step: &Step, candidate: &Candidate) -> Request {
        let reads = &candidate.script().reads;
        let patches: Vec<&Object> = match reads.is_empty() {
            true => Vec::new(),
            false => self.ancestor_patches(idx).chain(self.item_patches(idx)).collect(),
        };
        let inputs: Object = step
            .needs
            .iter()
            .map(|need| {
                let output = match self.trace_of(*need).map(|trace| &trace.outcome) {
                    Some(Outcome::Done { output, .. }) => output.clone(),
                    _ => Value::Null,
                };
                (self.plan.step(*need).tool_id.clone(), output)
            })
            .collect();
        let work = self.steps[idx.0].prepared.as_deref();
        let seed = match work.and_then(PreparedStep::item) {
            None => step_seed(self.options.seed, &step.tool_id),
            // No `toolId` has a bracket, so no other step has this seed.
            Some(item) => step_seed(self.options.seed, &format!("{}[{item}]", step.tool_id)),
        };
        Request {
            request_id: self.plan.id().to_owned(),
            tool: step.tool_id.clone(),
            operation: OPERATION_RUN.to_owned(),
            input: work.map(|work| work.input(step)).unwrap_or_default(),
            config: candidate.skill.config.clone(),
            state: state_view::state_slices(reads, self.start, &patches),
            inputs,
            seed,
        }
    }

    /// Of the items of a loop that are done.
    fn item_patches(&self, idx: StepIdx) -> impl Iterator<Item = &Object> {
        self.item_successes(idx).flat_map(Attempt::patches)
    }

    fn item_successes(&self, idx: StepIdx) -> impl Iterator<Item = &Attempt> {
        self.steps[idx.0].attempts.iter().filter(|attempt| attempt.failure.is_none())
    }

    /// What `owner` has kept, as this step sees it: a skill's store at the start, or what the story remembered,
    /// with what was written to it in the ancestors and in earlier items.
    fn store_view(&self, idx: StepIdx, owner: &str) -> Arc<StoreMap> {
        let start = self.stores.get(owner).cloned().unwrap_or_default();
        let ancestors = state_view::ancestors(self.plan, idx).into_iter();
        let before = ancestors.filter_map(|idx| self.trace_of(idx)).flat_map(StepTrace::writes);
        let own = self.item_successes(idx).flat_map(Attempt::writes_with_owner);
        let writes: Vec<&StoreWrite> =
            before.chain(own).filter(|(of, _)| *of == owner).map(|(_, write)| write).collect();
        if writes.is_empty() {
            return start;
        }
        let mut store = Arc::unwrap_or_clone(start);
        apply_writes(&mut store, writes);
        Arc::new(store)
    }

    /// Late words of an attempt that was given up are not heard.
    pub(super) fn handle_output(
        &mut self,
        AttemptOutput { step, serial, output: said }: AttemptOutput,
    ) {
        let progress = &mut self.steps[step.0];
        let StepActivity::Running(running) = &mut progress.activity else { return };
        if running.serial != serial {
            return;
        }
        let work = progress.prepared.as_deref();
        let (item, attempt) = work.map_or((None, 1), |work| (work.item(), work.attempt));
        let message = match said {
            InvocationOutput::Event(message) => message,
            InvocationOutput::Narration(text) => {
                return (self.on_event)(ExecutionEvent::StepNarrated {
                    step,
                    attempt,
                    text: &text,
                });
            }
        };
        (self.on_event)(ExecutionEvent::StepEmitted { step, item, attempt, message: &message });
        let question = message.event.question();
        running.events.push(message);
        if let Some(question) = question {
            self.handle_question(step, question);
        }
    }

    /// The task of a step has ended; a panic's text is an error.
    pub(super) fn task_ended(&mut self, idx: StepIdx, ended: Result<InvocationOutcome, String>) {
        let Some(running) = self.take_running(idx) else { return };
        let mut judged = match ended {
            Ok(invocation) => {
                AttemptResult::of(invocation, &running.events, self.plan.step(idx).expect.as_ref())
            }
            Err(what) => AttemptResult::abandoned(Failure::HostCrashed { what }),
        };
        // Who gives up because the player, whom it has asked something, has left is no failure.
        let asked = || running.events.iter().any(|message| message.event.question().is_some());
        if self.halted == Some(HaltReason::Cancelled)
            && matches!(judged.result, Err(Failure::GaveUp { .. }))
            && asked()
        {
            judged.result = Err(Failure::Cancelled);
        }
        self.attempt_ended(idx, running, judged);
    }

    /// Stops waiting for an attempt and drops it.
    pub(super) fn abandon(&mut self, idx: StepIdx, why: impl FnOnce(Duration) -> Failure) {
        let Some(running) = self.take_running(idx) else { return };
        let judged = AttemptResult::abandoned(why(running.limit));
        self.attempt_ended(idx, running, judged);
    }

    fn take_running(&mut self, idx: StepIdx) -> Option<RunningAttempt> {
        let active = std::mem::replace(&mut self.steps[idx.0].activity, StepActivity::Idle);
        let StepActivity::Running(mut running) = active else {
            self.steps[idx.0].activity = active;
            return None;
        };
        self.active.remove(&idx);
        self.withdraw_questions(idx, &mut running);
        Some(*running)
    }

    fn attempt_ended(&mut self, idx: StepIdx, running: RunningAttempt, judged: AttemptResult) {
        let (began, elapsed) = (running.started - self.started, self.now() - running.started);
        let progress = &mut self.steps[idx.0];
        let item = progress.prepared.as_deref().and_then(PreparedStep::item);
        let attempt = Attempt {
            executed_by: running.executed_by.clone(),
            item,
            started: began,
            elapsed,
            limit: running.limit,
            events: running.events,
            events_left_off: 0,
            writes: judged.writes,
            usage: judged.usage,
            stderr_tail: judged.stderr_tail,
            failure: judged.result.as_ref().err().cloned(),
        };
        drop(running.task);
        progress.attempts.push(attempt);
        match judged.result {
            Ok((summary, output)) => self.item_done(idx, summary, output),
            Err(why) => self.attempt_failed(idx, why),
        }
    }

    fn item_done(&mut self, idx: StepIdx, summary: Option<String>, output: Value) {
        let now = self.now();
        let Some(work) = &mut self.steps[idx.0].prepared else { return };
        work.summary = summary.or(work.summary.take());
        let Some(items) = work.items else {
            let summary = work.summary.take();
            return self.finish_step(idx, Outcome::Done { summary, output });
        };
        work.outputs.push(output);
        (work.candidate_attempts, work.attempt) = (0, 0);
        let done = work.outputs.len();
        if done == items {
            let output = Value::Array(std::mem::take(&mut work.outputs));
            let summary = work.summary.take();
            return self.finish_step(idx, Outcome::Done { summary, output });
        }
        match self.halted {
            Some(halt) => {
                let because = halt.skip_reason();
                let why = Failure::CutShort { done, items, because };
                self.finish_step(idx, Outcome::failed(why));
            }
            // Past the deadline the alarm is about to ring, and ends the loop between two items.
            None if self.clock.is_over(now) => {}
            None => self.start_attempt(idx),
        }
    }

    fn attempt_failed(&mut self, idx: StepIdx, why: Failure) {
        let now = self.now();
        let delay = self.retry_delay(idx, now);
        let may_go_on = self.halted.is_none() && !self.clock.is_over(now);
        let progress = &mut self.steps[idx.0];
        let Some(work) = &mut progress.prepared else { return };
        let (item, attempt) = (work.item(), work.attempt);
        if let Some(delay) = delay {
            truncate_last_events(&mut progress.attempts);
            work.candidate_attempts += 1;
            progress.activity = StepActivity::BackingOff;
            self.retries.insert((after(now, delay), idx));
            (self.on_event)(ExecutionEvent::StepRetrying {
                step: idx,
                item,
                attempt,
                delay,
                why: &why,
            });
            return;
        }
        if work.candidates.len() < 2 || !may_go_on {
            return self.finish_step(idx, Outcome::failed(why));
        }
        truncate_last_events(&mut progress.attempts);
        work.candidates.remove(0);
        work.candidate_attempts = 0;
        let to = ExecutedBy::of(self.plan.step(idx), work.candidates[0].candidate);
        let Some(from) = work.executed_by.replace(to.clone()) else { return };
        (self.on_event)(ExecutionEvent::StepTakenOver {
            step: idx,
            from: &from,
            to: &to,
            why: &why,
        });
        if let Some(arbitration) = &mut progress.arbitration {
            let why = why.to_string();
            arbitration.takeovers.push(Takeover { from, to, why, item });
        }
        self.start_attempt(idx);
    }

    /// S1 §2.1: `backoff × 2^(n−1)` before the n-th retry. None when there is no other attempt: they are
    /// used up, the plan's deadline would be past (DESIGN §4.3), or nothing starts any more.
    fn retry_delay(&self, idx: StepIdx, now: Instant) -> Option<Duration> {
        let work = self.steps[idx.0].prepared.as_deref()?;
        let retry = self.plan.step(idx).candidates[work.candidates[0].candidate].retry;
        if self.halted.is_some() || work.candidate_attempts >= retry.retries_max {
            return None;
        }
        let factor = 2_u32.saturating_pow(work.candidate_attempts);
        let delay = retry.backoff.saturating_mul(factor);
        (delay < self.clock.left(now)).then_some(delay)
    }
}

fn truncate_last_events(attempts: &mut [Attempt]) {
    if let Some(last) = attempts.last_mut() {
        last.truncate_events();
    }
}

fn apply_writes(store: &mut BTreeMap<String, String>, writes: Vec<&StoreWrite>) {
    for StoreWrite { key, value, .. } in writes {
        match value {
            Some(value) => store.insert(key.clone(), value.clone()),
            None => store.remove(key),
        };
    }
}
