import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { DEFAULT_SURFACE, Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { block, longField, postForm, textField } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { type ConsoleRoute, does } from "../route.ts";
import { field, needed, type Visit } from "../visit.ts";

/** Sending evidence from a page, and having a world and tasks made of it. */
export const sendPages: readonly ConsoleRoute[] = [
  does("/traces/send", async (visit) => {
    const { id } = await visit.call<{ id: string }>("evidence_post", {
      content: needed(visit, "content"),
      surface: field(visit, "surface") ?? DEFAULT_SURFACE,
      author: visit.member.name,
    });
    return { to: pathOf({ page: "evidence", id }) };
  }),
  does("/evidence/:eid/build", async (visit) => {
    const { job } = await visit.call<{ job: string }>("pipeline_post", { surface: needed(visit, "surface") });
    return { to: `${CONSOLE}/jobs/${encodeURIComponent(job)}` };
  }),
];

/** How the first evidence gets here, on every page that has nothing to show without it; nothing once there is some. */
export async function firstEvidence(visit: Visit): Promise<ComponentChild> {
  if ((await visit.ctx.store.records.count(Evidence)) > 0) return null;
  return block(
    "Begin with traces of your agents",
    html`
      <p>Traces, tool listings and API documents, in most known formats, are told apart by themselves.</p>
      <ul>
        <li><code>svc evaluate FILES</code> reads them, builds a world and tasks, and tries an agent on them, on your machine.</li>
        <li><code>svc push FILES</code> sends them here${visit.member.role === "admin" ? html`, with <a href="${CONSOLE}/tokens">a token</a>` : ""}.</li>
        <li>A small file can be sent from this page:</li>
      </ul>
    `,
    postForm(visit, "/traces/send", "Send it", [
      longField("content", "What the file holds", { rows: 6, code: true }),
      textField("surface", "Of which system (empty: main)", { size: 24 }),
    ]),
  );
}

/** Has a world, a sandbox and its tasks made of what is known of a system, from a record of its evidence. */
export function buildForm(
  visit: Visit,
  { id, surface = DEFAULT_SURFACE }: { readonly id: string; readonly surface?: string | undefined },
): ComponentChild {
  return postForm(
    visit,
    `/evidence/${encodeURIComponent(id)}/build`,
    "Build a world and write tasks",
    html`<input type="hidden" name="surface" value=${surface} />`,
    { plain: true },
  );
}
