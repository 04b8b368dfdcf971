//! Encoders from their two sources: tensors of a trained model, and the
//! eight-bit file made of them.

use super::classifier::Classifier;
use super::layer::{Layer, Linear, Norm};
use super::{Encoder, WordVectors};
use crate::Error;
use crate::kernels::LANES;
use crate::shape::Shape;
use crate::weights::format::{Header, Reader, Writer};
use crate::weights::pack::{Dense, quantise_symmetric, to_lanes};
use crate::weights::safetensors::Safetensors;

/// A trained model: its shape and its tensors under the names of the
/// `transformers` library.
pub(crate) struct SourceModel {
    shape: Shape,
    tensors: Safetensors,
    prefix: &'static str,
}

/// The linear layers of an encoder layer, in the order they are stored.
const LINEARS: [&[&str]; 4] = [
    &[
        "attention.self.query",
        "attention.self.key",
        "attention.self.value",
    ],
    &["attention.output.dense"],
    &["intermediate.dense"],
    &["output.dense"],
];
const NORMS: [&str; 2] = ["attention.output.LayerNorm", "output.LayerNorm"];
const EMBEDDING_NORM: &str = "embeddings.LayerNorm";
/// The one tensor name that has no prefix.
pub(crate) const CLASSIFIER: &str = "classifier";

impl SourceModel {
    /// Tensors of a shape; single tensors are checked as they are read.
    pub(crate) fn new(shape: Shape, tensors: Safetensors) -> Result<Self, Error> {
        shape.check()?;
        let prefixes = ["", "bert."];
        let prefix = prefixes
            .into_iter()
            .find(|prefix| tensors.has(&format!("{prefix}embeddings.word_embeddings.weight")))
            .ok_or_else(|| {
                Error::safetensors(
                    "it has no embeddings.word_embeddings.weight, so it is not a BERT model",
                )
            })?;
        Ok(Self {
            shape,
            tensors,
            prefix,
        })
    }

    /// What the model is.
    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The encoder with the weights as they are.
    pub(crate) fn to_float_encoder(&self) -> Result<Encoder, Error> {
        let layers = (0..self.shape.layers).map(|layer| self.float_layer(layer));
        Ok(Encoder {
            words: WordVectors::Float(to_lanes(&self.words()?)),
            positions: (0..self.shape.token_types())
                .map(|token_type| Ok(to_lanes(&self.positions(token_type)?)))
                .collect::<Result<_, Error>>()?,
            norm: self.norm(EMBEDDING_NORM)?,
            layers: layers.collect::<Result<_, _>>()?,
            shape: self.shape.clone(),
        })
    }

    fn float_layer(&self, layer: usize) -> Result<Layer, Error> {
        let linear = |index: usize| {
            let dense = self.dense(layer, index)?;
            Ok::<_, Error>(Linear::Float {
                panels: dense.to_float_panels(),
                inputs: dense.inputs,
                bias: to_lanes(&dense.bias),
            })
        };
        let norm = |index: usize| self.norm(&format!("encoder.layer.{layer}.{}", NORMS[index]));
        Ok(Layer {
            joint: linear(0)?,
            attention_output: linear(1)?,
            attention_norm: norm(0)?,
            inner: linear(2)?,
            outer: linear(3)?,
            output_norm: norm(1)?,
        })
    }

    /// The pooler and classifier of a reranker.
    pub(crate) fn classifier(&self) -> Result<Classifier, Error> {
        let hidden = self.shape.hidden;
        let weights = self
            .tensors
            .table(&format!("{CLASSIFIER}.weight"), hidden)?;
        let labels = weights.len() / hidden;
        if labels != 1 {
            return Err(Error::unsupported(format!(
                "its classifier has {labels} labels, a reranker has one"
            )));
        }
        let pooler = Dense {
            weights: self.floats("pooler.dense.weight", &[hidden, hidden])?,
            bias: self.floats("pooler.dense.bias", &[hidden])?,
            inputs: hidden,
        };
        let bias = self.tensors.floats(&format!("{CLASSIFIER}.bias"), &[1])?;
        Ok(Classifier::new(&pooler, weights, bias[0]))
    }

    fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        self.tensors
            .floats(&format!("{}{name}", self.prefix), shape)
    }

    fn words(&self) -> Result<Vec<f32>, Error> {
        let Shape {
            vocabulary, hidden, ..
        } = self.shape;
        self.floats("embeddings.word_embeddings.weight", &[vocabulary, hidden])
    }

    /// The first `max_tokens` positions, plus a token type.
    fn positions(&self, token_type: usize) -> Result<Vec<f32>, Error> {
        let hidden = self.shape.hidden;
        let table = |name: &str| {
            let name = format!("{}embeddings.{name}.weight", self.prefix);
            self.tensors.table(&name, hidden)
        };
        let mut rows = table("position_embeddings")?;
        let types = table("token_type_embeddings")?;
        let addends = types.chunks_exact(hidden).nth(token_type);
        let (Some(addends), true) = (addends, rows.len() >= self.shape.max_tokens * hidden) else {
            return Err(Error::safetensors(
                "its positions or token types are too few",
            ));
        };
        rows.truncate(self.shape.max_tokens * hidden);
        for row in rows.chunks_exact_mut(hidden) {
            for (value, addend) in row.iter_mut().zip(addends) {
                *value += addend;
            }
        }
        Ok(rows)
    }

    fn norm_numbers(&self, name: &str) -> Result<[Vec<f32>; 2], Error> {
        let hidden = [self.shape.hidden];
        Ok([
            self.floats(&format!("{name}.weight"), &hidden)?,
            self.floats(&format!("{name}.bias"), &hidden)?,
        ])
    }

    fn norm(&self, name: &str) -> Result<Norm, Error> {
        let [scale, shift] = self.norm_numbers(name)?;
        Ok(Norm {
            scale: to_lanes(&scale),
            shift: to_lanes(&shift),
        })
    }

    fn dense(&self, layer: usize, index: usize) -> Result<Dense, Error> {
        let [inputs, outputs] = linear_size(&self.shape, index);
        let parts = LINEARS[index];
        let part_outputs = outputs / parts.len();
        let mut dense = Dense {
            weights: Vec::with_capacity(inputs * outputs),
            bias: Vec::with_capacity(outputs),
            inputs,
        };
        for part in parts {
            let name = format!("encoder.layer.{layer}.{part}");
            let weights = self.floats(&format!("{name}.weight"), &[part_outputs, inputs])?;
            let bias = self.floats(&format!("{name}.bias"), &[part_outputs])?;
            dense.weights.extend(weights);
            dense.bias.extend(bias);
        }
        Ok(dense)
    }
}

