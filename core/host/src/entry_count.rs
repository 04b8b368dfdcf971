//! How many entries a question or a filter means, without an answer in words.

use gannet_api::{
    Call, Deadline, Filter, GroupBy, QueryPlan, QuerySyntax, SetMembers, SetOperation, SetQuery,
};

use crate::isolate::within;
use crate::planning::Question;
use crate::relevance::RAG;
use crate::replies::RequestState;
use crate::{Gannet, HostError};

/// Entries that are counted.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryCountInput {
    /// A question in words; blank for every entry that passes the filter.
    pub question: String,
    /// What an entry must be to be counted.
    pub filter: Filter,
    /// What they are counted by, in place of what the question says.
    pub group_by: Option<GroupBy>,
    /// How many entries of a list are named, the newest.
    pub listed: usize,
}

/// Entries that were counted.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EntryCount {
    /// What was read in the question.
    pub plan: QueryPlan,
    /// What was counted, with the filter of the input, and by what the groups
    /// are.
    pub set: SetQuery,
    /// How many there are, those that were asked for, and the groups.
    pub members: SetMembers,
}

impl Gannet {
    /// Counts the entries that a question asks for, as pipelines count them.
    /// `None` for a question that asks of no set of entries. Follows the text
    /// index.
    ///
    /// # Errors
    /// [`HostError::Plugin`] for entries of more than 400 years that are counted
    /// by time, and when the time for a request is over; [`HostError::Store`]
    /// when the store cannot be read.
    pub async fn entry_count(
        &self,
        tenant: &str,
        input: EntryCountInput,
    ) -> Result<Option<EntryCount>, HostError> {
        let deadline = Deadline::after(self.request_timeout());
        let call = Call::new(self.next_request_id(), tenant, deadline);
        let question = Question {
            text: &input.question,
            syntax: QuerySyntax::Operators,
            filter: &input.filter,
        };
        let state = RequestState::default();
        let plan = self.services().query_plan(&call, question, &state).await;
        let set = match input.question.trim().is_empty() {
            true => Some(SetQuery::new(SetOperation::Count)),
            false => plan.set.clone(),
        };
        let Some(set) = set else { return Ok(None) };
        let measure = set.measure.filter(|_| input.group_by.is_none());
        let group_by = input.group_by.or_else(|| set.group_by.clone());
        let set = set.within(&input.filter).with_group_by(group_by);
        let set = set.with_measure(measure);
        let listed = match set.operation {
            SetOperation::List => input.listed,
            _ => 0,
        };
        let request = set.request(listed);
        let members = self.services().set_members(&call, request, RAG, &state);
        let members = within("counting entries", deadline, members).await?;
        let group_by = members.group_by.clone();
        Ok(Some(EntryCount {
            plan: QueryPlan::clone(&plan),
            set: set.with_group_by(group_by),
            members,
        }))
    }
}
