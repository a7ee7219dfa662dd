//! What the guests of these tests may do: the host services, which are all that one can be granted by its name.

use narratoria::skills::Grants;

/// Some of them misuse what they were granted.
pub(crate) fn grants_of(guest: &str) -> Grants {
    let keeps = ["counts", "keeps", "overdoes-the-store", "tallies", "writes"];
    let writes = ["overdoes-the-model", "writes"];
    // Some are granted a host, and it is not the one that they ask.
    let fetches = ["fetches", "floods-a-host", "hoards-requests"];
    let hosts = fetches.contains(&guest).then(|| "a.example".to_owned());
    Grants {
        store: keeps.contains(&guest),
        memory: guest == "remembers",
        llm: writes.contains(&guest),
        http: hosts.into_iter().collect(),
        ..Grants::default()
    }
}
