//! Checks a model file before llama.cpp loads it: whether it is GGUF, complete, and for text, and how much memory its
//! context takes. Finds the damage over which llama.cpp would end the process.

mod reader;
mod vocabulary;

use std::{collections::HashMap, fs, path::Path};

use llama_cpp_sys_2 as sys;

use self::reader::{GgufError, GgufReader, GgufValue};
use super::ModelLoadError;
use narratoria_skills::open_outside;

const MAGIC: &[u8] = b"GGUF";
/// Keys of a header; real ones have about forty.
const KEYS_MAX: u64 = 1 << 16;
/// Tensors of a model; real ones have some hundreds.
const TENSORS_MAX: u64 = 1 << 16;
/// The limit of GGUF.
const DIMENSIONS_MAX: u32 = 4;
/// The limit of llama.cpp.
const LAYERS_MAX: u64 = 512;
/// Default alignment of tensors, in bytes.
const ALIGNMENT: i64 = 32;
/// The context's cache holds keys and values as 16-bit numbers.
const CACHE_NUMBER_BYTES: u64 = 2;
/// Architectures that write no text, as parts of their names.
const NO_TEXT: &[&str] = &["bert", "t5", "clip", "embedding", "wavtokenizer", "mmproj"];
/// Architectures that give texts vectors, as parts of their names.
const WITH_VECTORS: &[&str] = &["bert"];
/// Tokens that llama.cpp takes for granted in a vocabulary of the kind `bert`: its special ones are the 101st to the 104th.
const BERT_TOKENS_MIN: usize = 104;
/// Tokenizers of models that chat.
const TOKENIZERS: &[&str] = &["llama", "gpt2", "gemma4", "plamo2", "rwkv"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GgufHeader {
    /// Such as `phi3`.
    pub architecture: String,
    pub name: Option<String>,
    /// The length of context that the model was trained for.
    pub context_tokens: u32,
    /// Memory that each token of context takes.
    pub token_bytes: u64,
    pub file_bytes: u64,
    /// Bytes before the numbers of the tensors.
    pub header_bytes: u64,
}

/// What a file says of itself, without the check of the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GgufSummary {
    /// Such as `phi3`.
    pub architecture: String,
    /// The model's name in its header; `None` if it has none.
    pub name: Option<String>,
    /// Bytes of the file.
    pub bytes: u64,
    /// False for a kind of model that is for other work, such as vectors or images.
    pub writes_text: bool,
}

/// Reads the header of a file as far as its architecture and name. The error says why it is no model file.
pub fn read_summary(file: fs::File) -> Result<GgufSummary, String> {
    let bytes = file.metadata().map_err(|error| error.to_string())?.len();
    let mut reader = GgufReader::new(file, bytes);
    parse_summary(&mut reader).map_err(|fault| match fault {
        GgufError::Io(error) => error.to_string(),
        GgufError::NotGguf(_) => "it is not a GGUF file".to_owned(),
        GgufError::Version(version) => {
            format!("it is in version {version} of GGUF, 2 and 3 can be read")
        }
        GgufError::Truncated { needed } => {
            format!("it has {bytes} bytes where its header needs {needed}")
        }
        GgufError::Damaged(reason) => format!("it is damaged: {reason}"),
        GgufError::Unfit { reason, .. } => reason,
    })
}

fn parse_summary(reader: &mut GgufReader) -> Result<GgufSummary, GgufError> {
    let (_, keys) = parse_counts(reader)?;
    let (mut architecture, mut name) = (None, None);
    for _ in 0..keys {
        let (key, value) = parse_key(reader)?;
        if let GgufValue::Text(text) = value {
            match key.as_str() {
                "general.architecture" => architecture = Some(text),
                "general.name" => name = Some(text),
                _ => {}
            }
        }
        // The vocabulary, which is long, comes later.
        if architecture.is_some() && name.is_some() {
            break;
        }
    }
    let unsaid = || GgufError::damaged("it does not say what kind of model it is");
    let architecture = architecture.filter(|text| !text.is_empty()).ok_or_else(unsaid)?;
    let writes_text = !NO_TEXT.iter().any(|part| architecture.contains(part));
    let name = name.filter(|name| !name.is_empty());
    Ok(GgufSummary { architecture, name, bytes: reader.len(), writes_text })
}

/// The numbers of tensors and keys, after the magic and the version.
fn parse_counts(reader: &mut GgufReader) -> Result<(u64, u64), GgufError> {
    let magic = reader.magic()?;
    if magic != MAGIC {
        return Err(GgufError::NotGguf(magic.escape_ascii().to_string()));
    }
    let version = reader.u32()?;
    if !(2..=3).contains(&version) {
        return Err(GgufError::Version(version));
    }
    Ok((reader.count("tensors", TENSORS_MAX)?, reader.count("keys", KEYS_MAX)?))
}

fn parse_key(reader: &mut GgufReader) -> Result<(String, GgufValue), GgufError> {
    let key = reader.text()?;
    let key = String::from_utf8(key).map_err(|_| GgufError::damaged("a key is not UTF-8"))?;
    Ok((key, reader.value()?))
}

