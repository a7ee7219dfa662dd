//! Files in the GGUF format, version 3: keys with values, then tensors of 32-bit numbers.

use std::io::{self, Write};

const VERSION: u32 = 3;
/// Alignment of tensors, in bytes.
const ALIGNMENT: usize = 32;
const F32: u32 = 0;

#[derive(Debug, Clone, PartialEq)]
pub enum MetadataValue {
    /// Type 4.
    U32(u32),
    /// Type 6.
    F32(f32),
    /// Type 7.
    Bool(bool),
    /// Type 8.
    Text(String),
    /// Type 9 of type 8.
    Texts(Vec<String>),
    /// Type 9 of type 6.
    Floats(Vec<f32>),
    /// Type 9 of type 5.
    Ints(Vec<i32>),
}

/// A tensor whose numbers are generated when it is written, so that a large file needs little memory.
pub struct Tensor<'a> {
    /// Such as `blk.0.attn_norm.weight`.
    pub name: String,
    /// The fastest dimension first.
    pub shape: Vec<usize>,
    /// Generates this many numbers.
    pub numbers: Box<dyn FnMut(usize) -> Vec<f32> + 'a>,
}

#[derive(Default)]
pub struct Gguf<'a> {
    pub keys: Vec<(String, MetadataValue)>,
    pub tensors: Vec<Tensor<'a>>,
}

impl Gguf<'_> {
    pub fn write(mut self, out: &mut impl Write) -> io::Result<()> {
        let mut head = b"GGUF".to_vec();
        head.extend(VERSION.to_le_bytes());
        head.extend((self.tensors.len() as u64).to_le_bytes());
        head.extend((self.keys.len() as u64).to_le_bytes());
        for (key, value) in &self.keys {
            put_text(&mut head, key);
            put_value(&mut head, value);
        }
        let mut offset = 0;
        for tensor in &self.tensors {
            put_text(&mut head, &tensor.name);
            head.extend((tensor.shape.len() as u32).to_le_bytes());
            tensor.shape.iter().for_each(|n| head.extend((*n as u64).to_le_bytes()));
            head.extend(F32.to_le_bytes());
            head.extend((offset as u64).to_le_bytes());
            offset += (count(tensor) * size_of::<f32>()).next_multiple_of(ALIGNMENT);
        }
        head.resize(head.len().next_multiple_of(ALIGNMENT), 0);
        out.write_all(&head)?;
        for tensor in &mut self.tensors {
            let mut left = count(tensor);
            let mut written = 0;
            while left > 0 {
                // One row at a time.
                let n = left.min(tensor.shape[0]);
                let bytes: Vec<u8> =
                    (tensor.numbers)(n).into_iter().flat_map(f32::to_le_bytes).collect();
                out.write_all(&bytes)?;
                written += bytes.len();
                left -= n;
            }
            out.write_all(&vec![0; written.next_multiple_of(ALIGNMENT) - written])?;
        }
        Ok(())
    }
}

fn count(tensor: &Tensor<'_>) -> usize {
    tensor.shape.iter().product()
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

fn put_value(out: &mut Vec<u8>, value: &MetadataValue) {
    let mut array = |item_type: u32, len: usize| {
        out.extend(9_u32.to_le_bytes());
        out.extend(item_type.to_le_bytes());
        out.extend((len as u64).to_le_bytes());
    };
    match value {
        MetadataValue::U32(number) => {
            out.extend(4_u32.to_le_bytes());
            out.extend(number.to_le_bytes());
        }
        MetadataValue::F32(number) => {
            out.extend(6_u32.to_le_bytes());
            out.extend(number.to_le_bytes());
        }
        MetadataValue::Bool(is) => {
            out.extend(7_u32.to_le_bytes());
            out.push(u8::from(*is));
        }
        MetadataValue::Text(text) => {
            out.extend(8_u32.to_le_bytes());
            put_text(out, text);
        }
        MetadataValue::Texts(texts) => {
            array(8, texts.len());
            texts.iter().for_each(|text| put_text(out, text));
        }
        MetadataValue::Floats(numbers) => {
            array(6, numbers.len());
            numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
        }
        MetadataValue::Ints(numbers) => {
            array(5, numbers.len());
            numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
        }
    }
}
