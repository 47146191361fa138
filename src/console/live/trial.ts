import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { cut } from "../../../chapters/findings/pages/words.ts";
import { type LiveTrial, type LiveTrialRef, liveTrial } from "../../../chapters/findings/viewer/live-trial.ts";
import { timeline } from "../../pages/timeline.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";
import { fillingIn } from "./runs.ts";

/** Where a trial that is still tried is looked at. */
export const LIVE_TRIAL = "/groups/:gid/live/:run/:task/:n";

/** A trial while it is tried; its address leads to the trial once that has ended, and to its run where nothing is under way. */
export const liveTrialPages: readonly ConsoleRoute[] = [shows(LIVE_TRIAL, page)];

function refOf({ param }: Visit): LiveTrialRef {
  return { group: param("gid"), run: param("run"), task: param("task"), n: Number(param("n")) };
}

async function page(visit: Visit): Promise<View> {
  const ref = refOf(visit);
  const found = await liveTrial(visit.ctx, ref);
  if (found === "ended") return { to: pathOf({ page: "trial", id: `${ref.run}/${ref.task}/${ref.n}` }) };
  const group = `${CONSOLE}/groups/${encodeURIComponent(ref.group)}/live`;
  if (found === "not under way") return { to: group };
  const events = `${group}/${[ref.run, ref.task, String(ref.n)].map(encodeURIComponent).join("/")}/events`;
  const lead = [html`<p class="ways"><a href=${group}>The run while it runs</a></p>`, fillingIn(soFar(found), events)];
  const title = `Try ${ref.n} of “${cut(found.request, 80)}”`;
  return { doc: { v: 1, title, made_at: visit.ctx.now(), sections: [] }, lead };
}

function soFar({ text, steps }: LiveTrial): ComponentChild {
  return [html`<p class="verdict is-plain" role="status">${text}</p>`, timeline(steps, undefined)];
}

/** The same as it fills in, for its events. */
export async function oneTrial(visit: Visit) {
  const ref = refOf(visit);
  return async (now: Visit) => {
    const found = await liveTrial(now.ctx, ref);
    return typeof found === "string" ? { shown: null, ended: true } : { shown: soFar(found), ended: false };
  };
}
