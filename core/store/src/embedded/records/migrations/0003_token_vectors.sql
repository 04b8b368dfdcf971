-- The signs of the vectors of a passage's words, one word after the other:
-- whole 64-bit words for each, dimension i in bit i % 8 of byte i / 8. NULL
-- where they were not made. They lie in the overflow page of the vector, which
-- is otherwise mostly unused.
ALTER TABLE embeddings ADD COLUMN token_signs BLOB;

-- How many of the passages have them.
ALTER TABLE entry_vectors ADD COLUMN with_tokens INTEGER NOT NULL DEFAULT 0;
