//! The sandbox: component + grants + request become events. The only crate that uses wasmtime.
//!
//! [`Sandbox`] owns the engine and the cache of compiled components. [`LoadedComponent`] is a component that is
//! ready to run. Each [`LoadedComponent::run`] has a fresh store and instance, which is gone when it ends. The crate
//! knows the wire and the catalog's grants; it knows nothing of plans, retries or stories.
//!
//! An invocation gets a stdin with the request and with answers to its questions, a stdout that is decoded line
//! by line as it is written, a stderr whose tail the host returns, clocks that do not show the real time, and
//! randomness drawn from the request's seed. Everything else needs a grant: files, environment variables, hosts,
//! a language model ([`TextModel`]). Dropping the future stops the invocation.

mod admission;
mod cache;
mod clock;
mod compile;
mod disk_quota;
mod embedded_code;
mod filesystem;
mod folder_usage;
mod guest_state;
mod http;
mod imports;
mod input;
mod invocation;
mod llm;
mod load;
mod load_error;
mod memory_author;
mod memory_meter;
mod package_loader;
mod preflight;
mod repeatable_files;
mod script_component;
mod source_section;
mod stdin;
mod stdio;
mod store;
mod story_entities;
mod story_memory;
mod text_comparison;
mod text_model;
mod ticker;
mod turn_disk;
mod wasm_engine;
mod withheld;
mod written_files;

pub use admission::{MEMORY_BUDGET_DEFAULT, WAITING_MAX};
pub use compile::{
    COMPILE_BUILT_IN_CPU_SECONDS_MAX, COMPILE_CODE_BYTES_MAX, COMPILE_CPU_SECONDS_MAX,
    COMPILE_CPU_SECONDS_PER_MIB_MAX, COMPILE_MEMORY_BYTES_MAX, COMPILE_THREADS_MAX,
    COMPILE_TIME_MAX, COMPILED_BYTES_MAX, COMPILES_MAX, CompileLimits, Compiler,
    compile_for_parent,
};
pub use disk_quota::{
    DISK_BYTES_MAX, DISK_ENTRIES_MAX, DISK_WRITTEN_BYTES_MAX, FILE_BYTES_MAX, FILES_OPEN_MAX,
    GUEST_PATH_BYTES_MAX,
};
pub use embedded_code::{EMBEDDED_CODE_BYTES_MAX, embed_code};
pub use folder_usage::{FOLDER_DEPTH_MAX, FolderUsage, remove_folder};
pub use guest_state::{RANDOM_BYTES_MAX, RESOURCES_MAX, RESOURCES_WITH_HTTP_MAX};
pub use http::{
    HTTP_CONNECT_TIME_MAX, HTTP_HEADER_BYTES_MAX, HTTP_HEADERS_MAX, HTTP_RECEIVED_BYTES_MAX,
    HTTP_REQUESTS_MAX, HTTP_RESERVE, HTTP_SENT_BYTES_MAX, HTTP_TIME_MAX, HTTP_URL_BYTES_MAX,
    HTTP_WORD_BYTES_MAX, HostResolver, HttpConnector, PreparedAnswer, PreparedAnswers,
    ResolveFuture,
};
pub use input::{DiskRoom, InvocationInput, InvocationLimits, Preopen};
pub use invocation::HANDED_OVER_BYTES_MAX;
pub use llm::{
    LLM_CALLS_MAX, LLM_PROMPT_BYTES_MAX, LLM_RESERVE, LLM_TEMPERATURE_MAX, LLM_TIME_MAX,
    LLM_TOKENS_MAX, TEXT_BYTES_MAX,
};
pub use load::{LoadedComponent, Sandbox, SandboxOptions};
pub use load_error::ComponentLoadError;
pub use memory_author::MemoryAuthor;
pub use package_loader::PackageLoader;
pub use preflight::{
    DATA_SEGMENTS_MAX, ELEMENT_SEGMENTS_MAX, ELEMENTS_MAX, EXPORTS_MAX, FUNCTION_BYTES_MAX,
    FUNCTIONS_MAX, GLOBALS_MAX, IMPORTS_MAX, LOCALS_MAX, MEMORIES_MAX, NESTED_MAX, NESTING_MAX,
    TABLES_MAX, TIES_MAX, TYPES_MAX,
};
pub use script_component::ScriptComponent;
pub use source_section::{SOURCE_BYTES_MAX, SOURCE_HEAD_BYTES, append_source};
pub use stdin::Answers;
pub use stdio::STDERR_TAIL_BYTES_MAX;
pub use store::{
    STORE_BYTES_MAX, STORE_ENTRIES_MAX, STORE_KEY_BYTES_MAX, STORE_VALUE_BYTES_MAX,
    STORE_WRITES_MAX,
};
pub use story_entities::{
    ENTITIES_FOUND_MAX, ENTITY_CALLS_MAX, ENTITY_LIST_MAX, ENTITY_NAME_CHARS_MAX, EntityIds,
    EntityInput, MEMORY_SEARCHES_MAX, MEMORY_SUMMARY_BYTES_MAX, MEMORY_WORD_BYTES_MAX,
    PINNED_OF_SKILL_MAX,
};
pub use story_memory::{
    RECALL_QUERY_BYTES_MAX, RECALLED_MAX, RECALLS_MAX, REMEMBERED_BYTES_MAX,
    REMEMBERED_BYTES_OF_SKILL_MAX, REMEMBERED_MAX, REMEMBERED_OF_SKILL_MAX, REMEMBERS_MAX,
    TAG_BYTES_MAX, TAGS_MAX, TEXT_TO_REMEMBER_BYTES_MAX, memory_of_texts,
};
pub use text_comparison::{
    COMPARED_BYTES_MAX, COMPARED_TEXTS_MAX, COMPARISON_TIME_MAX, COMPARISONS_MAX, TextComparer,
};
pub use text_model::{
    TextFuture, TextModel, TextModelClient, TextModelError, TextModelSink, TextModelSlot,
    TextRequest, TextResponse,
};
pub use turn_disk::{TURN_DISK_BUILT_IN_BYTES_MAX, TURN_DISK_BYTES_MAX, TurnDisk, TurnDiskShare};
pub use wasm_engine::{
    Allocation, CORE_INSTANCES_MAX, INVOCATIONS_MAX, MEMORIES_USED_MAX, TABLE_ELEMENTS_MAX,
    TABLES_USED_MAX,
};
pub use written_files::WRITTEN_FILES_MAX;
