-- Searches for words. The program works out the terms of an entry, so that
-- they are those of the embedded store: stems, with the letter of the field
-- (A title, B keywords, C author, D the rest). `lengths` are the numbers of
-- words: in all, in the title, the keywords and the author.

ALTER TABLE enhanced_entries
    ADD COLUMN IF NOT EXISTS terms   TSVECTOR,
    ADD COLUMN IF NOT EXISTS lengths INTEGER[];

CREATE INDEX gannet_entries_by_term ON enhanced_entries USING gin (terms);

-- Words and names as written but for the case: for beginnings, patterns and
-- misspellings. Words of entries that are gone stay until all is made anew.
CREATE TABLE gannet_words (
    tenant TEXT NOT NULL,
    word   TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, word)
);
CREATE INDEX gannet_words_by_trigram ON gannet_words USING gin (word gin_trgm_ops);

-- In how many entries a term is. Counted with every few thousand new entries,
-- and anew when a fifth of all was changed or deleted.
CREATE TABLE gannet_terms (
    tenant      TEXT   NOT NULL,
    term        TEXT COLLATE "C" NOT NULL,
    documents   BIGINT NOT NULL,
    in_title    BIGINT NOT NULL,
    in_keywords BIGINT NOT NULL,
    in_author   BIGINT NOT NULL,
    PRIMARY KEY (tenant, term)
);
CREATE TABLE gannet_text_totals (
    tenant        TEXT PRIMARY KEY,
    documents     BIGINT NOT NULL,
    words         BIGINT NOT NULL,
    title_words   BIGINT NOT NULL,
    keyword_words BIGINT NOT NULL,
    author_words  BIGINT NOT NULL
);
-- One row: the first change after which new entries are not counted yet, and
-- the last change at which all was counted anew.
CREATE TABLE gannet_text_counted (reached BIGINT NOT NULL, anew BIGINT NOT NULL);
INSERT INTO gannet_text_counted (reached, anew) VALUES (0, 0);
