//! Plays the peer in `make bench`: extism with a fresh plugin for each call, doing the job of the guest `echo`.
//!
//! `narratoria-peers PLUGIN.wasm` reads lines from stdin. `request N` is followed by N bytes, what every call is
//! given; `calls N` makes N calls and is answered by a line with the nanoseconds that they took together. So the
//! bench can measure both sides in turn, in one run.

use std::{
    error::Error,
    io::{BufRead, Read, Write},
    time::Instant,
};

use extism::{CompiledPlugin, Manifest, Plugin, PluginBuilder, Wasm};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("which plugin?")?;
    // Its own kernel and nothing else: no WASI, no limits, no network.
    let manifest = Manifest::new([Wasm::data(std::fs::read(path)?)]).disallow_all_hosts();
    let compiled = CompiledPlugin::new(PluginBuilder::new(manifest).with_wasi(false))?;
    let (mut from, mut to) = (std::io::stdin().lock(), std::io::stdout().lock());
    let (mut request, mut line) = (Vec::new(), String::new());
    while from.read_line(&mut line)? > 0 {
        let (order, number) = line.trim().split_once(' ').ok_or("an order has a number")?;
        let number: usize = number.parse()?;
        if order == "request" {
            request = vec![0; number];
            from.read_exact(&mut request)?;
        } else {
            let started = Instant::now();
            for _ in 0..number {
                let mut plugin = Plugin::new_from_compiled(&compiled)?;
                let said: &[u8] = plugin.call("run", request.as_slice())?;
                if !said.ends_with(b"}\n") {
                    return Err("the plugin said nothing".into());
                }
            }
            writeln!(to, "{}", started.elapsed().as_nanos())?;
            to.flush()?;
        }
        line.clear();
    }
    Ok(())
}
