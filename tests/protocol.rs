//! The decoder against everything that scripts could write: limits, pieces, and random bytes.
//! The exact text of each ordinary refusal stands in `contracts/examples/event/bad.json`.

use std::sync::LazyLock;

use narratoria_protocol::{
    ARRAY_VALUES, DEPTH_MAX, DecodeError, Decoder, EVENTS_MAX, LINE_BYTES_MAX, MESSAGE_CHARS_MAX,
    Message, NAME_CHARS_MAX, OBJECT_VALUES, VALUES_MAX, decode_stored,
};
use proptest::{prelude::*, sample::Index};
use serde_json::{Value, json};

const GOOD_LINES: &str = include_str!("../contracts/examples/event/good.ndjson");

static EVENT_SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let text = include_str!("../contracts/event.schema.json");
    let schema = serde_json::from_str(text).expect("it is JSON");
    jsonschema::draft202012::new(&schema).expect("it is a schema")
});

const LOG: &str = r#"{"version":"0","type":"log","level":"info","message":"hello"}"#;
const DONE: &str = r#"{"version":"0","type":"done","ok":true}"#;

/// Decodes an output that arrives in these pieces. Every error must be the same when it is
/// asked for again, and nothing may be handed over after it.
fn decode<'p>(
    pieces: impl IntoIterator<Item = &'p [u8]>,
) -> (Vec<Message>, Result<(), DecodeError>) {
    let (mut decoder, mut messages) = (Decoder::default(), Vec::new());
    let mut broken = None;
    for piece in pieces {
        let before = messages.len();
        let pushed = decoder.push(piece, |message| messages.push(message));
        match (&broken, pushed) {
            (None, Ok(())) => {}
            (None, Err(error)) => broken = Some(error),
            (Some(first), again) => {
                assert_eq!(again.as_ref(), Err(first));
                assert_eq!(messages.len(), before, "a broken script was still believed");
            }
        }
    }
    let finished = decoder.finish();
    if let Some(broken) = broken {
        assert_eq!(finished, Err(broken));
    }
    (messages, finished)
}

/// The types of the events, and how the output ended.
#[track_caller]
fn check(output: impl AsRef<[u8]>, expect: &str) {
    let (messages, ending) = decode([output.as_ref()]);
    let mut words: Vec<&str> = messages.iter().map(|message| message.event.type_name()).collect();
    let ending = ending.map_or_else(|error| error.to_string(), |()| "fine".to_owned());
    words.push(&ending);
    assert_eq!(words.join("; "), expect);
}

/// A log line of exactly this many bytes, its end not counted.
fn line_of(bytes: usize) -> Vec<u8> {
    let frame = LOG.len() - "hello".len();
    LOG.replace("hello", &"x".repeat(bytes - frame)).into_bytes()
}

