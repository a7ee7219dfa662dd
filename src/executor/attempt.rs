//! Starts attempts, and decides what follows their end.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde_json::Value;
use tokio::{sync::mpsc, time::Instant};

use crate::{
    Attempt, AttemptCall, ExecutedBy, ExecutionEvent, Failure, Outcome, QuestionPolicy, StepTrace,
    Takeover,
    attempt_result::AttemptResult,
    clock::{Countdown, after},
    execution::GRACE_EVENTS_MAX,
    memory_author::name_author,
    prepared::PreparedStep,
    questions::OpenQuestions,
    record_budget::{Admission, AttemptRecord, StepRecordAllowance},
    run::Run,
    runner::GUARD_MARGIN,
    seed::step_seed,
    skip::HaltReason,
    state_view,
    step_run::{AttemptOutput, RunningAttempt, StepActivity},
    task::Task,
};
use narratoria_plan::{Candidate, Step, StepIdx};
use narratoria_protocol::{
    ENTITY_OWNER, InvocationOutcome, InvocationOutput, InvocationOutputSink, MEMORY_OWNER,
    OPERATION_RUN, Object, Request, StoreMap, StoreWrite,
};

impl Run<'_> {
    /// Starts the next attempt of a step that holds a slot and has been prepared.
    pub(crate) fn start_attempt(&mut self, idx: StepIdx) {
        let now = self.now();
        let step = self.plan.step(idx);
        let Some(prepared) = &mut self.steps[idx.0].prepared else { return };
        prepared.attempt += 1;
        let (attempt, item) = (prepared.attempt, prepared.item());
        let candidate_idx = prepared.candidates[0].candidate;
        let executed_by =
            prepared.executed_by.get_or_insert_with(|| ExecutedBy::of(step, candidate_idx)).clone();
        let candidate = &step.candidates[candidate_idx];
        let (own_limit, plan_left) = (self.limit_of(candidate), self.clock.left(now));
        let limit = own_limit.min(plan_left);
        let (answers, receiver) = match self.options.questions {
            QuestionPolicy::Ask => {
                let (sender, receiver) = mpsc::unbounded_channel();
                (Some(sender), Some(receiver))
            }
            QuestionPolicy::Unanswered => (None, None),
        };
        self.last_serial += 1;
        let (serial, outbox) = (self.last_serial, self.outbox.clone());
        let allowance = self.steps[idx.0].record.get_or_insert_with(|| self.record.allowance());
        let record = Arc::new(AttemptRecord::new(allowance.clone()));
        let call = AttemptCall {
            skill: candidate.skill.clone(),
            script_idx: candidate.script_idx,
            candidate: candidate_idx,
            request: self.request(idx, step, candidate),
            timeout: limit,
            step_idx: idx,
            asked_by: step.asked_by.clone(),
            item,
            attempt,
            store: candidate
                .script()
                .grants
                .store
                .then(|| self.store_view(idx, &candidate.skill.name)),
            memory: candidate.script().grants.memory.then(|| self.store_view(idx, MEMORY_OWNER)),
            entity_writes: candidate.script().grants.memory.then(|| self.entity_writes(idx)),
            answers: receiver,
        };
        let sink = recording_sink(idx, serial, record.clone(), outbox);
        let runner = self.runner.clone();
        let overlaps = self.plan.parallel() && step.is_async && runner.is_cpu_bound();
        let task: Task<'_, InvocationOutcome> = match overlaps {
            true => Task::spawned(move || runner.run(call, sink)),
            false => Task::inline(move || runner.run(call, sink)),
        };
        self.steps[idx.0].activity = StepActivity::Running(Box::new(RunningAttempt {
            task,
            serial,
            executed_by: executed_by.clone(),
            started: now,
            limit,
            is_cut_by_plan: plan_left < own_limit,
            guard: Countdown::new(limit.saturating_add(GUARD_MARGIN), now),
            events: Vec::new(),
            record,
            questions: OpenQuestions::new(answers),
        }));
        self.active.insert(idx);
        (self.on_event)(ExecutionEvent::StepStarted {
            step: idx,
            item,
            attempt,
            executed_by: &executed_by,
        });
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
        let prepared = self.steps[idx.0].prepared.as_deref();
        let seed = match prepared.and_then(PreparedStep::item) {
            None => step_seed(self.options.seed, &step.tool_id),
            // A `toolId` contains no bracket, so no other step gets this seed.
            Some(item) => step_seed(self.options.seed, &format!("{}[{item}]", step.tool_id)),
        };
        Request {
            request_id: self.plan.id().to_owned(),
            tool: step.tool_id.clone(),
            operation: OPERATION_RUN.to_owned(),
            input: prepared.map(|prepared| prepared.input(step)).unwrap_or_default(),
            config: candidate.skill.config.clone(),
            state: state_view::state_slices(reads, self.start, &patches),
            inputs,
            seed,
        }
    }

    /// Returns the patches of the finished items of a loop.
    fn item_patches(&self, idx: StepIdx) -> impl Iterator<Item = &Object> {
        self.item_successes(idx).flat_map(Attempt::patches)
    }

    fn item_successes(&self, idx: StepIdx) -> impl Iterator<Item = &Attempt> {
        self.steps[idx.0].attempts.iter().filter(|attempt| attempt.failure.is_none())
    }

    /// Returns the store of `owner` (a skill, or the story's memory) as this step sees it: the store at the start,
    /// with the writes of the step's ancestors and of earlier items.
    fn store_view(&self, idx: StepIdx, owner: &str) -> Arc<StoreMap> {
        let start = self.stores.get(owner).cloned().unwrap_or_default();
        let ancestors = state_view::ancestors(self.plan, idx).into_iter();
        let earlier = ancestors.filter_map(|idx| self.trace_of(idx)).flat_map(StepTrace::writes);
        let own = self.item_successes(idx).flat_map(Attempt::writes_with_owner);
        let writes: Vec<&StoreWrite> =
            earlier.chain(own).filter(|(of, _)| *of == owner).map(|(_, write)| write).collect();
        if writes.is_empty() {
            return start;
        }
        let mut store = Arc::unwrap_or_clone(start);
        apply_writes(&mut store, writes);
        Arc::new(store)
    }

    /// Returns the changes of entities that this step sees: those of its ancestors, and of earlier items.
    fn entity_writes(&self, idx: StepIdx) -> Vec<StoreWrite> {
        let ancestors = state_view::ancestors(self.plan, idx).into_iter();
        let earlier = ancestors.filter_map(|idx| self.trace_of(idx)).flat_map(StepTrace::writes);
        let own = self.item_successes(idx).flat_map(Attempt::writes_with_owner);
        let entities = earlier.chain(own).filter(|(owner, _)| *owner == ENTITY_OWNER);
        entities.map(|(_, write)| write.clone()).collect()
    }

    /// Ignores output of an attempt that the executor has abandoned.
    pub(crate) fn handle_output(&mut self, output: AttemptOutput) {
        let AttemptOutput { step, serial, output } = output;
        let step_run = &mut self.steps[step.0];
        let StepActivity::Running(running) = &mut step_run.activity else { return };
        if running.serial != serial {
            return;
        }
        if self.grace_over.is_some() {
            self.grace_events += 1;
            if self.grace_events > GRACE_EVENTS_MAX {
                return self.abandon(step, |_| Failure::Cancelled);
            }
        }
        let prepared = step_run.prepared.as_deref();
        let (item, attempt) = prepared.map_or((None, 1), |p| (p.item(), p.attempt));
        let Some(output) = output else {
            return self.abandon(step, |_| Failure::RecordFull);
        };
        let message = match output {
            InvocationOutput::Event(message) => message,
            InvocationOutput::Narration(text) => {
                let text = &text;
                return (self.on_event)(ExecutionEvent::StepNarrated { step, attempt, text });
            }
        };
        (self.on_event)(ExecutionEvent::StepEmitted { step, item, attempt, message: &message });
        let question = message.event.question();
        running.events.push(message);
        if let Some(question) = question {
            self.handle_question(step, question);
        }
    }

    /// Handles the end of a step's task. An error is the text of a panic.
    pub(crate) fn task_ended(&mut self, idx: StepIdx, ended: Result<InvocationOutcome, String>) {
        let Some(running) = self.take_running(idx) else { return };
        let mut ended = match ended {
            Ok(invocation) => {
                AttemptResult::of(invocation, &running.events, self.plan.step(idx).expect.as_ref())
            }
            Err(what) => AttemptResult::abandoned(Failure::HostCrashed { what }),
        };
        let step = self.plan.step(idx);
        if let Some(prepared) = &self.steps[idx.0].prepared
            && !step.acceptance_criteria.is_empty()
        {
            ended.check_criteria(step, &prepared.input(step));
        }
        // A script that gives up because the player left without answering its question was cancelled.
        let has_asked = || running.events.iter().any(|message| message.event.question().is_some());
        if self.halted == Some(HaltReason::Cancelled)
            && matches!(ended.result, Err(Failure::GaveUp { .. }))
            && has_asked()
        {
            ended.result = Err(Failure::Cancelled);
        }
        if ended.result.is_ok()
            && let Err(why) = self.check_patches(&running)
        {
            ended.result = Err(Failure::State(why));
        }
        self.attempt_ended(idx, running, ended);
    }

    /// Stops waiting for an attempt and drops it.
    pub(crate) fn abandon(&mut self, idx: StepIdx, why: impl FnOnce(Duration) -> Failure) {
        let Some(running) = self.take_running(idx) else { return };
        let ended = AttemptResult::abandoned(why(running.limit));
        self.attempt_ended(idx, running, ended);
    }

    fn take_running(&mut self, idx: StepIdx) -> Option<RunningAttempt> {
        let activity = std::mem::take(&mut self.steps[idx.0].activity);
        let StepActivity::Running(mut running) = activity else {
            self.steps[idx.0].activity = activity;
            return None;
        };
        self.active.remove(&idx);
        self.withdraw_questions(idx, &mut running);
        Some(*running)
    }

    fn attempt_ended(&mut self, idx: StepIdx, running: RunningAttempt, mut ended: AttemptResult) {
        let now = self.now();
        if running.is_cut_by_plan && matches!(&ended.result, Err(why) if why.is_timeout()) {
            ended.result = Err(Failure::PlanTimeout { limit: self.options.plan_timeout });
        }
        let step_run = &mut self.steps[idx.0];
        if let Some(allowance) = &step_run.record {
            ended.record(allowance);
        }
        let author = self.plan.steps()[idx.0].responsible_skill(&running.executed_by.skill);
        name_author(&mut ended.writes, author);
        let attempt = Attempt {
            executed_by: running.executed_by.clone(),
            item: step_run.prepared.as_deref().and_then(PreparedStep::item),
            started: running.started - self.started,
            elapsed: now - running.started,
            limit: running.limit,
            events: running.events,
            events_left_off: running.record.events_left_off(),
            writes: ended.writes,
            files: ended.files,
            usage: ended.usage,
            stderr_tail: ended.stderr_tail,
            failure: ended.result.as_ref().err().cloned(),
        };
        drop(running.task);
        step_run.attempts.push(attempt);
        match ended.result {
            Ok((summary, output)) => self.item_done(idx, summary, output),
            Err(why) => self.attempt_failed(idx, why),
        }
    }

    fn item_done(&mut self, idx: StepIdx, summary: Option<String>, output: Value) {
        let now = self.now();
        let Some(prepared) = &mut self.steps[idx.0].prepared else { return };
        prepared.summary = summary.or(prepared.summary.take());
        let Some(items) = prepared.items else {
            let summary = prepared.summary.take();
            return self.finish_accepted(idx, Outcome::Done { summary, output });
        };
        prepared.outputs.push(output);
        (prepared.candidate_attempts, prepared.attempt) = (0, 0);
        let done = prepared.outputs.len();
        if done == items {
            let output = Value::Array(std::mem::take(&mut prepared.outputs));
            let summary = prepared.summary.take();
            return self.finish_accepted(idx, Outcome::Done { summary, output });
        }
        match self.halted {
            Some(halt) => {
                let because = halt.skip_reason();
                let why = Failure::CutShort { done, items, because };
                self.finish_step(idx, Outcome::failed(why));
            }
            // After the deadline the alarm fires next and ends the loop between two items.
            None if self.clock.is_over(now) => {}
            None => self.start_attempt(idx),
        }
    }

    /// Retries the item, or passes it to the next candidate, or fails the step.
    fn attempt_failed(&mut self, idx: StepIdx, why: Failure) {
        let now = self.now();
        // A script that runs again would write the same.
        let is_final = why.is_sum_of_turn() || self.is_input_fault(idx, &why);
        let delay = self.retry_delay(idx, now).filter(|_| !is_final);
        let may_go_on = self.halted.is_none() && !self.clock.is_over(now);
        let step_run = &mut self.steps[idx.0];
        let Some(prepared) = &mut step_run.prepared else { return };
        let (item, attempt) = (prepared.item(), prepared.attempt);
        if let Some(delay) = delay {
            truncate_last(&mut step_run.attempts, step_run.record.as_ref());
            prepared.candidate_attempts += 1;
            step_run.activity = StepActivity::BackingOff;
            self.retries.insert((after(now, delay), idx));
            let why = &why;
            (self.on_event)(ExecutionEvent::StepRetrying { step: idx, item, attempt, delay, why });
            return;
        }
        if prepared.candidates.len() < 2 || !may_go_on {
            return self.finish_step(idx, Outcome::failed(why));
        }
        truncate_last(&mut step_run.attempts, step_run.record.as_ref());
        prepared.candidates.remove(0);
        prepared.candidate_attempts = 0;
        let to = ExecutedBy::of(self.plan.step(idx), prepared.candidates[0].candidate);
        let Some(from) = prepared.executed_by.replace(to.clone()) else { return };
        let taken_over =
            ExecutionEvent::StepTakenOver { step: idx, from: &from, to: &to, why: &why };
        (self.on_event)(taken_over);
        if let Some(arbitration) = &mut step_run.arbitration {
            let why = why.to_string();
            arbitration.takeovers.push(Takeover { from, to, why, item });
        }
        self.start_attempt(idx);
    }

    /// Returns true if the script of the attempt says that its input is at fault. It would say so again.
    fn is_input_fault(&self, idx: StepIdx, why: &Failure) -> bool {
        let prepared = self.steps[idx.0].prepared.as_deref();
        prepared.is_some_and(|prepared| {
            let candidate = prepared.candidates[0].candidate;
            why.blames_input_of(self.plan.step(idx).candidates[candidate].script())
        })
    }

    /// S1 §2.1: `backoff × 2^(n−1)` before the n-th retry. Returns `None` if no retry follows: the retries are used
    /// up, the next attempt would begin after the plan's deadline, or the plan is halted (docs/plans.md, "Order,
    /// time and failure").
    fn retry_delay(&self, idx: StepIdx, now: Instant) -> Option<Duration> {
        let prepared = self.steps[idx.0].prepared.as_deref()?;
        let retry = self.plan.step(idx).candidates[prepared.candidates[0].candidate].retry;
        if self.halted.is_some() || prepared.candidate_attempts >= retry.retries_max {
            return None;
        }
        let factor = 2_u32.saturating_pow(prepared.candidate_attempts);
        let delay = retry.backoff.saturating_mul(factor);
        (delay < self.clock.left(now)).then_some(delay)
    }
}

/// Returns a sink that passes on the output that still fits into the turn's record.
fn recording_sink(
    step: StepIdx,
    serial: u64,
    record: Arc<AttemptRecord>,
    outbox: mpsc::UnboundedSender<AttemptOutput>,
) -> InvocationOutputSink {
    Box::new(move |output| {
        let admission = match &output {
            InvocationOutput::Event(message) => record.admit(message),
            InvocationOutput::Narration(_) => Admission::Recorded,
        };
        let output = match admission {
            Admission::Recorded => Some(output),
            Admission::Full => None,
            Admission::LeftOff | Admission::AfterFull => return,
        };
        // The loop drops the receiver only when the plan has ended, and then needs no output.
        let _ = outbox.send(AttemptOutput { step, serial, output });
    })
}

fn truncate_last(attempts: &mut [Attempt], allowance: Option<&StepRecordAllowance>) {
    let Some(last) = attempts.last_mut() else { return };
    let dropped = last.truncate();
    if let Some(allowance) = allowance {
        allowance.give_back(dropped);
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
