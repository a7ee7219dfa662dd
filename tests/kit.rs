//! `skill check` and `skill test`, through the real binary: what is built in passes, and every package of
//! `tests/kit/spoilt` is refused with exactly the text beside it.

mod action;
mod agent_skills;
mod budget;
mod condition_costs;
mod examples;
mod formats;
mod gate;
mod host;
mod junit_schema;
mod parts;
mod recipe;
mod recognised;
mod spoilt;
mod walks;
