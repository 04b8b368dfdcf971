-- Text without spaces between words (Han, Hiragana, Katakana, Thai) has other
-- terms than before: pairs of characters, and single ones. The program takes
-- entries with such text over again, and counts all terms anew when it has.

WITH changed AS (
    UPDATE enhanced_entries SET waits = true
    WHERE concat_ws(' ', author, raw_text, summary, array_to_string(keywords, ' '),
        metadata::text, added::text) ~ '[\u0E01-\u0E3A\u0E40-\u0E4E\u3005-\u3007\u3041-\u30FF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\uFF66-\uFF9F\U00020000-\U0003FFFF]'
    RETURNING doc
)
UPDATE gannet_text_counted SET anew = -1 WHERE EXISTS (SELECT FROM changed);

-- Whole sentences were names.
DELETE FROM gannet_words WHERE word ~ '[\u0E01-\u0E3A\u0E40-\u0E4E\u3005-\u3007\u3041-\u30FF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\uFF66-\uFF9F\U00020000-\U0003FFFF]';
