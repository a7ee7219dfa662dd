//! A real collector's side of the wire: a socket on loopback that reads OTLP.

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Read, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use narratoria_engine::{StepEvent, StepState, StepUpdate, Update};
use narratoria_story::TurnOutcome;
use opentelemetry_proto::tonic::{
    collector::{metrics::v1::ExportMetricsServiceRequest, trace::v1::ExportTraceServiceRequest},
    common::v1::{AnyValue, KeyValue, any_value::Value},
    metrics::v1::{Metric, metric::Data},
    trace::v1::Span,
};
use prost::Message;

use super::{EXPORT_TIME_MAX, Telemetry, TelemetryError, Texts};

/// A path and the bytes that were sent to it.
type Sent = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

struct Collector {
    address: String,
    sent: Sent,
}

impl Collector {
    /// Answers each request with this status.
    fn start(status: &'static str) -> Collector {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let sent = Sent::default();
        let kept = sent.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let kept = kept.clone();
                thread::spawn(move || serve(&stream.unwrap(), status, &kept));
            }
        });
        Collector { address, sent }
    }

    fn spans(&self) -> Vec<Span> {
        let sent = self.sent.lock().unwrap();
        let traces = sent.iter().filter(|(path, _)| path == "/v1/traces");
        let requests =
            traces.map(|(_, body)| ExportTraceServiceRequest::decode(&body[..]).unwrap());
        requests
            .flat_map(|request| request.resource_spans)
            .flat_map(|resource| resource.scope_spans)
            .flat_map(|scope| scope.spans)
            .collect()
    }

    fn metrics(&self) -> Vec<Metric> {
        let sent = self.sent.lock().unwrap();
        let metrics = sent.iter().filter(|(path, _)| path == "/v1/metrics");
        let requests =
            metrics.map(|(_, body)| ExportMetricsServiceRequest::decode(&body[..]).unwrap());
        requests
            .flat_map(|request| request.resource_metrics)
            .flat_map(|resource| resource.scope_metrics)
            .flat_map(|scope| scope.metrics)
            .collect()
    }
}

fn serve(stream: &TcpStream, status: &str, kept: &Sent) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut first = String::new();
        if reader.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        let path = first.split(' ').nth(1).unwrap().to_owned();
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            let Some((name, value)) = line.split_once(':') else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        kept.lock().unwrap().push((path, body));
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
        let mut stream = stream;
        stream.write_all(answer.as_bytes()).unwrap();
    }
}

fn step(event: StepEvent) -> Update {
    let (plan_id, tool_id) = ("plan-1".to_owned(), "roll".to_owned());
    Update::Step(StepUpdate { turn: 7, plan_id, tool_id, event })
}

fn started(attempt: u32) -> Update {
    step(StepEvent::Started { tool_path: "dice-roller/roll".to_owned(), attempt })
}

fn turn_started() -> Update {
    Update::TurnStarted { turn: 7, prompt: "I whisper to Elsa".to_owned() }
}

/// A turn whose step fails once and succeeds then.
fn turn() -> Vec<Update> {
    vec![
        turn_started(),
        Update::PlanStarted {
            turn: 7,
            plan_id: "plan-1".to_owned(),
            steps: 1,
            estimated_duration: None,
        },
        started(1),
        step(StepEvent::Retrying { attempt: 2, delay_ms: 0, error: "Elsa is not here".to_owned() }),
        started(2),
        step(StepEvent::Finished {
            state: StepState::Success,
            summary: None,
            output: None,
            error: None,
            reason: None,
            execution_time_ms: 12,
            retry_count: 1,
            fuel_consumed: 123_456,
            peak_memory_bytes: 65_536,
            stdout_bytes: 210,
        }),
        Update::PlanFinished {
            turn: 7,
            plan_id: "plan-1".to_owned(),
            success: true,
            can_replan: false,
            failed_tools: vec![],
            disabled_skills: vec![],
            execution_time_ms: 13,
        },
        Update::TurnFinished {
            turn: 7,
            outcome: TurnOutcome::Narrated,
            narration: "Elsa listens.".to_owned(),
            choices: vec![],
            attempts: 1,
            elapsed_ms: 20,
        },
    ]
}

/// Sends the updates of one turn to the collector, and what is left at the end.
fn send(collector: &Collector, texts: Texts, updates: &[Update]) {
    let telemetry = Telemetry::start(&collector.address, "1.2.3").unwrap();
    let mut watch = telemetry.observer(texts).watch();
    updates.iter().for_each(&mut watch);
    drop(watch);
    telemetry.shut_down();
}

fn value(value: Option<&AnyValue>) -> String {
    match value.and_then(|value| value.value.as_ref()) {
        Some(Value::StringValue(text)) => text.clone(),
        Some(Value::IntValue(number)) => number.to_string(),
        other => format!("{other:?}"),
    }
}

fn attributes(given: &[KeyValue]) -> String {
    given.iter().fold(String::new(), |mut text, it| {
        let _ = write!(text, " {}={}", it.key, value(it.value.as_ref()));
        text
    })
}

