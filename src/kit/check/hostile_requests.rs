//! The requests that a check sends to a script beyond its examples: bytes that are no request, requests with wrong
//! fields, odd surroundings and wrong inputs, and ordinary ones among them.

use serde_json::{Value, json};

use super::{
    inputs::{inputs, sample, value_of_each_type},
    ordinary::{OrdinaryCall, ordinary_calls},
    state_ground::StateGround,
    triggered::TriggeredInputs,
};
use crate::{HarnessCall, PackageHarness, chance::RequestChance};
use narratoria_protocol::{Object, object_with};

/// Length of a huge request, in bytes.
const HUGE_BYTES: usize = 1 << 20;
/// Nesting that no parser with a stack reads: the least, and the most that chance adds.
const DEEP: (usize, i64) = (20_000, 500);

/// The kind of a request, which decides the answers that are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostileKind {
    /// Not a request.
    Garbage,
    /// A request whose input the schema refuses.
    Wrong,
    /// Any other request: every answer is accepted.
    Fair,
}

pub(super) struct HostileRequest {
    pub(super) what: String,
    pub(super) kind: HostileKind,
    pub(super) body: RequestBody,
    /// The seed of the run.
    pub(super) seed: u64,
}

impl HostileRequest {
    pub(super) fn is_in_story(&self) -> bool {
        matches!(self.body, RequestBody::InStory(_))
    }
}

pub(super) enum RequestBody {
    Bytes(Vec<u8>),
    /// The script finds the state that its earlier requests of this kind left.
    InStory(Box<OrdinaryCall>),
}

/// All requests for a script. Their kinds and descriptions do not depend on chance, their values do.
pub(super) fn requests(
    harness: &PackageHarness,
    script_idx: usize,
    ground: &StateGround<'_>,
    triggered: &TriggeredInputs,
    chance: &mut RequestChance,
) -> Vec<HostileRequest> {
    let skill = harness.skill();
    let script = &skill.scripts[script_idx];
    let example = skill.examples.iter().find(|example| example.script == script.name);
    let input = example.map(|example| Value::Object(example.input.clone()));
    let input = input.unwrap_or_else(|| sample(script.input_schema.document(), 0));
    let call = HarnessCall {
        input: input.as_object().cloned().unwrap_or_default(),
        state: example
            .and_then(|example| example.state.as_ref()?.as_object().cloned())
            .unwrap_or_default(),
        inputs: example.and_then(|example| example.inputs.clone()).unwrap_or_default(),
        ..HarnessCall::default()
    };
    let maker = RequestMaker { harness, script_idx, ground, call };
    let mut all = garbage(&maker, chance);
    all.extend(fields(&maker, chance));
    all.extend(surroundings(&maker, &script.reads, chance));
    let ordinary = ordinary_calls(skill, script, ground, chance);
    for ordinary in ordinary.into_iter().chain(triggered.calls(script, chance)) {
        all.push(HostileRequest {
            what: ordinary.what.clone(),
            kind: HostileKind::Fair,
            seed: ordinary.call.seed,
            body: RequestBody::InStory(Box::new(ordinary)),
        });
    }
    for made in inputs(&script.input_schema, &input, chance) {
        let fits = script.input_schema.mismatches(&made.value).is_empty();
        // A null input counts as the empty one, as a missing input does.
        let kind =
            if fits || made.value.is_null() { HostileKind::Fair } else { HostileKind::Wrong };
        all.push(sent(made.what, kind, changed(maker.fresh(chance), "input", made.value)));
    }
    all
}

/// Makes requests that a script could get in a turn. No two have an id or a seed in common.
struct RequestMaker<'h> {
    harness: &'h PackageHarness,
    script_idx: usize,
    ground: &'h StateGround<'h>,
    call: HarnessCall,
}

impl RequestMaker<'_> {
    /// Half of them have the state of the example, which the script knows.
    fn fresh(&self, chance: &mut RequestChance) -> Object {
        let (seed, request_id) = (chance.seed(), Some(chance.id()));
        let mut call = HarnessCall { seed, request_id, ..self.call.clone() };
        if chance.boolean() {
            call.state = self.ground.around_any(call.state, chance);
        }
        let line = self.harness.request(self.script_idx, call).to_line();
        serde_json::from_slice(&line).expect("a request is an object")
    }

    /// A request as a line, and its seed.
    fn line(&self, chance: &mut RequestChance) -> (String, u64) {
        let request = self.fresh(chance);
        let seed = request.get("seed").and_then(Value::as_u64).unwrap_or_default();
        (format!("{}\n", Value::Object(request)), seed)
    }
}

/// The seed of the run is that of the request, as in a turn.
fn sent(what: impl Into<String>, kind: HostileKind, request: Object) -> HostileRequest {
    let seed = request.get("seed").and_then(Value::as_u64).unwrap_or_default();
    let mut stdin = Value::Object(request).to_string().into_bytes();
    stdin.push(b'\n');
    HostileRequest { what: what.into(), kind, body: RequestBody::Bytes(stdin), seed }
}

fn changed(mut request: Object, field: &str, value: Value) -> Object {
    request.insert(field.to_owned(), value);
    request
}

