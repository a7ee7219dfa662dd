//! `docs/limits.md` and the SDK repeat the host's limits; these tests hold them equal.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use narratoria_campaign as campaign;
use narratoria_engine as engine;
use narratoria_executor as executor;
use narratoria_hosting::limits as hosting;
use narratoria_mcp::limits as mcp;
use narratoria_narrator::tick;
use narratoria_plan as plan;
use narratoria_postgres as postgres;
use narratoria_protocol as protocol;
use narratoria_queue as queue;
use narratoria_sandbox as sandbox;
use narratoria_sdk as sdk;
use narratoria_serve::limits as serve;
use narratoria_skills as skills;
use narratoria_story as story;

/// Each constant by its name, as the page writes its value.
fn constants() -> BTreeMap<&'static str, String> {
    macro_rules! named {
        ($($module:ident: $($name:ident)*;)*) => {
            [$($((stringify!($name), shown($module::$name))),*),*].into()
        };
    }
    named! {
        skills: VALIDATION_STEPS_MAX VALIDATION_TIME_MAX VALIDATION_LEVELS_MAX PACKAGE_STEPS_MAX CATALOG_STEPS_MAX SCHEMA_PARTS_MAX
            PACKAGE_SCHEMA_PARTS_MAX CATALOG_SCHEMA_PARTS_MAX SCHEMA_REFS_DEEP_MAX SCHEMA_LEVELS_MAX PATTERN_BYTES_MAX
            PATTERNS_BYTES_MAX PATTERNS_TEXT_BYTES_MAX CATALOG_PATTERNS_BYTES_MAX CATALOG_COMPONENTS_BYTES_MAX TRIGGERS_TEXT_BYTES_MAX
            CATALOG_TRIGGERS_TEXT_BYTES_MAX FRONT_MATTER_VALUES_MAX FRONT_MATTER_BYTES_MAX FRONT_MATTER_DEPTH_MAX
            FRONT_MATTER_ALIASES_MAX VALUE_SOURCES_MAX VALUES_POINTER_BYTES_MAX STATE_VALUES_MAX STATE_VALUE_BYTES_MAX
            STATE_VALUES_BYTES_MAX;
        skills: GUIDES_MAX GUIDE_FILES_MAX GUIDE_BYTES_MAX GUIDANCE_CHARS_MAX PROMPT_CHARS_MAX LISTED_FILES_MAX PROBLEM_CHARS_MAX PROBLEMS_REPORTED_MAX PROBLEMS_OF_ALL_MAX PROBLEMS_FOUND_MAX COMPONENT_BYTES_MAX FUEL_MAX MEMORY_BYTES_MAX STDOUT_BYTES_MAX;
        plan: PLAN_CHECK_STEPS_MAX FILLED_INPUT_BYTES_MAX;
        campaign: CONDITIONS_COST_MAX;
        protocol: LINE_BYTES_MAX EVENTS_MAX MESSAGE_CHARS_MAX NAME_CHARS_MAX DEPTH_MAX VALUES_MAX ASKS_MAX
            QUESTION_CHARS_MAX CHOICES_MAX CHOICE_CHARS_MAX ANSWER_BYTES_MAX STATE_BYTES_MAX STATE_DEPTH_MAX
            STATE_BUILT_IN_BYTES_MAX STATE_SKILL_BYTES_MAX STATE_STEP_BYTES_MAX STORES_BYTES_MAX STORES_BUILT_IN_BYTES_MAX
            ENTITY_NUMBER_MAX STORY_MEMORIES_MAX ENTITIES_MAX ENTITIES_BYTES_MAX PINNED_MAX ENTITY_WRITES_MAX STORY_MEMORY_BYTES_MAX SCENE_BYTES_MAX TICK_BYTES_MAX
            ENTITY_BYTES_MAX INTENSITY_MAX HISTORY_MAX MEMORY_LIMIT_MAX MEMORY_QUERY_BYTES_MAX MEMORY_FILTERS_MAX
            CAMPAIGN_BYTES_MAX CAMPAIGN_DOCUMENTS_MAX CAMPAIGN_PATH_BYTES_MAX CAMPAIGN_NAME_BYTES_MAX CAMPAIGN_TITLE_CHARS_MAX;
        executor: GRACE_EVENTS_MAX PLAN_ASKS_MAX TURN_EVENTS_MAX TURN_EVENT_BYTES_MAX TURN_CONTENT_BYTES_MAX TURN_CONTENT_VALUES_MAX;
        engine: NARRATION_BYTES_MAX ASSET_BYTES_MAX ASSET_NOTES_BYTES_MAX ASSETS_BYTES_MAX ASSETS_MAX PLAN_FILES_MAX
            STORY_ASSETS_BYTES_MAX ERROR_FILE_BYTES_MAX TICK_GENERATION_MAX;
        tick: TICK_PLAN_BYTES_MAX SUMMARY_BYTES_MAX CONTEXT_PART_BYTES_MAX RECENT_SCENES_MAX SCENE_FAULTS_MAX;
        story: TURN_BYTES_MAX JOURNAL_STEPS_BYTES_MAX JOURNAL_STEPS_VALUES_MAX STATE_FILE_BYTES_MAX
            BRANCHES_MAX STORY_FAULTS_MAX STORY_LINE_BYTES_MAX STORY_LINE_VALUES_MAX STORY_LINES_BYTES_MAX IMPORT_TURNS_MAX
            IMPORT_FOLD_BYTES_MAX IMPORT_FOLD_VALUES_MAX BOOK_FILES_BYTES_MAX MEMORY_EDIT_BYTES_MAX
            STATE_CHANGES_MAX COMPARED_TURNS_MAX CAMPAIGN_FOLDERS_MAX STATEMENT_OPERATIONS_MAX STORY_NUMBER_MAX CHANGE_BYTES_MAX;
        sandbox: NESTED_MAX NESTING_MAX FUNCTIONS_MAX FUNCTION_BYTES_MAX LOCALS_MAX TYPES_MAX IMPORTS_MAX
            EXPORTS_MAX TIES_MAX GLOBALS_MAX MEMORIES_MAX TABLES_MAX DATA_SEGMENTS_MAX ELEMENT_SEGMENTS_MAX
            ELEMENTS_MAX COMPILE_TIME_MAX COMPILE_BUILT_IN_CPU_SECONDS_MAX COMPILE_CPU_SECONDS_MAX COMPILE_CODE_BYTES_MAX COMPILE_CPU_SECONDS_PER_MIB_MAX COMPILE_MEMORY_BYTES_MAX COMPILED_BYTES_MAX EMBEDDED_CODE_BYTES_MAX
            COMPILE_THREADS_MAX COMPILES_MAX INVOCATIONS_MAX WAITING_MAX CORE_INSTANCES_MAX MEMORIES_USED_MAX
            TABLES_USED_MAX TABLE_ELEMENTS_MAX RESOURCES_MAX HANDED_OVER_BYTES_MAX SOURCE_BYTES_MAX RANDOM_BYTES_MAX
            STDERR_TAIL_BYTES_MAX DISK_WRITTEN_BYTES_MAX DISK_BYTES_MAX TURN_DISK_BYTES_MAX TURN_DISK_BUILT_IN_BYTES_MAX FILE_BYTES_MAX DISK_ENTRIES_MAX FOLDER_DEPTH_MAX
            FILES_OPEN_MAX GUEST_PATH_BYTES_MAX WRITTEN_FILES_MAX STORE_KEY_BYTES_MAX STORE_VALUE_BYTES_MAX STORE_ENTRIES_MAX
            STORE_BYTES_MAX STORE_WRITES_MAX LLM_PROMPT_BYTES_MAX LLM_TOKENS_MAX LLM_CALLS_MAX LLM_TIME_MAX
            COMPARED_TEXTS_MAX COMPARED_BYTES_MAX COMPARISONS_MAX COMPARISON_TIME_MAX TEXT_BYTES_MAX TEXT_TO_REMEMBER_BYTES_MAX TAGS_MAX TAG_BYTES_MAX REMEMBERED_MAX REMEMBERED_BYTES_MAX REMEMBERED_OF_SKILL_MAX REMEMBERED_BYTES_OF_SKILL_MAX
            REMEMBERS_MAX RECALLS_MAX RECALLED_MAX RECALL_QUERY_BYTES_MAX ENTITY_NAME_CHARS_MAX ENTITY_LIST_MAX
            ENTITY_CALLS_MAX MEMORY_SEARCHES_MAX ENTITIES_FOUND_MAX MEMORY_SUMMARY_BYTES_MAX
            MEMORY_WORD_BYTES_MAX PINNED_OF_SKILL_MAX HTTP_REQUESTS_MAX HTTP_SENT_BYTES_MAX
            HTTP_RECEIVED_BYTES_MAX HTTP_HEADER_BYTES_MAX HTTP_HEADERS_MAX HTTP_URL_BYTES_MAX HTTP_WORD_BYTES_MAX
            HTTP_CONNECT_TIME_MAX HTTP_TIME_MAX RESOURCES_WITH_HTTP_MAX;
        serve: CONNECTIONS_MAX STREAMS_MAX SESSIONS_MAX SESSION_TIME_MAX PASSWORD_FAILURES_MAX PASSWORD_FAILURES_TIME_MAX
            PASSWORD_BYTES_MAX PASSWORD_MEMORY_KIB_MAX PASSWORD_PASSES_MAX READER_LINKS_MAX READER_STREAMS_MAX SERVED_NAMES_MAX PLAYS_MAX RING_EVENTS_MAX RING_BYTES_MAX JSON_BODY_BYTES_MAX
            IMPORTED_FILE_BYTES_MAX EXPORTED_FILE_BYTES_MAX IMPORTS_AT_ONCE_MAX HOST_CALLS_MAX LINE_IDS_MAX CREATION_IDS_MAX REQUEST_HEAD_BYTES_MAX
            REQUEST_HEADERS_MAX PATH_PART_BYTES_MAX DOCUMENT_TURNS_MAX HEAD_TIME_MAX BODY_TIME_MAX IMPORT_TIME_MAX
            STALL_TIME_MAX UNWATCHED_TIME_MAX ENDING_TIME_MAX SERVER_PLAYS_MAX PLAYER_HUBS_MAX PLAYER_UNWATCHED_TIME_MAX;
        hosting: PLAYER_NAME_BYTES_MAX PLAYER_STORIES_MAX PLAYER_TURNS_MAX PLAYER_BYTES_MAX PLAYER_SECONDS_MAX LEASE_TIME_MAX
            LOG_TIME_MAX UNKNOWN_TIME_MAX READ_BYTES_MAX READ_CHANGES_MAX;
        postgres: DATABASE_URL_BYTES_MAX DATABASE_CONNECTIONS_MAX STATEMENT_TIME_MAX LOCK_WAIT_MAX UNUSED_TRANSACTION_MAX MIGRATION_TIME_MAX;
        queue: WORK_BYTES_MAX RESULT_BYTES_MAX BATCH_MAX CLAIM_MAX TENANT_BYTES_MAX KIND_BYTES_MAX LEASE_MAX WORK_WAIT_MAX
            LOST_LEASES_MAX RESULTS_PER_WORK_MAX OUTCOMES_MAX;
        mcp: MCP_REQUESTS_MAX MCP_SESSIONS_MAX MCP_SESSION_TIME_MAX;
        mcp: MCP_LINE_BYTES_MAX MCP_CALLS_MAX MCP_PROCESSES_MAX MCP_PROCESS_TIME_MAX MCP_REPORT_BYTES_MAX MCP_TASKS_MAX MCP_TASKS_KEPT_MAX
            MCP_ANSWER_TIME_MAX MCP_RESOURCE_BYTES_MAX;
    }
}

