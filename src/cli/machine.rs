//! How much of this machine may be used.

use std::fs;

/// Half of the memory that this process may have at all: the other half is for the model, and for everybody
/// else. None where nobody says how much there is.
pub(super) fn memory_budget() -> Option<u64> {
    let read = |path: &str| fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| memory_total(&text));
    // What a container has.
    let group = read("/sys/fs/cgroup/memory.max").and_then(|text| text.trim().parse().ok());
    let most = [machine, group].into_iter().flatten().min()?;
    Some(most / 2)
}

fn memory_total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::memory_total;

    #[test]
    fn the_total_is_read_in_bytes_or_not_at_all() {
        let meminfo = "MemTotal:       24689764 kB\nMemFree:         1000 kB\n";
        assert_eq!(memory_total(meminfo), Some(24_689_764 << 10));
        for other in ["", "MemFree: 1 kB\n", "MemTotal: many kB\n", "MemTotal: 12\n"] {
            assert_eq!(memory_total(other), None, "{other:?}");
        }
    }
}
