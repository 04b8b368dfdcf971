//! Retrieve: what each search module is asked.

use gannet_plugin::descriptor::PluginKind;
use gannet_plugin::prelude::{Result, SearchRequest};
use gannet_stages::{RetrievalPlan, Retrieved, retrieve};
use serde_json::json;

use crate::method::Choice;
use crate::run::Run;
use crate::search_text::SearchText;

impl Run<'_> {
    /// Asks the modules of the method, all at once.
    pub(crate) async fn retrieve(&self, search: &SearchText, choice: &Choice) -> Result<Retrieved> {
        let modules = choice.modules.iter();
        let depth = self.depth(choice);
        let plan = RetrievalPlan {
            pipeline: self.name(),
            requests: modules
                .map(|module| (module.clone(), self.search_request(module, search, depth)))
                .collect(),
            on_error: self.settings.on_error,
        };
        retrieve(plan, self.context).await
    }

    /// How many hits each module is asked for. Where one module alone is
    /// asked, nothing reranks and the size of the result is configured, more
    /// would only be dropped.
    fn depth(&self, choice: &Choice) -> usize {
        let settings = &self.settings;
        let is_final = settings.most_results().is_some() && settings.rerank.is_none();
        match choice.modules.len() {
            1 if is_final => self.most_results() + settings.pinned.len(),
            _ => settings.candidates.max(self.request.limit),
        }
    }

    pub(crate) fn search_request(
        &self,
        module: &str,
        search: &SearchText,
        limit: usize,
    ) -> SearchRequest {
        let mut request = SearchRequest::new(&search.text, limit);
        request.syntax = search.syntax;
        request.filter = self.filter.clone();
        if self.takes_threshold(module) {
            let threshold = json!(self.settings.similarity_threshold);
            request
                .params
                .insert("similarity_threshold".to_owned(), threshold);
        }
        request
    }

    /// Whether a module says that a caller can set its threshold.
    fn takes_threshold(&self, module: &str) -> bool {
        self.context.descriptors().iter().any(|descriptor| {
            descriptor.kind == PluginKind::SearchModule
                && descriptor.name == module
                && descriptor.parameter("similarity_threshold").is_some()
        })
    }
}