/// Numbers as they are, times in seconds with their unit.
fn shown(value: impl std::fmt::Debug) -> String {
    let text = format!("{value:?}");
    match text.strip_suffix('s') {
        Some(seconds) => format!("{seconds} s"),
        None => text,
    }
}

#[test]
fn every_bound_stands_in_the_docs_with_its_value_and_its_reason() {
    let page = fs::read_to_string("docs/limits.md").unwrap();
    let mut there = BTreeMap::new();
    for line in page.lines().filter(|line| line.starts_with('|') && line.contains("_MAX`")) {
        let [_, what, name, value, why, _] =
            line.split('|').map(str::trim).collect::<Vec<_>>().try_into().unwrap();
        assert!(!what.is_empty() && !why.is_empty(), "{line}");
        there.insert(name.trim_matches('`').to_owned(), value.to_owned());
    }
    let constants: BTreeMap<String, String> =
        constants().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let private = ["src/cli/log_file.rs", "src/engine/planner_view.rs", "src/engine/turn_log.rs"];
    let private = private.into_iter().flat_map(|file| constants_in(Path::new(file)));
    let listed = |folder: &str, names: &'static [&str]| {
        let constants = files_below(Path::new(folder)).into_iter();
        let constants = constants.flat_map(|file| constants_in(&file));
        constants.filter(|(name, _)| names.contains(&name.as_str()))
    };
    let of_packages = listed("src/skills", PACKAGE_FILE_LIMITS);
    let of_models = listed("src/model", MODEL_LIMITS);
    let constants: BTreeMap<String, String> =
        constants.into_iter().chain(private).chain(of_packages).chain(of_models).collect();
    assert_eq!(there, constants);
}