/// Inputs and outputs of the linear layers.
fn linear_size(shape: &Shape, index: usize) -> [usize; 2] {
    match index {
        0 => [shape.hidden, 3 * shape.hidden],
        1 => [shape.hidden, shape.hidden],
        2 => [shape.hidden, shape.intermediate],
        _ => [shape.intermediate, shape.hidden],
    }
}

/// The bytes of the eight-bit file of a model.
pub(crate) fn write_int8(
    source: &SourceModel,
    vocabulary: &str,
    source_sha256: String,
) -> Result<Vec<u8>, Error> {
    let shape = source.shape();
    let mut writer = Writer::default();
    writer.bytes(vocabulary.as_bytes());
    let mut codes = Vec::with_capacity(shape.vocabulary * shape.hidden);
    let mut steps = Vec::with_capacity(shape.vocabulary);
    for word in source.words()?.chunks_exact(shape.hidden) {
        let (step, word_codes) = quantise_symmetric(word);
        steps.push(step);
        codes.extend(word_codes.map(i8::cast_unsigned));
    }
    writer.bytes(&codes);
    writer.floats(&steps);
    for token_type in 0..shape.token_types() {
        writer.floats(&source.positions(token_type)?);
    }
    write_norm(&mut writer, source, EMBEDDING_NORM)?;
    for layer in 0..shape.layers {
        for index in 0..LINEARS.len() {
            let dense = source.dense(layer, index)?;
            let packed = dense.to_int8();
            writer.bytes(&packed.panels);
            writer.floats(&packed.steps);
            writer.floats(&packed.sums);
            writer.floats(&dense.bias);
        }
        for norm in NORMS {
            write_norm(
                &mut writer,
                source,
                &format!("encoder.layer.{layer}.{norm}"),
            )?;
        }
    }
    if shape.is_reranker() {
        source.classifier()?.write(&mut writer);
    }
    writer.finish(&Header {
        shape: shape.clone(),
        source_sha256,
        vocabulary_bytes: vocabulary.len(),
    })
}

fn write_norm(writer: &mut Writer, source: &SourceModel, name: &str) -> Result<(), Error> {
    for numbers in source.norm_numbers(name)? {
        writer.floats(&numbers);
    }
    Ok(())
}

impl Encoder {
    /// Reads what [`write_int8`] wrote between the vocabulary and the
    /// classifier.
    pub(crate) fn read_int8(shape: &Shape, reader: &mut Reader) -> Result<Self, Error> {
        let hidden = shape.hidden_lanes();
        let words = WordVectors::Int8 {
            codes: reader.bytes(shape.vocabulary * shape.hidden)?,
            steps: reader.floats(shape.vocabulary)?,
        };
        let positions = (0..shape.token_types())
            .map(|_| reader.lanes(shape.max_tokens * hidden))
            .collect::<Result<_, _>>()?;
        let norm = read_norm(reader, shape)?;
        let mut layers = Vec::with_capacity(shape.layers);
        for _ in 0..shape.layers {
            layers.push(Layer {
                joint: read_linear(reader, shape, 0)?,
                attention_output: read_linear(reader, shape, 1)?,
                inner: read_linear(reader, shape, 2)?,
                outer: read_linear(reader, shape, 3)?,
                attention_norm: read_norm(reader, shape)?,
                output_norm: read_norm(reader, shape)?,
            });
        }
        Ok(Self {
            shape: shape.clone(),
            words,
            positions,
            norm,
            layers,
        })
    }
}

fn read_linear(reader: &mut Reader, shape: &Shape, index: usize) -> Result<Linear, Error> {
    let [inputs, outputs] = linear_size(shape, index);
    let groups = outputs / LANES;
    Ok(Linear::Int8 {
        panels: reader.bytes(inputs * outputs)?,
        inputs,
        steps: reader.lanes(groups)?,
        sums: reader.lanes(groups)?,
        bias: reader.lanes(groups)?,
    })
}

fn read_norm(reader: &mut Reader, shape: &Shape) -> Result<Norm, Error> {
    Ok(Norm {
        scale: reader.lanes(shape.hidden_lanes())?,
        shift: reader.lanes(shape.hidden_lanes())?,
    })
}
