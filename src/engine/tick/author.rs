//! What a tick leaves to play: the world of a story, and in a campaign the questions and the people of its author. A plan
//! that changes them fails, whoever has made it.

use narratoria_executor::Trace;
use narratoria_narrator::tick::{TickStory, TickWorld};
use narratoria_protocol::{
    Character, ENTITY_BYTES_MAX, ENTITY_OWNER, EntityId, EntityKind, JsonBounds, LoopStatus,
    OpenLoop, read_json_as,
};
use narratoria_story::{Story, StoryError};
use serde::de::DeserializeOwned;

/// The parts of the state that only play changes.
const OF_PLAY: [&str; 2] = ["world", "plot"];

/// Returns what a tick has done that it may not; `None` if it keeps to its story.
pub(super) fn overreach(
    story: &Story,
    view: &TickStory,
    trace: &Trace,
) -> Result<Option<String>, StoryError> {
    let Some(world) = &view.world else { return Ok(None) };
    let (before, state) = (story.state().as_object(), trace.state.as_object());
    if let Some(part) = OF_PLAY.iter().find(|part| before.get(**part) != state.get(**part)) {
        return Ok(Some(format!("a tick changes nothing of `/{part}`, which is left to play")));
    }
    if !world.has_author {
        return Ok(None);
    }
    for (_, write) in trace.writes().filter(|(owner, _)| *owner == ENTITY_OWNER) {
        let text = write.value.as_deref();
        if let Ok(id) = EntityId::parse_as(&write.key, EntityKind::Loop)
            && let Some(before) = story.entity::<OpenLoop>(id)?
            && before.is_of_campaign()
            && text.and_then(status_of).is_none_or(|status| status != before.status)
        {
            let what = format!(
                "`{}` is a question of the campaign, which only play answers",
                before.description
            );
            return Ok(Some(what));
        }
        if !world.allows_strangers
            && let Ok(id) = EntityId::parse_as(&write.key, EntityKind::Character)
            && let Some(name) = stranger(text, world)
            && story.entity::<Character>(id)?.is_none()
        {
            return Ok(Some(format!(
                "`{name}` is nobody of the campaign, and a tick brings no stranger into it"
            )));
        }
    }
    Ok(None)
}

fn status_of(text: &str) -> Option<LoopStatus> {
    read::<OpenLoop>(text).map(|one| one.status)
}

/// The name of a character whom the campaign does not have.
fn stranger(text: Option<&str>, world: &TickWorld) -> Option<String> {
    let name = read::<Character>(text?)?.name;
    let is_known = world.people.iter().any(|one| one.name.eq_ignore_ascii_case(&name));
    (!is_known).then_some(name)
}

fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    read_json_as(text.as_bytes(), JsonBounds::of_bytes(ENTITY_BYTES_MAX)).ok()
}
