//! What the adapter makes of repositories.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use gannet_plugin::prelude::FetchRequest;
use jiff::Timestamp;
use serde_json::json;
use support::{Repository, complete_since, fetch};

fn at(second: i64) -> Option<Timestamp> {
    Some(Timestamp::from_second(second).unwrap())
}

#[test]
fn commits_become_entries_oldest_first() {
    let repository = Repository::new();
    repository.write("trip.db", "1");
    let first = repository.commit(
        1_704_443_400,
        "Raise the trip level\n\nIt was below the noise.",
    );
    repository.git(&["tag", "v1.0"]);
    repository.write("trip.db", "2");
    repository.write("weiß \"quoted\"\nname.md", "x");
    let second = repository.commit(1_704_447_000, "Log the reset");

    let fetched = repository.fetch(json!({})).unwrap();
    assert_eq!(fetched.ids(), [first.as_str(), &second]);
    let entry = &fetched.entries[0];
    assert_eq!(entry.author, "M. Lee");
    assert_eq!(entry.timestamp.to_string(), "2024-01-05T08:30:00Z");
    assert_eq!(
        entry.raw_text,
        "Raise the trip level\n\nIt was below the noise."
    );
    assert_eq!(entry.title(), Some("Raise the trip level"));
    assert_eq!(
        (entry.source_system.as_str(), entry.tenant.as_str()),
        ("git", "ring-1")
    );
    let name = repository.path().file_name().unwrap().to_str().unwrap();
    assert_eq!(
        json!(entry.metadata),
        json!({
            "title": "Raise the trip level", "repository": name, "tags": ["v1.0"],
            "files": ["trip.db"], "files_changed": 1,
        })
    );
    let files = &fetched.entries[1].metadata["files"];
    assert_eq!(files, &json!(["trip.db", "weiß \"quoted\"\nname.md"]));
}

#[test]
fn a_commit_without_a_message_is_rejected_and_one_without_files_is_not() {
    let repository = Repository::new();
    let empty = repository.commit(100, "");
    let message = "commit 2\n\n\u{1}\u{2} - looks: like\u{3} a record";
    let second = repository.commit(200, message);
    let fetched = repository.fetch(json!({})).unwrap();

    assert_eq!(fetched.ids(), [second]);
    assert_eq!(fetched.entries[0].raw_text, message);
    assert_eq!(fetched.entries[0].metadata.get("files"), None);
    assert_eq!(
        fetched.rejected[0].entry_id.as_deref(),
        Some(empty.as_str())
    );
    assert_eq!(fetched.rejected[0].position, "commit 1");
}

#[test]
fn a_shallow_clone_is_complete_in_nothing() {
    let repository = Repository::new();
    repository.commit(100, "first");
    let last = repository.commit(200, "second");
    let folder = tempfile::tempdir().unwrap();
    let clone = folder.path().join("clone");
    let from = format!("file://{}", repository.path().display());
    let to = clone.display().to_string();
    repository.git(&["clone", "--quiet", "--depth", "1", &from, &to]);

    let fetched = fetch(&to, json!({}), FetchRequest::default()).unwrap();
    assert_eq!(fetched.ids(), [last]);
    assert_eq!(complete_since(&clone), Some(Timestamp::MAX));
    assert_eq!(complete_since(repository.path()), None);
}

#[test]
fn times_are_exclusive_also_where_clocks_went_wrong_and_the_limit_counts() {
    let repository = Repository::new();
    // The clock of the third committer was a day late.
    for (time, message) in [(100, "a"), (200, "b"), (50, "c"), (300, "d"), (400, "e")] {
        repository.commit(time, message);
    }
    let texts = |request: FetchRequest| {
        let fetched = repository.fetch_with(json!({}), request).unwrap();
        let texts = fetched.entries.into_iter().map(|entry| entry.raw_text);
        texts.collect::<String>()
    };

    assert_eq!(texts(FetchRequest::default()), "abcde");
    let since = FetchRequest::default().with_since(at(100));
    assert_eq!(texts(since.clone()), "bde");
    assert_eq!(texts(since.clone().with_until(at(400))), "bd");
    assert_eq!(texts(since.with_limit(1)), "b");
}

#[test]
fn branches_and_ranges_are_read_by_setting() {
    let repository = Repository::new();
    repository.commit(100, "on main");
    repository.git(&["switch", "--quiet", "--create", "tuning"]);
    repository.commit(200, "on tuning");
    repository.git(&["switch", "--quiet", "main"]);
    let texts = |settings| {
        let fetched = repository.fetch(settings).unwrap();
        let branch = |entry: &gannet_plugin::prelude::Entry| {
            let branch = entry
                .metadata
                .get("branch")
                .and_then(|branch| branch.as_str());
            format!("{} ({})", entry.raw_text, branch.unwrap_or_default())
        };
        fetched.entries.iter().map(branch).collect::<Vec<_>>()
    };

    assert_eq!(texts(json!({})), ["on main ()"]);
    assert_eq!(
        texts(json!({"revisions": ["main..tuning"]})),
        ["on tuning (tuning)"]
    );
    let all = texts(json!({"all_branches": true, "revisions": []}));
    assert_eq!(all, ["on main (main)", "on tuning (tuning)"]);
    let many = repository.fetch(json!({"max_files": 0})).unwrap();
    assert_eq!(many.entries.len(), 1);
}

