//! Reads the pieces of a GGUF header, none larger than it may be.

use std::{
    fs::File,
    io::{self, BufReader, Read},
};

/// Longest text in a header. Chat templates have some thousand bytes.
const TEXT_BYTES_MAX: u64 = 16 << 20;
/// Longest list in a header. Vocabularies have a quarter of a million entries, and their merges twice that.
const LIST_MAX: u64 = 16 << 20;
/// Numbers of a list that are kept, others are passed over: as many as a model may have layers.
const NUMBERS_KEPT_MAX: u64 = 4096;
/// Shown of a file that is something else.
const BEGINS_BYTES: usize = 4;

/// What is wrong with a file.
#[derive(Debug)]
pub(super) enum Fault {
    Io(io::Error),
    NotGguf(String),
    Version(u32),
    CutOff { needed: u64 },
    Nonsense(String),
    NotForText { architecture: String, reason: String },
}

impl Fault {
    pub(super) fn nonsense(what: &str) -> Fault {
        Fault::Nonsense(what.to_owned())
    }
}

/// What a key holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scalar {
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
    /// A list of something that nobody asks for.
    Other,
}

/// A file that is read from its beginning.
pub(super) struct Reader {
    file: BufReader<File>,
    at: u64,
    len: u64,
}

impl Reader {
    pub(super) fn new(file: File, len: u64) -> Reader {
        Reader { file: BufReader::new(file), at: 0, len }
    }

    pub(super) fn at(&self) -> u64 {
        self.at
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// The first bytes, as many as there are.
    pub(super) fn start(&mut self) -> Result<Vec<u8>, Fault> {
        let n = self.len.min(BEGINS_BYTES as u64);
        self.bytes(n)
    }

    fn bytes(&mut self, n: u64) -> Result<Vec<u8>, Fault> {
        self.must_have(n)?;
        let mut bytes =
            vec![0; usize::try_from(n).map_err(|_| Fault::nonsense("a text is endless"))?];
        self.file.read_exact(&mut bytes).map_err(Fault::Io)?;
        self.at += n;
        Ok(bytes)
    }

    fn must_have(&self, n: u64) -> Result<(), Fault> {
        let needed = self.at.saturating_add(n);
        if needed > self.len { Err(Fault::CutOff { needed }) } else { Ok(()) }
    }

    fn skip(&mut self, n: u64) -> Result<(), Fault> {
        self.must_have(n)?;
        let n = i64::try_from(n).map_err(|_| Fault::nonsense("a list is endless"))?;
        self.file.seek_relative(n).map_err(Fault::Io)?;
        self.at += n.unsigned_abs();
        Ok(())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        self.must_have(N as u64)?;
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes).map_err(Fault::Io)?;
        self.at += N as u64;
        Ok(bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Fault> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64, Fault> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A number of things that follow.
    pub(super) fn count(&mut self, what: &str, most: u64) -> Result<u64, Fault> {
        let n = self.u64()?;
        if n > most {
            return Err(Fault::Nonsense(format!("it has {n} {what}, at most {most} are possible")));
        }
        Ok(n)
    }

    pub(super) fn text(&mut self) -> Result<Vec<u8>, Fault> {
        let n = self.count("bytes in a text", TEXT_BYTES_MAX)?;
        self.bytes(n)
    }

    pub(super) fn value(&mut self) -> Result<Scalar, Fault> {
        let kind = self.u32()?;
        match kind {
            8 => {
                let text = self.text()?;
                Ok(Scalar::Text(String::from_utf8_lossy(&text).into_owned()))
            }
            9 => self.list(),
            6 => Ok(Scalar::Fraction(f32::from_le_bytes(self.array()?).into())),
            12 => Ok(Scalar::Fraction(f64::from_le_bytes(self.array()?))),
            _ => Ok(Scalar::Number(self.number(kind)?)),
        }
    }

    fn list(&mut self) -> Result<Scalar, Fault> {
        let kind = self.u32()?;
        let len = self.count("entries in a list", LIST_MAX)?;
        match kind {
            8 => {
                let mut texts = Vec::new();
                for _ in 0..len {
                    texts.push(self.text()?);
                }
                Ok(Scalar::Texts(texts))
            }
            6 | 12 => {
                self.skip(len * width(kind)?)?;
                Ok(Scalar::Other)
            }
            _ if len > NUMBERS_KEPT_MAX => {
                self.skip(len * width(kind)?)?;
                Ok(Scalar::Numbers { len, numbers: Vec::new() })
            }
            _ => {
                let numbers = (0..len).map(|_| self.number(kind)).collect::<Result<_, _>>()?;
                Ok(Scalar::Numbers { len, numbers })
            }
        }
    }

    fn number(&mut self, kind: u32) -> Result<i64, Fault> {
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
        // Carries the sign up to the whole width.
        let shift = 64 - 8 * u32::try_from(n).unwrap_or(8);
        Ok((unsigned << shift).cast_signed() >> shift)
    }
}

/// Bytes of a value of a fixed width.
fn width(kind: u32) -> Result<u64, Fault> {
    match kind {
        0 | 1 | 7 => Ok(1),
        2 | 3 => Ok(2),
        4..=6 => Ok(4),
        10..=12 => Ok(8),
        _ => Err(Fault::Nonsense(format!("a value is of the unknown kind {kind}"))),
    }
}
