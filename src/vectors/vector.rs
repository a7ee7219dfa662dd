//! A vector with eight bits a number.

/// The direction of a text's meaning, with eight bits for each number: a quarter of the space, and cosines that differ
/// by less than 0.01.
#[derive(Debug, Clone, PartialEq)]
pub struct TextVector {
    numbers: Box<[i8]>,
    /// The square of its length, which every comparison needs.
    square: f64,
}

impl TextVector {
    /// Scales the numbers so that the largest fills its eight bits.
    pub fn of(vector: &[f32]) -> TextVector {
        let most = vector.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
        let scale = if most > 0.0 { f32::from(i8::MAX) / most } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, reason = "-127 to 127")]
        let scaled = vector.iter().map(|number| (number * scale).round() as i8);
        TextVector::from_numbers(scaled.collect())
    }

    pub(crate) fn from_numbers(numbers: Box<[i8]>) -> TextVector {
        let square = dot(&numbers, &numbers);
        TextVector { numbers, square }
    }

    pub(crate) fn numbers(&self) -> &[i8] {
        &self.numbers
    }

    /// The cosine of the angle between both, -1 to 1; 0 if they are of different models, or if one has no direction.
    pub fn cosine(&self, other: &TextVector) -> f64 {
        let squares = self.square * other.square;
        if squares > 0.0 { dot(&self.numbers, &other.numbers) / squares.sqrt() } else { 0.0 }
    }
}

/// Returns the dot product; zero if the vectors differ in length.
fn dot(one: &[i8], other: &[i8]) -> f64 {
    if one.len() != other.len() {
        return 0.0;
    }
    let products = one.iter().zip(other).map(|(a, b)| i32::from(*a) * i32::from(*b));
    f64::from(products.sum::<i32>())
}

#[cfg(test)]
mod tests {
    use super::TextVector;

    #[test]
    fn eight_bits_a_number_keep_the_direction() {
        let vector = |seed: f32| -> Vec<f32> {
            (0..384_u16).map(|at| (f32::from(at) * seed).sin()).collect()
        };
        let exact = |one: &[f32], other: &[f32]| {
            let dot = |one: &[f32], other: &[f32]| {
                one.iter().zip(other).map(|(a, b)| f64::from(a * b)).sum::<f64>()
            };
            dot(one, other) / (dot(one, one) * dot(other, other)).sqrt()
        };
        for (one, other) in [(0.1, 0.1), (0.1, 0.11), (0.3, 0.7), (0.5, 0.501)] {
            let (one, other) = (vector(one), vector(other));
            let found = TextVector::of(&one).cosine(&TextVector::of(&other));
            assert!((found - exact(&one, &other)).abs() < 0.01, "{found}");
        }
        assert_eq!(TextVector::of(&[1.0, 2.0]).cosine(&TextVector::of(&[1.0, 2.0, 3.0])), 0.0);
        assert_eq!(TextVector::of(&[0.0; 4]).cosine(&TextVector::of(&[1.0; 4])), 0.0);
    }
}
