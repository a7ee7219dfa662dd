//! The host's limits on the language model, held equal by a test of the host.

/// Longest prompt with its system text, in bytes.
pub const LLM_PROMPT_BYTES_MAX: usize = 16 << 10;

/// Longest text, in tokens.
pub const LLM_TOKENS_MAX: u32 = 400;

/// Highest temperature.
pub const LLM_TEMPERATURE_MAX: f32 = 2.0;

/// Most texts of one invocation.
pub const LLM_CALLS_MAX: usize = 4;