/// A patch that makes its line nest this deep.
fn line_of_depth(depth: usize) -> String {
    let (open, close) = ("[".repeat(depth - 2), "]".repeat(depth - 2));
    format!(r#"{{"version":"0","type":"state_patch","patch":{{"a":{open}{close}}}}}"#)
}

#[test]
fn an_output_ends_with_done() {
    check(format!("{LOG}\n{DONE}\n"), "log; done; fine");
    check(format!("{LOG}\n"), "log; the output ends without `done`");
    check("", "the output ends without `done`");
    check(format!("{LOG}\n{DONE}"), "log; the output ends within line 2, which has no line end");
    check(format!("{DONE}\n{LOG}\n"), "done; line 2 follows `done`, which must be the last");
    check(format!("{DONE}\n\n"), "done; line 2 follows `done`, which must be the last");
}

#[test]
fn a_message_is_handed_over_as_soon_as_its_line_is_complete() {
    let (mut decoder, mut count) = (Decoder::default(), 0);
    decoder.push(LOG.as_bytes(), |_| count += 1).expect("half a line is no fault yet");
    assert_eq!(count, 0);
    decoder.push(b"\n{\"ver", |_| count += 1).expect("a line, and half of the next");
    assert_eq!(count, 1);
}

#[test]
fn what_came_before_a_fault_was_handed_over() {
    check(
        format!("{LOG}\n{LOG}\nhello\n{DONE}\n"),
        "log; log; line 3 is `hello`, which is no event: stdout is for events, and other text belongs on stderr",
    );
}

#[test]
fn a_carriage_return_before_the_line_end_is_white_space() {
    check(format!("{LOG}\r\n{DONE}\r\n"), "log; done; fine");
}

#[test]
fn bytes_that_are_not_utf_8_are_told_by_their_column() {
    check(b"{\"version\":\"0\xff\"}\n", "line 1 is not UTF-8 (first bad byte at column 14)");
    check(b"\xe2\x82\n", "line 1 is not UTF-8 (first bad byte at column 1)");
}

/// One reader takes the first value, another the last: the code that checks an event would not be the code that
/// believes it.
/// A bare 0 looks like the version, and no other version is spoken.
#[test]
fn a_version_that_is_a_number_or_another_one_is_refused_with_what_is_meant() {
    let line = |version: &str| LOG.replace("\"0\"", version) + "\n";
    let meant = "it must be the text \"0\", in quotes";
    check(line("0"), &format!("line 1: `event.version` is 0, {meant}"));
    check(line("null"), &format!("line 1: `event.version` is null, {meant}"));
    check(line("\"1\""), "line 1 has version \"1\", this host speaks \"0\"");
}

#[test]
fn a_key_that_stands_twice_in_one_object_is_refused() {
    let line = r#"{"version":"0","type":"log","type":"done","ok":true}"#;
    check(
        format!("{line}\n"),
        r#"line 1 is not JSON: the key "type" stands twice in one object at column 34"#,
    );
    let nested = LOG.replace("hello", r#"","fields":{"a":[{"b":1,"\u0062":2}]},"x":""#);
    check(
        format!("{nested}\n"),
        r#"line 1 is not JSON: the key "b" stands twice in one object at column 86"#,
    );
    let apart = LOG.replace("hello", r#"","fields":{"a":{"a":1},"b":{"a":2}},"x":""#);
    check(format!("{apart}\n{DONE}\n"), "log; done; fine");
}

#[test]
fn a_number_that_would_be_read_as_another_one_is_refused() {
    let fine = "state_patch; done; fine".to_owned();
    let refused = |number: &str| {
        format!(
            "line 1 cannot be used: the number {number} at column 50 would be read as another one; write it as a string"
        )
    };
    for (number, expect) in [
        ("1e308", fine.clone()),
        ("18446744073709551615", fine.clone()),
        // 2^64, as Python writes it and as JavaScript does.
        ("18446744073709551616", fine.clone()),
        ("18446744073709552000", fine),
        ("123456789012345678901234567890", refused("123456789012345678901234567890")),
        ("1e309", refused("1e309")),
        ("-1e309", refused("-1e309")),
    ] {
        let patch = format!(r#"{{"version":"0","type":"state_patch","patch":{{"n":{number}}}}}"#);
        check(format!("{patch}\n{DONE}\n"), &expect);
    }
}

#[test]
fn as_many_values_as_there_may_be_are_accepted_and_one_more_is_not() {
    // Two events, `patch` and `n`; two fields of the one event and three of the other.
    let patch = |values: usize| {
        let zeros = vec!["0"; values].join(",");
        format!(r#"{{"version":"0","type":"state_patch","patch":{{"n":[{zeros}]}}}}"#)
    };
    let most = VALUES_MAX - (3 * OBJECT_VALUES + ARRAY_VALUES) - 5;
    check(format!("{}\n{DONE}\n", patch(most)), "state_patch; done; fine");
    check(
        format!("{}\n{DONE}\n", patch(most + 1)),
        "state_patch; more than 200000 JSON values in all events",
    );
}

#[test]
fn brackets_in_strings_are_not_nesting() {
    let text = r#"[[[[ \" {{{{ \\"#.repeat(DEPTH_MAX);
    check(format!("{}\n{DONE}\n", LOG.replace("hello", &text)), "log; done; fine");
}

#[test]
fn the_longest_line_is_accepted_and_one_byte_more_is_not() {
    let longest = [line_of(LINE_BYTES_MAX), b"\n".to_vec(), DONE.into(), b"\n".to_vec()].concat();
    check(&longest, "log; done; fine");
    let longer = line_of(LINE_BYTES_MAX + 1);
    let refusal = format!("line 1 is longer than {LINE_BYTES_MAX} bytes");
    check([&longer, "\n".as_bytes()].concat(), &refusal);
    // Refused before its end comes, so that a script that never sends one cannot own our memory.
    check(&longer, &refusal);
    for size in [1, 7, 4096, 65_536] {
        let whole = decode([longest.as_slice()]);
        assert_eq!(decode(longest.chunks(size)), whole, "in pieces of {size}");
        assert_eq!(decode(longer.chunks(size)), decode([longer.as_slice()]), "in pieces of {size}");
    }
}

#[test]
fn the_last_event_is_accepted_and_one_more_is_not() {
    let logs = |count: u64| format!("{LOG}\n").repeat(usize::try_from(count).expect("it is small"));
    let (messages, ending) = decode([format!("{}{DONE}\n", logs(EVENTS_MAX - 1)).as_bytes()]);
    assert_eq!((messages.len() as u64, ending), (EVENTS_MAX, Ok(())));
    let (messages, ending) = decode([format!("{}{DONE}\n", logs(EVENTS_MAX)).as_bytes()]);
    assert_eq!(messages.len() as u64, EVENTS_MAX);
    assert_eq!(
        ending.map_err(|error| error.to_string()),
        Err(format!("more than {EVENTS_MAX} events"))
    );
}

#[test]
fn the_deepest_line_is_accepted_and_one_level_more_is_not() {
    check(format!("{}\n{DONE}\n", line_of_depth(DEPTH_MAX)), "state_patch; done; fine");
    let refusal = format!("line 1 nests deeper than {DEPTH_MAX} levels");
    check(format!("{}\n", line_of_depth(DEPTH_MAX + 1)), &refusal);
    check(format!("{}\n", "[".repeat(LINE_BYTES_MAX)), &refusal);
    check(format!("{}\n", "{\"a\":".repeat(100_000)), &refusal);
}

#[test]
fn what_an_error_quotes_of_a_script_is_cut_short() {
    let line = format!(r#"{{"version":"0","type":"{}"}}"#, "é".repeat(500_000));
    let error = decode([format!("{line}\n").as_bytes()]).1.expect_err("no such type");
    assert!(error.to_string().chars().count() < 200, "{error}");
}

/// One thing that goes wrong on the way.
#[derive(Debug, Clone)]
enum OutputMutation {
    Overwrite(Index, u8),
    Insert(Index, u8),
    Lose(Index),
    Repeat(Index, Index),
    CutOff(Index),
}

impl OutputMutation {
    fn befall(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let len = bytes.len();
        match self {
            OutputMutation::Overwrite(at, byte) => bytes[at.index(len)] = *byte,
            OutputMutation::Insert(at, byte) => bytes.insert(at.index(len), *byte),
            OutputMutation::Lose(at) => drop(bytes.remove(at.index(len))),
            OutputMutation::Repeat(from, to) => {
                let (from, to) = (from.index(len), to.index(len));
                let again = bytes[from.min(to)..from.max(to)].to_vec();
                bytes.extend(again);
            }
            OutputMutation::CutOff(at) => bytes.truncate(at.index(len)),
        }
    }
}

/// Any byte, but mostly those that mean something to the decoder.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![any::<u8>(), prop::sample::select(b"\n\r\"\\{}[]:,0\xff\xc3 tn".to_vec())]
}

fn mishap() -> impl Strategy<Value = OutputMutation> {
    prop_oneof![
        (any::<Index>(), byte()).prop_map(|(at, byte)| OutputMutation::Overwrite(at, byte)),
        (any::<Index>(), byte()).prop_map(|(at, byte)| OutputMutation::Insert(at, byte)),
        any::<Index>().prop_map(OutputMutation::Lose),
        (any::<Index>(), any::<Index>()).prop_map(|(from, to)| OutputMutation::Repeat(from, to)),
        any::<Index>().prop_map(OutputMutation::CutOff),
    ]
}

fn good_line() -> impl Strategy<Value = &'static str> {
    prop::sample::select(GOOD_LINES.lines().collect::<Vec<_>>())
}

/// Outputs of all sorts: noise, and honest ones that something happened to.
fn output() -> impl Strategy<Value = Vec<u8>> {
    let honest = prop::collection::vec(good_line(), 0..6).prop_map(|lines| {
        lines.into_iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
    });
    let harmed = (honest, prop::collection::vec(mishap(), 0..4)).prop_map(
        |(mut bytes, mishaps): (Vec<u8>, Vec<OutputMutation>)| {
            mishaps.iter().for_each(|mishap| mishap.befall(&mut bytes));
            bytes
        },
    );
    prop_oneof![
        1 => prop::collection::vec(any::<u8>(), 0..300),
        1 => prop::collection::vec(byte(), 0..300),
        4 => harmed,
    ]
}

/// Cuts `bytes` at these places, which may repeat: empty pieces happen too.
fn cut<'b>(bytes: &'b [u8], places: &[Index]) -> Vec<&'b [u8]> {
    let mut ends: Vec<usize> = places.iter().map(|place| place.index(bytes.len() + 1)).collect();
    ends.sort_unstable();
    ends.push(bytes.len());
    let mut start = 0;
    ends.into_iter()
        .map(|end| {
            let piece = &bytes[start..end];
            start = end;
            piece
        })
        .collect()
}

/// Values that a field might hold by mistake.
fn value() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(1.5),
        json!("0"),
        json!("info"),
        json!("done"),
        json!(""),
        json!([]),
        json!({}),
        json!({ "a": [null] }),
    ])
}

