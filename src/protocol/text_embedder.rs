//! Vectors of texts, independently of the model that computes them.

/// Gives each text a vector; texts of a near meaning have vectors of a near direction.
pub trait TextEmbedder: Send + Sync {
    /// Identifies the model. Vectors of models with different ids cannot be compared.
    fn id(&self) -> &str;

    /// The vector of a text, of length 1. The end of a text that is longer than the model reads does not count.
    ///
    /// # Errors
    ///
    /// A sentence's part for people.
    fn embed(&self, text: &str) -> Result<Vec<f32>, String>;
}
