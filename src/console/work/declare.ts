import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { loadBundle } from "../../../chapters/blobs.ts";
import { AppError, notFound } from "../../../chapters/errors.ts";
import { counted, cut, percent, shown } from "../../../chapters/findings/pages/words.ts";
import { findSurface } from "../../../chapters/sandboxes/surfaces/surfaces.ts";
import { tryDeclaration } from "../../../chapters/sandboxes/surfaces/try-declaration.ts";
import { printLine } from "../../../worlds/behaviour/print.ts";
import { table } from "../../pages/html.ts";
import { block, hidden, longField, postForm, textField } from "../forms.ts";
import { CONSOLE } from "../frame.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { field, needed, type View, type Visit } from "../visit.ts";

const PATH = "/surfaces/:surface/tools/:tool/declare";
const CHARS = 300;

interface Redrawn {
  readonly environments_refreshed: readonly { readonly environment: string }[];
}

/** Saying how a tool behaves, in place of what was compiled of it: first what it would change, then the change. */
export const declarePages: readonly ConsoleRoute[] = [
  shows(PATH, (visit) => page(visit)),
  does(`${PATH}/try`, async (visit) => {
    const behaviour = needed(visit, "behaviour");
    return page(visit, behaviour, await outcome(visit, behaviour));
  }),
  does(PATH, async (visit) => {
    const [surface, tool] = [visit.param("surface"), visit.param("tool")];
    const reason = field(visit, "reason");
    const { environments_refreshed: changed } = await visit.call<Redrawn>("surface_world_redraw", {
      surface,
      redeclared_tools: [{ name: tool, behaviour: needed(visit, "behaviour") }],
      ...(reason === undefined ? {} : { reason }),
    });
    const [first] = changed;
    const place = first === undefined ? "/surfaces" : `/sandboxes/${encodeURIComponent(first.environment)}`;
    return { to: CONSOLE + place };
  }),
  does(`${PATH}/undo`, async (visit) => {
    await visit.call("surface_world_revert", { surface: visit.param("surface") });
    return { to: CONSOLE + ownPath(visit) };
  }),
];

function ownPath(visit: Visit): string {
  const part = (name: string) => encodeURIComponent(visit.param(name));
  return `/surfaces/${part("surface")}/tools/${part("tool")}/declare`;
}

/** What declaring it so comes to: `able` where it can be declared at all. */
interface Outcome {
  readonly result: ComponentChild;
  readonly able: boolean;
}

async function page(visit: Visit, asked?: string, tried?: Outcome): Promise<View> {
  const tool = visit.param("tool");
  const surface = await findSurface(visit.ctx, visit.param("surface"));
  if (surface.bundle === undefined) throw notFound("compiled tool of this surface");
  const { record, bundle } = await loadBundle(visit.ctx, surface.bundle);
  if (!bundle.tools.some(({ name }) => name === tool)) throw notFound("tool of this surface");
  const own = Object.hasOwn(bundle.behaviours, tool) ? bundle.behaviours[tool] : undefined;
  const line = own === undefined ? undefined : printLine(own.behaviour);
  const declared = record.declared?.tools_redeclared.includes(tool) === true;
  const held = Object.entries(record.fidelity?.tools ?? {}).find(([name]) => name === tool)?.[1];
  const place = ownPath(visit);
  const behaviour = asked ?? line ?? "";
  return {
    doc: { v: 1, title: `How ${cut(tool, 80)} behaves`, made_at: visit.ctx.now(), sections: [] },
    lead: [
      html`<p>
        ${
          held === undefined
            ? "It was not measured on calls that were kept aside."
            : `As compiled it answered ${percent(held.identical_volatile / Math.max(1, held.calls))} of ${counted(held.calls, "kept-aside call")} as observed.`
        }
        ${declared ? " A person has said how it behaves." : ""}
      </p>`,
      tried?.result,
      html`<details>
        <summary>What can be written</summary>
        <p>
          Steps with semicolons between: <code>let NAME = VALUE</code>, <code>refuse "WORDS" when VALUE</code>,
          <code>insert</code>, <code>update</code> or <code>delete</code> on a table, and last <code>answer VALUE</code>.
          A value is a CEL expression over <code>args</code>; <code>lookup("TABLE", key)</code> is a row or null. What
          stands below is what the tool does now: change it, and see what that does to recorded calls.
        </p>
      </details>`,
      postForm(
        visit,
        `${place}/try`,
        "See what it would change",
        longField("behaviour", "What it does, as one line of steps", { value: behaviour, rows: rowsFor(behaviour) }),
      ),
      asked !== undefined &&
        tried?.able === true &&
        block(
          "Serve it so",
          html`<p>Every sandbox of the system is drawn again with it, and its tasks are reviewed there. It can be taken back.</p>`,
          postForm(visit, place, "Declare it", [hidden("behaviour", asked), textField("reason", "Why (may be empty)")]),
        ),
      declared &&
        block(
          "Take it back",
          postForm(visit, `${place}/undo`, "Put the sandboxes back as they were", null, { plain: true }),
        ),
    ],
  };
}

/** Rows that show a behaviour whole, as far as a screen holds it. */
function rowsFor(behaviour: string): number {
  return Math.min(20, Math.max(4, Math.ceil(behaviour.length / 100)));
}

/** What cannot be declared is told above the form, which keeps what was typed. */
async function outcome(visit: Visit, behaviour: string): Promise<Outcome> {
  try {
    return { result: await replayed(visit, behaviour), able: true };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const why = error.details.fields?.[0]?.message ?? error.reason;
    return { result: html`<p role="alert" class="verdict is-warn">It cannot be declared so: ${why}.</p>`, able: false };
  }
}

/** What the declared function answers in recorded sessions, beside what was observed. */
async function replayed(visit: Visit, behaviour: string): Promise<ComponentChild> {
  const [surface, tool] = [visit.param("surface"), visit.param("tool")];
  const { sessions, calls, alike, wrong_success, not_served, wrong } = await tryDeclaration(visit.ctx, {
    surface,
    tool,
    behaviour,
  });
  return html`
    <section role="status">
      <h2>What it would change</h2>
      <p class="verdict is-${wrong_success > 0 ? "warn" : "plain"}">
        Declared so it answers ${alike} of ${counted(calls, "recorded call")} as observed, in
        ${` ${counted(sessions, "session")} replayed whole.`} Wrong successes: ${wrong_success}; not served: ${not_served}.
      </p>
      ${
        wrong.length > 0 &&
        table(
          "The first ones that it does not answer as observed.",
          [{ name: "Verdict" }, { name: "It answers", wide: true }],
          wrong.map(({ verdict, answered }) => [verdict.replaceAll("_", " "), shown(answered, CHARS)]),
        )
      }
    </section>
  `;
}
