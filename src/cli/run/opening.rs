//! The scene that a new story opens with. Pure.

/// Each is evening, quiet and open, so that whatever the player does next fits. Each names a few things to look at and
/// a way on, because a player who sees nothing has nothing to do.
const SCENES: [&str; 8] = [
    "The last cart of the day has gone, and with it the only company you had. A milestone leans at the \
     crossroads, its letters worn to nothing. To the north a lamp burns behind the shutters of an old inn; to the \
     east the road goes down between black pines. Somebody has dropped a leather satchel in the grass.",
    "The tide has left the causeway bare, and you are halfway across before you see that you are not the first. A \
     line of footprints goes ahead of you in the wet sand. In front stands the lighthouse, dark for the first time \
     that anyone remembers, its iron door ajar. Behind you the harbour is lighting its windows, one by one.",
    "The letter said to come alone and to come at dusk, so here you are: a walled garden gone wild, a dry fountain, \
     a stone bench. On the bench lies a small brass key with a ribbon on it. At the far end, under ivy, there is a \
     door that does not look as if it had been opened in years.",
    "You wake with your cheek on a wooden table and the fire nearly out. The inn is empty. Cups stand half full, a \
     chair lies on its side, and the front door moves a little in the draught. On the stairs, where there was no \
     one a moment ago, a board creaks.",
    "Snow has begun to fill your tracks by the time you reach the mountain hut. There is wood stacked under the \
     eaves and no smoke from the chimney. The door is barred from the inside. On the sill of the one window stands \
     a candle, and it is burning.",
    "The ferryman takes your coin, looks at it for longer than he should, and pushes off without you. You are on \
     the wrong bank, then, with the evening coming. A path leads up to a mill whose wheel turns although nobody \
     has worked here for years. In the reeds a small boat knocks against its post.",
    "The library closes at six, and it is long past six. You sat too long over the map, and nobody thought to look \
     behind the last shelf. Now the lamps are out but for yours. The great doors are locked, the map is still \
     warm under your hand, and somewhere between the stacks a page is turned.",
    "The caravan has made its camp inside the ruined gate, and you have drawn the first watch. The desert is blue \
     and perfectly still. Beyond the fire the old city begins: a broken arch, a flight of steps going down, and a \
     row of statues. There were seven of them when the sun set. Now there are eight.",
];

/// The opening scene of the story with this seed.
pub(super) fn opening_scene(seed: u64) -> &'static str {
    let idx = seed % SCENES.len() as u64;
    SCENES[usize::try_from(idx).unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{SCENES, opening_scene};

    #[test]
    fn a_seed_has_its_scene_and_every_scene_has_seeds() {
        assert_eq!(opening_scene(7), opening_scene(7));
        let scenes: BTreeSet<&str> = (0..100).chain([u64::MAX]).map(opening_scene).collect();
        assert_eq!(scenes.len(), SCENES.len());
    }

    #[test]
    fn a_scene_is_whole_sentences_on_one_line() {
        for scene in SCENES {
            assert!(
                scene.ends_with('.') && !scene.contains("  ") && !scene.contains('\n'),
                "{scene}"
            );
            assert!((3..=6).contains(&scene.matches(['.', '?']).count()), "{scene}");
        }
    }
}
