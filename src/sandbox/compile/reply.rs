//! What the compiling process writes to its parent: the number of its settings, whether the body is code (0) or
//! the reason why there is none (1), the body's length, and the body. Numbers are little-endian.

use std::io::{self, Write};

use narratoria_protocol::visible::visible_line;

use super::{
    limits::{COMPILED_BYTES_MAX, CompileCost},
    settings::CompileSettings,
};
use crate::load_error::ComponentLoadError;

/// Settings, kind and length.
pub(super) const REPLY_HEAD_BYTES: u64 = 8 + 1 + 8;

/// Returns the code. `None` if the reply is incomplete, which means that the process has died.
pub(super) fn parse_reply(
    mut bytes: Vec<u8>,
    settings: CompileSettings,
    cost: CompileCost,
) -> Result<Option<Vec<u8>>, ComponentLoadError> {
    let Some(head) = bytes.first_chunk::<{ REPLY_HEAD_BYTES as usize }>() else {
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
    let body = bytes.split_off(REPLY_HEAD_BYTES as usize);
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
