//! Builds the pieces of a passage while it is read from its beginning to its end: text, links, and arms of conditions.

use crate::{
    CardProblem, LOGIC_NESTING_MAX, PassageLink, StorySetting, StorySource, StoryTest, StoryValue,
    TestOperator,
    variants::{StoryArm, StoryPiece, visit_pieces},
};

/// Pieces that are being built.
#[derive(Default)]
pub(crate) struct PieceBuilder {
    pieces: Vec<StoryPiece>,
    frames: Vec<PieceFrame>,
    /// Frames below these belong to what stands around.
    base: usize,
    is_too_deep: bool,
}

/// Something that has begun and not ended.
struct PieceFrame {
    kind: FrameKind,
    /// The pieces before it.
    outer: Vec<StoryPiece>,
}

enum FrameKind {
    /// A condition, with the arms that have ended, and the condition of the present one.
    Branch { arms: Vec<StoryArm>, test: StoryTest, subject: Option<StorySource> },
    /// What happens when a link is taken.
    Link(PassageLink),
    /// Its text is not told.
    Silent,
}

impl PieceBuilder {
    pub(crate) fn text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(StoryPiece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(StoryPiece::Text(text.to_owned())),
        }
    }

    pub(crate) fn push(&mut self, piece: StoryPiece) {
        self.pieces.push(piece);
    }

    pub(crate) fn set(&mut self, settings: Vec<StorySetting>) {
        self.pieces.extend(settings.into_iter().map(StoryPiece::Set));
    }

    /// Returns true if conditions nest too deep.
    pub(crate) fn is_too_deep(&self) -> bool {
        self.is_too_deep
    }

    /// Conditions of another kind nest too deep.
    pub(crate) fn refuse_depth(&mut self) {
        self.is_too_deep = true;
    }

    fn begin(&mut self, kind: FrameKind) {
        if self.frames.len() >= LOGIC_NESTING_MAX {
            self.is_too_deep = true;
            return;
        }
        let outer = std::mem::take(&mut self.pieces);
        self.frames.push(PieceFrame { kind, outer });
    }

    /// What follows is told if the condition holds.
    pub(crate) fn begin_branch(&mut self, test: StoryTest) {
        self.begin(FrameKind::Branch { arms: Vec::new(), test, subject: None });
    }

    /// Each arm that follows has a value of this variable.
    pub(crate) fn begin_switch(&mut self, subject: StorySource) {
        let test = StoryTest::Known(false);
        self.begin(FrameKind::Branch { arms: Vec::new(), test, subject: Some(subject) });
    }

    pub(crate) fn begin_link(&mut self, link: PassageLink) {
        self.begin(FrameKind::Link(link));
    }

    pub(crate) fn begin_silence(&mut self) {
        self.begin(FrameKind::Silent);
    }

    /// What follows is told if no arm before holds, and this condition does. Returns false if no condition has begun.
    pub(crate) fn next_arm(&mut self, next: StoryTest) -> bool {
        let frame = self.frames.get_mut(self.base..).and_then(<[PieceFrame]>::last_mut);
        let Some(PieceFrame { kind: FrameKind::Branch { arms, test, .. }, .. }) = frame else {
            return false;
        };
        let pieces = std::mem::take(&mut self.pieces);
        arms.push(StoryArm { test: std::mem::replace(test, next), pieces });
        true
    }

    /// The same for values of the variable that the arms are about.
    pub(crate) fn next_case(&mut self, values: &[StoryValue]) -> bool {
        let frame = self.frames.get(self.base..).and_then(<[PieceFrame]>::last);
        let Some(PieceFrame { kind: FrameKind::Branch { subject: Some(subject), .. }, .. }) = frame
        else {
            return false;
        };
        let equals = |value: &StoryValue| {
            StoryTest::Compare(subject.clone(), TestOperator::Equal, value.clone())
        };
        let test = StoryTest::any(values.iter().map(equals));
        self.next_arm(test)
    }

    /// Ends the innermost condition, link or silence, if it is one of the kind.
    pub(crate) fn end_branch(&mut self) -> bool {
        let is_it = matches!(self.top(), Some(FrameKind::Branch { .. }));
        is_it && self.end()
    }

    pub(crate) fn end_link(&mut self) -> bool {
        let is_it = matches!(self.top(), Some(FrameKind::Link(_)));
        is_it && self.end()
    }

    pub(crate) fn end_silence(&mut self) -> bool {
        let is_it = matches!(self.top(), Some(FrameKind::Silent));
        is_it && self.end()
    }

    fn top(&self) -> Option<&FrameKind> {
        self.frames.get(self.base..)?.last().map(|frame| &frame.kind)
    }

    fn end(&mut self) -> bool {
        let Some(PieceFrame { kind, outer }) = self.frames.pop() else { return false };
        let inner = std::mem::replace(&mut self.pieces, outer);
        match kind {
            FrameKind::Branch { mut arms, test, .. } => {
                arms.push(StoryArm { test, pieces: inner });
                self.pieces.push(StoryPiece::Branch(arms));
            }
            FrameKind::Link(link) => {
                if let Some(link) = with_deeds(link, &inner) {
                    self.pieces.push(StoryPiece::Link(link));
                }
            }
            FrameKind::Silent => {
                let is_text = |piece: &StoryPiece| matches!(piece, StoryPiece::Text(_));
                let sets =
                    |piece: &StoryPiece| !is_text(piece) && is_empty(std::slice::from_ref(piece));
                self.pieces.extend(inner.into_iter().filter(sets));
            }
        }
        true
    }

    /// Another arm of the condition that ended last. Returns the pieces if there is none.
    pub(crate) fn add_arm(&mut self, arm: StoryArm) -> Result<(), Vec<StoryPiece>> {
        let is_blank =
            |piece: &StoryPiece| matches!(piece, StoryPiece::Text(text) if text.trim().is_empty());
        let has_blank = self.pieces.last().is_some_and(is_blank);
        let at = self.pieces.len().checked_sub(1 + usize::from(has_blank));
        match at.and_then(|at| self.pieces.get_mut(at)) {
            Some(StoryPiece::Branch(arms)) => {
                arms.push(arm);
                self.pieces.truncate(at.unwrap_or_default() + 1);
                Ok(())
            }
            _ => Err(arm.pieces),
        }
    }

    pub(crate) fn extend(&mut self, pieces: Vec<StoryPiece>) {
        for piece in pieces {
            match piece {
                StoryPiece::Text(text) => self.text(&text),
                piece => self.pieces.push(piece),
            }
        }
    }

    /// Begins pieces of their own: what is begun in them ends in them.
    pub(crate) fn begin_hook(&mut self) -> (Vec<StoryPiece>, usize) {
        let before = (std::mem::take(&mut self.pieces), self.base);
        self.base = self.frames.len();
        before
    }

    /// Returns these pieces.
    pub(crate) fn end_hook(&mut self, (pieces, base): (Vec<StoryPiece>, usize)) -> Vec<StoryPiece> {
        while self.frames.len() > self.base && self.end() {}
        self.base = base;
        std::mem::replace(&mut self.pieces, pieces)
    }

    /// All pieces. What has not ended ends here.
    pub(crate) fn finish(mut self) -> Result<Vec<StoryPiece>, CardProblem> {
        if self.is_too_deep {
            let (count, limit) = (LOGIC_NESTING_MAX + 1, LOGIC_NESTING_MAX);
            return Err(CardProblem::TooMany { count, what: "levels of conditions", limit });
        }
        self.base = 0;
        while self.end() {}
        Ok(self.pieces)
    }
}

/// A link with what happens when it is taken: changes, and the passage that a jump names. `None` if it leads nowhere.
pub(crate) fn with_deeds(mut link: PassageLink, deeds: &[StoryPiece]) -> Option<PassageLink> {
    for deed in deeds {
        match deed {
            StoryPiece::Set(setting) => link.settings.push(setting.clone()),
            StoryPiece::Divert(Some(target)) if link.target.is_empty() => {
                link.target.clone_from(target);
            }
            _ => {}
        }
    }
    (!link.target.is_empty()).then_some(link)
}

/// Returns true if the pieces tell nothing and lead nowhere.
fn is_empty(pieces: &[StoryPiece]) -> bool {
    let mut is_empty = true;
    visit_pieces(pieces, &mut |piece| match piece {
        StoryPiece::Text(text) if text.trim().is_empty() => {}
        StoryPiece::Set(_) | StoryPiece::Branch(_) => {}
        _ => is_empty = false,
    });
    is_empty
}
