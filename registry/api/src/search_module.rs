//! Search modules: a question in, ranked hits out.

use std::future::Future;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::lifecycle::{behind_pointer, dyn_lifecycle, of_every_kind};
use crate::setters::setters;
use crate::{Context, Error, Filter, Hit, QueryPlan, QuerySyntax, Result, ResultFuture, Settings};

/// A search module, as its author writes it.
///
/// ```
/// use gannet_api::{
///     Context, Descriptor, Hit, NoSettings, Result, SearchModule, SearchRequest, Setup, TextSearch,
/// };
///
/// /// Finds entries that quote the question word for word.
/// struct Quote;
///
/// impl SearchModule for Quote {
///     const NAME: &'static str = "quote";
///
///     type Settings = NoSettings;
///
///     fn descriptor() -> Descriptor {
///         Descriptor::search_module(Self::NAME, "Quote", "Finds the question word for word.")
///     }
///
///     fn new(_settings: NoSettings, _setup: &Setup) -> Result<Self> {
///         Ok(Self)
///     }
///
///     async fn search(&self, request: SearchRequest, context: &Context) -> Result<Vec<Hit>> {
///         let phrase = format!("\"{}\"", request.query.replace('"', " "));
///         let mut search = TextSearch::new(phrase, request.limit);
///         search.filter = request.filter;
///         context.text_search(search).await
///     }
/// }
/// ```
pub trait SearchModule: Send + Sync + Sized + 'static {
    of_every_kind!();

    /// Finds at most `request.limit` entries, best first.
    fn search(
        &self,
        request: SearchRequest,
        context: &Context,
    ) -> impl Future<Output = Result<Vec<Hit>>> + Send;
}

/// [`SearchModule`] behind a pointer; implemented for every module.
pub trait DynSearchModule: Send + Sync {
    dyn_lifecycle!();

    /// See [`SearchModule::search`].
    fn search<'a>(
        &'a self,
        request: SearchRequest,
        context: &'a Context,
    ) -> ResultFuture<'a, Vec<Hit>>;
}

behind_pointer!(SearchModule as DynSearchModule {
    search(request: SearchRequest) -> Vec<Hit>;
});

/// What a search module is asked.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SearchRequest {
    /// The question, as it was typed. May be blank when there is a filter.
    pub query: String,
    /// How the question is to be read by modules that have a query language.
    pub syntax: QuerySyntax,
    /// How many hits at most, at least 1.
    pub limit: usize,
    /// What an entry must be to be found at all.
    pub filter: Filter,
    /// Values of the module's parameters that this call sets.
    pub params: Map<String, Value>,
    /// What the host read in the question. The host fills it in when it is
    /// missing or its text is not the query. A host that is older than the
    /// plan leaves it out.
    pub plan: Option<Arc<QueryPlan>>,
}

impl SearchRequest {
    /// A request without filter and parameters.
    pub fn new(query: impl Into<String>, limit: usize) -> Self {
        Self {
            query: query.into(),
            syntax: QuerySyntax::Operators,
            limit,
            filter: Filter::none(),
            params: Map::new(),
            plan: None,
        }
    }

    /// These settings of a module with what this call sets in their place.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] when a parameter is of another type or out of
    /// its bounds.
    pub fn settings<S: Settings>(&self, settings: &S) -> Result<S> {
        settings.for_call(&self.params)
    }

    /// One parameter of this call, where it is set.
    ///
    /// # Errors
    /// [`Error::InvalidInput`] when it is set to something of another type.
    pub fn param<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        param(&self.params, name)
    }
}

setters!(SearchRequest {
    with_syntax(syntax: QuerySyntax),
    with_filter(filter: Filter),
    with_params(params: Map<String, Value>),
    with_plan(plan: impl Into<Option<Arc<QueryPlan>>>),
});

/// One parameter of a call, where it is set and not null.
///
/// # Errors
/// [`Error::InvalidInput`] when it is set to something of another type.
pub fn param<T: DeserializeOwned>(params: &Map<String, Value>, name: &str) -> Result<Option<T>> {
    match params.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => T::deserialize(value)
            .map(Some)
            .map_err(|error| Error::invalid_input(format!("parameter `{name}`: {error}"))),
    }
}
