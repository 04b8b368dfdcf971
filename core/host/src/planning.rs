//! Query plans for the calls of a request: each text is planned once.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use gannet_api::{
    Call, Error, Filter, PipelineRequest, PlanRequest, QueryPlan, QuerySyntax, Result,
    SearchRequest,
};

use crate::isolate::within;
use crate::known_values::read_months;
use crate::plan::{Lexicon, add_misspelt, add_set, cut, may_assume_a_year, misspelt_in, plan};
use crate::replies::RequestState;
use crate::services::Services;

/// A question that is planned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question<'q> {
    /// Its text.
    pub(crate) text: &'q str,
    /// How it is read.
    pub(crate) syntax: QuerySyntax,
    /// The filter of its search.
    pub(crate) filter: &'q Filter,
}

/// A question as the key of its plan.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QuestionKey {
    text: String,
    syntax: QuerySyntax,
    filter: Filter,
}

impl Services {
    /// The plan of a question. Values that cannot be read in time are a note of
    /// the plan: the question can be searched without them.
    pub(crate) async fn query_plan(
        &self,
        call: &Call,
        question: Question<'_>,
        state: &RequestState,
    ) -> Arc<QueryPlan> {
        let settings = self.plan_settings();
        let Question { syntax, filter, .. } = question;
        let text = cut(question.text, settings.max_chars);
        let key = QuestionKey {
            text: text.to_owned(),
            syntax,
            filter: filter.clone(),
        };
        if let Some(plan) = state.plan(&key) {
            return plan;
        }
        let (lexicon, failure) = match self.lexicon(call).await {
            Ok(lexicon) => (lexicon, None),
            Err(error) => (Arc::new(Lexicon::default()), Some(error)),
        };
        let mut planned = plan(text, syntax, filter, &settings, &lexicon);
        // Few questions name a month without its year, and reading which months
        // there are takes longer than planning.
        if failure.is_none() && may_assume_a_year(&planned) {
            match self.read_months(call, &lexicon).await {
                Ok(()) => planned = plan(text, syntax, filter, &settings, &lexicon),
                Err(error) => planned.notes.push(format!(
                    "a year is assumed without the months of the store, which could not be \
                     read: {error}"
                )),
            }
        }
        let has_guess = self.read_misspelt(call, &mut planned, &lexicon).await;
        if let Some(error) = failure {
            planned.notes.push(format!(
                "no author or field value is recognized: the values of the store could not be \
                 read: {error}"
            ));
        }
        planned
            .notes
            .extend(self.vocabulary().notes(&planned.query, text));
        state.ignored().take_from(&mut planned);
        add_set(&mut planned, &lexicon, has_guess, state.ignored());
        let planned = Arc::new(planned);
        state.keep_plan(key, planned.clone());
        planned
    }

    async fn lexicon(&self, call: &Call) -> Result<Arc<Lexicon>> {
        let read = async {
            let values = self.known_values();
            Ok(values.lexicon(self.store(), &call.tenant).await?)
        };
        within("reading known values", call.deadline, read).await
    }

    async fn read_months(&self, call: &Call, lexicon: &Lexicon) -> Result<()> {
        let read = async { Ok(read_months(self.store(), &call.tenant, lexicon).await?) };
        within("reading months with entries", call.deadline, read).await
    }

    /// Adds the values that words name which are in no entry and near to a
    /// value, and says whether there are some.
    async fn read_misspelt(&self, call: &Call, planned: &mut QueryPlan, lexicon: &Lexicon) -> bool {
        let misspelt = misspelt_in(planned, lexicon);
        if misspelt.is_empty() {
            return false;
        }
        let words: Vec<String> = misspelt.iter().map(|one| one.word.clone()).collect();
        let count = async { Ok(self.store().document_counts(&call.tenant, &words).await?) };
        match within("looking words up", call.deadline, count).await {
            Ok(counts) => {
                let unknown = misspelt.into_iter().zip(counts);
                let mut has_guess = false;
                for (one, _) in unknown.filter(|(_, entries)| *entries == 0) {
                    add_misspelt(planned, one);
                    has_guess = true;
                }
                has_guess
            }
            Err(error) => {
                planned.notes.push(format!(
                    "no misspelt name is recognized: words could not be looked up: {error}"
                ));
                false
            }
        }
    }

    /// Gives a module's request the plan of its question, unless it has it.
    pub(crate) async fn plan_search(
        &self,
        call: &Call,
        request: &mut SearchRequest,
        state: &RequestState,
    ) {
        if !self.is_planned(request.plan.as_deref(), &request.query) {
            let question = Question {
                text: &request.query,
                syntax: request.syntax,
                filter: &request.filter,
            };
            request.plan = Some(self.query_plan(call, question, state).await);
        }
    }

    /// Gives a pipeline's request the plan of its question, unless it has it.
    pub(crate) async fn plan_pipeline(
        &self,
        call: &Call,
        request: &mut PipelineRequest,
        state: &RequestState,
    ) {
        if !self.is_planned(request.plan.as_deref(), &request.query) {
            let question = Question {
                text: &request.query,
                syntax: QuerySyntax::Operators,
                filter: &request.filter,
            };
            request.plan = Some(self.query_plan(call, question, state).await);
        }
    }

    /// Whether a plan is that of a query.
    fn is_planned(&self, plan: Option<&QueryPlan>, query: &str) -> bool {
        let max_chars = self.plan_settings().max_chars;
        plan.is_some_and(|plan| plan.text == cut(query, max_chars))
    }

    /// Answers the host service [`PlanRequest::SERVICE`].
    ///
    /// # Errors
    /// [`Error::InvalidInput`] for a payload that is no [`PlanRequest`].
    pub(crate) async fn answer_plan_request(
        &self,
        call: &Call,
        payload: &[u8],
        state: &RequestState,
    ) -> Result<Vec<u8>> {
        let request: PlanRequest = serde_json::from_slice(payload)
            .map_err(|error| Error::invalid_input(format!("not a plan request: {error}")))?;
        let question = Question {
            text: &request.text,
            syntax: QuerySyntax::Operators,
            filter: &request.filter,
        };
        let plan = self.query_plan(call, question, state).await;
        serde_json::to_vec(&*plan).map_err(|error| Error::internal(format!("a plan: {error}")))
    }
}
