// Entries whose every field is an attack, one per line.

import { ATTACKS } from "./attacks.mjs";

for (const [at, attack] of ATTACKS.entries()) {
  console.log(JSON.stringify({
    id: `XSS-${at}`,
    timestamp: new Date(Date.UTC(2025, 0, 6, 9, at)).toISOString(),
    author: attack.slice(0, 50),
    title: `Hostile ${at} ${attack}`,
    text: `hostilewords at the pump. ${attack} The pump was exchanged. ${attack}`,
    attachments: [{ url: "javascript:window.hacked=1", filename: attack, type: "image/png" }],
    metadata: { shift: attack, tags: [attack, "hostile"], [`key${at}`]: attack },
  }));
}
