//! Saving, listing and deleting searches.

use gannet_analysis::has_words;
use gannet_api::query::{Node, ParsedQuery, is_stop_word, parse};
use gannet_api::{Diagnostic, Entry, Error, QuerySyntax};
use jiff::Timestamp;

use super::rows::{self, StoredSearch, StoredVector};
use super::{NewSearch, SavedSearch, SearchMatch};
use crate::config::MatchBy;
use crate::new_entry::local_id;
use crate::nothing_found::about_field;
use crate::{Gannet, HostError};

/// Searches of one user at most.
const MOST_OF_USER: usize = 1_000;
/// Searches of all users of a tenant at most.
const MOST_OF_TENANT: usize = 20_000;
/// Characters of a name at most.
const LONGEST_NAME: usize = 200;

impl Gannet {
    /// Saves a search. Entries that come from now on are matched against it.
    ///
    /// # Errors
    /// [`HostError::Plugin`] with what is wrong with it, or where it is saved
    /// already or there are too many; the store's own.
    pub async fn save_search(
        &self,
        tenant: &str,
        new: NewSearch,
    ) -> Result<SavedSearch, HostError> {
        self.check_search(tenant, &new)?;
        let saved = self.check_room(tenant, &new.owner).await?;
        let filters = new.filter.iter();
        let filters = filters.map(|(key, value)| format!("{key}={value}"));
        let filters = filters.collect::<Vec<_>>().join(" ");
        let names = [new.name.trim(), new.query.trim(), &filters];
        let name = names.into_iter().find(|name| !name.is_empty());
        let name = name.unwrap_or_default();
        let search = SavedSearch {
            id: local_id().replace("gannet-", "s-"),
            name: name.chars().take(LONGEST_NAME).collect(),
            owner: Some(new.owner),
            query: new.query,
            filter: new.filter,
            by: new.by,
            min_similarity: new.min_similarity,
            deliver_to: new.deliver_to,
            created_at: Some(Timestamp::now()),
        };
        // All searches of the tenant would be read.
        if saved <= MOST_OF_USER {
            self.check_unsaved(tenant, &search).await?;
        }
        let vector = match search.by.has_meaning() {
            false => None,
            true => Some(self.query_vector(&search.query).await?),
        };
        let stored = StoredSearch {
            after: self.begin_matching().await?,
            search: search.clone(),
            vector,
        };
        let store = self.store();
        rows::set_search(store, (tenant, &search.id), Some(&stored)).await?;
        rows::note_change(store, tenant).await?;
        Ok(search)
    }

    /// The searches of the configuration and of this user, or of every user.
    ///
    /// # Errors
    /// [`HostError::Store`].
    pub async fn saved_searches(
        &self,
        tenant: &str,
        owner: Option<&str>,
    ) -> Result<Vec<SavedSearch>, HostError> {
        let mut searches = self.configured_searches(tenant);
        searches.extend(rows::searches(self.store(), tenant).await?);
        let searches = searches.into_iter().map(|stored| stored.search);
        Ok(searches.filter(|search| is_seen(search, owner)).collect())
    }

    /// Deletes a search of this user, or of any user. Returns whether there was
    /// one; those of the configuration are not deleted.
    ///
    /// # Errors
    /// [`HostError::Store`].
    pub async fn delete_search(
        &self,
        tenant: &str,
        owner: Option<&str>,
        id: &str,
    ) -> Result<bool, HostError> {
        let stored = rows::search(self.store(), tenant, id).await?;
        if !stored.is_some_and(|stored| is_seen(&stored.search, owner)) {
            return Ok(false);
        }
        rows::set_search(self.store(), (tenant, id), None).await?;
        rows::note_change(self.store(), tenant).await?;
        Ok(true)
    }

    /// Warnings of the fields of its filters that no entry has.
    ///
    /// # Errors
    /// [`HostError::Store`]; [`HostError::Plugin`] for a filter that cannot be read.
    pub async fn about_search(
        &self,
        tenant: &str,
        search: &SavedSearch,
    ) -> Result<Vec<Diagnostic>, HostError> {
        let pairs: Vec<(String, String)> = search.filter.clone().into_iter().collect();
        let options = self.services().query_options();
        let query = parse(&search.query, QuerySyntax::Operators, &options);
        let mut clauses = self.filter(&pairs)?.clauses;
        clauses.extend(query.filter.clauses);
        let mut notes = Vec::new();
        for clause in &clauses {
            notes.extend(about_field(self.store(), tenant, &clause.field).await?);
        }
        Ok(notes)
    }

