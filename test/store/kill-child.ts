import type { JournalPosition } from "../../chapters/ports/store.ts";
import { openStore } from "../../store/open.ts";
import { Note, note } from "./contract/notes.ts";

/**
 * Writes without end and prints one line per answer: `<what> <id>` for a record, an audit line, a journal entry, a
 * pair of records written together. The parent kills it at a moment of its own choosing.
 */
const [path = "", round = "0"] = process.argv.slice(2);
const store = await openStore({ path });
await store.createOrg({ id: "org_1", tag: "one", created_at: 1 });
const { records, audit, journals } = store.forOrg("org_1");

async function forEver(write: (i: number) => Promise<string>): Promise<void> {
  for (let i = 1; ; i++) process.stdout.write(`${await write(i)}\n`);
}

const text = "some text ".repeat(300);
for (let writer = 0; writer < 4; writer++) {
  void forEver(async () => {
    const doc = note({ text });
    await records.insert(Note, doc);
    return `record ${doc.id}`;
  });
}
void forEver(async () => {
  const pair = [note({ text }), note({ text })];
  await records.apply(pair.map((doc) => ({ op: "insert" as const, kind: Note, doc: { ...doc, colour: "pair" } })));
  return `pair ${pair.map((doc) => doc.id).join(",")}`;
});
void forEver(async () => `audit ${(await audit.append(1, "child", "act", { round: Number(round) })).seq}`);
let end: JournalPosition = { seq: 0, chain: "" };
void forEver(async (seq) => {
  const world = `wl_${round}`;
  const none = {
    tool: "t",
    args: {},
    answer: text,
    answer_class: "data",
    is_error: false,
    changes: [],
    at: 1,
    drawn: 0,
  };
  const stored = await journals.append(world, [{ seq, ...none }], end);
  if (!("place" in stored)) throw new Error("nobody else writes to it");
  end = stored.place;
  return `journal ${world} ${seq}`;
});
