//! The machine that llama.cpp needs: instructions of its processor, memory, and graphics processors.

use llama_cpp_2::{LlamaBackendDeviceType, list_llama_ggml_backend_devices};

use crate::{instructions::needed_instructions, memory};

/// Memory for computing, beside weights and context: llama.cpp's buffers, the grammar's tables.
const WORK_BYTES: u64 = 256 << 20;

/// The instructions that llama.cpp needs and this processor lacks.
pub(super) fn missing_instructions() -> Vec<&'static str> {
    let known = needed_instructions().into_iter();
    known.filter(|(_, is_there)| !is_there).map(|(name, _)| name).collect()
}

/// Needed and available MiB, if a context of this size does not fit. Weights do not count: they are mapped, and the
/// system drops them when programs need memory.
pub(super) fn memory_shortfall(context_bytes: u64, available: Option<u64>) -> Option<(u64, u64)> {
    let needed = context_bytes.saturating_add(WORK_BYTES);
    let available = available?;
    (available < needed).then_some((needed >> 20, available >> 20))
}

/// Returns true if this many bytes can be allocated for a moment.
pub(super) fn has_room_for(bytes: u64) -> bool {
    memory_shortfall(bytes, memory::memory_available()).is_none()
}

/// The graphics processors that llama.cpp can use. A program that was built for one may run where there is none, so
/// llama.cpp is asked, and not the features of this program.
pub(super) fn gpus() -> Vec<String> {
    let is_gpu =
        |kind| matches!(kind, LlamaBackendDeviceType::Gpu | LlamaBackendDeviceType::IntegratedGpu);
    list_llama_ggml_backend_devices()
        .into_iter()
        .filter(|device| is_gpu(device.device_type))
        .map(|device| format!("{} ({})", device.description.trim(), device.backend))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_needs_room_beside_itself() {
        assert_eq!(memory_shortfall(1 << 30, Some(2 << 30)), None);
        assert_eq!(memory_shortfall(1 << 30, Some(1 << 30)), Some((1280, 1024)));
        assert_eq!(memory_shortfall(u64::MAX, Some(1 << 30)), Some((u64::MAX >> 20, 1024)));
        assert_eq!(memory_shortfall(u64::MAX, None), None);
    }
}
