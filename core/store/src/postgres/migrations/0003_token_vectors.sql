-- The signs of the vectors of a passage's words, one word after the other:
-- whole 64-bit words for each, dimension i in bit i % 8 of byte i / 8. NULL
-- where they were not made. Bits cannot be compressed.
ALTER TABLE gannet_passages ADD COLUMN IF NOT EXISTS token_signs BYTEA;
ALTER TABLE gannet_passages ALTER COLUMN token_signs SET STORAGE EXTERNAL;

-- How many of the passages have them.
ALTER TABLE gannet_entry_vectors ADD COLUMN IF NOT EXISTS with_tokens INTEGER NOT NULL DEFAULT 0;