proptest! {
    #[test]
    fn no_bytes_make_the_decoder_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let _ = decode([bytes.as_slice()]);
    }

    #[test]
    fn pieces_come_to_the_same_as_the_whole(
        bytes in output(),
        places in prop::collection::vec(any::<Index>(), 0..12),
    ) {
        let whole = decode([bytes.as_slice()]);
        prop_assert_eq!(decode(cut(&bytes, &places)), whole.clone());
        prop_assert_eq!(decode(bytes.chunks(1)), whole);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn schema_and_decoder_agree_whatever_happens_to_the_fields(
        line in good_line(),
        changes in prop::collection::vec((any::<Index>(), prop::option::of(value())), 1..3),
    ) {
        let mut event: Value = serde_json::from_str(line).expect("good lines are JSON");
        let object = event.as_object_mut().expect("good lines are objects");
        for (place, change) in changes {
            let Some(key) = object.keys().nth(place.index(object.len().max(1))).cloned() else {
                continue;
            };
            match change {
                Some(value) => object.insert(key, value),
                None => object.remove(&key),
            };
        }
        let decoded = Decoder::default().push(format!("{event}\n").as_bytes(), |_| {});
        let refused = EVENT_SCHEMA.validate(&event).err();
        prop_assert_eq!(decoded.is_err(), refused.is_some(), "{}: {:?}, {:?}", event, decoded, refused);
    }
}

