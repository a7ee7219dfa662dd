//! Reaches a limit of the store and exceeds it by one. Outputs the host's error, and succeeds if the limit is that of
//! the SDK.

use std::process::ExitCode;

use narratoria_sdk::{
    Ctx, Done, STORE_BYTES_MAX, STORE_KEY_BYTES_MAX, STORE_VALUE_BYTES_MAX, STORE_WRITES_MAX,
    SkillError, Store, Value, json,
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct StoreLimit {
    /// The name of the limit.
    #[serde(default)]
    limit: String,
}

fn fill(ctx: &mut Ctx, input: StoreLimit) -> Result<Done<Value>, SkillError> {
    let mut store = ctx.store();
    let beyond = match input.limit.as_str() {
        "bytes" => bytes(&mut store),
        "writes" => writes(&mut store),
        "value" => value(&mut store),
        "copies" => lookups(&mut store, 8 << 20),
        "time" => lookups(&mut store, 4 << 20),
        _ => key(&mut store),
    }?;
    match beyond {
        Ok(()) => Err(SkillError::new("NO_LIMIT", "what is beyond the limit was taken")),
        Err(error) => Ok(Done::ok().output(json!({ "said": error.message }))),
    }
}

/// The outer error is a failure within the limit, the inner one the expected refusal beyond it.
type Tried = Result<Result<(), SkillError>, SkillError>;

fn key(store: &mut Store<'_>) -> Tried {
    let longest = "k".repeat(STORE_KEY_BYTES_MAX);
    store.set(&longest, 1)?;
    if store.list(&longest)? != [longest.as_str()] {
        return Err(SkillError::new("LOST", "the longest key is not listed"));
    }
    Ok(store.set(&"k".repeat(STORE_KEY_BYTES_MAX + 1), 1))
}

fn value(store: &mut Store<'_>) -> Tried {
    // The JSON string has two quotation marks.
    store.set("value", "v".repeat(STORE_VALUE_BYTES_MAX - 2))?;
    let kept: Option<String> = store.get("value")?;
    if kept.map(|kept| kept.len()) != Some(STORE_VALUE_BYTES_MAX - 2) {
        return Err(SkillError::new("LOST", "the longest value is not there"));
    }
    Ok(store.set("value", "v".repeat(STORE_VALUE_BYTES_MAX - 1)))
}

fn bytes(store: &mut Store<'_>) -> Tried {
    let whole = STORE_BYTES_MAX / STORE_VALUE_BYTES_MAX;
    for n in 0..whole {
        // Sixteen bytes of key, and the quotation marks.
        store.set(&format!("{n:016}"), "v".repeat(STORE_VALUE_BYTES_MAX - 18))?;
    }
    Ok(store.set("k", 1))
}

fn writes(store: &mut Store<'_>) -> Tried {
    for n in 0..STORE_WRITES_MAX {
        store.set("key", n)?;
    }
    Ok(store.delete("key"))
}

/// Lets the host check a key of this length for ever, which is work for the host alone.
fn lookups(store: &mut Store<'_>, bytes: usize) -> Tried {
    let key = "k".repeat(bytes);
    while store.get::<Value>(&key).is_err() {}
    Ok(Ok(()))
}

fn main() -> ExitCode {
    narratoria_sdk::run(fill)
}
