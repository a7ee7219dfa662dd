//! The events of a story as a stream of a connection.

use std::{convert::Infallible, sync::Arc};

use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::Response,
};
use bytes::Bytes;
use futures_util::stream;
use serde_json::json;
use tokio::{
    sync::{OwnedSemaphorePermit, watch},
    time::{Duration, sleep},
};
use tokio_util::sync::CancellationToken;

use crate::{
    api_error::ApiError,
    login::Visitor,
    ring::{EventKind, encode, event_id},
    story_hub::StoryHub,
    story_play::{StoryPlay, WatchGuard},
};

/// The first words of a stream: a browser that loses it comes back after a second.
const GREETING: &str = "retry: 1000\n\n";

/// A comment, which a browser ignores and a connection that is no longer there does not.
const PING: &str = ": ping\n\n";

/// A place in the events of a story. It holds no event: whoever reads too slowly gets a snapshot.
pub(crate) struct EventStream {
    pub(crate) hub: Arc<StoryHub>,
    pub(crate) play: Arc<StoryPlay>,
    /// The number of the last event that the browser has; none if it has to get a snapshot first.
    pub(crate) position: Option<u64>,
    /// Who watches.
    pub(crate) visitor: Visitor,
    pub(crate) ping_time: Duration,
    /// Says that the server has ended.
    pub(crate) ended: CancellationToken,
    pub(crate) _watch: WatchGuard,
    pub(crate) _permit: OwnedSemaphorePermit,
}

impl EventStream {
    pub(crate) fn into_response(self) -> Response {
        let reader =
            EventReader { news: self.play.news(), stream: self, part: StreamPart::Greeting };
        let parts = stream::unfold(reader, async |mut reader| {
            let text = reader.next().await?;
            Some((Ok::<_, Infallible>(Bytes::from(text)), reader))
        });
        let mut response = Response::new(Body::from_stream(parts));
        let stream = HeaderValue::from_static("text/event-stream");
        response.headers_mut().insert(header::CONTENT_TYPE, stream);
        response
    }
}

struct EventReader {
    stream: EventStream,
    news: watch::Receiver<()>,
    part: StreamPart,
}

enum StreamPart {
    Greeting,
    Events,
    Over,
}

impl EventReader {
    async fn next(&mut self) -> Option<String> {
        match self.part {
            StreamPart::Greeting => {
                self.part = StreamPart::Events;
                Some(GREETING.to_owned())
            }
            StreamPart::Events => Some(self.events().await),
            StreamPart::Over => None,
        }
    }

    /// The next events, or a sign of life.
    async fn events(&mut self) -> String {
        loop {
            self.news.borrow_and_update();
            let has_ended = self.stream.ended.is_cancelled();
            if self.stream.visitor.life().is_over() {
                return self.last("the session of this browser has ended");
            }
            let stream = &mut self.stream;
            match stream.position.and_then(|number| stream.play.events_after(number)) {
                Some((text, at)) if !text.is_empty() => {
                    stream.position = Some(at);
                    return text;
                }
                Some(_) if has_ended => return self.last("the server has ended"),
                Some(_) => {}
                None => {
                    return match self.snapshot().await {
                        Ok(text) => text,
                        Err(error) => self.last(error.message()),
                    };
                }
            }
            tokio::select! {
                _ = self.news.changed() => {}
                () = self.stream.ended.cancelled() => {}
                () = self.stream.visitor.life().over() => {}
                () = sleep(self.stream.ping_time) => return PING.to_owned(),
            }
        }
    }

    async fn snapshot(&mut self) -> Result<String, ApiError> {
        let EventStream { hub, play, visitor, .. } = &self.stream;
        let is_first = self.stream.position.is_none();
        let notices =
            if is_first && visitor.is_player() { play.opening_notices() } else { Vec::new() };
        let (snapshot, number) = hub.snapshot(&play.story, visitor.is_player()).await?;
        self.stream.position = Some(number);
        let turns = snapshot["turns"].as_u64().unwrap_or_default();
        let id = event_id(self.stream.hub.run(), turns, number);
        let mut text = String::new();
        encode(&mut text, &id, EventKind::Snapshot, &snapshot.to_string());
        // The page that had the story open on another server reads why its last sentence is gone.
        for notice in notices {
            encode(&mut text, &id, EventKind::Notice, &notice);
        }
        Ok(text)
    }

    /// The event after which the stream ends.
    fn last(&mut self, why: &str) -> String {
        self.part = StreamPart::Over;
        let mut text = String::new();
        encode(&mut text, "", EventKind::Closed, &json!({ "why": why }).to_string());
        text
    }
}