/// Limits of the crate `model`, which these tests are built without.
const MODEL_LIMITS: &[&str] =
    &["FOUND_FILES_MAX", "SERVER_ANSWER_BYTES_MAX", "SERVER_LINE_BYTES_MAX", "SERVER_REQUESTS_MAX"];

/// Limits of the crate `skills` that no other crate uses.
const PACKAGE_FILE_LIMITS: &[&str] = &[
    "ASSERTION_DEPTH_MAX",
    "BACKTRACK_MAX",
    "COMPATIBILITY_CHARS_MAX",
    "COMPONENTS_BYTES_MAX",
    "CONFIG_BYTES_MAX",
    "CONFIG_VALUE_BYTES_MAX",
    "DESCRIPTION_CHARS_MAX",
    "ENTRIES_MAX",
    "EXAMPLES_MAX",
    "EXAMPLE_BYTES_MAX",
    "FINGERPRINT_FILES_MAX",
    "FOLDERS_DEEP_MAX",
    "INPUT_DEPTH_MAX",
    "ITEMS_MAX",
    "LISTED_ENTRIES_MAX",
    "MANIFEST_BYTES_MAX",
    "PACKAGES_MAX",
    "SKILL_NAME_BYTES_MAX",
    "PACKAGE_FILES_MAX",
    "PACKAGE_FOLDERS_DEEP_MAX",
    "PATH_BYTES_MAX",
    "PATTERN_DEPTH_MAX",
    "REQUIREMENT_CHARS_MAX",
    "SCHEMA_BYTES_MAX",
    "SKILL_NAME_CHARS_MAX",
    "SKILL_PROMPT_BYTES_MAX",
];

