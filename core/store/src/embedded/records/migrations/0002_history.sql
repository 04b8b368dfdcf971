-- A random mark for each range of change numbers that was taken: the row with
-- the smallest `seq` from N on has the mark of change N. Projections keep the
-- mark of the last change that they applied. When the records have another one
-- there, or none, they were put back to an earlier state, and what the
-- projection holds may be something else than what they hold now.
CREATE TABLE history (
    seq  INTEGER PRIMARY KEY,
    mark INTEGER NOT NULL
);
INSERT INTO history (seq, mark) SELECT last, random() FROM sequence;
CREATE TRIGGER history_of_changes AFTER UPDATE OF last ON sequence WHEN new.last > old.last
BEGIN
    INSERT INTO history (seq, mark) VALUES (new.last, random());
END;

-- Rows that only tell indexes that vectors are gone, until all have heard it.
CREATE INDEX entry_vectors_emptied ON entry_vectors (seq) WHERE passages = 0;
