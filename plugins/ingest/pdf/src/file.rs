//! The objects of a file, found by reading it from beginning to end.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::PdfError;
use crate::budget::Budget;
use crate::encryption::{Key, ObjectId};
use crate::filters;
use crate::lexer::{Lexer, Token};
use crate::object::{Dict, Object};
use crate::writing;

/// References that are followed from one to the next.
const LONGEST_WAY: usize = 16;
/// What a stream takes of the budget even if there is nothing in it.
const EACH_STREAM: usize = 32;
/// What a file ends with.
const END: &[u8] = b"%%EOF";
/// Filters of one stream.
const MOST_FILTERS: usize = 8;

/// A file with its objects by their numbers. Of two with one number the later
/// one counts, as an edited file has them.
pub(crate) struct File<'a> {
    bytes: &'a [u8],
    pub(crate) objects: HashMap<u32, Object>,
    /// Numbers in the order of the file.
    pub(crate) order: Vec<u32>,
    /// What trailers say, the later ones over the earlier.
    pub(crate) trailer: Dict,
    pub(crate) is_encrypted: bool,
    /// What its data is decrypted with.
    key: Option<Key>,
    /// The objects that do not stand in streams, by their numbers, and streams
    /// by where they begin: each is decrypted by its own id.
    ids: HashMap<u32, ObjectId>,
    streams: HashMap<usize, ObjectId>,
    /// Where the last object begins.
    last_object: usize,
}

impl<'a> File<'a> {
    /// Finds the objects of a file. One that is encrypted is read once without
    /// its key, which is in it, and once with it.
    pub(crate) fn scan(
        bytes: &'a [u8],
        key: Option<Key>,
        budget: &mut Budget<'_>,
    ) -> Result<Self, PdfError> {
        let mut file = Self {
            bytes,
            objects: HashMap::new(),
            order: Vec::new(),
            trailer: Dict::new(),
            is_encrypted: false,
            key,
            ids: HashMap::new(),
            streams: HashMap::new(),
            last_object: 0,
        };
        let mut lexer = Lexer::of_file(bytes, 0);
        // The last two numbers, which an object begins with: `5 0 obj`.
        let mut numbers = [None, None];
        loop {
            let before = lexer.at;
            match lexer.token() {
                Some(Token::Object(Object::Number(number))) => {
                    numbers = [numbers[1], Object::Number(number).index()];
                    continue;
                }
                Some(Token::Word(word)) if word.starts_with(b"obj") => {
                    // `obj<<` and `obj5` are written too.
                    lexer.at -= word.len() - 3;
                    if let [Some(number), Some(generation)] = numbers
                        && let Ok(number) = u32::try_from(number)
                    {
                        file.last_object = lexer.at;
                        let generation = u16::try_from(generation).unwrap_or(0);
                        file.read_object((number, generation), &mut lexer, budget)?;
                    }
                }
                Some(Token::Word(b"trailer")) => {
                    if let Some(Object::Dict(trailer)) = lexer.object() {
                        file.add_trailer(trailer);
                    }
                }
                Some(_) => {}
                None if lexer.rest().is_empty() => break,
                // Nothing that can be read: on from the next byte.
                None => lexer.at = lexer.at.max(before + 1),
            }
            numbers = [None, None];
        }
        Ok(file)
    }

    /// Whether the end is behind the last object. One before it is that of an
    /// earlier state of the file.
    pub(crate) fn has_end(&self) -> bool {
        let behind = self.bytes.get(self.last_object..).unwrap_or_default();
        behind.windows(END.len()).any(|window| window == END)
    }

    fn read_object(
        &mut self,
        id: ObjectId,
        lexer: &mut Lexer<'a>,
        budget: &mut Budget<'_>,
    ) -> Result<(), PdfError> {
        let number = id.0;
        let object = lexer.object();
        budget.take_objects(lexer.taken())?;
        let Some(object) = object else {
            return Ok(());
        };
        if self.key.is_some() {
            self.ids.insert(number, id);
        }
        let Object::Dict(dict) = object else {
            self.add(number, object);
            return Ok(());
        };
        lexer.skip_space();
        if !lexer.rest().starts_with(b"stream") {
            self.add(number, Object::Dict(dict));
            return Ok(());
        }
        let start = lexer.at + b"stream".len();
        let start = start + line_end(self.bytes.get(start..).unwrap_or_default());
        let end = self.end_of_stream(start, &dict);
        lexer.at = end;
        if self.key.is_some() {
            self.streams.insert(start, id);
        }
        let kind = dict.get(b"Type".as_slice()).and_then(Object::name);
        match kind {
            Some(b"XRef") => self.add_trailer(dict),
            Some(b"ObjStm") if !self.is_encrypted || self.key.is_some() => {
                let stream = Object::Stream(dict, start..end);
                self.add_packed(&stream, budget)?;
            }
            _ => self.add(number, Object::Stream(dict, start..end)),
        }
        Ok(())
    }

