//! A server over real sockets, with a host that follows a script.

mod attacks;
mod client;
mod contract;
mod endings;
mod lines;
mod page_files;
mod passwords;
mod players;
mod programs;
mod readers;
mod route_walk;
mod scripted_host;
mod streams;
