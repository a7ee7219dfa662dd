//! What the machine has: instructions of its processor, memory.

/// Bytes that computing takes beside weights and context: llama.cpp's buffers, the grammar's tables.
const WORK_BYTES: u64 = 256 << 20;

/// Instructions that llama.cpp is compiled to use and that this processor lacks. Without them the process
/// would end at the first of them.
pub(super) fn missing_instructions() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        let known = [
            ("avx2", std::arch::is_x86_feature_detected!("avx2")),
            ("fma", std::arch::is_x86_feature_detected!("fma")),
            ("f16c", std::arch::is_x86_feature_detected!("f16c")),
            ("bmi2", std::arch::is_x86_feature_detected!("bmi2")),
        ];
        known.into_iter().filter(|(_, is_there)| !is_there).map(|(name, _)| name).collect()
    }
    #[cfg(not(target_arch = "x86_64"))]
    Vec::new()
}

/// Bytes that programs may still take without anybody being pushed out; `None` where the system does not
/// say so in `/proc/meminfo`.
pub(super) fn memory_available() -> Option<u64> {
    available_in(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn available_in(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// What a context of so many bytes needs, when there is less than that: as MiB, needed and available.
/// Weights do not count: they are mapped, and leave memory when others need it.
pub(super) fn too_little(context_bytes: u64, available: Option<u64>) -> Option<(u64, u64)> {
    let needed = context_bytes.saturating_add(WORK_BYTES);
    let available = available?;
    (available < needed).then_some((needed >> 20, available >> 20))
}

/// Whether so many bytes can be taken for a moment.
pub(super) fn has_room_for(bytes: u64) -> bool {
    too_little(bytes, memory_available()).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read_from_the_systems_table() {
        let table = "MemTotal:       24689816 kB\nMemFree: 1 kB\nMemAvailable:   22020096 kB\n";
        assert_eq!(available_in(table), Some(21 << 30));
        assert_eq!(available_in("MemTotal: 1 kB\n"), None);
        assert_eq!(available_in("MemAvailable: much kB\n"), None);
    }

    #[test]
    fn a_context_needs_room_beside_itself() {
        assert_eq!(too_little(1 << 30, Some(2 << 30)), None);
        assert_eq!(too_little(1 << 30, Some(1 << 30)), Some((1280, 1024)));
        assert_eq!(too_little(u64::MAX, Some(1 << 30)), Some((u64::MAX >> 20, 1024)));
        assert_eq!(too_little(u64::MAX, None), None);
    }
}
