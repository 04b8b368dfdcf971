//! Pipelines with a chat model behind a scripted server: what it is asked, and
//! what is left when it fails.

mod failing;
mod live;
mod other_providers;
mod pipelines_as_tools;
mod replayed;
mod scene;
