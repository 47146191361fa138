import { html } from "htm/preact";
import type { ComponentChild, ComponentChildren } from "preact";
import { cut } from "../../../chapters/findings/pages/words.ts";
import { CONSOLE } from "../frame.ts";

/** A box that picks a trace for what stands below its list. */
export function pickTrace(id: string, request: string): ComponentChild {
  return html`<input type="checkbox" name="t" value=${id} aria-label="Pick ${cut(request, 60) || "a trace"}" />`;
}

/** The page that labels these traces one after another, from one of them on. */
export function queuePath(traces: readonly string[], at = 0, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(traces.map((id) => ["t", id]));
  for (const [name, value] of Object.entries({ ...(at === 0 ? {} : { at: String(at) }), ...more }))
    query.set(name, value);
  return `${CONSOLE}/label?${query}`;
}

/** A list of traces that are ticked, with what is done with them: both buttons only ask for another page. */
export function ticksForm(traces: readonly string[], list: ComponentChildren): ComponentChild {
  return html`
    <form method="get" action="${CONSOLE}/label">
      ${list}
      <p><button>Label the ticked</button> <button class="plain" formaction="${CONSOLE}/traces/tasks">Make tasks of the ticked</button> <a href=${queuePath(traces)}>Label all ${traces.length} of this page</a></p>
    </form>
  `;
}
