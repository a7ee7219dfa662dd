//! How much memory this machine has, and how much of it is available. Reads Linux's figures for the machine and for
//! the container around this process; other systems give none.

use std::fs;

/// Most bytes that this process may have; `None` if the system does not report it.
pub fn memory_total() -> Option<u64> {
    let machine = field(&read("/proc/meminfo")?, "MemTotal:");
    let group = read("/sys/fs/cgroup/memory.max").and_then(|text| bytes(&text));
    [machine, group].into_iter().flatten().min()
}

/// Bytes that programs may still allocate without swapping; `None` if the system does not report it.
pub fn memory_available() -> Option<u64> {
    let machine = field(&read("/proc/meminfo")?, "MemAvailable:");
    let group = || {
        let file = |name: &str| read(&format!("/sys/fs/cgroup/memory.{name}"));
        left_in_group(&file("max")?, &file("current")?, &file("stat")?)
    };
    [machine, group()].into_iter().flatten().min()
}

fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// The value of a line of `/proc/meminfo`, in bytes.
fn field(meminfo: &str, name: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// The number in a file of one line; `None` for `max`.
fn bytes(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// Bytes that a container may still allocate. File pages that were not used lately count as free: the kernel drops
/// them when programs need room.
fn left_in_group(max: &str, current: &str, stat: &str) -> Option<u64> {
    let idle = stat.lines().find_map(|line| line.strip_prefix("inactive_file ")).and_then(bytes);
    let used = bytes(current)?.saturating_sub(idle.unwrap_or(0));
    Some(bytes(max)?.saturating_sub(used))
}

#[cfg(test)]
mod tests {
    use super::{field, left_in_group};

    const MEMINFO: &str =
        "MemTotal:       24689816 kB\nMemFree: 1 kB\nMemAvailable:   22020096 kB\n";

    #[test]
    fn a_field_is_read_in_bytes_or_not_at_all() {
        assert_eq!(field(MEMINFO, "MemTotal:"), Some(24_689_816 << 10));
        assert_eq!(field(MEMINFO, "MemAvailable:"), Some(21 << 30));
        for other in ["", "MemFree: 1 kB\n", "MemTotal: many kB\n", "MemTotal: 12\n"] {
            assert_eq!(field(other, "MemTotal:"), None, "{other:?}");
        }
    }

    #[test]
    fn a_container_has_its_unused_memory_and_its_inactive_file_pages() {
        let stat = "anon 600\nfile 300\ninactive_file 200\n";
        assert_eq!(left_in_group("1000\n", "900\n", stat), Some(300));
        assert_eq!(left_in_group("1000\n", "900\n", ""), Some(100));
        assert_eq!(left_in_group("1000\n", "1500\n", ""), Some(0));
        assert_eq!(left_in_group("max\n", "900\n", stat), None);
    }
}