/// The use that a model is loaded for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelPurpose {
    Text,
    Embeddings,
}

impl ModelPurpose {
    /// Its word on a command line.
    pub fn word(self) -> &'static str {
        match self {
            ModelPurpose::Text => "text",
            ModelPurpose::Embeddings => "embeddings",
        }
    }

    /// Reads [`ModelPurpose::word`].
    pub fn parse(word: &str) -> Option<ModelPurpose> {
        [ModelPurpose::Text, ModelPurpose::Embeddings].into_iter().find(|it| it.word() == word)
    }
}

pub(super) fn read_header(
    path: &Path,
    purpose: ModelPurpose,
) -> Result<GgufHeader, ModelLoadError> {
    let unreadable = |source: std::io::Error| ModelLoadError::Unreadable {
        path: path.to_owned(),
        reason: source.to_string(),
    };
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => {
            return Err(ModelLoadError::Missing { path: path.to_owned() });
        }
        Err(source) => return Err(unreadable(source)),
    };
    if !metadata.is_file() {
        return Err(ModelLoadError::NotAFile { path: path.to_owned() });
    }
    let file = open_outside(path).map_err(|error| unreadable(error.into()))?;
    let mut reader = GgufReader::new(file, metadata.len());
    let found = parse_header(&mut reader, purpose);
    let path = path.to_owned();
    found.map_err(|fault| match fault {
        GgufError::Io(source) => ModelLoadError::Unreadable { path, reason: source.to_string() },
        GgufError::NotGguf(begins) => ModelLoadError::NotGguf { path, begins },
        GgufError::Version(version) => ModelLoadError::Version { path, version },
        GgufError::Truncated { needed } => {
            ModelLoadError::Truncated { path, bytes: metadata.len(), needed }
        }
        GgufError::Damaged(reason) => ModelLoadError::Damaged { path, reason },
        GgufError::Unfit { architecture, reason } => match purpose {
            ModelPurpose::Text => ModelLoadError::NotForText { path, architecture, reason },
            ModelPurpose::Embeddings => {
                ModelLoadError::NotForEmbeddings { path, architecture, reason }
            }
        },
    })
}

fn parse_header(reader: &mut GgufReader, purpose: ModelPurpose) -> Result<GgufHeader, GgufError> {
    let (tensors, keys) = parse_counts(reader)?;
    let mut known = GgufKeys(HashMap::new());
    for _ in 0..keys {
        let (key, value) = parse_key(reader)?;
        known.0.insert(key, value);
    }
    let needed = bytes_needed(reader, tensors, known.alignment()?)?;
    if needed > reader.len() {
        return Err(GgufError::Truncated { needed });
    }
    let header = known.header(reader, purpose)?;
    vocabulary::check(&known.0)?;
    Ok(header)
}

/// The end of the last tensor.
fn bytes_needed(reader: &mut GgufReader, tensors: u64, alignment: u64) -> Result<u64, GgufError> {
    let mut longest: u64 = 0;
    for _ in 0..tensors {
        let name = reader.text()?;
        let name = String::from_utf8_lossy(&name);
        let dimensions = reader.u32()?;
        if dimensions > DIMENSIONS_MAX {
            return Err(GgufError::Damaged(format!("tensor `{name}` has {dimensions} dimensions")));
        }
        let mut numbers: u64 = 1;
        for _ in 0..dimensions {
            numbers = numbers.saturating_mul(reader.u64()?);
        }
        let kind = reader.u32()?;
        let Some((block_numbers, block_bytes)) = block_size(kind) else {
            return Err(GgufError::Damaged(format!(
                "tensor `{name}` is of the unknown kind {kind}"
            )));
        };
        let bytes = (numbers / block_numbers).saturating_mul(block_bytes);
        longest = longest.max(reader.u64()?.saturating_add(bytes));
    }
    Ok(reader.position().next_multiple_of(alignment).saturating_add(longest))
}

/// Numbers in a block of this type, and the bytes of the block.
fn block_size(kind: u32) -> Option<(u64, u64)> {
    if kind >= sys::GGML_TYPE_COUNT {
        return None;
    }
    #[expect(unsafe_code, reason = "the table of kinds is llama.cpp's")]
    // SAFETY: both only read a constant table, below its length.
    let (numbers, bytes) = unsafe { (sys::ggml_blck_size(kind), sys::ggml_type_size(kind)) };
    Some((u64::try_from(numbers).ok().filter(|numbers| *numbers > 0)?, bytes as u64))
}

struct GgufKeys(HashMap<String, GgufValue>);

