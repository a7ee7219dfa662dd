//! A plan as long as plans may be: the memory of the process while it runs and while its result is written.

use serde_json::{Value, json};

use crate::player_machine::PlayerMachine;
use crate::strangers::{rules::RESIDENT_BYTES_MAX, watched};

#[test]
fn a_plan_of_a_hundred_loops_of_256_items_leaves_the_process_small() {
    let machine = PlayerMachine::new();
    let items: Vec<usize> = (0..256).collect();
    let step = |n: usize| {
        json!({"toolId": format!("roll-{n}"), "toolPath": "dice-roller/roll-dice", "async": true,
            "input": {"formula": "1d20"}, "forEach": items, "maxItems": 256, "required": false})
    };
    let tools: Vec<Value> = (0..100).map(step).collect();
    let plan = json!({"requestId": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "tools": tools,
        "parallel": true});
    machine.write("long.json", plan.to_string());
    for format in ["plain", "json"] {
        let args = ["plan", "run", "long.json", "--yes", "--format", format];
        let ran = watched::run(machine.command(&args), "");
        assert_eq!(ran.exit, Some(0), "{}", ran.stderr);
        let peak = ran.peak_bytes;
        assert!(peak < RESIDENT_BYTES_MAX, "{} MiB with the format {format}", peak >> 20);
    }
}
