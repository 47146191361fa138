import { setTimeout as sleep } from "node:timers/promises";
import type { Request, RequestHandler, Response } from "express";
import { type ComponentChild, h } from "preact";
import { renderToStaticMarkup } from "preact-render-to-string";
import type { Service } from "../../service/service.ts";
import { type Visit, visitOf } from "../visit.ts";
import { failedChecks, isLive, liveTable, progress, requestsOf, type Watched } from "./runs.ts";

/** How often a run is looked at, and how long one connection is told: a browser comes back by itself after that. */
const LOOK_MS = 1_000;
const TOLD_MS = 10 * 60_000;
/** Connections that are told at a time; others see the page as it was loaded. */
const MOST = 200;

let open = 0;

/** A part of a page as it stands, and whether it changes no more. */
interface Part {
  readonly shown: ComponentChild;
  readonly ended: boolean;
}
/** Looks at what a page's part shows, for the visit that asks now. */
type Look = (visit: Visit) => Promise<Part>;

/** One run: a run of another org, or none, is refused before anything is sent. */
export async function oneRun(visit: Visit): Promise<Look> {
  const requests = await requestsOf(visit.ctx, visit.param("gid"));
  return async (now) => {
    const job = await now.call<Watched>("watch_job", { job_id: now.param("gid") });
    return { shown: progress(job, requests, await failedChecks(now.ctx, job)), ended: job.ended_at !== null };
  };
}

/** All runs that work now. */
export async function allRuns(): Promise<Look> {
  return async (now) => ({ shown: await liveTable(now), ended: !(await isLive(now)) });
}

/**
 * A part of a page as server-sent events: its HTML whenever it changed, then `done` when it changes no more. It answers
 * whoever may see the page, and ends when the browser goes away or the session ends.
 */
export function liveEvents(service: Service, part: (visit: Visit) => Promise<Look>): RequestHandler {
  return async (req, res) => {
    const gone = new AbortController();
    res.once("close", () => gone.abort());
    const visit = await visitOf(service, req, new URLSearchParams(), gone.signal);
    res.locals.visit = visit;
    await service.limits.enter(visit.ctx.caller, req);
    const look = await part(visit);
    const first = await look(visit);
    const until = Date.now() + (open < MOST ? TOLD_MS : 0);
    res.status(200).set({ "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" });
    res.flushHeaders();
    open += 1;
    try {
      await tell(service, req, res, { first, look, until, signal: gone.signal });
    } catch {
      // The headers are out: what fails now ends the stream, and the browser asks anew or shows what it has.
    } finally {
      open -= 1;
      res.end();
    }
  };
}

interface Telling {
  readonly first: Part;
  readonly look: Look;
  readonly until: number;
  readonly signal: AbortSignal;
}

async function tell(service: Service, req: Request, res: Response, { first, look, until, signal }: Telling) {
  let part = first;
  let told = "";
  for (;;) {
    const text = renderToStaticMarkup(h("div", null, part.shown));
    if (text !== told) res.write(eventOf(undefined, text));
    told = text;
    if (part.ended) {
      res.write(eventOf("done", ""));
      return;
    }
    if (Date.now() >= until) return;
    await sleep(LOOK_MS, undefined, { signal });
    // Whoever was signed out meanwhile is told nothing more.
    part = await look(await visitOf(service, req, new URLSearchParams(), signal));
  }
}

/** An event with its data, a line a line. */
function eventOf(name: string | undefined, data: string): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}`);
  return `${name === undefined ? "" : `event: ${name}\n`}${lines.join("\n")}\n\n`;
}
