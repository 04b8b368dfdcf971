//! The examples at the end of the help texts.

pub const GANNET: &str = "\
Examples:
  gannet quickstart
  gannet ingest logbook.jsonl
  gannet search circulator flow
  gannet ask 'why was the flow switch replaced?'";

pub const QUICKSTART: &str = "\
Examples:
  gannet quickstart
  gannet quickstart logbooks/
  gannet quickstart shifts.csv --data store";

pub const SEARCH: &str = "\
Examples:
  gannet search circulator flow
  gannet search 'trip -CAV1 tag:rf date:2025-11..2025-12' --mode keyword
  gannet search pressure --author voss --start-date 2025-05 --filter logbook=Vacuum
  gannet search beam loss --max-results 3 --format json
  gannet search vacuum pump --sort time --facet author --facet system

Quote a query that has a leading `-`, a `*` or quotation marks of its own.";

pub const ASK: &str = "\
Examples:
  gannet ask 'why was the flow switch replaced?'
  gannet ask 'what tripped?' --start-date 2025-05 --max-results 5
  gannet ask 'why did the wiggler quench?' --llm-cmd 'ollama run llama3.2'
  echo 'why did the wiggler quench?' | gannet ask - --no-llm";

pub const AGAIN: &str = "\
Examples:
  gannet again SKY-0158
  gannet again 'flow switch of the RF circulator tripped'
  gannet again SKY-0158 --end-date 2025-06 --format json";

pub const THREAD: &str = "\
Examples:
  gannet thread SKY-0158
  gannet thread SKY-0158 --max-results 30 --format json";

pub const DIGEST: &str = "\
Examples:
  gannet digest --since 'last shift'
  gannet digest --since 2025-06-01 --until 2025-06-07 --by sector
  gannet digest --since 7d --format json
  gannet digest --deliver morning";

pub const TREND: &str = "\
Examples:
  gannet trend 'circulator trips'
  gannet trend 'entries since October 2025' --by logbook --unit month
  gannet trend 'vacuum leaks' --format csv
  gannet trend 'beam losses' --svg losses.svg";

pub const CHAT: &str = "\
Examples:
  gannet chat
  gannet chat --mode agent --filter logbook=RF

Type /help in the chat for its commands.";

pub const INGEST: &str = "\
Examples:
  gannet ingest shared-drive/
  gannet ingest report.pdf
  gannet ingest shifts.csv --accept
  gannet ingest export.json --adapter generic_json --since 2025-01-01
  gannet ingest logbook.jsonl --dry-run

Ingesting the same file again updates changed entries and skips unchanged ones.";

pub const WATCH: &str = "\
Examples:
  gannet watch
  gannet watch als --once
  gannet watch logbook.jsonl --interval 60

A source that fails is polled less often, and given up after ten failures in a row.
A file or folder is also read when it changes. SIGHUP has the configuration read again.";

pub const ENHANCE: &str = "\
Examples:
  gannet enhance
  gannet enhance --module text_embedding --limit 1000
  gannet enhance --force";

pub const EXPORT: &str = "\
Examples:
  gannet export > logbook.jsonl
  gannet export --output 2024.jsonl --start-date 2024 --end-date 2024 --filter logbook=RF
  gannet export --eln SKY-0170 --output quench.eln

`gannet ingest FILE.jsonl` takes the entries back as they were.";

pub const SERVE: &str = "\
Examples:
  gannet serve
  gannet serve --port 9000
  curl 'http://127.0.0.1:8085/readyz'

The address is printed once the service listens. Ctrl-C or SIGTERM stops it.";

pub const PURGE: &str = "\
Examples:
  gannet purge --before 2015 --dry-run
  gannet purge --source 'Old eLog' --filter shift=Night
  gannet purge --retention --yes

Nothing of the entries is left in the files of the store. Backups still have them.";

#[cfg(unix)]
pub const RELOAD: &str = "\
Examples:
  gannet reload
  gannet reload --data /srv/logbook

The service keeps its old configuration if the new one has an error. The address
and the store can only be changed by a restart.";

pub const EVAL: &str = "\
Examples:
  gannet eval demo
  gannet eval demo --mode keyword,rag --run run.txt
  gannet eval SET --qa qa.jsonl --data /tmp/set-store --show
  gannet eval demo --sets tests/cases/sets/questions.jsonl";

pub const TUNE: &str = "\
Examples:
  gannet tune
  gannet tune --queries queries.jsonl --qrels qrels.tsv
  gannet tune --apply";

pub const MCP: &str = "\
In the configuration of an MCP client:
  { \"mcpServers\": { \"gannet\": { \"command\": \"gannet\", \"args\": [\"mcp\", \"--data\", \"/srv/logbook\"] } } }

Logs are written to standard error.";

pub const BACKUP: &str = "\
Examples:
  gannet backup /var/backups/gannet/2026-03-01
  gannet backup --check /var/backups/gannet/2026-03-01
  gannet restore /var/backups/gannet/2026-03-01 --data new-store";

pub const STORE_COPY: &str = "\
Examples:
  gannet store copy gannet-data postgresql://gannet@db/logbook
  gannet store copy postgresql://gannet@db/logbook new-folder
  gannet store copy ariel.yml gannet-data

A copy that was cut off goes on where it stopped when the same command runs again.
The database of ARIEL is named by a configuration file with `store.adopt: ariel`.
Uploaded files and API keys are in a folder: of a URL, that of --data.";
