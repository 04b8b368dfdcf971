//! The plugins that are built in. A crate that is only named in `Cargo.toml`
//! is not linked, and its registrations would be missing.

use gannet_agent as _;
use gannet_generic_json as _;
use gannet_jsonl as _;
use gannet_keyword as _;
use gannet_minilm as _;
use gannet_model_servers as _;
use gannet_rag as _;
use gannet_semantic as _;
use gannet_text_embedding as _;
