#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::{
    FloatWeights, Head, HeadScratch, Int8Rows, Int8Weights, Kernels, LANES, Lane, LayerNorm, PANEL,
};
use crate::weights::pack::{Dense, to_lanes};

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    /// Mostly small ones, some large, as in the states of an encoder.
    fn vector(&mut self, length: usize) -> Vec<f32> {
        (0..length)
            .map(|_| {
                let number = self.next();
                number * number * number * 9.0
            })
            .collect()
    }

    fn lanes(&mut self, groups: usize) -> Vec<Lane> {
        to_lanes(&self.vector(groups * LANES))
    }
}

fn scalar() -> &'static Kernels {
    let scalar = Kernels::available().last().unwrap();
    assert_eq!(scalar.name(), "scalar");
    scalar
}

fn bits(lanes: &[Lane]) -> Vec<u32> {
    lanes.as_flattened().iter().map(|x| x.to_bits()).collect()
}

/// Runs something on every instruction set of this processor and compares the
/// bits with those of the scalar form.
fn same_everywhere(what: &str, run: impl Fn(&Kernels) -> Vec<Lane>) {
    let expected = bits(&run(scalar()));
    for kernels in Kernels::available() {
        assert!(
            bits(&run(kernels)) == expected,
            "{what} on {}",
            kernels.name()
        );
    }
}

struct Int8Layer {
    panels: Vec<u8>,
    inputs: usize,
    steps: Vec<Lane>,
    sums: Vec<Lane>,
    bias: Vec<Lane>,
}

impl Int8Layer {
    fn new(dense: &Dense) -> Self {
        let packed = dense.to_int8();
        Self {
            panels: packed.panels,
            inputs: dense.inputs,
            steps: to_lanes(&packed.steps),
            sums: to_lanes(&packed.sums),
            bias: to_lanes(&dense.bias),
        }
    }

    fn view(&self) -> Int8Weights<'_> {
        Int8Weights {
            panels: &self.panels,
            inputs: self.inputs,
            steps: &self.steps,
            sums: &self.sums,
            bias: &self.bias,
        }
    }
}

fn random_dense(numbers: &mut Numbers, inputs: usize, outputs: usize) -> Dense {
    Dense {
        weights: numbers.vector(inputs * outputs),
        bias: numbers.vector(outputs),
        inputs,
    }
}

fn run_int8(kernels: &Kernels, rows: &[Lane], layer: &Int8Layer) -> Vec<Lane> {
    let width = layer.inputs / LANES;
    let mut codes = vec![[0; LANES]; rows.len()];
    let scales: Vec<_> = rows
        .chunks(width)
        .zip(codes.chunks_mut(width))
        .map(|(row, codes)| kernels.quantise(row, codes))
        .collect();
    let mut output = vec![[0.0; LANES]; scales.len() * layer.bias.len()];
    let rows = Int8Rows {
        codes: &codes,
        scales: &scales,
    };
    kernels.linear_int8(rows, layer.view(), &mut output);
    output
}

#[test]
fn linear_layers_have_the_same_bits_everywhere() {
    let mut numbers = Numbers(1);
    for (inputs, outputs) in [(384, 96), (1536, 32), (32, 64)] {
        let dense = random_dense(&mut numbers, inputs, outputs);
        let layer = Int8Layer::new(&dense);
        let panels = dense.to_float_panels();
        for count in 1..=19 {
            let rows = numbers.lanes(count * inputs / LANES);
            same_everywhere("linear_int8", |kernels| run_int8(kernels, &rows, &layer));
            same_everywhere("linear_float", |kernels| {
                let mut output = vec![[0.0; LANES]; count * outputs / LANES];
                let weights = FloatWeights {
                    panels: &panels,
                    inputs,
                    bias: &layer.bias,
                };
                kernels.linear_float(&rows, weights, &mut output);
                output
            });
        }
    }
}

