import { toObserved } from "../../../chapters/evidence/traces/observed.ts";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { BundleRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { findEnvironment } from "../../../chapters/sandboxes/environments/environment-records.ts";
import { traceName } from "../../../chapters/sandboxes/surfaces/compile-newest.ts";
import { findTask } from "../../../chapters/sandboxes/tasks/task-records.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { listTraces } from "../lists/find-traces.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";
import { refOf } from "./task.ts";

/** Characters of a request that its sessions are searched by. */
const SEARCHED_BY = 400;

/** Where a task that was read off recorded sessions leads to: the one session that says it, else all that say its words. */
export const readOffPages: readonly ConsoleRoute[] = [shows("/sandboxes/:env/tasks/:index/sessions", readOff)];

async function readOff(visit: Visit): Promise<View> {
  const { records } = visit.ctx.store;
  const { env_id, index } = refOf(visit);
  const { task, environment } = await findTask(visit.ctx, env_id, index);
  const compiled = await records.get(BundleRecord, (await findEnvironment(visit.ctx, environment)).bundle);
  const sent = await records.getMany(Evidence, compiled?.evidence.toReversed() ?? []);
  const uploads = sent.filter(({ kind }) => kind === "traces");
  // A word that is cut off is in no session.
  const q = task.request.length > SEARCHED_BY ? task.request.slice(0, SEARCHED_BY).replace(/\S*$/, "") : task.request;
  const all = { filter: {}, q, sort: undefined, label: undefined, cursor: undefined };
  const found = uploads.length === 0 ? [] : (await listTraces(visit, uploads, all)).traces;
  const digests = new Map(uploads.map(({ id, digest }) => [id, digest]));
  const own = found.filter(({ eid, stored, row }) => {
    const name = traceName(digests.get(eid) ?? "", row.position);
    // A task that begins as sessions found their world names them: by their group, else by the session's own name.
    return task.start === undefined || task.start === name || (stored && toObserved(stored, name).group === task.start);
  });
  const [only, ...others] = own;
  if (only !== undefined && others.length === 0)
    return { to: pathOf({ page: "trace", id: `${only.eid}/${only.row.id}` }) };
  return { to: `${CONSOLE}/traces?${new URLSearchParams({ q: q.trim() })}` };
}
