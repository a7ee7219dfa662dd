//! The NDJSON wire between host and script, and the plain data that every other crate shares.
//!
//! - The wire: bytes become [`Message`]s, a [`Request`] becomes a line. The contracts are
//!   `contracts/event.schema.json` and `contracts/script-input.schema.json`, and `contracts/ask.schema.json` and
//!   `contracts/answer.schema.json` for a question to the player and its answer.
//! - How an invocation ended ([`InvocationOutcome`]) and what it wrote to its stores ([`StoreWrite`]).
//! - The story's state ([`StoryState`]), the merge of patches into it, which skill may change which part of it
//!   ([`StateClaims`]), and how much of it each skill has written ([`StateAccount`]).
//! - A compiled campaign ([`CompiledCampaign`]): the documents that a story keeps and its scripts read.
//! - The lasting things of a story, such as characters and memories ([`Entity`]), their ids ([`EntityId`]), and how they are
//!   read ([`EntityReader`]).
//! - The one reader of JSON from outside ([`read_json`]): duplicate keys are refused, everything is bounded.
//! - What every message needs: untrusted text made harmless ([`visible`]), the nearest known name ([`nearest`]), the
//!   kind of a JSON value ([`json_kind()`]), a digest as text ([`digest`]),
//!   and the rule for storing an untrusted file ([`stored_file`]).
//!
//! This crate is pure: no I/O, no clock. It knows nothing of wasmtime, SQLite, plans or sessions.

#![warn(missing_docs)]

mod campaign;
mod decoder;
pub mod digest;
pub mod drawing;
mod encoder;
mod entity;
mod entity_id;
mod entity_reader;
mod error;
mod event;
mod finished_invocation;
mod json_kind;
mod json_size;
mod json_text;
mod merge;
mod millis;
pub mod nearest;
mod number_text;
mod outcome;
mod pointer;
mod quote;
mod request;
mod state;
mod state_account;
mod state_claims;
pub mod stored_file;
mod strict_json;
#[cfg(test)]
mod testing;
mod text_embedder;
pub mod visible;

pub use campaign::{
    CAMPAIGN_BYTES_MAX, CAMPAIGN_DOCUMENTS_MAX, CAMPAIGN_NAME_BYTES_MAX, CAMPAIGN_PATH_BYTES_MAX,
    CAMPAIGN_TITLE_CHARS_MAX, CampaignFault, CampaignStart, CompiledCampaign, FirstScreen,
    LORE_DOCUMENT, LoreEntry, PEOPLE_DOCUMENT, PLOT_DOCUMENT, PersonEntry, is_campaign_name,
    is_campaign_path,
};
pub use decoder::{
    Decoder, EVENTS_MAX, LINE_BYTES_MAX, MESSAGE_CHARS_MAX, NAME_CHARS_MAX, decode_stored,
};
pub use entity::{
    Character, CharacterState, ENTITY_OWNER, Entity, HISTORY_MAX, INTENSITY_MAX, Importance,
    Location, LoopStatus, Memory, Novel, OpenLoop, Relationship, RelationshipEvent, Scene,
    TickRecord, pair_name,
};
pub use entity_id::{
    ENTITIES_BYTES_MAX, ENTITIES_MAX, ENTITY_BYTES_MAX, ENTITY_NUMBER_MAX, EntityAmounts, EntityId,
    EntityIdError, EntityKind, PINNED_MAX, SCENE_BYTES_MAX, STORY_MEMORIES_MAX,
    STORY_MEMORY_BYTES_MAX, TICK_BYTES_MAX,
};
pub use entity_reader::{
    ENTITY_WRITES_MAX, EntityIndex, EntityReader, MEMORY_FILTERS_MAX, MEMORY_LIMIT_MAX,
    MEMORY_QUERY_BYTES_MAX, MemoryHit, MemoryQuery, NoEntities, Stored, read_entity,
};
pub use error::DecodeError;
pub use event::{
    ASKS_MAX, CHOICE_CHARS_MAX, CHOICES_MAX, EVENT_ASK, Event, LogLevel, Message,
    QUESTION_CHARS_MAX, Question, WIRE_VERSION,
};
pub use finished_invocation::FinishedInvocation;
pub use json_kind::json_kind;
pub use json_size::{ARRAY_VALUES, OBJECT_VALUES, json_size, json_text_values_max, json_values};
pub use json_text::json_string_end;
pub use merge::merge;
pub use millis::millis;
pub use outcome::{
    InvocationEnding, InvocationError, InvocationOutcome, InvocationOutput, InvocationOutputSink,
    MEMORY_OWNER, Owner, ResourceUsage, STORES_BUILT_IN_BYTES_MAX, STORES_BYTES_MAX, StoreMap,
    StoreWrite, Stores,
};
pub use pointer::{key_of_token, object_with, pointer_of, pointer_tokens, token_of_key};
pub use request::{ANSWER_BYTES_MAX, OPERATION_DESCRIBE, OPERATION_RUN, Request, answer_line};
pub use state::{
    STATE_BUILT_IN_BYTES_MAX, STATE_BYTES_MAX, STATE_DEPTH_MAX, STATE_RESERVED_KEY,
    STATE_SKILL_BYTES_MAX, STATE_STEP_BYTES_MAX, StoryState, is_deeper_than,
};
pub use state_account::{StateAccount, StateShare};
pub use state_claims::{ClaimViolation, StateClaims, claimed_place, pointers_overlap};
pub use strict_json::{
    DEPTH_MAX, JsonBounds, StrictJsonError, VALUES_MAX, bounded_text, check_numbers,
    nests_deeper_than, read_json, read_json_as, read_value_from, without_byte_order_mark,
};
pub use text_embedder::TextEmbedder;

/// A JSON object that the host passes on without reading a meaning into it.
pub type Object = serde_json::Map<String, serde_json::Value>;
