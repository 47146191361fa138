import type { OrgStore } from "../../../chapters/ports/store.ts";
import { jobRow, journalEntry, tokenRow, trialRow } from "../../helpers/rows.ts";
import { trace } from "./bodies.ts";
import { Note, note } from "./notes.ts";

/** Where rows of a test stand, and the text that is theirs. */
export interface Place {
  readonly id: string;
  /** The evidence and the run that they belong to. */
  readonly group: string;
  readonly position: number;
  readonly mark: string;
}

/** Writes a row of each table that is read by an id, all under this one. */
export async function writeRows(store: OrgStore, { id, group, position, mark }: Place): Promise<void> {
  await store.records.insert(Note, note({ id, text: mark, colour: "red" }));
  await store.blobs.put(Buffer.from(`${mark} ${position} `.repeat(200)));
  await store.traces.append([{ id, evidence: group, position, trace: trace(mark) }]);
  await store.trials.insert(trialRow({ run: group, task: id, log: mark }));
  await store.jobs.start(jobRow(store.org, { id, key: id, message: mark, status: "held" }));
  await store.jobs.event(id, 1, mark, {});
  await store.ledger.append({ id, at: 1, job: id, kind: mark, who: "w", micro_usd: 1, note: mark });
  await store.audit.append(1, mark, "a", {});
  await store.journals.append(id, [journalEntry({ tool: mark })], { seq: 0, chain: "" });
  await store.tokens.insert(
    tokenRow({ id, hash: `${mark}_${position}.`.padEnd(64, "0"), name: mark, created_by: mark }),
  );
}

/** Writes at least one row of every table that orgs own. */
export async function fillEveryTable(store: OrgStore, mark: string, many = 3): Promise<void> {
  for (let i = 0; i < many; i++) {
    const id = `${mark}_${i}`;
    await writeRows(store, { id, group: mark, position: i, mark });
    await store.attributes.put(mark, [
      { position: i, field: "f", value: mark, cite: mark, tier: "deterministic", reader: mark },
    ]);
    await store.deliveries.append({
      id,
      at: 1,
      by: mark,
      channel: "chat",
      group: mark,
      target: mark,
      reference: { ts: mark },
    });
    await store.opens.count({ group: mark, via: "chat", day: i, member: mark });
    await store.claims.take(`${mark} ${i}`, 1);
  }
}
