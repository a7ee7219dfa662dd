//! Why a component was not compiled, stored beside the compiled ones, so that a component that costs too much costs
//! that once and not at each start.

use std::time::Duration;

use super::limits::{COMPILED_BYTES_MAX, CompileCost};
use crate::load_error::ComponentLoadError;

/// A reason that holds again whenever the same component is compiled within the same limits.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "refused", rename_all = "camelCase")]
pub(crate) enum CompileRefusal {
    /// It takes more processor seconds than this.
    Seconds { limit: u64 },
    /// It takes more bytes of address space than this.
    Memory { limit: u64 },
    /// It becomes this much native code.
    Code { bytes: u64 },
    /// The compiler's message.
    NotAComponent { what: String },
}

impl CompileRefusal {
    /// Returns `None` if the next try may succeed: the machine was busy, the process was killed, or the host was
    /// ending.
    pub(super) fn of(error: &ComponentLoadError, cost: CompileCost) -> Option<CompileRefusal> {
        let processor_time = Duration::from_secs(cost.cpu_seconds);
        Some(match error {
            ComponentLoadError::CompileTooLong { limit } if *limit == processor_time => {
                CompileRefusal::Seconds { limit: cost.cpu_seconds }
            }
            ComponentLoadError::CompileTooLarge { limit } => {
                CompileRefusal::Memory { limit: *limit }
            }
            ComponentLoadError::CompiledTooLarge { bytes, .. } => {
                CompileRefusal::Code { bytes: *bytes }
            }
            ComponentLoadError::NotAComponent { what } => {
                CompileRefusal::NotAComponent { what: what.clone() }
            }
            _ => return None,
        })
    }

    /// Returns the error with which compiling again would end; `None` if these limits allow more than the earlier ones.
    pub(super) fn error_within(self, cost: CompileCost) -> Option<ComponentLoadError> {
        Some(match self {
            CompileRefusal::Seconds { limit } if cost.cpu_seconds <= limit => {
                let limit = Duration::from_secs(cost.cpu_seconds);
                ComponentLoadError::CompileTooLong { limit }
            }
            CompileRefusal::Memory { limit } if cost.memory_bytes <= limit => {
                ComponentLoadError::CompileTooLarge { limit: cost.memory_bytes }
            }
            CompileRefusal::Code { bytes } if bytes > COMPILED_BYTES_MAX => {
                ComponentLoadError::CompiledTooLarge { bytes, limit: COMPILED_BYTES_MAX }
            }
            CompileRefusal::NotAComponent { what } => ComponentLoadError::NotAComponent { what },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{super::limits::COMPILE_TIME_MAX, *};

    fn cost(cpu_seconds: u64, memory_bytes: u64) -> CompileCost {
        CompileCost { cpu_seconds, memory_bytes }
    }

    /// Stores an error of a compilation within 5 s and 100 bytes, and compares the error that it becomes within
    /// `later`.
    #[track_caller]
    fn check(error: ComponentLoadError, later: CompileCost, expect: Option<&str>) {
        let kept = CompileRefusal::of(&error, cost(5, 100));
        let again = kept.and_then(|refusal| refusal.error_within(later));
        let again = again.map(|error| error.to_string());
        assert_eq!(again.as_deref().map(|text| &text[..expect.unwrap_or(text).len()]), expect);
    }

    #[test]
    fn a_refusal_holds_until_the_player_allows_more() {
        let long = || ComponentLoadError::CompileTooLong { limit: Duration::from_secs(5) };
        check(long(), cost(5, 100), Some("takes longer to compile than the 5 s"));
        check(long(), cost(4, 900), Some("takes longer to compile than the 4 s"));
        check(long(), cost(6, 100), None);
        let large = || ComponentLoadError::CompileTooLarge { limit: 100 };
        check(large(), cost(9, 100), Some("takes more memory to compile than the 100 bytes"));
        check(large(), cost(5, 101), None);
        let code =
            |bytes| ComponentLoadError::CompiledTooLarge { bytes, limit: COMPILED_BYTES_MAX };
        let bytes = COMPILED_BYTES_MAX + 1;
        check(code(bytes), cost(9, 900), Some(&format!("becomes {bytes} bytes of native code")));
        let broken = ComponentLoadError::NotAComponent { what: "no end".to_owned() };
        check(broken, cost(9, 900), Some("not a usable WebAssembly component: no end"));
    }

    #[test]
    fn what_may_end_otherwise_is_not_kept() {
        let late = ComponentLoadError::CompileTooLong { limit: COMPILE_TIME_MAX };
        check(late, cost(5, 100), None);
        check(ComponentLoadError::Stopped, cost(5, 100), None);
        let died = ComponentLoadError::Compiler { what: "it died".to_owned() };
        check(died, cost(5, 100), None);
    }
}