    /// How a stored entry matches a search, if it does; whenever it came. The search
    /// is named by its id, or by a name that only one has.
    ///
    /// # Errors
    /// [`HostError::Plugin`] where there is no such search or entry, or several
    /// searches have the name.
    pub async fn test_search(
        &self,
        tenant: &str,
        place: (&str, &str),
    ) -> Result<Option<SearchMatch>, HostError> {
        let (search, entry) = self.tested(tenant, place).await?;
        let index = self.index(tenant, vec![search]).await?;
        let vectors = self.vectors_for(&index, tenant, &entry.entry_id).await?;
        let matched = index.matches((i64::MAX, &entry), &vectors).pop();
        Ok(matched
            .and_then(|matched| self.shown_match(&index, &entry, (0, Timestamp::now()), matched)))
    }

    /// The cosine similarity of a stored entry to a search by meaning, and the least
    /// one of a match; none where the entry has no vectors, or the filter leaves it
    /// out.
    ///
    /// # Errors
    /// As [`Gannet::test_search`].
    pub async fn search_similarity(
        &self,
        tenant: &str,
        place: (&str, &str),
    ) -> Result<Option<(f32, f32)>, HostError> {
        let (mut stored, entry) = self.tested(tenant, place).await?;
        if !stored.search.by.has_meaning() {
            return Ok(None);
        }
        let least = stored.search.min_similarity;
        stored.search.by = MatchBy::Meaning;
        stored.search.min_similarity = 0.0;
        let index = self.index(tenant, vec![stored]).await?;
        let vectors = self.vectors_for(&index, tenant, &entry.entry_id).await?;
        let matched = index.matches((i64::MAX, &entry), &vectors).pop();
        let similarity = matched.and_then(|matched| matched.similarity);
        Ok(similarity.map(|similarity| (similarity, least)))
    }

    /// A search, as one that was saved before every entry, and a stored entry.
    async fn tested(
        &self,
        tenant: &str,
        (name, entry_id): (&str, &str),
    ) -> Result<(StoredSearch, Entry), HostError> {
        let mut searches = self.configured_searches(tenant);
        searches.extend(rows::searches(self.store(), tenant).await?);
        let mut search = named_search(searches, name)?;
        search.after = i64::MIN;
        let entry = self.stored_entry(tenant, entry_id).await?;
        Ok((search, entry.ok_or_else(|| unknown("entry", entry_id))?))
    }

    /// The change after which entries are matched: that of now, where nothing
    /// was matched before.
    pub(super) async fn begin_matching(&self) -> Result<i64, HostError> {
        let now = self.store().arrivals(i64::MAX, 0).await?.reached;
        if rows::reached(self.store()).await?.is_none() {
            rows::set_reached(self.store(), now).await?;
        }
        Ok(now)
    }

    fn check_search(&self, tenant: &str, new: &NewSearch) -> Result<(), HostError> {
        let pairs: Vec<(String, String)> = new.filter.clone().into_iter().collect();
        let filter = self.filter(&pairs)?;
        let options = self.services().query_options();
        let query = parse(&new.query, QuerySyntax::Operators, &options);
        let is_blank = query.root.is_none();
        if is_blank && filter.is_empty() && query.filter.is_empty() {
            return Err(Error::invalid_input("a saved search needs a query or a filter").into());
        }
        if has_only_stop_words(&query) {
            let message = format!("the query {ONLY_STOP_WORDS}; {OTHER_WORDS}");
            return Err(Error::invalid_input(message).into());
        }
        if new.by.has_meaning() && is_blank {
            let message = "a search by meaning needs words";
            return Err(Error::invalid_input(message).into());
        }
        if new.query.chars().count() > options.max_chars {
            let message = format!("the query has more than {} characters", options.max_chars);
            return Err(Error::invalid_input(message).into());
        }
        if !(0.0..=1.0).contains(&new.min_similarity) {
            let message = "`min_similarity` must be between 0 and 1";
            return Err(Error::invalid_input(message).into());
        }
        let open = |name: &&String| {
            let delivery = self.config().deliveries.get(*name);
            !delivery.is_some_and(|one| one.enabled && one.for_users && one.tenant == tenant)
        };
        if let Some(name) = new.deliver_to.iter().find(open) {
            let message = format!(
                "no delivery `{name}` is open to saved searches of users; see `for_users` of \
                 `deliveries`"
            );
            return Err(Error::invalid_input(message).into());
        }
        Ok(())
    }

