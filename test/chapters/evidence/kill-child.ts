import type { Ctx } from "../../../chapters/context.ts";
import { storeEvidence } from "../../../chapters/evidence/intake/store-evidence.ts";
import { createComputePool } from "../../../src/jobs/pool.ts";
import { openStore } from "../../../store/open.ts";
import { largeBody, smallBody } from "./large-body.ts";

/**
 * Stores a small body and a large one, and prints one line for each that is answered, and for each batch that is
 * read of the large one, when the one before it is written. The parent kills it at a moment of its own choosing.
 */
const [path = "", round = ""] = process.argv.slice(2);
const store = await openStore({ path });
await store.createOrg({ id: "org1", tag: "acme", created_at: 1 });
const say = (line: string) => process.stdout.write(`${line}\n`);
let next = 0;
const parts = {
  store: store.forOrg("org1"),
  compute: createComputePool(),
  now: () => 1_790_000_000,
  id: (prefix: string) => `${prefix}_${round}_${String(++next).padStart(8, "0")}`,
  signal: new AbortController().signal,
  progress: (done: number) => say(`read ${done}`),
};
// Storing evidence asks for no more of a context than this.
const ctx = parts as unknown as Ctx;
const small = await storeEvidence(ctx, smallBody(round), { by: "test" });
say(`stored ${small.doc.id} ${small.doc.stats.traces}`);
const large = await storeEvidence(ctx, largeBody(), { by: "test" });
say(`stored ${large.doc.id} ${large.doc.stats.traces}`);
process.exit(0);
