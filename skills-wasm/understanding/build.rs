//! Makes tables of the rows in `grammar` and `wordings`. A guest starts for every turn, so it finds them ready and parses nothing.

#[path = "src/forms/frame_form.rs"]
mod frame_form;
#[path = "build/frame_rows.rs"]
mod frame_rows;
#[path = "build/frames.rs"]
mod frames;
#[path = "src/forms/pattern_form.rs"]
#[expect(dead_code, reason = "frames need the tests of words alone")]
mod pattern_form;
#[path = "src/forms/row_form.rs"]
#[expect(dead_code, unreachable_pub, reason = "frames need not all that wordings do")]
mod row_form;
#[path = "build/wordings.rs"]
mod wordings;

use std::process::ExitCode;

use narratoria_text_tables::write;

// Rows name verbs and wants of `world-model`. The build script includes those two files, since cargo would compile the whole crate
// once more for it.
extern crate self as world_model;

#[path = "../world-model/src/action/verbs.rs"]
mod verbs;
mod action {
    pub(crate) use VerbName as Verb;

    macro_rules! names {
        ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
            #[derive(Clone, Copy, PartialEq, Eq)]
            pub(crate) enum VerbName { $($name,)* }

            impl VerbName {
                pub(crate) const NAMES: &'static [(&'static str, Verb)] =
                    &[$((stringify!($name), Verb::$name),)*];
            }

            impl std::fmt::Debug for VerbName {
                fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    write!(out, "Verb::{}", Verb::NAMES[*self as usize].0)
                }
            }
        };
    }
    crate::verbs::each_verb!(names);
}
mod entity {
    pub(crate) use std::primitive::usize as NamedId;
}
#[path = "../world-model/src/want/wanted.rs"]
#[expect(dead_code, unreachable_pub, reason = "rows have no numbers of entities")]
mod want;

fn main() -> ExitCode {
    narratoria_text_tables::run(|| {
        write("wordings.rs", &wordings::deeds()?)?;
        write("sentence_rows.rs", &wordings::sentence_rows()?)?;
        write("frames.rs", &frames::tables()?)?;
        write("questions.rs", &wordings::questions()?)
    })
}
