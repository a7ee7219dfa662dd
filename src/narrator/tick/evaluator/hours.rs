//! What a scene says about the time of day and the weather, against its moment.

use super::finding::{SceneFault, SceneFaultKind, fault, without_quotations};
use crate::tick::moment::{SceneMoment, Signs, time_names, weather_names};

/// The time and the weather as the scene goes on.
pub(super) struct SceneHours {
    times: Option<u8>,
    weathers: Option<u8>,
}

impl SceneHours {
    pub(super) fn new(moment: SceneMoment) -> SceneHours {
        SceneHours { times: moment.time_bit(), weathers: moment.weather_bit() }
    }

    /// What the sentence contradicts. Where it says that time goes on, the scene goes on from there.
    pub(super) fn check(&mut self, sentence: &str) -> Vec<SceneFault> {
        let signs = Signs::of(&without_quotations(sentence));
        if signs.is_elsewhen {
            return Vec::new();
        }
        let mut faults = Vec::new();
        if let Some(says) = contradiction(signs.times, &mut self.times, signs.passes) {
            let what =
                format!("it is {}, and the scene says {}", time_names(says.0), time_names(says.1));
            faults.push(fault(SceneFaultKind::Time, what));
        }
        if let Some(says) = contradiction(signs.weathers, &mut self.weathers, signs.passes) {
            let (is, says) = (weather_names(says.0), weather_names(says.1));
            faults.push(fault(
                SceneFaultKind::Weather,
                format!("the weather is {is}, and the scene says {says}"),
            ));
        }
        faults
    }
}

/// What is known and what the sentence says, if the two have nothing in common.
fn contradiction(says: Option<u8>, known: &mut Option<u8>, passes: bool) -> Option<(u8, u8)> {
    let says = says?;
    let is = (*known)?;
    if passes {
        // "The rain stopped, and there was a moon": what holds from then on is not clear.
        *known = (says != 0).then_some(says);
        return None;
    }
    (says != 0 && is & says == 0).then_some((is, says))
}
