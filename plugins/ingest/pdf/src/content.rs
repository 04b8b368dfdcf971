//! What a page draws: its text, in the order of its drawing.

use std::collections::HashMap;
use std::rc::Rc;

use crate::PdfError;
use crate::budget::Budget;
use crate::file::File;
use crate::fonts::Font;
use crate::lexer::{Lexer, Token, is_space};
use crate::matrix::Matrix;
use crate::object::{Dict, Object};
use crate::written::Written;

/// How deep drawings may stand in each other.
const DEEPEST: usize = 8;
/// Operands that wait for their operator.
const MOST_OPERANDS: usize = 256;
/// States that wait for being taken up again.
const MOST_SAVED: usize = 256;
/// Flags of fields that nobody sees.
const HIDDEN: usize = 1 << 1;
const NO_VIEW: usize = 1 << 5;

/// Reads pages; fonts that they share are read once.
pub(crate) struct Reader<'a> {
    file: &'a File<'a>,
    fonts: HashMap<u32, Rc<Font>>,
}

/// How text is drawn.
#[derive(Clone)]
struct State {
    transform: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    leading: f64,
    between_letters: f64,
    between_words: f64,
    stretch: f64,
}

/// That of a page before it is drawn.
impl Default for State {
    fn default() -> Self {
        Self {
            transform: Matrix::IDENTITY,
            font: None,
            size: 0.0,
            leading: 0.0,
            between_letters: 0.0,
            between_words: 0.0,
            stretch: 1.0,
        }
    }
}

/// A drawing that is read.
struct Drawing {
    state: State,
    saved: Vec<State>,
    text: Matrix,
    line: Matrix,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(file: &'a File<'a>) -> Self {
        Self {
            file,
            fonts: HashMap::new(),
        }
    }

    /// The text of one page.
    pub(crate) fn text(
        &mut self,
        page: &'a Dict,
        resources: Option<&'a Dict>,
        budget: &mut Budget<'_>,
    ) -> Result<String, PdfError> {
        let contents = self.file.get(page, b"Contents");
        let streams = match contents {
            Some(Object::List(streams)) => streams.as_slice(),
            Some(stream) => std::slice::from_ref(stream),
            None => &[],
        };
        let mut content = Vec::new();
        for stream in streams {
            budget.take_decoded(1)?;
            if let Some(stream) = self.file.resolve(stream)
                && let Some(decoded) = self.file.decoded(stream, budget)?
            {
                content.extend(decoded);
                content.push(b'\n');
            }
        }
        let mut written = Written::default();
        self.draw(
            &content,
            resources,
            State::default(),
            0,
            &mut written,
            budget,
        )?;
        self.draw_fields(page, &mut written, budget)?;
        Ok(written.into_text())
    }

    /// Fields of forms, behind the text of their page.
    fn draw_fields(
        &mut self,
        page: &'a Dict,
        written: &mut Written,
        budget: &mut Budget<'_>,
    ) -> Result<(), PdfError> {
        let fields = self.file.get(page, b"Annots").and_then(Object::list);
        for field in fields.unwrap_or_default() {
            budget.take_decoded(1)?;
            let Some(field) = self.file.resolve(field).and_then(Object::dict) else {
                continue;
            };
            let subtype = self.file.get(field, b"Subtype");
            let flags = self.file.get(field, b"F").and_then(Object::index);
            if flags.is_some_and(|flags| flags & (HIDDEN | NO_VIEW) != 0) {
                continue;
            }
            let shown = self.file.dict(field, b"AP");
            if let (true, Some(shown)) = (subtype.is_some_and(|is| is.is_name(b"Widget")), shown)
                && let Some(form) = self.file.get(shown, b"N")
                && let Some(dict) = form.dict()
                && let Some(content) = self.file.decoded(form, budget)?
            {
                written.begin_block();
                let resources = self.file.dict(dict, b"Resources");
                self.draw(&content, resources, State::default(), 1, written, budget)?;
            }
        }
        Ok(())
    }

    fn draw(
        &mut self,
        content: &[u8],
        resources: Option<&'a Dict>,
        state: State,
        depth: usize,
        written: &mut Written,
        budget: &mut Budget<'_>,
    ) -> Result<(), PdfError> {
        let mut drawing = Drawing {
            state,
            saved: Vec::new(),
            text: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
        };
        let mut lexer = Lexer::of_content(content);
        let mut operands: Vec<Object> = Vec::new();
        while !lexer.rest().is_empty() {
            let before = lexer.at;
            match lexer.token() {
                Some(Token::Object(operand)) => {
                    if operands.len() < MOST_OPERANDS {
                        operands.push(operand);
                    }
                    continue;
                }
                Some(Token::Word(b"ID")) => skip_picture(&mut lexer),
                Some(Token::Word(b"Tf")) => {
                    let name = operands.first().and_then(Object::name);
                    drawing.state.font = match name {
                        Some(name) => self.font(resources, name, budget)?,
                        None => None,
                    };
                    drawing.state.size = number(&operands, 1);
                }
                Some(Token::Word(b"Do")) if depth < DEEPEST => {
                    let name = operands.first().and_then(Object::name);
                    let form = name.and_then(|name| self.form(resources, name));
                    if let Some((form, dict)) = form
                        && let Some(content) = self.file.decoded(form, budget)?
                    {
                        let mut state = drawing.state.clone();
                        let matrix = self.file.get(dict, b"Matrix").and_then(Object::list);
                        if let Some(matrix) = matrix.and_then(Matrix::of) {
                            state.transform = matrix.then(state.transform);
                        }
                        let own = self.file.dict(dict, b"Resources").or(resources);
                        self.draw(&content, own, state, depth + 1, written, budget)?;
                    }
                }
                Some(Token::Word(word)) => drawing.apply(word, &operands, written),
                // Nothing that can be read: on from the next byte.
                None => lexer.at = lexer.at.max(before + 1),
            }
            operands.clear();
            // What grows without drawing more is bounded as what is drawn.
            budget.check_text(written.len())?;
        }
        Ok(())
    }

