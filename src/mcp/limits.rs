//! What a client can make the server keep or wait for.

use std::time::Duration;

/// Bytes of a message of the client. The longest has a line of the player, or the cases of an evaluation.
pub const MCP_LINE_BYTES_MAX: usize = 1 << 20;

/// Calls of a client, or of a session over HTTP, that run or whose answer has not been taken. The next one is refused.
pub const MCP_CALLS_MAX: usize = 32;

/// Requests over HTTP at a time, of all clients, among them streams. The next one is refused.
pub const MCP_REQUESTS_MAX: usize = 64;

/// Sessions over HTTP. The one that was not used for longest ends when another one begins.
pub const MCP_SESSIONS_MAX: usize = 32;

/// Time that a session over HTTP holds in which no message comes or goes. It is longer than a question to the player waits.
pub const MCP_SESSION_TIME_MAX: Duration = Duration::from_secs(3600);

/// Processes of the author's tools at a time. Others wait for their turn.
pub const MCP_PROCESSES_MAX: usize = 2;

/// Time of such a process, after which it is killed. A client asks for less by `seconds`.
pub const MCP_PROCESS_TIME_MAX: Duration = Duration::from_secs(900);

/// Bytes of what such a process writes.
pub const MCP_REPORT_BYTES_MAX: usize = 4 << 20;

/// Tasks that run at a time.
pub const MCP_TASKS_MAX: usize = 4;

/// Tasks that are begun within the time that results are kept, which is twice [`MCP_PROCESS_TIME_MAX`].
pub const MCP_TASKS_KEPT_MAX: usize = 32;

/// Time that a question to the player waits for an answer. After it a step is denied, and a question is left unanswered.
pub const MCP_ANSWER_TIME_MAX: Duration = Duration::from_secs(1800);

/// Bytes of a file that a resource is.
pub const MCP_RESOURCE_BYTES_MAX: usize = 16 << 20;
