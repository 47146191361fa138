import { html } from "htm/preact";
import type { ComponentChild, ComponentChildren } from "preact";
import { toObserved } from "../../../chapters/evidence/traces/observed.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut } from "../../../chapters/findings/pages/words.ts";
import type { CanonicalTrace } from "../../../chapters/records/evidence/evidence.ts";
import { BundleRecord, Environment, Surface } from "../../../chapters/records/sandboxes/sandboxes.ts";
import type { Bundle } from "../../../worlds/bundle.ts";
import { observe } from "../../../worlds/compile/observations.ts";
import { leaves } from "../../../worlds/tasks/leaves.ts";
import { block, choice, hidden, postForm } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { needed, type View, type Visit } from "../visit.ts";

/** Systems that are looked through for those compiled from a trace, and sandboxes for those of them. */
const SURFACES = 200;
const SANDBOXES = 100;
/** Sandboxes that a trace is offered to. */
const OFFERED = 5;
/** Traces that are ticked at once. */
const PICKED = 100;
/** Values that an answer is first held to. */
const FACTS = 10;

/** Tasks of a trace: others like it in a new sandbox, and its own in one that there is. */
export const traceTaskPages: readonly ConsoleRoute[] = [
  shows("/traces/tasks", picked),
  does("/traces/tasks", async (visit) => {
    const { job } = await visit.call<{ job: string }>("generate_environments", {
      surface: needed(visit, "surface"),
      tasks: Number(needed(visit, "tasks")),
      exemplars: needed(visit, "traces").split(","),
    });
    return { to: `/console/jobs/${encodeURIComponent(job)}` };
  }),
  does("/evidence/:eid/traces/:trace/tasks", async (visit) => {
    const { job } = await visit.call<{ job: string }>("generate_environments", {
      surface: needed(visit, "surface"),
      tasks: Number(needed(visit, "tasks")),
      exemplars: [visit.param("trace")],
    });
    return { to: `/console/jobs/${encodeURIComponent(job)}` };
  }),
];

/** Tasks of traces that were ticked: what they called, in a new sandbox of a system that was compiled from them. */
async function picked(visit: Visit): Promise<View> {
  const { ctx, query } = visit;
  const ids = [...new Set(query.getAll("t"))].slice(0, PICKED);
  const stored = (await Promise.all(ids.map((id) => ctx.store.traces.get(id)))).filter((each) => !!each);
  const systems = await systemsOf(visit, new Set(stored.map(({ evidence }) => evidence)));
  const doc: PageDoc = {
    ...{ v: 1, title: "Make tasks of traces", made_at: ctx.now(), sections: [] },
    verdict: {
      text:
        stored.length === 0
          ? "No trace was ticked."
          : `${counted(stored.length, "trace")} ${stored.length === 1 ? "was" : "were"} ticked${systems.length === 0 ? "; no system was compiled from them yet" : ""}.`,
      ...{ tone: systems.length === 0 ? "warn" : "plain", tier: "deterministic" },
      how: "Tasks are written for systems whose served version was compiled from the traces' evidence.",
    },
  };
  const list = stored.map(
    ({ id, evidence, trace }) =>
      html`<li><a href=${pathOf({ page: "trace", id: `${evidence}/${id}` })}>${cut(trace.request, 140) || "no request"}</a></li>`,
  );
  const counts = ["5", "10", "20", "60"].map((value) => ({ value, text: value }));
  return {
    doc,
    lead: [
      html`<p class="ways"><a href="${CONSOLE}/traces">Traces</a> <a href="${CONSOLE}/surfaces">Systems</a></p>`,
      stored.length > 0 && html`<ul>${list}</ul>`,
      systems.length > 0 && [
        html`<p>Writes and reviews tasks that call what these sessions called, in a new sandbox.</p>`,
        postForm(
          visit,
          "/traces/tasks",
          "Make tasks",
          [
            hidden("traces", stored.map(({ id }) => id).join(",")),
            choice(
              "surface",
              "System",
              systems.map(({ id, name }) => ({ value: id, text: name })),
            ),
            choice("tasks", "Tasks to write", counts, "5"),
          ],
          { row: true },
        ),
      ],
    ],
  };
}

/** The systems whose served version was compiled from some of this evidence. */
async function systemsOf({ ctx }: Visit, evidence: ReadonlySet<string>) {
  const { items } = await ctx.store.records.list(Surface, { limit: SURFACES });
  const bundles = await ctx.store.records.getMany(
    BundleRecord,
    items.flatMap(({ bundle }) => bundle ?? []),
  );
  const compiled = new Set(bundles.filter((each) => each.evidence.some((id) => evidence.has(id))).map(({ id }) => id));
  return items.filter(({ bundle, retired_at }) => compiled.has(bundle ?? "") && retired_at === undefined);
}

