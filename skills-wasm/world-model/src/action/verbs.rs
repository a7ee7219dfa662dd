//! What the player can do. The build script of `understanding` reads this file too, by a macro of its own.

/// Hands the actions to a macro, each with its words.
macro_rules! each_verb {
    ($with:ident) => {
        $with! {
            /// Looks around.
            #[default]
            Look = "look around",
            /// Looks at something.
            Examine = "examine",
            /// Looks into, under and behind something.
            Search = "search",
            /// Goes in a direction or to a place.
            Go = "go",
            /// Takes something.
            Take = "take",
            /// Puts something down.
            Drop = "drop",
            /// Puts the target into `with`.
            PutIn = "put",
            /// Puts the target on `with`.
            PutOn = "put",
            /// Opens something.
            Open = "open",
            /// Closes something.
            Close = "close",
            /// Locks something, with `with`.
            Lock = "lock",
            /// Unlocks something, with `with`.
            Unlock = "unlock",
            /// Uses something, on `with`.
            Use = "use",
            /// Gives the target to `with`.
            Give = "give",
            /// Shows the target to `with`.
            Show = "show",
            /// Talks to somebody.
            Talk = "talk to",
            /// Asks the target about `topic`.
            Ask = "ask",
            /// Tells the target about `topic`.
            Tell = "tell",
            /// Asks the target for `with`.
            Request = "ask",
            /// Says `text` aloud, to the target where there is one.
            Say = "say",
            /// Reads something.
            Read = "read",
            /// Puts on something.
            Wear = "wear",
            /// Takes off something.
            TakeOff = "take off",
            /// Eats something.
            Eat = "eat",
            /// Drinks something.
            Drink = "drink",
            /// Lights something.
            Light = "light",
            /// Puts out a light.
            Extinguish = "put out",
            /// Attacks the target, with `with`. Needs a check.
            Attack = "attack",
            /// Pushes something.
            Push = "push",
            /// Pulls something.
            Pull = "pull",
            /// Turns something.
            Turn = "turn",
            /// Waits; `text` says how long.
            Wait = "wait",
            /// Sleeps.
            Sleep = "sleep",
            /// Asks what the player carries and wears.
            Inventory = "list what you carry",
            /// Asks who the player is.
            WhoAmI = "ask yourself who you are",
            /// Asks where the player is.
            WhereAmI = "ask yourself where you are",
            /// Asks for the time.
            Time = "ask yourself the time",
            /// Asks who is here.
            WhoIsHere = "see who is here",
            /// Asks for the ways out.
            Exits = "see the ways out",
            /// Asks where something is.
            Find = "find",
            /// Does something that changes nothing: `text` is the verb, such as `touch`.
            Gesture = "do",
            /// Takes the target from `with` unseen. Needs a check.
            Steal = "steal",
            /// Opens the lock of the target without its key. Needs a check.
            PickLock = "pick the lock of",
            /// Forces the target open. Needs a check.
            Force = "force",
            /// Persuades the target to give `with`, to speak about `topic`, or to give way; `text` names the skill. Needs a check.
            Persuade = "persuade",
            /// Gets past the target unseen, or hides. Needs a check.
            Sneak = "sneak",
            /// Tries what `text` says. Needs a check.
            Attempt = "attempt",
            /// Does what a verb of the campaign's author names: `text` is its name.
            Own = "do",
        }
    };
}
pub(crate) use each_verb;
