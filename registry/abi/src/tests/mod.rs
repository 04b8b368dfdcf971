//! The whole way over the boundary and back, within one image: the test
//! program is its own dylib. What only two images can show is tested with
//! real dylibs, in `tests/`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod crossing;
mod layouts;
mod minor_versions;
mod playing_host;
mod plugins;
mod providers;
