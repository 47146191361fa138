import type { Cron } from "croner";
import type { Ctx, Log } from "../../chapters/context.ts";
import { closeTraces } from "../../chapters/evidence/rolling/close.ts";
import { isHalfway } from "../../chapters/exports/restore.ts";
import { startRetention } from "../../chapters/organization/retention.ts";
import { everyRow } from "../../chapters/page.ts";
import { TICK_SECONDS, tickOrg } from "../../chapters/sources/tick.ts";
import type { OrgRow, ServiceStore } from "../../store/port.ts";

/** Starts what is due, in every org. */
export interface Ticker {
  /** Looks once and starts what is due now; a tick that runs already is waited for, and another made. */
  tick(): Promise<void>;
  begin(): void;
  close(): Promise<void>;
}

/** A ticker over a store. What fires twice at once, in two processes, fires once: the rows see to that. */
export function createTicker(options: {
  readonly store: ServiceStore;
  readonly context: (org: OrgRow) => Ctx;
  readonly log: Log;
}): Ticker {
  const { store, context, log } = options;
  let ticking: Promise<void> = Promise.resolve();
  let cron: Cron | undefined;
  let closed = false;
  const everyOrg = async () => {
    for await (const org of everyRow((page) => store.orgs(page))) {
      if (closed) return;
      // A line of ours in its audit log would keep the rest of the archive out.
      if (isHalfway(org)) continue;
      // One org's trouble is no other's.
      for (const due of [closeTraces, tickOrg, startRetention]) {
        try {
          await due(context(org));
        } catch (err) {
          log.error({ err, org: org.id }, "what is due in an org could not be started");
        }
      }
    }
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
