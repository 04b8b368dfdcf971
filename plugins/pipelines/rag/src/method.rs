//! Method: which of the pipeline's search modules a call asks.

use gannet_plugin::descriptor::{PluginKind, Retrieval};
use gannet_plugin::prelude::{Descriptor, Error, Result};
use gannet_stages::Retrieved;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which search modules are asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// All of them.
    #[default]
    Hybrid,
    /// Those that compare meanings: they need an embedder.
    Vector,
    /// Those that do without an embedder.
    Keyword,
}

impl Method {
    /// Its name in a call and in a result.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Vector => "vector",
            Self::Keyword => "keyword",
        }
    }
}

/// The modules that a call asks, by sort.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    asked: Method,
    dense: Vec<String>,
    lexical: Vec<String>,
    /// All that are asked, in the order of the configuration.
    pub(crate) modules: Vec<String>,
}

impl Choice {
    /// The modules of the pipeline that the method asks.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] when the pipeline has none of that sort.
    pub(crate) fn of(
        asked: Method,
        pipeline: &str,
        modules: &[String],
        descriptors: &[Descriptor],
    ) -> Result<Self> {
        let (mut dense, mut lexical): (Vec<String>, Vec<String>) = modules
            .iter()
            .cloned()
            .partition(|module| is_dense_module(module, descriptors));
        let chosen = match asked {
            Method::Hybrid => modules.to_vec(),
            Method::Vector => {
                lexical.clear();
                dense.clone()
            }
            Method::Keyword => {
                dense.clear();
                lexical.clone()
            }
        };
        if chosen.is_empty() && !modules.is_empty() {
            return Err(none_of_that_sort(asked, pipeline, modules));
        }
        Ok(Self {
            asked,
            dense,
            lexical,
            modules: chosen,
        })
    }

    /// Whether a module compares embeddings.
    pub(crate) fn is_dense(&self, module: &str) -> bool {
        self.dense.iter().any(|dense| dense == module)
    }

    /// The method that the answers amount to, with the reason where that is
    /// another one than was asked for.
    pub(crate) fn used(&self, retrieved: &Retrieved) -> (Method, Option<String>) {
        let answered = |modules: &[String]| {
            let mut lists = retrieved.lists.iter();
            lists.any(|list| modules.contains(&list.module))
        };
        let used = match (answered(&self.dense), answered(&self.lexical)) {
            (true, true) => Method::Hybrid,
            (true, false) => Method::Vector,
            (false, _) => Method::Keyword,
        };
        if used == self.asked {
            return (used, None);
        }
        let (missing, what) = match used {
            Method::Vector => (&self.lexical, "searches by keywords"),
            _ => (&self.dense, "compares meanings"),
        };
        let reason = match missing.is_empty() {
            true => format!("the pipeline has no module that {what}"),
            false => format!("no module that {what} answered: {}", missing.join(", ")),
        };
        (used, Some(reason))
    }
}

fn is_dense_module(module: &str, descriptors: &[Descriptor]) -> bool {
    descriptors.iter().any(|descriptor| {
        descriptor.kind == PluginKind::SearchModule
            && descriptor.name == module
            && descriptor.retrieval() == Retrieval::Dense
    })
}

fn none_of_that_sort(asked: Method, pipeline: &str, modules: &[String]) -> Error {
    let sort = match asked {
        Method::Vector => "compares meanings",
        _ => "searches by keywords",
    };
    Error::invalid_input(format!(
        "method `{}`: no search module of `{pipeline}` {sort}; it has {}, so ask for `hybrid`",
        asked.name(),
        modules.join(", "),
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gannet_stages::ModuleHits;

    use super::*;

    fn descriptors() -> Vec<Descriptor> {
        vec![
            Descriptor::search_module("keyword", "K", ""),
            Descriptor::search_module("semantic", "S", "").needs_embedder(),
        ]
    }

    fn choice(asked: Method, modules: &[&str]) -> Result<Choice> {
        let modules: Vec<String> = modules.iter().map(|name| (*name).to_owned()).collect();
        Choice::of(asked, "rag", &modules, &descriptors())
    }

    fn answers(modules: &[&str]) -> Retrieved {
        let lists = modules
            .iter()
            .map(|module| ModuleHits::new(*module, Vec::new()));
        Retrieved {
            asked: modules.len(),
            lists: lists.collect(),
            degraded: false,
        }
    }

    #[test]
    fn each_method_asks_the_modules_of_its_sort() {
        let of = |method| choice(method, &["keyword", "mine", "semantic"]).unwrap();
        assert_eq!(of(Method::Hybrid).modules, ["keyword", "mine", "semantic"]);
        assert_eq!(of(Method::Vector).modules, ["semantic"]);
        assert_eq!(of(Method::Keyword).modules, ["keyword", "mine"]);
    }

    #[test]
    fn a_sort_that_is_not_there_is_refused() {
        let refused = choice(Method::Vector, &["keyword"]).unwrap_err();
        assert!(matches!(refused, Error::InvalidInput { .. }));
        assert!(refused.to_string().contains("it has keyword"), "{refused}");
        assert!(choice(Method::Keyword, &["semantic"]).is_err());
        assert!(choice(Method::Hybrid, &["keyword"]).is_ok());
    }

    #[test]
    fn another_method_than_asked_for_has_its_reason() {
        let both = choice(Method::Hybrid, &["keyword", "semantic"]).unwrap();
        assert_eq!(
            both.used(&answers(&["keyword", "semantic"])),
            (Method::Hybrid, None)
        );
        let (used, reason) = both.used(&answers(&["keyword"]));
        assert_eq!(used, Method::Keyword);
        assert_eq!(
            reason.unwrap(),
            "no module that compares meanings answered: semantic"
        );
        let (used, reason) = both.used(&answers(&["semantic"]));
        assert_eq!(used, Method::Vector);
        assert!(reason.unwrap().contains("searches by keywords"));

        let one = choice(Method::Hybrid, &["keyword"]).unwrap();
        let (used, reason) = one.used(&answers(&["keyword"]));
        assert_eq!(used, Method::Keyword);
        assert_eq!(
            reason.unwrap(),
            "the pipeline has no module that compares meanings"
        );
        let vector = choice(Method::Vector, &["keyword", "semantic"]).unwrap();
        assert_eq!(vector.used(&answers(&["semantic"])), (Method::Vector, None));
    }
}