/// The files of Rust in a folder and below, without tests.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs")
            && !path.ends_with("tests.rs")
        {
            files.push(path);
        }
    }
    files
}

/// The limits in a file that no test can import, from its text: a number, or `4 << 20`.
fn constants_in(file: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(file).unwrap();
    let constants = text.lines().filter_map(|line| {
        let line = ["pub(crate) ", "pub(super) ", "pub "]
            .into_iter()
            .find_map(|scope| line.strip_prefix(scope))
            .unwrap_or(line);
        let (name, value) = line.strip_prefix("const ")?.strip_suffix(';')?.split_once(" = ")?;
        let name = name.split(':').next()?;
        let number = |text: &str| text.replace('_', "").parse::<u64>().unwrap();
        let value = match value.split_once(" << ") {
            // A sum of other limits.
            _ if !name.ends_with("_MAX") || value.contains(['+', '*', '(', '"']) => return None,
            None if value.contains("_MAX") || value.contains("::") => return None,
            Some((base, shift)) => number(base) << number(shift),
            None => number(value),
        };
        Some((name.to_owned(), value.to_string()))
    });
    constants.collect()
}

/// A constant of the sandbox, of packages or of the wire without a line would be an undocumented limit.
// Long because it lists every bound that has no row.
#[test]
fn no_bound_of_the_sandbox_of_packages_or_of_the_wire_is_forgotten() {
    let page = fs::read_to_string("docs/limits.md").unwrap();
    // Limits of our own code: a guest cannot reach them.
    let inner = [
        "WRITE_BYTES_MAX",
        "QUOTE_CHARS_MAX",
        "STDERR_BYTES_MAX",
        "IDLE_TICKS_MAX",
        "FOLDER_BYTES_MAX",
        // In the words of the page, as the size of a drawing.
        "DRAWING_BYTES_MAX",
        "REFUSAL_BYTES_MAX",
        "SEAL_BYTES_MAX",
        "LLM_TEMPERATURE_MAX",
        "SMALL_BYTES_MAX",
        "ADDRESSES_MAX",
        "DOCUMENT_VALUES_MAX",
        "CALL_BYTES_MAX",
        "SIGNIFICANCE_MAX",
        // Times are in the contract.
        "TIMEOUT_MAX",
        // Of messages and of searches in what is bounded already.
        "ALTERNATIVES_MAX",
        "CHOICES_MADE_MAX",
        "FIELDS_MEANT_MAX",
        "GUIDE_LINES_MAX",
        "GUIDE_LINE_CHARS_MAX",
        "JOINED_MAX",
        "KEY_CHARS_MAX",
        "KNOWN_MAX",
        "LABEL_BYTES_MAX",
        "LISTED_DEPTH_MAX",
        "LISTED_MAX",
        "MARKS_MAX",
        "MISMATCHES_MAX",
        "NAME_BYTES_MAX",
        "NEAR_MAX",
        "NUMBER_CHARS_MAX",
        "ORIGIN_BYTES_MAX",
        "PLACE_CHARS_MAX",
        "PLACE_REFERENCES_MAX",
        "PLACE_SCHEMAS_MAX",
        "PROSE_CHARS_MAX",
        "SLIPS_BYTES_MAX",
        "UNIQUE_PAIRS_MAX",
        "WORD_CHARS_MAX",
        // In the page on archives.
        "ARCHIVE_BYTES_MAX",
        "ARCHIVE_DEPTH_MAX",
        "ARCHIVE_FILES_MAX",
        "ARCHIVE_FILE_BYTES_MAX",
        "ARCHIVE_PATH_BYTES_MAX",
        "LISTING_BYTES_MAX",
        "SIGNATURE_BYTES_MAX",
        "INDEX_BYTES_MAX",
        "INDEX_PATH_BYTES_MAX",
        "INDEX_VALUES_MAX",
        // Of a file that the program has written itself.
        "KEPT_KEYS_BYTES_MAX",
    ];
    let mut forgotten = Vec::new();
    for folder in ["src/sandbox", "src/skills", "src/protocol"] {
        for path in files_below(Path::new(folder)) {
            for line in fs::read_to_string(path).unwrap().lines() {
                let Some((_, rest)) = line.split_once("const ") else { continue };
                let Some((name, _)) = rest.split_once(':') else { continue };
                let known = page.contains(&format!("`{name}`")) || inner.contains(&name);
                if name.ends_with("_MAX") && !known {
                    forgotten.push(name.to_owned());
                }
            }
        }
    }
    assert_eq!(forgotten, [""; 0]);
}

