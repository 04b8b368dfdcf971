// What a question asks of a set of entries, as text of the query language.

/** A field as the query language names it. */
export function queryName(field) {
  if (typeof field === "string") return { entry_id: "id", source_system: "source", timestamp: "date" }[field] || field;
  const key = field.metadata;
  if (key === "tags") return "tag";
  return ["logbook", "shift"].includes(key) ? key : `meta.${key}`;
}

/** The members of a set, or those of one row of its counts. `null` where the
 * query language cannot say it: members about a topic are so by probability. */
export function membersText(set, row) {
  if (row?.filter) return row.filter;
  if (set.topic.length > 0) return null;
  const group = set.group_by || "year";
  const parts = [...set.filter.map(clauseText), anyOf(set.times.map(timeText)), row && equalsText(["month", "year"].includes(group) ? "date" : group, row.value)];
  return parts.includes(null) ? null : parts.filter(Boolean).join(" ");
}

function clauseText({ field, condition }) {
  const name = queryName(field);
  const equals = (value) => equalsText(name, value);
  if (condition.any_of) return anyOf(condition.any_of.map(equals));
  const value = condition.equals ?? (name === "author" && condition.contains);
  return value ? equals(value) : null;
}

/** A quote would end the value. */
function equalsText(name, value) {
  return name === "date" ? `date:${value}` : value.includes('"') ? null : `${name}:"${value}"`;
}

function timeText({ from, until }) {
  if (from && until) return `date:${from}..<${until}`;
  return from ? `date:>=${from}` : `date:<${until}`;
}

function anyOf(parts) {
  if (parts.includes(null)) return null;
  return parts.length > 1 ? `(${parts.join(" OR ")})` : parts[0] || "";
}
