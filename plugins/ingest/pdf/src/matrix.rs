//! Where something is drawn.

use crate::object::Object;

/// `x' = a x + c y + e`, `y' = b x + d y + f`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Matrix {
    a: f64,
    b: f64,
    c: f64,
    d: f64,
    e: f64,
    f: f64,
}

impl Matrix {
    pub(crate) const IDENTITY: Self = Self {
        a: 1.0,
        b: 0.0,
        c: 0.0,
        d: 1.0,
        e: 0.0,
        f: 0.0,
    };

    pub(crate) fn shift(x: f64, y: f64) -> Self {
        Self {
            e: x,
            f: y,
            ..Self::IDENTITY
        }
    }

    /// Of six numbers.
    pub(crate) fn of(numbers: &[Object]) -> Option<Self> {
        let mut numbers = numbers.iter().filter_map(Object::number);
        Some(Self {
            a: numbers.next()?,
            b: numbers.next()?,
            c: numbers.next()?,
            d: numbers.next()?,
            e: numbers.next()?,
            f: numbers.next()?,
        })
    }

    /// First this one, then the other one.
    pub(crate) fn then(self, other: Self) -> Self {
        Self {
            a: self.a * other.a + self.b * other.c,
            b: self.a * other.b + self.b * other.d,
            c: self.c * other.a + self.d * other.c,
            d: self.c * other.b + self.d * other.d,
            e: self.e * other.a + self.f * other.c + other.e,
            f: self.e * other.b + self.f * other.d + other.f,
        }
    }

    /// Where the origin comes to lie.
    pub(crate) fn origin(self) -> (f64, f64) {
        (self.e, self.f)
    }

    /// The direction in which text runs, of length 1.
    pub(crate) fn direction(self) -> (f64, f64) {
        let length = self.a.hypot(self.b);
        match length > 0.0 {
            true => (self.a / length, self.b / length),
            false => (1.0, 0.0),
        }
    }

    /// How much larger things become.
    pub(crate) fn scale(self) -> f64 {
        (self.a * self.d - self.b * self.c).abs().sqrt()
    }
}
