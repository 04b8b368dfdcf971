"""PostgreSQL with its text search and pgvector, over TCP."""

import subprocess

import psycopg
from pgvector.psycopg import register_vector

from corpus import tokens
from engines.base import SHOWN, Base, descendants

FIELDS = "id, text, author, kind, time"


class Engine(Base):
    modes = {
        "keyword": "`tsvector` with GIN, any word, `ts_rank`",
        "semantic": "pgvector, HNSW",
        "hybrid": "two statements, RRF in the client",
    }
    widths = [40, 100, 200, 400, 800]

    def script(self, *words):
        command = [self.setup.repository / "tests/postgres", *words]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def version(self):
        with self.connect() as connection:
            server = connection.info.parameter_status("server_version")
            extension = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
        return f"PostgreSQL {server} with pgvector {extension[0]}"

    def prepare(self):
        self.url = self.script("up", str(self.folder))
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")

    open = prepare

    def load(self, entries, vectors):
        with self.connect() as connection:
            connection.execute(
                "CREATE TABLE entries (id text PRIMARY KEY, text text, author text, kind text, time timestamptz,"
                " words tsvector GENERATED ALWAYS AS (to_tsvector('simple', text)) STORED, vector vector(384))"
            )
            with connection.cursor().copy(f"COPY entries ({FIELDS}, vector) FROM STDIN WITH (FORMAT BINARY)") as copy:
                copy.set_types(["text", "text", "text", "text", "timestamptz", "vector"])
                for entry, vector in zip(entries, vectors):
                    time = psycopg.types.datetime.datetime.fromisoformat(entry["timestamp"].replace("Z", "+00:00"))
                    copy.write_row((entry["id"], entry["text"], entry["author"], entry["kind"], time, vector))
            connection.execute("SET maintenance_work_mem = '1GB'")
            connection.execute("CREATE INDEX ON entries USING gin (words)")
            connection.execute("CREATE INDEX ON entries USING hnsw (vector vector_cosine_ops)")
            connection.commit()
            connection.autocommit = True
            connection.execute("VACUUM ANALYZE entries")

    def connect(self):
        connection = psycopg.connect(self.url, prepare_threshold=1)
        register_vector(connection)
        connection.execute(f"SET hnsw.ef_search = {getattr(self, 'width', 40)}")
        connection.commit()
        connection.autocommit = True
        return connection

    def set_width(self, width):
        self.width = width

    def keyword(self, connection, question, limit=SHOWN):
        words = " | ".join(tokens(question.text))
        sql = (
            f"SELECT {FIELDS} FROM entries, to_tsquery('simple', %s) AS question"
            " WHERE words @@ question ORDER BY ts_rank(words, question) DESC LIMIT %s"
        )
        return connection.execute(sql, (words, limit), binary=True).fetchall()

    def semantic(self, connection, question, limit=SHOWN):
        sql = f"SELECT {FIELDS} FROM entries ORDER BY vector <=> %s LIMIT %s"
        return connection.execute(sql, (question.vector, limit), binary=True).fetchall()

    def processes(self):
        return descendants(int((self.folder / "data/postmaster.pid").read_text().split()[0]))

    def disk(self):
        with self.connect() as connection:
            return connection.execute("SELECT pg_database_size(current_database())").fetchone()[0]

    def drop(self):
        self.script("down", str(self.folder))
