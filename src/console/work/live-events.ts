import { setTimeout as sleep } from "node:timers/promises";
import type { Request, RequestHandler, Response } from "express";
import { h } from "preact";
import { renderToStaticMarkup } from "preact-render-to-string";
import type { Service } from "../../service/service.ts";
import { type Visit, visitOf } from "../visit.ts";
import { progress, requestsOf, type Watched } from "./live.ts";

/** How often a run is looked at, and how long one connection is told: a browser comes back by itself after that. */
const LOOK_MS = 1_000;
const TOLD_MS = 10 * 60_000;
/** Connections that are told at a time; others see the page as it was loaded. */
const MOST = 200;

let open = 0;

/**
 * What a run has come to, as server-sent events: HTML of the page's own part whenever it changed, then `done` when the run
 * has ended. It answers whoever may see the page, and ends when the browser goes away or the session ends.
 */
export function liveEvents(service: Service): RequestHandler {
  return async (req, res) => {
    const gone = new AbortController();
    res.once("close", () => gone.abort());
    const visit = await visitOf(service, req, new URLSearchParams(), gone.signal);
    res.locals.visit = visit;
    await service.limits.enter(visit.ctx.caller, req);
    // A run of another org, or none, is refused before anything is sent.
    const first = await look(visit);
    const requests = await requestsOf(visit.ctx, visit.param("gid"));
    const until = Date.now() + (open < MOST ? TOLD_MS : 0);
    res.status(200).set({ "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" });
    res.flushHeaders();
    open += 1;
    try {
      await tell(service, req, res, { first, requests, until, signal: gone.signal });
    } catch {
      // The headers are out: what fails now ends the stream, and the browser asks anew or shows what it has.
    } finally {
      open -= 1;
      res.end();
    }
  };
}

interface Telling {
  readonly first: Watched;
  readonly requests: ReadonlyMap<string, string>;
  readonly until: number;
  readonly signal: AbortSignal;
}

async function tell(
  service: Service,
  req: Request,
  res: Response,
  { first, requests, until, signal }: Telling,
): Promise<void> {
  let job = first;
  let told = "";
  for (;;) {
    const text = renderToStaticMarkup(h("div", null, progress(job, requests)));
    if (text !== told) res.write(eventOf(undefined, text));
    told = text;
    if (job.ended_at !== null) {
      res.write(eventOf("done", ""));
      return;
    }
    if (Date.now() >= until) return;
    await sleep(LOOK_MS, undefined, { signal });
    // Whoever was signed out meanwhile is told nothing more.
    job = await look(await visitOf(service, req, new URLSearchParams(), signal));
  }
}

function look(visit: Visit): Promise<Watched> {
  return visit.call<Watched>("watch_job", { job_id: visit.param("gid") });
}

/** An event with its data, a line a line. */
function eventOf(name: string | undefined, data: string): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}`);
  return `${name === undefined ? "" : `event: ${name}\n`}${lines.join("\n")}\n\n`;
}
