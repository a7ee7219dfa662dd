//! Reads the elements of a GGUF header, each within a limit.

use std::{
    fs::File,
    io::{self, BufReader, Read},
};

/// Longest text in a header. Chat templates have some thousand bytes.
const TEXT_BYTES_MAX: u64 = 16 << 20;
/// Longest list in a header. Vocabularies have a quarter of a million entries, and their merges twice that.
const LIST_MAX: u64 = 16 << 20;
/// Longest list whose numbers are read; longer ones are skipped. More than a model may have layers.
const NUMBERS_READ_MAX: u64 = 4096;
/// Bytes of the file that an error shows if it is not GGUF.
const MAGIC_BYTES: usize = 4;

#[derive(Debug)]
pub(super) enum GgufError {
    Io(io::Error),
    NotGguf(String),
    Version(u32),
    Truncated { needed: u64 },
    Damaged(String),
    Unfit { architecture: String, reason: String },
}

impl GgufError {
    pub(super) fn damaged(what: &str) -> GgufError {
        GgufError::Damaged(what.to_owned())
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum GgufValue {
    /// Any integer, and `bool` as 0 and 1.
    Number(i64),
    Text(String),
    /// A list of texts.
    Texts(Vec<Vec<u8>>),
    /// A list of integers; without its numbers if it is long.
    Numbers {
        len: u64,
        numbers: Vec<i64>,
    },
    Fraction(f64),
    /// A list of a type that this program does not need.
    Other,
}

/// Reads a file from its beginning.
pub(super) struct GgufReader {
    file: BufReader<File>,
    position: u64,
    len: u64,
}

impl GgufReader {
    pub(super) fn new(file: File, len: u64) -> GgufReader {
        GgufReader { file: BufReader::new(file), position: 0, len }
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// The first four bytes, or fewer if the file is shorter.
    pub(super) fn magic(&mut self) -> Result<Vec<u8>, GgufError> {
        let n = self.len.min(MAGIC_BYTES as u64);
        self.bytes(n)
    }

    fn bytes(&mut self, n: u64) -> Result<Vec<u8>, GgufError> {
        self.require(n)?;
        let mut bytes =
            vec![0; usize::try_from(n).map_err(|_| GgufError::damaged("a text is endless"))?];
        self.file.read_exact(&mut bytes).map_err(GgufError::Io)?;
        self.position += n;
        Ok(bytes)
    }

    fn require(&self, n: u64) -> Result<(), GgufError> {
        let needed = self.position.saturating_add(n);
        if needed > self.len { Err(GgufError::Truncated { needed }) } else { Ok(()) }
    }

    fn skip(&mut self, n: u64) -> Result<(), GgufError> {
        self.require(n)?;
        let n = i64::try_from(n).map_err(|_| GgufError::damaged("a list is endless"))?;
        self.file.seek_relative(n).map_err(GgufError::Io)?;
        self.position += n.unsigned_abs();
        Ok(())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], GgufError> {
        self.require(N as u64)?;
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes).map_err(GgufError::Io)?;
        self.position += N as u64;
        Ok(bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, GgufError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64, GgufError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// The number of elements that follow.
    pub(super) fn count(&mut self, what: &str, count_max: u64) -> Result<u64, GgufError> {
        let n = self.u64()?;
        if n > count_max {
            return Err(GgufError::Damaged(format!(
                "it has {n} {what}, at most {count_max} are possible"
            )));
        }
        Ok(n)
    }

    pub(super) fn text(&mut self) -> Result<Vec<u8>, GgufError> {
        let n = self.count("bytes in a text", TEXT_BYTES_MAX)?;
        self.bytes(n)
    }

    pub(super) fn value(&mut self) -> Result<GgufValue, GgufError> {
        let kind = self.u32()?;
        match kind {
            8 => {
                let text = self.text()?;
                Ok(GgufValue::Text(String::from_utf8_lossy(&text).into_owned()))
            }
            9 => self.list(),
            6 => Ok(GgufValue::Fraction(f32::from_le_bytes(self.array()?).into())),
            12 => Ok(GgufValue::Fraction(f64::from_le_bytes(self.array()?))),
            _ => Ok(GgufValue::Number(self.number(kind)?)),
        }
    }

    fn list(&mut self) -> Result<GgufValue, GgufError> {
        let kind = self.u32()?;
        let len = self.count("entries in a list", LIST_MAX)?;
        match kind {
            8 => {
                let mut texts = Vec::new();
                for _ in 0..len {
                    texts.push(self.text()?);
                }
                Ok(GgufValue::Texts(texts))
            }
            6 | 12 => {
                self.skip(len * width(kind)?)?;
                Ok(GgufValue::Other)
            }
            _ if len > NUMBERS_READ_MAX => {
                self.skip(len * width(kind)?)?;
                Ok(GgufValue::Numbers { len, numbers: Vec::new() })
            }
            _ => {
                let numbers = (0..len).map(|_| self.number(kind)).collect::<Result<_, _>>()?;
                Ok(GgufValue::Numbers { len, numbers })
            }
        }
    }

    fn number(&mut self, kind: u32) -> Result<i64, GgufError> {
        let mut bytes = [0; 8];
        let n = width(kind)?;
        for byte in bytes.iter_mut().take(n as usize) {
            [*byte] = self.array()?;
        }
        let is_signed = matches!(kind, 1 | 3 | 5 | 11);
        let unsigned = u64::from_le_bytes(bytes);
        if !is_signed {
            return Ok(i64::try_from(unsigned).unwrap_or(i64::MAX));
        }
        // Extends the sign to 64 bits.
        let shift = 64 - 8 * u32::try_from(n).unwrap_or(8);
        Ok((unsigned << shift).cast_signed() >> shift)
    }
}

/// Bytes of a value of a fixed width.
fn width(kind: u32) -> Result<u64, GgufError> {
    match kind {
        0 | 1 | 7 => Ok(1),
        2 | 3 => Ok(2),
        4..=6 => Ok(4),
        10..=12 => Ok(8),
        _ => Err(GgufError::Damaged(format!("a value is of the unknown kind {kind}"))),
    }
}