/// The SDK is built without the host, so it has copies: a script should meet the host's limit as an error of its own.
#[test]
fn each_limit_of_the_sdk_equals_the_host_s_limit_of_that_name() {
    let mut held = Vec::new();
    macro_rules! equal {
        ($($host:ident: $($name:ident)*;)*) => {
            $($(
                assert_eq!(shown(sdk::$name), shown($host::$name), stringify!($name));
                held.push(stringify!($name));
            )*)*
        };
    }
    equal! {
        protocol: LINE_BYTES_MAX EVENTS_MAX DEPTH_MAX ASKS_MAX QUESTION_CHARS_MAX CHOICES_MAX CHOICE_CHARS_MAX
            ANSWER_BYTES_MAX;
        sandbox: STORE_KEY_BYTES_MAX STORE_VALUE_BYTES_MAX STORE_ENTRIES_MAX STORE_BYTES_MAX STORE_WRITES_MAX
            LLM_PROMPT_BYTES_MAX LLM_TOKENS_MAX LLM_TEMPERATURE_MAX LLM_CALLS_MAX COMPARED_TEXTS_MAX
            COMPARED_BYTES_MAX COMPARISONS_MAX TEXT_TO_REMEMBER_BYTES_MAX
            TAGS_MAX TAG_BYTES_MAX REMEMBERS_MAX RECALLS_MAX RECALLED_MAX RECALL_QUERY_BYTES_MAX
            HTTP_REQUESTS_MAX HTTP_SENT_BYTES_MAX HTTP_RECEIVED_BYTES_MAX;
    }
    // A document may be as long as all of them.
    assert_eq!(shown(sdk::CAMPAIGN_FILE_BYTES_MAX), shown(protocol::CAMPAIGN_BYTES_MAX));
    held.push("CAMPAIGN_FILE_BYTES_MAX");
    // The host has no such limit: it does not follow redirects, and it writes the request itself.
    held.extend(["HTTP_REDIRECTS_MAX", "REQUEST_BYTES_MAX"]);
    let (mut public, mut folders) = (Vec::new(), vec![PathBuf::from("sdk/src")]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(path).unwrap();
            let names =
                text.lines().filter_map(|line| line.strip_prefix("pub const ")?.split_once(':'));
            public.extend(names.map(|(name, _)| name.to_owned()));
        }
    }
    public.retain(|name: &String| name.ends_with("_MAX"));
    public.sort();
    held.sort_unstable();
    assert_eq!(held, public);
}

/// S0 FR-015, FR-017, FR-018, FR-023, FR-006, §6, S1 §7: written out, so that no change of a constant goes unnoticed.
#[test]
fn the_defaults_are_the_numbers_of_the_specifications() {
    let retry = skills::RetryPolicy::default();
    assert_eq!((retry.retries_max, retry.backoff.as_millis()), (3, 100));
    assert_eq!(skills::TIMEOUT_DEFAULT.as_secs(), 30);
    let session = engine::SessionOptions::new(std::num::NonZeroUsize::MIN);
    assert_eq!(session.plan_timeout.as_secs(), 60);
    assert_eq!(session.attempts_max, 5);
    assert_eq!(session.generation_timeout.as_secs(), 5);
    assert_eq!(session.shutdown_grace.as_secs(), 5);
}