/// The spans as a tree, each with its attributes, its events and its failure.
fn tree(spans: &[Span], parent: &[u8], depth: usize, text: &mut String) {
    let mut held: Vec<&Span> = spans.iter().filter(|span| span.parent_span_id == parent).collect();
    held.sort_by_key(|span| span.start_time_unix_nano);
    for span in held {
        let failure = span.status.as_ref().filter(|status| status.code == 2);
        let failure =
            failure.map_or(String::new(), |status| format!(" FAILED: {}", status.message));
        let _ = writeln!(
            text,
            "{:indent$}{}{}{failure}",
            "",
            span.name,
            attributes(&span.attributes),
            indent = depth * 2
        );
        for event in &span.events {
            let _ = writeln!(
                text,
                "{:indent$}- {}{}",
                "",
                event.name,
                attributes(&event.attributes),
                indent = depth * 2 + 2
            );
        }
        tree(spans, &span.span_id, depth + 1, text);
    }
}

fn shown(collector: &Collector) -> String {
    let mut text = String::new();
    tree(&collector.spans(), &[], 0, &mut text);
    text
}

#[test]
fn a_turn_is_a_trace_of_plans_steps_and_attempts() {
    let collector = Collector::start("200 OK");
    send(&collector, Texts::LeftOut, &turn());
    insta::assert_snapshot!(shown(&collector), @"
    turn narratoria.turn=7 narratoria.turn.outcome=told narratoria.turn.attempts=1
      plan narratoria.plan.id=plan-1 narratoria.plan.attempt=0 narratoria.plan.steps=1 narratoria.plan.failed_steps=0
        step narratoria.step.id=roll narratoria.script=dice-roller/roll narratoria.step.state=success narratoria.step.retries=1 narratoria.step.fuel=123456 narratoria.step.memory_peak_bytes=65536 narratoria.step.stdout_bytes=210
          attempt narratoria.script=dice-roller/roll narratoria.attempt=1 FAILED: the attempt failed
          attempt narratoria.script=dice-roller/roll narratoria.attempt=2
    ");
}

#[test]
fn no_text_of_a_story_is_sent_unless_it_is_asked_for() {
    let has = |collector: &Collector, text: &str| {
        let sent = collector.sent.lock().unwrap();
        sent.iter().any(|(_, body)| body.windows(text.len()).any(|part| part == text.as_bytes()))
    };
    let (without, with) = (Collector::start("200 OK"), Collector::start("200 OK"));
    send(&without, Texts::LeftOut, &turn());
    send(&with, Texts::Included, &turn());
    assert!(has(&without, "narratoria.turn") && !has(&without, "Elsa"));
    assert!(has(&with, "I whisper to Elsa") && has(&with, "Elsa is not here"));
    assert!(!has(&with, "Elsa listens."), "the narration is in the story");
}

#[test]
fn turns_steps_fuel_and_memory_are_counted() {
    let collector = Collector::start("200 OK");
    send(&collector, Texts::LeftOut, &turn());
    let mut lines: Vec<String> = Vec::new();
    for metric in collector.metrics() {
        let points = match metric.data.unwrap() {
            Data::Sum(sum) => sum
                .data_points
                .iter()
                .map(|it| (attributes(&it.attributes), format!("{:?}", it.value.unwrap())))
                .collect(),
            Data::Histogram(all) => all
                .data_points
                .iter()
                .map(|it| (attributes(&it.attributes), format!("sum {}", it.sum.unwrap())))
                .collect(),
            other => vec![(String::new(), format!("{other:?}"))],
        };
        lines.extend(
            points.into_iter().map(|(given, value)| format!("{}{given}: {value}", metric.name)),
        );
    }
    lines.sort();
    insta::assert_snapshot!(lines.join("\n"), @"
    narratoria.step.duration state=success: sum 0.012
    narratoria.step.fuel state=success: sum 123456
    narratoria.step.memory state=success: sum 65536
    narratoria.steps state=success: AsInt(1)
    narratoria.turn.attempts: sum 1
    narratoria.turn.duration: sum 0.02
    narratoria.turns outcome=told: AsInt(1)
    ");
}

#[test]
fn a_turn_without_an_end_is_a_failed_one() {
    let collector = Collector::start("200 OK");
    send(&collector, Texts::LeftOut, &turn()[..3]);
    insta::assert_snapshot!(shown(&collector), @"
    turn narratoria.turn=7 FAILED: the host could not do its job
      plan narratoria.plan.id=plan-1 narratoria.plan.attempt=0 narratoria.plan.steps=1
        step narratoria.step.id=roll narratoria.script=dice-roller/roll
          attempt narratoria.script=dice-roller/roll narratoria.attempt=1
    ");
    assert!(collector.metrics().iter().any(|metric| metric.name == "narratoria.turns.failed"));
}

#[test]
fn a_collector_that_is_gone_refuses_or_hangs_costs_little_time_and_no_turn() {
    let refusing = Collector::start("503 Service Unavailable");
    // Nobody takes the connections of this one.
    let hanging = TcpListener::bind("127.0.0.1:0").unwrap();
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for address in [
        refusing.address.clone(),
        format!("http://{}", hanging.local_addr().unwrap()),
        format!("http://{gone}"),
    ] {
        let begun = Instant::now();
        send(&Collector { address, sent: Sent::default() }, Texts::LeftOut, &turn());
        assert!(begun.elapsed() < 2 * EXPORT_TIME_MAX + Duration::from_secs(2));
    }
}

#[test]
fn what_is_no_address_is_refused_with_one_that_is() {
    for address in [
        "",
        "localhost",
        "localhost:4318",
        "ftp://localhost",
        "http://",
        "http://h/?a=b",
        "http://h h",
    ] {
        let error = Telemetry::start(address, "1").unwrap_err();
        assert!(matches!(error, TelemetryError::Address { .. }), "{address}: {error}");
        assert!(error.to_string().contains("such as `http://127.0.0.1:4318`"));
    }
}
