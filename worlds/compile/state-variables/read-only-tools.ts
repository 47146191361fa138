import { canon } from "../values.ts";
import type { Event, Events } from "./events.ts";

/** How often a tool must be called twice with nothing but reads between, and say the same, to count as one that only reads. */
const REPEATS = 6;

/** Keyless read-only tools by behaviour: repeated calls answer alike, sessions differ, and nothing reads otherwise afterwards. */
export function readOnlyTools({ sessions, tools }: Events, reads: ReadonlySet<string>): string[] {
  const told = new Map<string, Set<string>>();
  const varying = new Set<string>();
  const again = new Map<string, [same: number, n: number]>();
  for (const session of sessions) {
    let last: Event | undefined;
    for (const event of session) {
      if (reads.has(event.tool)) continue;
      const text = `${event.args}\n${canon(event.call.value)}`;
      if (tools.has(event.tool) && event.call.ok) {
        const question = `${event.tool}\n${event.args}`;
        told.set(question, (told.get(question) ?? new Set()).add(text));
        if ((told.get(question)?.size ?? 0) > 1) varying.add(event.tool);
      }
      if (last?.tool === event.tool) {
        const [same, n] = again.get(event.tool) ?? [0, 0];
        again.set(event.tool, [same + (text === `${last.args}\n${canon(last.call.value)}` ? 1 : 0), n + 1]);
      }
      last = event;
    }
  }
  const changed = changing(sessions, reads);
  return [...again].flatMap(([tool, [same, n]]) =>
    same === n && n >= REPEATS && varying.has(tool) && !changed.has(tool) ? [tool] : [],
  );
}

/** Tools that alone stood between two readings of one register that differ. */
function changing(sessions: Events["sessions"], reads: ReadonlySet<string>): Set<string> {
  const out = new Set<string>();
  for (const session of sessions) {
    const last = new Map<string, { value: string; writes: number }>();
    let writes = 0;
    let tool = "";
    for (const event of session) {
      if (!reads.has(event.tool)) {
        writes++;
        tool = event.tool;
      }
      for (const [register, value] of event.shown) {
        const before = last.get(register);
        if (before && before.writes === writes - 1 && before.value !== value) out.add(tool);
        last.set(register, { value, writes });
      }
    }
  }
  return out;
}
