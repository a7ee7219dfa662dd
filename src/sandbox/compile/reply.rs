//! The reply of the compiling process to its parent: the number of its settings, whether the body is code (0) or
//! the reason why there is none (1), the body's length, and the body. Numbers are little-endian.

use std::io::{self, Read, Write};

use narratoria_protocol::visible::visible_line;

use super::{
    limits::{COMPILED_BYTES_MAX, CompileCost},
    settings::CompileSettings,
};
use crate::load_error::ComponentLoadError;

/// Settings, kind and length.
const REPLY_HEAD_BYTES: usize = 8 + 1 + 8;

/// The bytes that the process wrote. Both parts are shorter than announced if it died.
pub(super) struct RawReply {
    head: Vec<u8>,
    body: Vec<u8>,
}

/// Reads to the end, or to the first byte beyond the announced length.
pub(super) fn read_reply(mut from: impl Read) -> io::Result<RawReply> {
    let mut head = Vec::new();
    from.by_ref().take(REPLY_HEAD_BYTES as u64).read_to_end(&mut head)?;
    let length = head.get(9..).and_then(|length| length.try_into().ok()).map(u64::from_le_bytes);
    let length = length.unwrap_or_default().min(COMPILED_BYTES_MAX);
    // A buffer that grows with the data would end up twice as large.
    let mut body = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    from.take(length + 1).read_to_end(&mut body)?;
    Ok(RawReply { head, body })
}

/// Returns the code. `None` if the reply is incomplete, which means that the process has died.
pub(super) fn parse_reply(
    RawReply { head, body }: RawReply,
    settings: CompileSettings,
    cost: CompileCost,
) -> Result<Option<Vec<u8>>, ComponentLoadError> {
    let Some(head) = head.first_chunk::<REPLY_HEAD_BYTES>() else {
        return Ok(None);
    };
    let number = |at: usize| {
        u64::from_le_bytes(head[at..at + 8].try_into().expect("a number has eight bytes"))
    };
    let (digest, kind, length) = (number(0), head[8], number(9));
    if digest != settings.digest {
        let what = "it is of another version than this program".to_owned();
        return Err(ComponentLoadError::Compiler { what });
    }
    if length > COMPILED_BYTES_MAX {
        return Err(ComponentLoadError::CompiledTooLarge {
            bytes: length,
            limit: COMPILED_BYTES_MAX,
        });
    }
    if body.len() as u64 != length {
        return Ok(None);
    }
    match kind {
        0 => Ok(Some(body)),
        _ => {
            let what = visible_line(&String::from_utf8_lossy(&body));
            Err(if is_out_of_memory(&what) {
                ComponentLoadError::CompileTooLarge { limit: cost.memory_bytes }
            } else {
                ComponentLoadError::NotAComponent { what }
            })
        }
    }
}

pub(super) fn write_reply(
    to: &mut impl Write,
    settings: CompileSettings,
    result: &wasmtime::Result<Vec<u8>>,
) -> io::Result<()> {
    let (kind, body) = match result {
        Ok(code) => (0, code.as_slice()),
        Err(error) => (1, &*format!("{error:#}").into_bytes()),
    };
    to.write_all(&settings.digest.to_le_bytes())?;
    to.write_all(&[kind])?;
    to.write_all(&(body.len() as u64).to_le_bytes())?;
    // The parent refuses a longer body as soon as it has read the length.
    if body.len() as u64 <= COMPILED_BYTES_MAX {
        to.write_all(body)?;
    }
    to.flush()
}

/// Recognises the messages of Rust's allocator, of thread creation and of the operating system.
pub(super) fn is_out_of_memory(message: &str) -> bool {
    ["memory allocation of", "os error 12", "Resource temporarily unavailable"]
        .iter()
        .any(|sign| message.contains(sign))
}