    /// By the length that is written before it where that is right, or else
    /// up to the next `endstream`.
    fn end_of_stream(&self, start: usize, dict: &Dict) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let written = dict.get(b"Length".as_slice()).and_then(Object::index);
        if let Some(length) = written
            && let Some(behind) = rest.get(length..)
        {
            let behind = &behind[line_end(behind)..];
            if behind.starts_with(b"endstream") {
                return start + length;
            }
        }
        let mut windows = rest.windows(b"endstream".len());
        let found = windows.position(|window| window == b"endstream");
        start + found.unwrap_or(rest.len())
    }

    fn add(&mut self, number: u32, object: Object) {
        if self.objects.insert(number, object).is_none() {
            self.order.push(number);
        }
    }

    fn add_trailer(&mut self, trailer: Dict) {
        self.is_encrypted |= trailer.contains_key(b"Encrypt".as_slice());
        self.trailer.extend(trailer);
    }

    /// The objects that a stream holds: pairs of numbers and places first.
    fn add_packed(&mut self, stream: &Object, budget: &mut Budget<'_>) -> Result<(), PdfError> {
        let Some(decoded) = self.decoded(stream, budget)? else {
            return Ok(());
        };
        let index = |key: &[u8]| stream.dict()?.get(key)?.index();
        let first = index(b"First").unwrap_or(0);
        let mut pairs = Lexer::of_file(&decoded, 0);
        let mut reached = 0;
        for _ in 0..index(b"N").unwrap_or(0) {
            let mut next = || pairs.object()?.index();
            let (Some(number), Some(place)) = (next(), next()) else {
                break;
            };
            // They stand one after the other; many at one place are an attack.
            let place = first.saturating_add(place);
            if place < reached || place >= decoded.len() {
                continue;
            }
            let mut lexer = Lexer::of_file(&decoded, place);
            let object = lexer.object();
            reached = lexer.at;
            budget.take_objects(lexer.taken())?;
            if let (Ok(number), Some(object)) = (u32::try_from(number), object) {
                self.add(number, object);
            }
        }
        Ok(())
    }

    /// The object that is meant, where this is a reference.
    pub(crate) fn resolve<'b>(&'b self, object: &'b Object) -> Option<&'b Object> {
        let mut object = object;
        for _ in 0..LONGEST_WAY {
            match object {
                Object::Reference(number) => object = self.objects.get(number)?,
                object => return Some(object),
            }
        }
        None
    }

    /// A value of a dictionary.
    pub(crate) fn get<'b>(&'b self, dict: &'b Dict, key: &[u8]) -> Option<&'b Object> {
        self.resolve(dict.get(key)?)
    }

    /// A dictionary in a dictionary.
    pub(crate) fn dict<'b>(&'b self, dict: &'b Dict, key: &[u8]) -> Option<&'b Dict> {
        self.get(dict, key)?.dict()
    }

    /// The bytes of a stream; `None` for pictures, and what is no stream.
    pub(crate) fn decoded(
        &self,
        stream: &Object,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Vec<u8>>, PdfError> {
        let Object::Stream(dict, range) = stream else {
            return Ok(None);
        };
        budget.take_decoded(EACH_STREAM)?;
        let raw = self.bytes.get(range.clone()).unwrap_or_default();
        let raw = match (&self.key, self.streams.get(&range.start)) {
            (Some(key), Some(id)) => {
                budget.take_decoded(raw.len())?;
                Cow::Owned(key.decrypt(raw, *id))
            }
            _ => Cow::Borrowed(raw),
        };
        let filter = self.get(dict, b"Filter").or(self.get(dict, b"F"));
        let filters = match filter {
            Some(Object::List(filters)) => filters.as_slice(),
            Some(filter) => std::slice::from_ref(filter),
            None => &[],
        };
        if filters.is_empty() {
            budget.take_decoded(raw.len())?;
            return Ok(Some(raw.into_owned()));
        }
        let mut bytes: Option<Vec<u8>> = None;
        for filter in filters.iter().take(MOST_FILTERS) {
            let Some(name) = self.resolve(filter).and_then(Object::name) else {
                return Ok(None);
            };
            match filters::decode(name, bytes.as_deref().unwrap_or(&raw), budget)? {
                Some(decoded) => bytes = Some(decoded),
                None => return Ok(None),
            }
        }
        Ok(bytes)
    }

    /// The root of the pages.
    pub(crate) fn pages(&self) -> Option<&Object> {
        let root = self.dict(&self.trailer, b"Root");
        let catalog = root.or_else(|| {
            let mut objects = self.order.iter().rev();
            objects.find_map(|number| {
                let dict = self.objects.get(number)?.dict()?;
                dict.get(b"Type".as_slice())?
                    .is_name(b"Catalog")
                    .then_some(dict)
            })
        });
        catalog?.get(b"Pages".as_slice())
    }

    /// What the file says about itself.
    pub(crate) fn information(&self, key: &[u8]) -> Option<String> {
        let text = self.get(self.dict(&self.trailer, b"Info")?, key)?.text()?;
        let id = match self.trailer.get(b"Info".as_slice()) {
            Some(Object::Reference(number)) => self.ids.get(number),
            _ => None,
        };
        let text = match (&self.key, id) {
            (Some(key), Some(id)) => Cow::Owned(key.decrypt(text, *id)),
            _ => Cow::Borrowed(text),
        };
        let text = writing::of_information(&text);
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

/// Bytes of the line's end that a text begins with.
fn line_end(text: &[u8]) -> usize {
    match text {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}
