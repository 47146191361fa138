import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { counted, cut, inWords } from "../../../chapters/findings/pages/words.ts";
import type { JobEvent } from "../../../chapters/ports/store.ts";
import { table } from "../../pages/html.ts";
import { folded } from "../forms.ts";
import { pathOf } from "../frame.ts";
import type { Visit } from "../visit.ts";

/** Events that are told, the last. */
const TOLD = 80;

/** What happened to a job, folded: of a run with what happened to its parts; a trial that has ended opens. */
export async function jobLog(visit: Visit, job: string): Promise<ComponentChild> {
  const { events } = await visit.call<{ events: readonly JobEvent[] }>("job_audit", { job_id: job });
  const shown = events.slice(-TOLD);
  const which = shown.length < events.length ? `The last ${shown.length} of ${events.length}` : "All";
  return folded(
    `What happened: ${counted(events.length, "event")}`,
    table(
      `${which}, in the order of time.`,
      [{ name: "At (UTC)" }, { name: "Event" }, { name: "With", wide: true }],
      shown.map((event) => [
        new Date(event.at * 1000).toISOString().slice(0, 19).replace("T", " "),
        eventName(event),
        cut(
          Object.entries(event.fields)
            .map(([name, value]) => `${inWords(name)} ${value}`)
            .join(", "),
          300,
        ),
      ]),
    ),
  );
}

function eventName({ kind, fields: { run, task, n } }: JobEvent): ComponentChild {
  const words = inWords(kind);
  if (kind !== "trial" || run === undefined || task === undefined || n === undefined) return words;
  return html`<a href=${pathOf({ page: "trial", id: `${run}/${task}/${n}` })}>${words}</a>`;
}
