-- The signs of the vectors of a passage's words, one word after the other:
-- whole 64-bit words for each, dimension i in bit i % 8 of byte i / 8. NULL
-- where they were not made.
--
-- The table has row numbers now. Without them the key and the vector were one
-- record of the index: each took an overflow page of its own, which was mostly
-- unused, and a search for one compared whole records on its way.
CREATE TABLE embeddings_by_row (
    model       INTEGER NOT NULL,
    doc         INTEGER NOT NULL,
    ordinal     INTEGER NOT NULL,
    start       INTEGER NOT NULL,
    "end"       INTEGER NOT NULL,
    text_hash   INTEGER NOT NULL,
    vector      BLOB    NOT NULL,
    token_signs BLOB,
    PRIMARY KEY (model, doc, ordinal)
);
INSERT INTO embeddings_by_row (model, doc, ordinal, start, "end", text_hash, vector)
    SELECT model, doc, ordinal, start, "end", text_hash, vector FROM embeddings;
DROP TABLE embeddings;
ALTER TABLE embeddings_by_row RENAME TO embeddings;

-- How many of the passages have them.
ALTER TABLE entry_vectors ADD COLUMN with_tokens INTEGER NOT NULL DEFAULT 0;
