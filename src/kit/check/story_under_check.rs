//! The ordinary requests of a check as one story: each finds the state that those before it have left.

use std::io;

use super::{ordinary::OrdinaryCall, state_ground::StateGround};
use crate::{PackageHarness, harness::HarnessStory};
use narratoria_protocol::{Object, Request, merge};

/// A story that goes on from one ordinary request to the next.
pub(super) struct StoryUnderCheck<'c> {
    harness: &'c PackageHarness,
    script_idx: usize,
    ground: &'c StateGround<'c>,
    story: HarnessStory,
    /// Requests until now, and in all.
    sent: usize,
    total: usize,
}

impl<'c> StoryUnderCheck<'c> {
    pub(super) fn begin(
        harness: &'c PackageHarness,
        script_idx: usize,
        ground: &'c StateGround<'c>,
        total: usize,
    ) -> io::Result<StoryUnderCheck<'c>> {
        let story = ground.begin_story(harness, script_idx)?;
        Ok(StoryUnderCheck { harness, script_idx, ground, story, sent: 0, total })
    }

    /// The next request. It finds in the state what the script has written there.
    pub(super) fn next(&mut self, ordinary: OrdinaryCall) -> (&mut HarnessStory, Vec<u8>) {
        let OrdinaryCall { mut call, is_in_story_state, .. } = ordinary;
        if is_in_story_state {
            let around = self.ground.state_at(self.sent, self.total);
            call.state = self.with_written(self.ground.around(around, call.state));
        }
        self.sent += 1;
        let request: Request = self.harness.request(self.script_idx, call);
        (&mut self.story, request.to_line())
    }

    /// A part that the script has written holds that and nothing else, unless other skills share it.
    fn with_written(&self, mut state: Object) -> Object {
        let mut written = Object::new();
        for (member, value) in &self.story.written {
            if self.ground.is_own(member) || !self.ground.is_built_in(member) {
                written.insert(member.clone(), value.clone());
            }
            if !self.ground.is_built_in(member) {
                state.shift_remove(member);
            }
        }
        merge(&mut state, &written);
        state
    }
}