#[test]
fn the_largest_codes_and_weights_do_not_saturate() {
    let inputs = 1536;
    for sign in [1.0, -1.0] {
        let dense = Dense {
            weights: vec![sign; inputs * PANEL],
            bias: vec![0.0; PANEL],
            inputs,
        };
        let layer = Int8Layer::new(&dense);
        // One zero makes the others the largest code.
        let mut row = vec![1.0; inputs];
        row[7] = 0.0;
        let rows = to_lanes(&row);
        for kernels in Kernels::available() {
            let output = run_int8(kernels, &rows, &layer);
            for value in output.as_flattened() {
                let expected = sign * (inputs - 1) as f32;
                assert!(
                    (value - expected).abs() < 0.01,
                    "{value} on {}",
                    kernels.name()
                );
            }
        }
    }
}

#[test]
fn eight_bits_come_close_to_floats() {
    let mut numbers = Numbers(2);
    let dense = random_dense(&mut numbers, 384, 64);
    let rows = numbers.lanes(5 * 384 / LANES);
    let rough = run_int8(scalar(), &rows, &Int8Layer::new(&dense));
    let (mut error, mut size) = (0.0, 0.0);
    for (row, rough) in rows
        .as_flattened()
        .chunks(384)
        .zip(rough.as_flattened().chunks(64))
    {
        for (output, rough) in rough.iter().enumerate() {
            let weights = &dense.weights[output * 384..][..384];
            let products = row.iter().zip(weights).map(|(x, w)| f64::from(x * w));
            let exact = products.sum::<f64>() + f64::from(dense.bias[output]);
            error += (exact - f64::from(*rough)).powi(2);
            size += exact.powi(2);
        }
    }
    assert!((error / size).sqrt() < 0.02, "{}", (error / size).sqrt());
}

#[test]
fn row_functions_have_the_same_bits_everywhere() {
    let mut numbers = Numbers(3);
    let (scale, shift, addend) = (numbers.lanes(24), numbers.lanes(24), numbers.lanes(24));
    for _ in 0..50 {
        let row = numbers.lanes(24);
        let on_row = |change: &dyn Fn(&mut [Lane])| {
            let mut row = row.clone();
            change(&mut row);
            row
        };
        let weights = LayerNorm {
            scale: &scale,
            shift: &shift,
            epsilon: 1e-12,
        };
        same_everywhere("gelu", |kernels| on_row(&|row| kernels.gelu(row)));
        same_everywhere("add_and_normalise", |kernels| {
            on_row(&|row| kernels.add_and_normalise(row, &addend, weights))
        });
        same_everywhere("accumulate", |kernels| {
            on_row(&|row| kernels.accumulate(row, &addend))
        });
        same_everywhere("to_unit_length", |kernels| {
            on_row(&|row| kernels.to_unit_length(row))
        });
        let codes: Vec<u8> = (0..384).map(|i| (i * 37 % 256) as u8).collect();
        same_everywhere("embed", |kernels| {
            on_row(&|row| kernels.embed(row, &codes, 0.013))
        });
    }
}

#[test]
fn quantised_rows_are_the_same_everywhere_and_close() {
    let mut numbers = Numbers(4);
    for _ in 0..50 {
        let row = numbers.lanes(24);
        let mut expected = vec![[0; LANES]; 24];
        let expected_scale = scalar().quantise(&row, &mut expected);
        for kernels in Kernels::available() {
            let mut codes = vec![[0; LANES]; 24];
            let scale = kernels.quantise(&row, &mut codes);
            assert_eq!(
                (scale, &codes),
                (expected_scale, &expected),
                "{}",
                kernels.name()
            );
            for (code, value) in codes.as_flattened().iter().zip(row.as_flattened()) {
                let back = scale.minimum + scale.step * f32::from(*code);
                assert!((back - value).abs() <= scale.step * 0.501);
            }
        }
    }
}

#[test]
fn a_row_of_equal_numbers_survives_quantisation() {
    let row = [[0.25; LANES]; 2];
    let mut codes = [[9; LANES]; 2];
    let scale = scalar().quantise(&row, &mut codes);
    assert_eq!((scale.step, scale.minimum), (0.0, 0.25));
    assert_eq!(codes, [[0; LANES]; 2]);
}

