//! Builds the workspace's wasm32-wasip2 programs from a build script.