impl GgufKeys {
    fn text(&self, key: &str) -> Option<&str> {
        match self.0.get(key) {
            Some(GgufValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn number(&self, key: &str) -> Option<i64> {
        match self.0.get(key) {
            Some(GgufValue::Number(number)) => Some(*number),
            _ => None,
        }
    }

    fn alignment(&self) -> Result<u64, GgufError> {
        let alignment = self.number("general.alignment").unwrap_or(ALIGNMENT);
        match u64::try_from(alignment) {
            Ok(bytes) if bytes.is_power_of_two() && bytes <= 1 << 20 => Ok(bytes),
            _ => Err(GgufError::Damaged(format!(
                "its tensors lie at multiples of {alignment} bytes"
            ))),
        }
    }

    fn header(&self, read: &GgufReader, purpose: ModelPurpose) -> Result<GgufHeader, GgufError> {
        let architecture = self.text("general.architecture").unwrap_or_default().to_owned();
        if architecture.is_empty() {
            return Err(GgufError::damaged("it does not say what kind of model it is"));
        }
        let reason = match purpose {
            ModelPurpose::Text => self.reason_not_for_text(&architecture),
            ModelPurpose::Embeddings => self.reason_not_for_embeddings(&architecture),
        };
        if let Some(reason) = reason {
            return Err(GgufError::Unfit { architecture, reason });
        }
        let of = |what: &str| format!("{architecture}.{what}");
        let size = |what: &str| {
            let number = self.number(&of(what))?;
            u64::try_from(number).ok().filter(|number| *number > 0)
        };
        let (Some(context), Some(layers), Some(embedding)) =
            (size("context_length"), size("block_count"), size("embedding_length"))
        else {
            return Err(GgufError::damaged("it does not say how large it is"));
        };
        if layers > LAYERS_MAX {
            return Err(GgufError::Damaged(format!(
                "it has {layers} layers, at most {LAYERS_MAX} are possible"
            )));
        }
        self.check_fractions()?;
        let heads = match self.0.get(&of("attention.head_count")) {
            Some(GgufValue::Numbers { numbers, .. }) => numbers.iter().copied().max().unwrap_or(1),
            Some(GgufValue::Number(number)) => *number,
            _ => 1,
        };
        let heads = u64::try_from(heads).unwrap_or(1).max(1);
        // Summed over all layers.
        let cached_heads = match self.0.get(&of("attention.head_count_kv")) {
            Some(GgufValue::Numbers { numbers, .. }) => {
                numbers.iter().filter_map(|number| u64::try_from(*number).ok()).sum()
            }
            Some(GgufValue::Number(number)) => {
                u64::try_from(*number).unwrap_or(0).saturating_mul(layers)
            }
            _ => heads.saturating_mul(layers),
        };
        let width = |what: &str| size(what).unwrap_or(embedding / heads);
        let key = width("attention.key_length");
        let turned = self.number(&of("rope.dimension_count"));
        if turned.is_some_and(|numbers| u64::try_from(numbers).is_ok_and(|n| n > key || n % 2 != 0))
        {
            return Err(GgufError::damaged("its attention turns more numbers than it has"));
        }
        let widths = key.saturating_add(width("attention.value_length"));
        Ok(GgufHeader {
            name: self.text("general.name").filter(|name| !name.is_empty()).map(str::to_owned),
            context_tokens: u32::try_from(context).unwrap_or(u32::MAX),
            token_bytes: cached_heads.saturating_mul(widths).saturating_mul(CACHE_NUMBER_BYTES),
            file_bytes: read.len(),
            header_bytes: read.position(),
            architecture,
        })
    }

    /// llama.cpp computes with fractions without checking them.
    fn check_fractions(&self) -> Result<(), GgufError> {
        for (key, value) in &self.0 {
            let GgufValue::Fraction(number) = value else { continue };
            let is_small = (0.0..1.0).contains(number);
            if !number.is_finite() || (key.ends_with("_epsilon") && !is_small) {
                return Err(GgufError::Damaged(format!("its `{key}` is {number}")));
            }
        }
        Ok(())
    }

    /// Why a model writes no text, if it does not.
    fn reason_not_for_text(&self, architecture: &str) -> Option<String> {
        if NO_TEXT.iter().any(|part| architecture.contains(part)) {
            return Some("its kind is for other work".to_owned());
        }
        if self.number(&format!("{architecture}.pooling_type")).is_some_and(|kind| kind > 0) {
            return Some("it was made for embeddings".to_owned());
        }
        if self.number(&format!("{architecture}.attention.causal")) == Some(0) {
            return Some("it reads in both directions".to_owned());
        }
        match self.text("tokenizer.ggml.model") {
            Some(tokenizer) if TOKENIZERS.contains(&tokenizer) => None,
            Some(tokenizer) => Some(format!("its tokenizer is `{tokenizer}`")),
            None => Some("it has no tokenizer".to_owned()),
        }
    }

    /// Why a model gives no vectors of texts, if it does not.
    fn reason_not_for_embeddings(&self, architecture: &str) -> Option<String> {
        if !WITH_VECTORS.iter().any(|part| architecture.contains(part)) {
            return Some("its kind is for other work".to_owned());
        }
        match self.text("tokenizer.ggml.model") {
            Some("bert") => match self.0.get("tokenizer.ggml.tokens") {
                Some(GgufValue::Texts(tokens)) if tokens.len() >= BERT_TOKENS_MIN => None,
                _ => Some("its vocabulary lacks the special tokens".to_owned()),
            },
            Some(tokenizer) => Some(format!("its tokenizer is `{tokenizer}`")),
            None => Some("it has no tokenizer".to_owned()),
        }
    }
}