/** The ways from a trace to tasks, for the systems whose served version was compiled from it. */
export async function traceTasks(visit: Visit): Promise<ComponentChildren> {
  const { param } = visit;
  const systems = await systemsOf(visit, new Set([param("eid")]));
  if (systems.length === 0) return null;
  const counts = ["1", "5", "20"].map((value) => ({ value, text: value }));
  const place = `/evidence/${encodeURIComponent(param("eid"))}/traces/${encodeURIComponent(param("trace"))}/tasks`;
  return [
    await addToSandbox(visit, new Set(systems.map(({ id }) => id))),
    block(
      "Make tasks like it",
      html`<p>Writes and reviews tasks that call what this session called, in a new sandbox.</p>`,
      postForm(visit, place, "Make tasks", [
        choice(
          "surface",
          "System",
          systems.map(({ id, name }) => ({ value: id, text: name })),
        ),
        choice("tasks", "Tasks to write", counts, "5"),
      ]),
    ),
  ];
}

/** The forms that add a trace's own task to the newest sandboxes of its systems. */
async function addToSandbox({ ctx, param }: Visit, systems: ReadonlySet<string>): Promise<ComponentChild> {
  const { items } = await ctx.store.records.list(Environment, { limit: SANDBOXES });
  const open = items.filter(({ surface, retired_at }) => systems.has(surface) && retired_at === undefined);
  if (open.length === 0) return null;
  const trace = new URLSearchParams({ trace: `${param("eid")}/${param("trace")}` });
  const links = open
    .slice(0, OFFERED)
    .map(
      ({ id, label }) =>
        html`<a href="${CONSOLE}/sandboxes/${encodeURIComponent(id)}/new-task?${trace}">${cut(label, 60)}</a> `,
    );
  return block(
    "Add it to a sandbox",
    html`<p>Fills in a task with what was asked, called and answered, to be looked at before it is reviewed.</p>
      <p class="ways">${links}</p>`,
  );
}

/** The form of a new task, by its fields. */
export interface TaskFields {
  readonly request: string;
  readonly turns: string;
  readonly kind: "answer" | "change" | "no_data" | "refuse";
  readonly calls: string;
  readonly answer: string;
  readonly facts: string;
}

/** A task as a trace shows it: its successful calls of the agent to tools that the world has, and what it answered. */
export function fieldsOf(trace: CanonicalTrace, { tools, behaviours }: Bundle): TaskFields {
  const served = new Set(tools.map(({ name }) => name));
  const calls = trace.calls.filter(
    ({ tool, is_error, requestor }) => !is_error && requestor !== "user" && served.has(tool),
  );
  const changes = calls.some(({ tool }) => behaviours[tool]?.effect === "write");
  const kind = kindOf(trace, changes);
  const later = trace.turns.filter(({ role, text }) => role === "user" && text.trim() !== "").slice(1);
  return {
    request: trace.request,
    // An empty line parts turns.
    turns: later.map(({ text }) => text.trim().replace(/\n\s*\n/g, "\n")).join("\n\n"),
    kind,
    calls: calls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`).join("\n"),
    answer: kind === "answer" ? (trace.final_answer ?? "") : "",
    facts: kind === "answer" ? factsOf({ ...trace, calls }).join("\n") : "",
  };
}

function kindOf({ final_answer_class }: CanonicalTrace, changes: boolean): TaskFields["kind"] {
  if (changes) return "change";
  if (final_answer_class === "refused") return "refuse";
  return final_answer_class === "said_no_data" ? "no_data" : "answer";
}

/** Values that calls answered, that the answer says, and that the request does not. */
function factsOf(trace: CanonicalTrace): string[] {
  const [said, asked] = [wordsIn(trace.final_answer ?? ""), wordsIn(trace.request)];
  const found = new Set<string>();
  for (const { value: answered } of observe([toObserved(trace, "")])[0]?.calls ?? [])
    for (const { value } of leaves(answered)) {
      if (typeof value !== "string" && typeof value !== "number") continue;
      const words = wordsIn(String(value));
      if (words.trim() !== "" && said.includes(words) && !asked.includes(words)) found.add(String(value));
    }
  return [...found].slice(0, FACTS);
}

/** A text as its words with a blank around each: what a value is looked for in. */
const wordsIn = (text: string): string =>
  ` ${(text.match(/[\p{L}\p{N}]+(?:[.,:'’@_-][\p{L}\p{N}]+)*/gu) ?? []).join(" ")} `;
