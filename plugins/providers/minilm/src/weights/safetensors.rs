//! A reader of safetensors files: eight bytes with the length of a JSON
//! header, the header, the raw numbers.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::Error;

/// The tensors of a file, by name.
pub(crate) struct Safetensors {
    data: Vec<u8>,
    data_begin: usize,
    tensors: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

impl Safetensors {
    /// Reads the bytes of a file.
    pub(crate) fn parse(data: Vec<u8>) -> Result<Self, Error> {
        let (length, rest) = data
            .split_first_chunk::<8>()
            .ok_or_else(|| Error::safetensors("it is shorter than 8 bytes"))?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let header = rest
            .get(..length)
            .ok_or_else(|| Error::safetensors("its header is truncated"))?;
        let entries: BTreeMap<String, serde_json::Value> = serde_json::from_slice(header)
            .map_err(|error| Error::safetensors(format!("its header is not JSON: {error}")))?;
        let mut tensors = BTreeMap::new();
        for (name, value) in entries {
            if name == "__metadata__" {
                continue;
            }
            let entry = Entry::deserialize(value)
                .map_err(|error| Error::safetensors(format!("tensor {name}: {error}")))?;
            tensors.insert(name, entry);
        }
        Ok(Self {
            data_begin: 8 + length,
            data,
            tensors,
        })
    }

    /// Whether there is a tensor of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// The numbers of a tensor, which must have the given shape.
    pub(crate) fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        let entry = self.entry(name)?;
        if entry.shape != shape {
            return Err(fail(
                name,
                &format!("has shape {:?}, wanted {shape:?}", entry.shape),
            ));
        }
        self.numbers(name, entry)
    }

    /// The numbers of a tensor with any number of rows of `columns` numbers.
    pub(crate) fn table(&self, name: &str, columns: usize) -> Result<Vec<f32>, Error> {
        let entry = self.entry(name)?;
        if entry.shape.len() != 2 || entry.shape[1] != columns {
            return Err(fail(
                name,
                &format!("has shape {:?}, wanted [_, {columns}]", entry.shape),
            ));
        }
        self.numbers(name, entry)
    }

    fn entry(&self, name: &str) -> Result<&Entry, Error> {
        self.tensors
            .get(name)
            .ok_or_else(|| fail(name, "is missing"))
    }

    fn numbers(&self, name: &str, entry: &Entry) -> Result<Vec<f32>, Error> {
        if entry.dtype != "F32" {
            let reason = format!("has type {}, wanted F32", entry.dtype);
            return Err(fail(name, &reason));
        }
        let count = entry
            .shape
            .iter()
            .try_fold(4usize, |product, side| product.checked_mul(*side));
        let [begin, end] = entry.data_offsets;
        let bytes = self.data[self.data_begin..]
            .get(begin..end)
            .filter(|bytes| Some(bytes.len()) == count)
            .ok_or_else(|| fail(name, "is outside of the file"))?;
        let (numbers, _) = bytes.as_chunks::<4>();
        let numbers: Vec<f32> = numbers
            .iter()
            .map(|four| f32::from_le_bytes(*four))
            .collect();
        if numbers.iter().all(|number| number.is_finite()) {
            Ok(numbers)
        } else {
            Err(fail(name, "contains numbers that are not finite"))
        }
    }
}

fn fail(name: &str, reason: &str) -> Error {
    Error::safetensors(format!("tensor {name} {reason}"))
}