    fn font(
        &mut self,
        resources: Option<&'a Dict>,
        name: &[u8],
        budget: &mut Budget<'_>,
    ) -> Result<Option<Rc<Font>>, PdfError> {
        let fonts = resources.and_then(|resources| self.file.dict(resources, b"Font"));
        let Some(font) = fonts.and_then(|fonts| fonts.get(name)) else {
            return Ok(None);
        };
        let number = match font {
            Object::Reference(number) => Some(*number),
            _ => None,
        };
        if let Some(known) = number.and_then(|number| self.fonts.get(&number)) {
            return Ok(Some(Rc::clone(known)));
        }
        let Some(dict) = self.file.resolve(font).and_then(Object::dict) else {
            return Ok(None);
        };
        let font = Rc::new(Font::read(self.file, dict, budget)?);
        if let Some(number) = number {
            self.fonts.insert(number, Rc::clone(&font));
        }
        Ok(Some(font))
    }

    /// A drawing with a name.
    fn form(&self, resources: Option<&'a Dict>, name: &[u8]) -> Option<(&'a Object, &'a Dict)> {
        let forms = self.file.dict(resources?, b"XObject")?;
        let form = self.file.get(forms, name)?;
        let dict = form.dict()?;
        let is_form = self.file.get(dict, b"Subtype")?.is_name(b"Form");
        is_form.then_some((form, dict))
    }
}

impl Drawing {
    fn apply(&mut self, operator: &[u8], operands: &[Object], written: &mut Written) {
        let state = &mut self.state;
        match operator {
            b"q" if self.saved.len() < MOST_SAVED => self.saved.push(state.clone()),
            b"Q" => {
                if let Some(saved) = self.saved.pop() {
                    self.state = saved;
                }
            }
            b"cm" => {
                if let Some(matrix) = Matrix::of(operands) {
                    state.transform = matrix.then(state.transform);
                }
            }
            b"BT" => self.place(Matrix::IDENTITY),
            b"Tc" => state.between_letters = number(operands, 0),
            b"Tw" => state.between_words = number(operands, 0),
            b"Tz" => state.stretch = number(operands, 0) / 100.0,
            b"TL" => state.leading = number(operands, 0),
            b"Td" => self.move_by(number(operands, 0), number(operands, 1)),
            b"TD" => {
                state.leading = -number(operands, 1);
                self.move_by(number(operands, 0), number(operands, 1));
            }
            b"Tm" => {
                if let Some(matrix) = Matrix::of(operands) {
                    self.place(matrix);
                }
            }
            b"T*" => self.next_line(),
            b"Tj" => self.show(operands, written),
            b"'" => {
                self.next_line();
                self.show(operands, written);
            }
            b"\"" => {
                state.between_words = number(operands, 0);
                state.between_letters = number(operands, 1);
                self.next_line();
                self.show(operands.get(2..).unwrap_or_default(), written);
            }
            b"TJ" => {
                let list = operands.first().and_then(Object::list);
                self.show(list.unwrap_or_default(), written);
            }
            _ => {}
        }
    }

    fn place(&mut self, matrix: Matrix) {
        self.text = matrix;
        self.line = matrix;
    }

    fn move_by(&mut self, x: f64, y: f64) {
        self.place(Matrix::shift(x, y).then(self.line));
    }

    fn next_line(&mut self) {
        self.move_by(0.0, -self.state.leading);
    }

    /// Draws texts; numbers between them move the next one to the left, in
    /// thousandths of the size.
    fn show(&mut self, parts: &[Object], written: &mut Written) {
        let state = &self.state;
        let Some(font) = &state.font else {
            return;
        };
        for part in parts {
            let text = match part {
                Object::Number(left) => {
                    let x = -left / 1_000.0 * state.size * state.stretch;
                    self.text = Matrix::shift(x, 0.0).then(self.text);
                    continue;
                }
                Object::Text(text) => text,
                _ => continue,
            };
            let height = state.size * font.height;
            for letter in font.letters(text) {
                written.add(&letter.text, self.text.then(state.transform), height);
                let between = match letter.is_space {
                    true => state.between_letters + state.between_words,
                    false => state.between_letters,
                };
                let x = (letter.width / 1_000.0 * state.size + between) * state.stretch;
                self.text = Matrix::shift(x, 0.0).then(self.text);
                written.end(self.text.then(state.transform), height);
            }
        }
    }
}

fn number(operands: &[Object], index: usize) -> f64 {
    let number = operands.get(index).and_then(Object::number);
    number.unwrap_or(0.0)
}

/// Goes on behind a picture that stands among the operators.
fn skip_picture(lexer: &mut Lexer<'_>) {
    let end = lexer
        .rest()
        .windows(4)
        .position(|window| is_space(window[0]) && window[1..3] == *b"EI" && is_space(window[3]));
    lexer.at += end.map_or(lexer.rest().len(), |end| end + 3);
}