proptest! {
    /// Texts for people are cut at one place, so that no reader of an event needs a limit of its own.
    #[test]
    fn a_long_text_for_people_is_cut_with_a_mark_and_never_cut_again(
        char in prop::sample::select(vec!['a', ' ', 'é', '🐉', '"', '\n']),
        chars in prop_oneof![0..30_usize, 1_990..2_010_usize, 50_000..90_000_usize],
    ) {
        let text = format!("{}.", char.to_string().repeat(chars));
        for (kind, field) in [("log", "message"), ("error", "errorMessage"), ("done", "summary")] {
            let mut line = json!({"version": "0", "type": kind, "level": "info", "message": "m",
                "errorCode": "E", "errorMessage": "m", "ok": true});
            line[field] = json!(text);
            let (messages, _) = decode([format!("{line}\n").as_bytes()]);
            let stored = messages[0].to_json();
            let kept = stored[field].as_str().unwrap();
            if chars < MESSAGE_CHARS_MAX {
                prop_assert_eq!(kept, &text);
            } else {
                let start = kept.strip_suffix('…').unwrap();
                prop_assert!(text.starts_with(start) && start.chars().count() <= MESSAGE_CHARS_MAX);
            }
            let Value::Object(object) = stored.clone() else { unreachable!() };
            prop_assert_eq!(decode_stored(object, 1).unwrap().to_json(), stored);
        }
    }

    #[test]
    fn a_name_of_an_event_is_refused_rather_than_cut(over in 0..3_usize) {
        let name = "n".repeat(NAME_CHARS_MAX - 1 + over);
        for (kind, field) in [("asset", "assetId"), ("asset", "kind"), ("asset", "mediaType"),
            ("asset", "path"), ("ui_event", "event"), ("error", "errorCode")]
        {
            let mut line = json!({"version": "0", "type": kind, "assetId": "a", "kind": "k",
                "mediaType": "m", "path": "p", "event": "e", "errorCode": "E", "errorMessage": "m"});
            line[field] = json!(name);
            let (messages, ending) = decode([format!("{line}\n").as_bytes()]);
            prop_assert_eq!(messages.len(), usize::from(over < 2));
            if over == 2 {
                let error = ending.unwrap_err().to_string();
                let expect = format!("`{kind}.{field}` is");
                prop_assert!(error.contains(&expect), "{}", error);
                prop_assert!(error.ends_with("it must be a string of at most 500 characters"));
                prop_assert!(!EVENT_SCHEMA.is_valid(&line), "{}", line);
            }
        }
    }
}
