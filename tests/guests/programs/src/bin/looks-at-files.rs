//! Writes three files and a folder into `/data`, and outputs all that a system says of files: names in their order, times,
//! sizes, links and numbers.

use narratoria_guest_programs::{drain_stdin, say_done};
use serde_json::{Value, json};

fn main() {
    drain_stdin();
    for name in ["one", "zeta", "alpha"] {
        let _ = std::fs::write(format!("/data/{name}"), name);
    }
    let _ = std::fs::create_dir("/data/folder");
    let odd = [".git", "HEAD", "run.sh", "setup.exe", "a:b", "con", "x\u{1b}[31m", ".hidden"];
    let mut made = Vec::new();
    for name in odd {
        let path = format!("/data/{name}");
        if std::fs::write(&path, name).is_ok()
            || std::fs::create_dir(&path).is_ok()
            || std::fs::rename("/data/one", &path).is_ok()
        {
            made.push(name);
        }
    }
    say_done(true, &json!({"facts": facts(), "made": made}));
}

#[cfg(not(target_os = "wasi"))]
fn facts() -> Value {
    Value::Null
}

#[cfg(target_os = "wasi")]
fn facts() -> Value {
    use wasip2::filesystem::types::{Descriptor, PathFlags};
    let of = |folder: &Descriptor, name: &str| {
        let stat = folder.stat_at(PathFlags::empty(), name).ok()?;
        let hash = folder.metadata_hash_at(PathFlags::empty(), name).ok()?;
        let times = [
            stat.data_access_timestamp,
            stat.data_modification_timestamp,
            stat.status_change_timestamp,
        ];
        let times: Vec<Option<u64>> =
            times.iter().map(|time| Some(time.as_ref()?.seconds)).collect();
        Some(json!([name, stat.size, stat.link_count, times, hash.lower, hash.upper]))
    };
    let folders = wasip2::filesystem::preopens::get_directories();
    let folders = folders.iter().map(|(folder, path)| {
        let mut names = Vec::new();
        if let Ok(entries) = folder.read_directory() {
            while let Ok(Some(entry)) = entries.read_directory_entry() {
                names.push(entry.name);
            }
        }
        let own = folder.stat().ok().and_then(|stat| stat.data_modification_timestamp);
        let files: Vec<Option<Value>> = names.iter().map(|name| of(folder, name)).collect();
        json!({"path": path, "changed": own.map(|time| time.seconds), "files": files})
    });
    folders.collect()
}
