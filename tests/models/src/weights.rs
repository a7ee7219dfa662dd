//! Random numbers for the weights of a model.

use std::{cell::RefCell, rc::Rc};

use rand::{Rng, RngExt, SeedableRng, rngs::SmallRng};

use crate::gguf::Tensor;

/// Gives the tensors of one model their numbers, one after the other, when they are written.
pub(crate) struct RandomWeights(Rc<RefCell<SmallRng>>);

impl RandomWeights {
    pub(crate) fn new(seed: u64) -> RandomWeights {
        RandomWeights(Rc::new(RefCell::new(SmallRng::seed_from_u64(seed))))
    }

    /// Normally distributed numbers with this standard deviation.
    pub(crate) fn matrix(
        &self,
        name: String,
        rows: usize,
        columns: usize,
        spread: f32,
    ) -> Tensor<'static> {
        let rng = Rc::clone(&self.0);
        let numbers = Box::new(move |n| normals(&mut *rng.borrow_mut(), n, spread));
        Tensor { name, shape: vec![columns, rows], numbers }
    }
}

/// The deviation with which a product over so many columns keeps its size.
pub(crate) fn even(columns: usize) -> f32 {
    (columns as f32).sqrt().recip()
}

pub(crate) fn ones(name: String, n: usize) -> Tensor<'static> {
    constant(name, vec![n], 1.0)
}

pub(crate) fn constant(name: String, shape: Vec<usize>, number: f32) -> Tensor<'static> {
    Tensor { name, shape, numbers: Box::new(move |n| vec![number; n]) }
}

/// Normally distributed numbers by the Box-Muller transform.
fn normals(rng: &mut impl Rng, n: usize, spread: f32) -> Vec<f32> {
    let mut numbers = Vec::with_capacity(n + 1);
    while numbers.len() < n {
        let (one, two): (f32, f32) = (rng.random(), rng.random());
        let length = spread * (-2.0 * (1.0 - one).ln()).sqrt();
        let (sin, cos) = (std::f32::consts::TAU * two).sin_cos();
        numbers.extend([length * cos, length * sin]);
    }
    numbers.truncate(n);
    numbers
}