    /// Refuses a search that its owner has already.
    async fn check_unsaved(&self, tenant: &str, new: &SavedSearch) -> Result<(), HostError> {
        let is_same = |one: &SavedSearch| {
            let of_owner = (&one.owner, &one.name) == (&new.owner, &new.name);
            of_owner && (&one.query, &one.filter) == (&new.query, &new.filter)
        };
        let searches = rows::searches(self.store(), tenant).await?;
        let mut searches = searches.into_iter().map(|stored| stored.search);
        match searches.find(is_same) {
            None => Ok(()),
            Some(known) => Err(Error::invalid_input(format!(
                "the search `{}` is saved already, with the id `{}`; delete that one, or give \
                 another name",
                known.name, known.id
            ))
            .into()),
        }
    }

    /// How many searches of users the tenant has, where there is room for one more.
    async fn check_room(&self, tenant: &str, owner: &str) -> Result<usize, HostError> {
        let all = rows::count(self.store(), tenant).await?;
        let is_full = all >= MOST_OF_TENANT
            || all >= MOST_OF_USER && self.count_of(tenant, owner).await? >= MOST_OF_USER;
        match is_full {
            false => Ok(all),
            true => Err(Error::invalid_input(format!(
                "there are too many saved searches: {MOST_OF_USER} of a user and \
                 {MOST_OF_TENANT} of a tenant at most; delete some"
            ))
            .into()),
        }
    }

    async fn count_of(&self, tenant: &str, owner: &str) -> Result<usize, HostError> {
        let searches = rows::searches(self.store(), tenant).await?;
        let own = searches
            .iter()
            .filter(|stored| stored.search.owner.as_deref() == Some(owner));
        Ok(own.count())
    }

    async fn query_vector(&self, query: &str) -> Result<StoredVector, HostError> {
        let embedder = self
            .services()
            .embedder(self.services().default_embedder())?;
        let mut vectors = self.embed_queries(vec![query.to_owned()]).await?;
        Ok(StoredVector {
            model: embedder.model().name,
            values: vectors.pop().unwrap_or_default(),
        })
    }
}

/// The search with this id, or else the one with this name.
fn named_search(searches: Vec<StoredSearch>, name: &str) -> Result<StoredSearch, Error> {
    let has_id = |stored: &StoredSearch| stored.search.id == name;
    let (mut found, mut others): (Vec<_>, Vec<_>) = searches.into_iter().partition(has_id);
    if found.is_empty() {
        others.retain(|stored| stored.search.name == name);
        found = others;
        if found.len() > 1 {
            let ids: Vec<&str> = found.iter().map(|one| one.search.id.as_str()).collect();
            let ids = ids.join(", ");
            return Err(Error::invalid_input(format!(
                "several saved searches have the name `{name}`; use an id: {ids}"
            )));
        }
    }
    found.pop().ok_or_else(|| unknown("saved search", name))
}

fn unknown(what: &str, name: &str) -> Error {
    Error::NotFound {
        what: what.to_owned(),
        name: name.to_owned(),
        hint: String::new(),
    }
}

/// What is wrong with a query of stop words alone, and what to do.
pub(crate) const ONLY_STOP_WORDS: &str = "has only words that tell no entries apart, such as `the`";
pub(crate) const OTHER_WORDS: &str = "add another word, or write it in quotation marks";

/// Whether a query has words, and every one is a stop word.
pub(crate) fn has_only_stop_words(query: &ParsedQuery) -> bool {
    let words = query.root.as_ref().filter(|root| has_words(root));
    words.is_some_and(says_nothing)
}

/// Whether every word of a query is a stop word. Those of a phrase are meant.
fn says_nothing(node: &Node) -> bool {
    match node {
        Node::All(parts) | Node::And(parts) | Node::Or(parts) => parts.iter().all(says_nothing),
        Node::Word(word) => is_stop_word(word),
        Node::Not(_) | Node::Field(_) => true,
        _ => false,
    }
}

/// Whether a user sees a search.
pub(super) fn is_seen(search: &SavedSearch, owner: Option<&str>) -> bool {
    match (&search.owner, owner) {
        (Some(own), Some(owner)) => own == owner,
        _ => true,
    }
}
