import type { Cron } from "croner";
import { afterIngestDue } from "../../chapters/automation/after-ingest/after-ingest-pass.ts";
import { startRetention } from "../../chapters/automation/organization/retention.ts";
import { TICK_SECONDS, tickOrg } from "../../chapters/automation/schedules/tick.ts";
import type { Ctx, Log } from "../../chapters/context.ts";
import { closeTraces } from "../../chapters/evidence/rolling/close.ts";
import { isHalfway } from "../../chapters/exports/restore.ts";
import { everyRow } from "../../chapters/page.ts";
import type { OrgRow, ServiceStore } from "../../chapters/ports/store.ts";

/** Starts what is due, in every org. */
export interface Ticker {
  /** Looks once and starts what is due now; a tick that runs already is waited for, and another made. */
  tick(): Promise<void>;
  begin(): void;
  close(): Promise<void>;
}

/** A ticker over a store. Of several servers one at a time looks at an org, so that what is due is started once. */
export function createTicker(options: {
  readonly store: ServiceStore;
  readonly context: (org: OrgRow) => Ctx;
  readonly log: Log;
  /** Set where other servers tick too: who this one is, unix seconds, and how long its turn at an org lasts at most. */
  readonly turns?: { readonly owner: string; readonly now: () => number; readonly seconds: number };
}): Ticker {
  const { store, context, log, turns } = options;
  const turnAt = (org: OrgRow) => `tick/${org.id}`;
  /** Whether this server, and no other, looks at the org now; asked again, its turn goes on. */
  const myTurn = async (org: OrgRow) =>
    turns === undefined || (await store.takeTurn(turnAt(org), turns.owner, turns.now(), turns.now() + turns.seconds));
  let ticking: Promise<void> = Promise.resolve();
  let cron: Cron | undefined;
  let closed = false;
  const everyOrg = async () => {
    for await (const org of everyRow((page) => store.orgs(page))) {
      if (closed) return;
      // A line of ours in its audit log would keep the rest of the archive out.
      if (isHalfway(org)) continue;
      if (!(await myTurn(org))) continue;
      // One org's trouble is no other's.
      for (const due of [closeTraces, tickOrg, afterIngestDue, startRetention]) {
        try {
          if (!(await myTurn(org))) break;
          await due(context(org));
        } catch (err) {
          log.error({ err, org: org.id }, "what is due in an org could not be started");
        }
      }
      if (turns) await store.endTurn(turnAt(org), turns.owner);
    }
    // A while later than they were over, for servers whose clocks are behind.
    if (turns) await store.forgetOver(turns.now() - turns.seconds);
  };
  const tick = () => {
    ticking = ticking.then(everyOrg, everyOrg);
    return ticking;
  };
  return {
    tick,
    begin() {
      void import("croner").then(({ Cron }) => {
        if (closed) return;
        const failed = (err: unknown) => log.error({ err }, "schedules could not be looked through");
        cron = new Cron(`*/${TICK_SECONDS} * * * * *`, { protect: true, unref: true, catch: failed }, tick);
      });
    },
    async close() {
      closed = true;
      cron?.stop();
      await ticking.catch(() => {});
    },
  };
}
