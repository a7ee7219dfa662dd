//! The fuzz targets: one function for each, from untrusted bytes to a panic if a rule does
//! not hold. `tests/contracts/seeds.rs` puts every seed through the same functions in an ordinary test.

#[path = "archive.rs"]
mod archives;
#[path = "assets.rs"]
mod asset_files;
#[path = "campaigns.rs"]
mod campaign_folders;
#[path = "cards.rs"]
mod imports;
#[path = "mcp.rs"]
mod mcp_clients;
#[path = "manifest.rs"]
mod packages;
#[path = "patterns.rs"]
mod pattern_lists;
#[path = "plan.rs"]
mod plans;
#[path = "registry.rs"]
mod registries;
#[path = "stdio.rs"]
mod said;
#[path = "schema_cost.rs"]
mod schema_costs;
#[path = "settings.rs"]
mod settings_of;
#[path = "sentence.rs"]
mod typed;

use narratoria_protocol::{
    DecodeError, Decoder, FinishedInvocation, InvocationEnding, InvocationError, Message,
    ResourceUsage,
};

/// Bytes of a script's stdout, whole and in pieces: the same messages, the same end. The first byte chooses
/// the pieces.
pub fn event_decoder(bytes: &[u8]) {
    let Some((pieces, bytes)) = bytes.split_first() else { return };
    let whole = decode(bytes, |left| left);
    let mut random = u64::from(*pieces) + 1;
    let piecewise = decode(bytes, |left| {
        // Knuth's MMIX, so that the same input always has the same pieces.
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        1 + (random >> 33) as usize % left
    });
    assert_eq!(whole, piecewise, "the pieces changed what was heard");
    assert_eq!(whole, decode(bytes, |_| 1), "byte by byte it was something else");
    came_from_elsewhere(whole);
}

/// The same messages and the same end, after another machine has sent them.
fn came_from_elsewhere((events, ended): (Vec<Message>, Result<(), DecodeError>)) {
    let ending = InvocationEnding::Aborted(match ended {
        Ok(()) => InvocationError::ExitFailure { after_done_ok: false },
        Err(error) => InvocationError::Protocol(error),
    });
    let (usage, stderr_tail) = (ResourceUsage::default(), String::new());
    let finished = FinishedInvocation { events, ending, usage, stderr_tail };
    assert_eq!(FinishedInvocation::read(&finished.write()).as_ref(), Ok(&finished));
}

/// Plan JSON against the built-in skills: read, written, read again; built, and its order held to its rule.
pub fn plan_json(bytes: &[u8]) {
    plans::check(bytes);
}

/// A package's settings and the player's own: what is read from the environment, and what is written.
pub fn settings(bytes: &[u8]) {
    settings_of::check(bytes);
}

/// A schema and a value: checking ends, and takes the same steps each time.
pub fn schema_cost(bytes: &[u8]) {
    schema_costs::check(bytes);
}

/// Patterns: each is measured before it is compiled, and their sum is kept.
pub fn patterns(bytes: &[u8]) {
    pattern_lists::check(bytes);
}

/// A package's files through the loader, from memory.
pub fn manifest(bytes: &[u8]) {
    packages::check(bytes);
}

/// An archive of a package through its reader: only plain paths, each once, and never without the digests.
pub fn archive(bytes: &[u8]) {
    archives::check(bytes);
}

/// The files of a campaign: checked, compiled, filled and compiled again.
pub fn campaigns(bytes: &[u8]) {
    campaign_folders::check(bytes);
}

/// A file with its name and its declared media type: a story keeps only what all three agree about.
pub fn assets(bytes: &[u8]) {
    asset_files::check(bytes);
}

/// A picture with a character card: read, brought into a campaign, and exported again.
pub fn png_card(bytes: &[u8]) {
    imports::check_png(bytes);
}

/// An archive with a character card.
pub fn charx(bytes: &[u8]) {
    imports::check_charx(bytes);
}

/// A text of Twee, ink, a page of Twine, a world book or a chat.
pub fn story_text(bytes: &[u8]) {
    imports::check_story(bytes);
}

/// Lines of a client of MCP: each gets one answer at most, and the server ends with its input.
pub fn mcp(bytes: &[u8]) {
    mcp_clients::check(bytes);
}

/// What a registry, an index of packages or a file of credentials says. The first byte chooses which.
pub fn registry(bytes: &[u8]) {
    registries::check(bytes);
}

/// Sentences of a player, each in the world that the earlier ones leave: read alike twice, within the limits, and done.
pub fn sentence(bytes: &[u8]) {
    typed::check(bytes);
}

/// The premise of a player: a world that its own check accepts.
pub fn premise(bytes: &[u8]) {
    typed::check_premise(bytes);
}

/// Bytes that a guest writes in the real sandbox, against the decoder alone.
pub fn stdio(bytes: &[u8]) {
    said::check(bytes);
}

/// What was heard and how it ended. `piece` says how many of the bytes that are left come next.
fn decode(
    mut bytes: &[u8],
    mut piece: impl FnMut(usize) -> usize,
) -> (Vec<Message>, Result<(), DecodeError>) {
    let (mut decoder, mut heard) = (Decoder::default(), Vec::new());
    let mut ended = Ok(());
    while !bytes.is_empty() && ended.is_ok() {
        let (now, later) = bytes.split_at(piece(bytes.len()));
        ended = decoder.push(now, |message| heard.push(message));
        bytes = later;
    }
    let ended = ended.and_then(|()| decoder.finish());
    assert!(ended.is_ok() || decoder.finish().is_err(), "a broken stream was mended");
    (heard, ended)
}