#[test]
fn attention_has_the_same_bits_everywhere_and_is_right() {
    let mut numbers = Numbers(5);
    // One memory for all lengths: what a longer text left must not count.
    let mut scratch = HeadScratch::default();
    for tokens in [33, 1, 2, 8, 15, 16, 17, 70] {
        for (width, heads) in [(2, 3), (4, 1)] {
            let hidden = width * heads;
            let joint = numbers.lanes(tokens * 3 * hidden);
            let head = Head {
                first: hidden - width,
                width,
                hidden,
            };
            same_everywhere("attend", |kernels| {
                let mut output = vec![[0.0; LANES]; tokens * hidden];
                kernels.attend(&joint, &mut output, head, &mut HeadScratch::default());
                output
            });
            let mut output = vec![[0.0; LANES]; tokens * hidden];
            Kernels::best().attend(&joint, &mut output, head, &mut scratch);
            let expected = exact_attention(&joint, head);
            for (token, expected) in expected.iter().enumerate() {
                let row = &output[token * hidden + head.first..][..width];
                for (value, expected) in row.as_flattened().iter().zip(expected) {
                    assert!(
                        (f64::from(*value) - expected).abs() < 1e-4,
                        "{value} {expected}"
                    );
                }
            }
        }
    }
}

fn exact_attention(joint: &[Lane], head: Head) -> Vec<Vec<f64>> {
    let row = |token: usize, part: usize| -> Vec<f64> {
        let at = token * 3 * head.hidden + part * head.hidden + head.first;
        let numbers = joint[at..][..head.width].as_flattened();
        numbers.iter().map(|x| f64::from(*x)).collect()
    };
    let tokens = joint.len() / (3 * head.hidden);
    let dimensions = head.width * LANES;
    let attend = |query: usize| {
        let query = row(query, 0);
        let weights: Vec<f64> = (0..tokens)
            .map(|key| {
                let key = row(key, 1);
                let dot: f64 = query.iter().zip(key).map(|(q, k)| q * k).sum();
                (dot / (dimensions as f64).sqrt()).exp()
            })
            .collect();
        let total: f64 = weights.iter().sum();
        let mut mixed = vec![0.0; dimensions];
        for (token, weight) in weights.iter().enumerate() {
            for (mixed, value) in mixed.iter_mut().zip(row(token, 2)) {
                *mixed += weight / total * value;
            }
        }
        mixed
    };
    (0..tokens).map(attend).collect()
}

#[test]
fn gelu_is_that_of_the_error_function() {
    for index in -800..=800 {
        let x = f64::from(index) / 100.0;
        let mut row = [[x as f32; LANES]];
        scalar().gelu(&mut row);
        let expected = 0.5 * x * (1.0 + error_function(x / std::f64::consts::SQRT_2));
        assert!(
            (f64::from(row[0][0]) - expected).abs() < 1.5e-6,
            "gelu({x})"
        );
    }
}

/// The Taylor series of the error function; it loses digits beyond 4, where
/// the function is 1 to seven digits.
fn error_function(x: f64) -> f64 {
    if x.abs() > 4.0 {
        return x.signum();
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    2.0 / std::f64::consts::PI.sqrt() * sum
}

#[test]
fn the_hyperbolic_tangent_is_near_that_of_the_standard_library() {
    let mut inputs: Vec<f32> = (-4000..=4000).map(|n| n as f32 / 200.0).collect();
    inputs.extend([1e-30, -1e-8, 3e-5, 90.0, -1e6, f32::MAX]);
    inputs.resize(inputs.len().next_multiple_of(LANES), -0.0);
    let mut row = to_lanes(&inputs);
    super::tanh(&mut row);
    for (x, found) in inputs.iter().zip(row.as_flattened()) {
        let expected = f64::from(*x).tanh();
        assert!((f64::from(*found) - expected).abs() < 5e-7, "{x}: {found}");
    }
}
