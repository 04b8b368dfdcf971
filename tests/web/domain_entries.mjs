// Entries of the other domains, one per line: the spare parts of the demo, and
// one of a partner.

import { readFileSync } from "node:fs";

const parts = JSON.parse(readFileSync(new URL("../../demo/domains/parts.json", import.meta.url)));
const entries = parts.map(({ id, title, text, updated }) => ({ id, title, text, timestamp: updated, kind: "part", source_system: "stores" }));
entries.push({ id: "PARTNER-1", title: "Quench of the partner's wiggler", text: "Detector replaced.", timestamp: "2024-02-01T10:00:00Z", kind: "partner", source_system: "partner" });
for (const entry of entries) console.log(JSON.stringify(entry));
