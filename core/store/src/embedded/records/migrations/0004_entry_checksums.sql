-- CRC-32 of what an entry consists of, as `row_checksum.rs` computes it: SQLite
-- keeps no checksums. The program fills it in for the rows that are there.
ALTER TABLE entries ADD COLUMN checksum INTEGER;
