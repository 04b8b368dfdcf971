//! What is searched for: the question, with what stands before it in the
//! conversation and with the title of what is pinned.

use std::sync::Arc;

use gannet_plugin::filter::Filter;
use gannet_plugin::plan::QueryPlan;
use gannet_plugin::prelude::{Context, Entry, PipelineRequest};
use gannet_plugin::query::named_entry;
use gannet_plugin::search::QuerySyntax;
use gannet_stages::{CHARS_BEFORE_THE_QUESTION, FollowUp, Unit, plan_of, subject_of, syntax_of};

/// The words of a search, and how they came about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SearchText {
    /// What the modules are asked.
    pub(crate) text: String,
    /// How they read it.
    pub(crate) syntax: QuerySyntax,
    /// What the answer is about, in words.
    pub(crate) subject: String,
    /// The earlier question that this one leans on.
    pub(crate) earlier: Option<String>,
    /// What was read in the subject; empty until it is [`planned`](Self::planned).
    pub(crate) plan: Arc<QueryPlan>,
}

impl SearchText {
    /// Reads a request. A question with explicit operators says what it wants
    /// and is searched as it is. One in plain words follows the question that
    /// it leans on, `earlier`; the title of the first pinned entry stands in front.
    pub(crate) fn of(
        request: &PipelineRequest,
        first_pinned: Option<&Entry>,
        earlier: Option<&str>,
    ) -> Self {
        let question = request.query.as_str();
        let syntax = syntax_of(question);
        // `id:SKY-0169` is about the entry, though a field is no word.
        let subject = match (named_entry(question), syntax) {
            (Some(id), QuerySyntax::Operators) => id.to_owned(),
            _ => subject_of(question, syntax),
        };
        if syntax == QuerySyntax::Operators {
            return Self {
                text: question.to_owned(),
                syntax,
                plan: Arc::default(),
                subject,
                earlier: None,
            };
        }
        let follow_up = earlier.map(|earlier| FollowUp::new(&subject, earlier));
        let (earlier, subject) = match follow_up {
            Some(FollowUp { earlier, subject }) => (Some(earlier), subject),
            None => (None, subject),
        };
        let title = first_pinned.and_then(Entry::title);
        // What is asked must not fall behind the end of a query.
        let title = title.map(|title| Unit::Chars.prefix(title, CHARS_BEFORE_THE_QUESTION));
        let parts = [title, earlier.as_deref(), Some(question)];
        let parts: Vec<&str> = parts.into_iter().flatten().collect();
        Self {
            text: parts.join(" "),
            syntax,
            plan: Arc::default(),
            subject,
            earlier,
        }
    }

    /// What is to be found, in words: of a query with operators, without its
    /// fields and what it excludes.
    pub(crate) fn wanted(&self) -> &str {
        match self.syntax {
            QuerySyntax::Operators => &self.subject,
            QuerySyntax::Plain => &self.text,
        }
    }

    /// This search with the host's plan of the subject: that of the request
    /// where it is the same text.
    pub(crate) async fn planned(
        mut self,
        request: &PipelineRequest,
        filter: &Filter,
        context: &Context,
    ) -> Self {
        let came = request.plan.as_ref();
        let came = came.filter(|plan| plan.text == self.subject);
        self.plan = plan_of(&self.subject, came, filter, context).await;
        self
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    fn titled(title: &str) -> Entry {
        let mut entry = Entry::new("1", "log", "2024-03-15T10:30:00Z".parse().unwrap(), "text");
        entry.metadata.insert("title".to_owned(), json!(title));
        entry
    }

    #[test]
    fn a_follow_up_is_searched_with_the_question_that_it_leans_on() {
        let request = PipelineRequest::new("What fixed it?", 10);
        let search = SearchText::of(&request, None, Some("What caused the RF cavity trip?"));
        assert_eq!(
            search.text,
            "What caused the RF cavity trip? What fixed it?"
        );
        assert_eq!(search.syntax, QuerySyntax::Plain);
        assert_eq!(search.subject, "What fixed it? rf cavity trip");
    }

    #[test]
    fn the_title_of_what_is_pinned_stands_in_front() {
        let request = PipelineRequest::new("What partial results?", 5);
        let search = SearchText::of(&request, Some(&titled("Small AND primes")), None);
        assert_eq!(search.text, "Small AND primes What partial results?");
        assert_eq!(search.syntax, QuerySyntax::Plain);
        assert_eq!(search.subject, "What partial results?");
    }

    #[test]
    fn explicit_operators_are_searched_as_they_are() {
        let request = PipelineRequest::new("trip NOT vacuum", 10);
        let earlier = Some("What caused the RF cavity trip?");
        let search = SearchText::of(&request, Some(&titled("Injector")), earlier);
        assert_eq!(search.text, "trip NOT vacuum");
        assert_eq!(search.wanted(), "trip");
        assert_eq!(search.syntax, QuerySyntax::Operators);
        assert_eq!(search.earlier, None);
    }
}
