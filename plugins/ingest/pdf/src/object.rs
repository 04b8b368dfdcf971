//! What a PDF file consists of.

use std::collections::BTreeMap;
use std::ops::Range;

/// The keys and values of a dictionary.
pub(crate) type Dict = BTreeMap<Vec<u8>, Object>;

/// One object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Object {
    Null,
    Bool(bool),
    Number(f64),
    Name(Vec<u8>),
    Text(Vec<u8>),
    List(Vec<Object>),
    Dict(Dict),
    /// A dictionary, and where its bytes are in the file.
    Stream(Dict, Range<usize>),
    /// Another object, by its number.
    Reference(u32),
}

impl Object {
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// A whole number that is not negative.
    pub(crate) fn index(&self) -> Option<usize> {
        let number = self.number()?;
        let is_index = number >= 0.0 && number.fract() == 0.0 && number < 4e9;
        // It is whole and in range.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        is_index.then_some(number as usize)
    }

    pub(crate) fn name(&self) -> Option<&[u8]> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&[u8]> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> Option<&[Object]> {
        match self {
            Self::List(list) => Some(list),
            _ => None,
        }
    }

    /// Of a stream, that which stands before it.
    pub(crate) fn dict(&self) -> Option<&Dict> {
        match self {
            Self::Dict(dict) | Self::Stream(dict, _) => Some(dict),
            _ => None,
        }
    }

    pub(crate) fn is_name(&self, name: &[u8]) -> bool {
        self.name() == Some(name)
    }
}