#[test]
fn programs_that_a_repository_names_are_not_started() {
    let repository = Repository::new();
    repository.write("a.txt", "1");
    repository.write(".gitattributes", "*.txt diff=hostile filter=hostile\n");
    let hash = repository.commit(100, "first");
    let trace = tempfile::tempdir().unwrap();
    let program = format!("touch {}/started; false", trace.path().display());
    for key in [
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "diff.external",
        "diff.hostile.textconv",
        "diff.hostile.command",
        "filter.hostile.smudge",
        "filter.hostile.clean",
        "gpg.program",
        "core.sshCommand",
        "core.editor",
        "credential.helper",
        "alias.log",
    ] {
        repository.git(&["config", key, &program]);
    }
    repository.git(&["config", "log.showSignature", "true"]);
    repository.git(&["config", "protocol.ext.allow", "always"]);
    // Objects that are missing would be fetched from here.
    repository.git(&[
        "config",
        "remote.origin.url",
        &format!("ext::sh -c {program}"),
    ]);
    repository.git(&["config", "remote.origin.promisor", "true"]);
    repository.git(&["config", "extensions.partialClone", "origin"]);
    let blob = repository.git(&["rev-parse", "HEAD:a.txt"]);
    let object = format!(".git/objects/{}/{}", &blob[..2], &blob[2..]);
    std::fs::remove_file(repository.path().join(object)).unwrap();

    let fetched = repository.fetch(json!({})).unwrap();
    assert_eq!(fetched.ids(), [hash]);
    assert!(!trace.path().join("started").exists());
}

#[test]
fn what_cannot_be_read_is_an_error_with_its_name_and_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().display().to_string();
    let message = |source: &str, settings| {
        let error = fetch(source, settings, FetchRequest::default()).unwrap_err();
        error.to_string()
    };

    let empty = message(&source, json!({}));
    assert!(
        empty.contains(&source) && empty.contains("not a git repository"),
        "{empty}"
    );
    let missing = message("/no/such/folder", json!({}));
    assert!(missing.contains("/no/such/folder"), "{missing}");
    let option = message("--upload-pack=touch", json!({}));
    assert!(option.contains("write `./--upload-pack=touch`"), "{option}");
    let revision = message(&source, json!({"revisions": ["--output=/tmp/x"]}));
    assert!(revision.contains("is an option"), "{revision}");
    let program = message(&source, json!({"program": "/no/such/git"}));
    assert!(program.contains("install git"), "{program}");

    let repository = Repository::new();
    repository.commit(100, "first");
    let unknown = repository
        .fetch(json!({"revisions": ["nowhere"]}))
        .unwrap_err();
    assert!(unknown.to_string().contains("nowhere"), "{unknown}");
}

#[test]
fn a_file_with_the_output_of_git_log_is_read_like_the_repository() {
    let repository = Repository::new();
    repository.write("a.txt", "1");
    repository.commit(100, "first\n\nbody");
    repository.commit(200, "second");
    let file = tempfile::NamedTempFile::new().unwrap();
    let format = format!("--format={}", gannet_git::command::FORMAT);
    let output = format!("--output={}", file.path().display());
    repository.git(&[
        "log",
        "-z",
        "--reverse",
        "--no-renames",
        "--name-status",
        "--decorate=full",
        &format,
        &output,
    ]);

    let source = file.path().display().to_string();
    let mut from_file = fetch(&source, json!({}), FetchRequest::default()).unwrap();
    let mut direct = repository.fetch(json!({})).unwrap();
    for entry in from_file.entries.iter_mut().chain(&mut direct.entries) {
        entry.metadata.remove("repository");
    }
    assert_eq!(from_file.entries.len(), 2);
    assert_eq!(from_file, direct);
}

#[test]
fn a_limit_ends_the_process_and_does_not_wait_for_the_rest() {
    let repository = Repository::new();
    for number in 0..150 {
        repository.commit(number, "commit");
    }
    let request = FetchRequest::default().with_limit(3);
    assert_eq!(
        repository
            .fetch_with(json!({}), request)
            .unwrap()
            .entries
            .len(),
        3
    );
}

#[test]
fn it_conforms() {
    gannet_plugin::testing::assert_conforms();
}
