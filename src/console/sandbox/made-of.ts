import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { counted, cut, minuteOf } from "../../../chapters/findings/pages/words.ts";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { BundleRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { findEnvironment } from "../../../chapters/sandboxes/environments/environment-records.ts";
import { pathOf } from "../frame.ts";
import type { Visit } from "../visit.ts";

/** Records of evidence that are linked, the newest. */
const LINKED = 5;

/** The evidence that a sandbox's world was compiled from. */
export async function madeOf(visit: Visit, env: string): Promise<ComponentChild> {
  const { records } = visit.ctx.store;
  const { bundle } = await findEnvironment(visit.ctx, env);
  const compiled = await records.get(BundleRecord, bundle);
  if (!compiled || compiled.evidence.length === 0) return null;
  const newest = await records.getMany(Evidence, compiled.evidence.toReversed().slice(0, LINKED));
  const more = compiled.evidence.length - newest.length;
  return html`
    <p>
      Compiled ${minuteOf(compiled.created_at)} UTC from ${counted(compiled.evidence.length, "record")} of evidence:${" "}
      ${newest.map((each, i) => html`${i > 0 && ", "}<a href=${pathOf({ page: "evidence", id: each.id })}>${cut(each.tag ?? each.surface ?? visit.org.tag, 40)}</a>${each.kind === "traces" ? ` (${counted(each.stats.traces, "trace")})` : ` (${each.kind})`}`)}${more > 0 && `, and ${more} older`}.
    </p>
  `;
}
