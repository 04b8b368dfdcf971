//! The plugins that are built into the `gannet` program.
//!
//! A crate that is only named in `Cargo.toml` is not linked, and its
//! registrations would be missing; a program that says `use gannet_builtin as
//! _;` has all of these. A new plugin of this repository has its folder, a line
//! in the workspace's list of members, and its lines here.
//!
//! ```
//! use gannet_builtin as _;
//! use gannet_plugin::setup::Registration;
//!
//! let names: Vec<String> = Registration::linked()
//!     .map(|registration| (registration.describe)().name)
//!     .collect();
//! assert!(names.contains(&"keyword".to_owned()));
//! assert!(names.contains(&"rag".to_owned()));
//! ```

use gannet_agent as _;
use gannet_als_logbook as _;
use gannet_attachment_text as _;
use gannet_command as _;
use gannet_csv as _;
use gannet_digest as _;
use gannet_elog as _;
use gannet_entities as _;
use gannet_files as _;
use gannet_generic_json as _;
use gannet_git as _;
use gannet_index_flat as _;
use gannet_index_qdrant as _;
use gannet_index_tantivy as _;
use gannet_jlab_logbook as _;
use gannet_jsonl as _;
use gannet_keyword as _;
use gannet_minilm as _;
use gannet_model_servers as _;
use gannet_olog as _;
use gannet_opensearch as _;
use gannet_ornl_logbook as _;
use gannet_qdrant as _;
use gannet_rag as _;
use gannet_reader as _;
use gannet_recurrence as _;
use gannet_remote as _;
use gannet_semantic as _;
use gannet_semantic_processor as _;
use gannet_text_embedding as _;
use gannet_thread as _;
use gannet_trend as _;
use gannet_unified as _;
