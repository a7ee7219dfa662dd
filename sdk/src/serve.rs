//! Makes a program of a function: reads the request from stdin, writes the events to stdout.

use std::{
    io::{self, BufRead, Write},
    panic::{self, PanicHookInfo},
    process::ExitCode,
};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    Ctx, Done, SkillError, Value, input_schema, output_schema,
    request::{InvocationRequest, OPERATION_DESCRIBE, OPERATION_RUN, quote},
    services::HostServices,
};

/// Runs `script` as the whole program: reads the request from stdin, writes events to stdout, and ends with exactly one
/// `done`.
///
/// - The operation `describe` returns `{inputSchema, outputSchema}` and does not run the script.
/// - Input that does not fit `I` is the error `INVALID_INPUT`; a malformed request is `INVALID_REQUEST`.
/// - A [`SkillError`] becomes an `error` event and `done` with `ok: false`.
/// - A panic becomes an error with the code `PANIC`, its message and its place, and then ends the process. A trap
///   instead would tell the player no more than "unreachable".
///
/// The exit code is a success if `done` was written, with `ok: false` too, and a failure if stdout was closed before.
pub fn run<I, O, F>(script: F) -> ExitCode
where
    I: DeserializeOwned + JsonSchema,
    O: Serialize + JsonSchema,
    F: FnOnce(&mut Ctx, I) -> Result<Done<O>, SkillError>,
{
    panic::set_hook(Box::new(|info| {
        let error = panic_error(info);
        let mut ctx = Ctx::without_request(Box::new(io::stdout()));
        let written = ctx.finish::<()>(Err(error));
        // Exits here, in the hook, because with `panic = "abort"` no later code runs.
        std::process::exit(i32::from(!written));
    }));
    let from = Box::new(io::stdin().lock());
    let done_written = serve(script, from, HostServices::from_host(), Box::new(io::stdout()));
    // Code that runs after `done` must not write another event.
    drop(panic::take_hook());
    exit_code(done_written)
}

/// Tells the host whether `done` was written.
pub(crate) fn exit_code(done_written: bool) -> ExitCode {
    if done_written { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// One invocation, bytes to bytes. True if `done` was written.
pub(crate) fn serve<I, O, F>(
    script: F,
    mut from: Box<dyn BufRead>,
    services: HostServices,
    out: Box<dyn Write>,
) -> bool
where
    I: DeserializeOwned + JsonSchema,
    O: Serialize + JsonSchema,
    F: FnOnce(&mut Ctx, I) -> Result<Done<O>, SkillError>,
{
    let request = match InvocationRequest::read(&mut from) {
        Ok(request) => request,
        Err(error) => return Ctx::without_request(out).finish::<()>(Err(error)),
    };
    match request.operation.as_str() {
        OPERATION_RUN => {
            let input = request.input::<I>();
            let mut ctx = Ctx::new(request, from, services, out);
            let ended = input.and_then(|input| script(&mut ctx, input));
            ctx.finish(ended)
        }
        OPERATION_DESCRIBE => Ctx::without_request(out).finish(Ok(describe::<I, O>())),
        other => {
            let message = format!(
                "the operation {} is unknown; known are `run` and `describe`",
                quote(&Value::from(other))
            );
            let error = SkillError::new("UNKNOWN_OPERATION", message);
            Ctx::without_request(out).finish::<()>(Err(error))
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ScriptDescription {
    input_schema: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
}

fn describe<I: JsonSchema, O: JsonSchema>() -> Done<ScriptDescription> {
    Done::ok().output(ScriptDescription {
        input_schema: input_schema::<I>(),
        output_schema: output_schema::<O>(),
    })
}

/// The error of a panic. Lines are written whole, so a panic never interrupts one.
fn panic_error(info: &PanicHookInfo<'_>) -> SkillError {
    let what = info.payload_as_str().unwrap_or("no message");
    let message = match info.location() {
        Some(place) => format!("the script panicked at {}:{}: {what}", place.file(), place.line()),
        None => format!("the script panicked: {what}"),
    };
    SkillError::new("PANIC", message)
}
