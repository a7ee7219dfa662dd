//! The front end for programs: one update in each line, nothing else.

use narratoria_engine::{Update, UpdateLine};

use super::{Out, visible_json};

/// The update stream on stdout (`contracts/update.schema.json`).
pub struct JsonScreen {
    out: Out,
}

impl JsonScreen {
    pub fn new(out: Out) -> JsonScreen {
        JsonScreen { out }
    }

    pub(super) fn show(&mut self, update: &Update) {
        let line =
            serde_json::to_string(&UpdateLine::new(update)).expect("updates hold only JSON values");
        // Stdout may be a terminal.
        self.out.write_as_is(&format!("{}\n", visible_json(&line)));
    }

    pub(super) fn out(&self) -> &Out {
        &self.out
    }
}

#[cfg(test)]
mod tests {
    use narratoria_engine::Update;

    use super::JsonScreen;
    use crate::{Out, output::CapturedOutput};

    #[test]
    fn control_characters_are_escaped() {
        let captured = CapturedOutput::default();
        let mut screen = JsonScreen::new(Out::new(captured.clone(), true));
        let text = "\u{1b}[2J\u{7f}\u{9b}31m\u{202e}é".to_owned();
        screen.show(&Update::NarrationDelta { turn: 1, text });
        insta::assert_snapshot!(captured.text(), @r#"{"v":1,"type":"narration.delta","turn":1,"text":"\u001b[2J\u007f\u009b31m\u202eé"}"#);
    }

    #[test]
    fn an_update_is_one_line_with_its_version_first() {
        let captured = CapturedOutput::default();
        let mut screen = JsonScreen::new(Out::new(captured.clone(), true));
        screen.show(&Update::NarrationDelta { turn: 1, text: "a\nb".to_owned() });
        insta::assert_snapshot!(captured.text(), @r#"{"v":1,"type":"narration.delta","turn":1,"text":"a\nb"}"#);
    }
}