/// Bytes that are no request, and bytes that resemble one.
fn garbage(maker: &RequestMaker<'_>, chance: &mut RequestChance) -> Vec<HostileRequest> {
    let mut all = Vec::new();
    let mut add = |what: &str, kind, stdin: Vec<u8>, seed| {
        let what = what.to_owned();
        all.push(HostileRequest { what, kind, body: RequestBody::Bytes(stdin), seed });
    };
    let (garbage, fair) = (HostileKind::Garbage, HostileKind::Fair);
    let text = chance.text(5, 60);
    let name = chance.field_name();
    let wrong_text = [&b"{\"input\":{\"\xc3\x28"[..], text.as_bytes(), b"\":1}}\n"].concat();
    let deep = DEEP.0 + usize::try_from(chance.number(0, DEEP.1)).unwrap_or_default();
    let deep = format!("{}{}", "[".repeat(deep), "]".repeat(deep));
    let number = chance.number(1, 1_000);
    let simple: [(&str, HostileKind, Vec<u8>); 13] = [
        // Some scripts read an empty stdin as the empty request, others refuse it.
        ("an empty stdin", fair, Vec::new()),
        ("a blank stdin", fair, b" \n\t\n".to_vec()),
        ("the empty request", fair, b"{}\n".to_vec()),
        ("wrong UTF-8", garbage, b"\xff\xfe{}\n".to_vec()),
        ("wrong UTF-8 in a text", garbage, wrong_text),
        ("text that is not JSON", garbage, format!("{text}\n").into_bytes()),
        ("a NUL byte", garbage, b"\0\n".to_vec()),
        ("an array", garbage, b"[]\n".to_vec()),
        ("null", garbage, b"null\n".to_vec()),
        ("a text", garbage, format!("\"{text}\"\n").into_bytes()),
        ("a number", garbage, format!("{number}\n").into_bytes()),
        ("20,000 nested arrays", garbage, deep.clone().into_bytes()),
        ("the value true", garbage, b"true\n".to_vec()),
    ];
    for (what, kind, stdin) in simple {
        add(what, kind, stdin, chance.seed());
    }
    let (half, seed) = maker.line(chance);
    add("half a request", garbage, half.as_bytes()[..half.len() / 2].to_vec(), seed);
    let (whole, seed) = maker.line(chance);
    add("a request and garbage behind it", garbage, format!("{whole}}}}}\n").into_bytes(), seed);
    let (whole, seed) = maker.line(chance);
    add("two requests", fair, whole.repeat(2).into_bytes(), seed);
    for (what, value) in [
        ("20,000 nested arrays in a field", deep.as_str()),
        ("a number beyond range", "1e999"),
        ("half a surrogate pair", r#""\ud800""#),
        ("the same field twice", &format!("1,\"{name}\":2")),
    ] {
        // A good request with one more field in front.
        let (whole, seed) = maker.line(chance);
        let more = whole.replacen('{', &format!("{{\"{name}\":{value},"), 1);
        add(what, fair, more.into_bytes(), seed);
    }
    all
}

/// Requests with one wrong field.
fn fields(maker: &RequestMaker<'_>, chance: &mut RequestChance) -> Vec<HostileRequest> {
    let mut all = Vec::new();
    for field in ["requestId", "tool", "operation", "config", "state", "inputs", "seed"] {
        let negative = json!(-chance.number(1, 1_000));
        let fraction = json!(chance.number(1, 1_000) as f64 + 0.5);
        let more = [("a negative number", negative), ("a fraction", fraction)];
        for (kind, value) in value_of_each_type(chance).into_iter().chain(more) {
            let what = format!("`{field}` as {kind}");
            all.push(sent(what, HostileKind::Fair, changed(maker.fresh(chance), field, value)));
        }
        let mut without = maker.fresh(chance);
        without.shift_remove(field);
        all.push(sent(format!("no `{field}`"), HostileKind::Fair, without));
    }
    let unknown = changed(maker.fresh(chance), "operation", json!(chance.step_name()));
    all.push(sent("an unknown operation", HostileKind::Fair, unknown));
    let name = chance.field_name();
    let more = changed(maker.fresh(chance), &name, json!({chance.word(): [1, null]}));
    all.push(sent("an unknown field", HostileKind::Fair, more));
    let letter = chance.letter().to_string();
    let huge = changed(maker.fresh(chance), &chance.field_name(), json!(letter.repeat(HUGE_BYTES)));
    all.push(sent("a line of 1 MiB", HostileKind::Fair, huge));
    all
}

/// Requests with odd state, settings and outputs of earlier steps, as other skills and people may leave them.
fn surroundings(
    maker: &RequestMaker<'_>,
    reads: &[String],
    chance: &mut RequestChance,
) -> Vec<HostileRequest> {
    let mut all = Vec::new();
    for pointer in reads.iter().filter(|pointer| !pointer.is_empty()) {
        for (kind, value) in value_of_each_type(chance) {
            let state = Value::Object(object_with(pointer, value));
            let what = format!("the state `{pointer}` as {kind}");
            all.push(sent(what, HostileKind::Fair, changed(maker.fresh(chance), "state", state)));
        }
    }
    for (kind, value) in value_of_each_type(chance) {
        let outputs = json!({ chance.step_name(): value.clone() });
        let what = format!("an earlier step's output as {kind}");
        all.push(sent(what, HostileKind::Fair, changed(maker.fresh(chance), "inputs", outputs)));
        let request = maker.fresh(chance);
        let config = request.get("config").and_then(Value::as_object).into_iter().flatten();
        let config: Object = config.map(|(name, _)| (name.clone(), value.clone())).collect();
        if !config.is_empty() {
            let what = format!("every setting as {kind}");
            let request = changed(request, "config", Value::Object(config));
            all.push(sent(what, HostileKind::Fair, request));
        }
    }
    all
}
