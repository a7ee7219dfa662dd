//! What a server can make the program read, follow and wait for. `docs/archives.md` has the same numbers.

use std::time::Duration;

/// Redirects of one request.
pub(crate) const REDIRECTS_MAX: usize = 5;

/// Largest head of a response.
pub(crate) const HEAD_BYTES_MAX: usize = 64 << 10;

/// Longest wait for a name, a connection and a head, each.
pub(crate) const CONNECT_TIME_MAX: Duration = Duration::from_secs(30);

/// Longest transfer of one file. The largest archive takes it at 560 kB/s.
pub(crate) const TRANSFER_TIME_MAX: Duration = Duration::from_secs(600);

/// Longest wait that a server can ask for in all, and how often it can ask.
pub(crate) const WAIT_SECONDS_MAX: u64 = 30;
pub(crate) const WAITS_MAX: usize = 3;

/// How often a transfer goes on after its connection broke. Each time it must have come further.
pub(crate) const RESUMES_MAX: usize = 5;

/// How often an upload goes on after its connection broke, and the first pause before that; each further one is twice as long.
pub(crate) const UPLOAD_BREAKS_MAX: u32 = 5;
pub(crate) const UPLOAD_PAUSE: Duration = Duration::from_millis(100);

/// Largest file that is sent in one request, and the chunks of a larger one. GitHub's registry takes no larger chunks.
pub(crate) const UPLOAD_CHUNK_BYTES: usize = 4 << 20;

/// Longest manifest of a package. One of this program has less than 2 kB.
pub(crate) const PACKAGE_LAYOUT_BYTES_MAX: u64 = 64 << 10;

/// Longest list of referrers, and the largest page of tags.
pub(crate) const REGISTRY_LIST_BYTES_MAX: u64 = 1 << 20;

/// Pages of a list that are read, and entries of all of them.
pub(crate) const REGISTRY_PAGES_MAX: usize = 16;
pub(crate) const REGISTRY_ENTRIES_MAX: usize = 10_000;

/// Signatures of one package that are read.
pub(crate) const SIGNATURES_MAX: usize = 8;

/// Longest answer of a server of tokens, and the longest token.
pub(crate) const TOKEN_ANSWER_BYTES_MAX: u64 = 64 << 10;
pub(crate) const TOKEN_BYTES_MAX: usize = 32 << 10;

/// Longest explanation of a refusal that is read, in bytes, and shown, in characters.
pub(crate) const REFUSAL_BYTES_MAX: u64 = 16 << 10;
pub(crate) const REFUSAL_CHARS_MAX: usize = 200;

/// Longest file of credentials, the longest answer of a helper, and how long it can take. A helper may wait for a person.
pub(crate) const CREDENTIAL_FILE_BYTES_MAX: u64 = 1 << 20;
pub(crate) const HELPER_ANSWER_BYTES_MAX: u64 = 64 << 10;
pub(crate) const HELPER_TIME_MAX: Duration = Duration::from_secs(60);
