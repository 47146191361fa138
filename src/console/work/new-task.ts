import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { loadBundle } from "../../../chapters/blobs.ts";
import { AppError, badField } from "../../../chapters/errors.ts";
import { traceOf } from "../../../chapters/evidence/traces/trace-view.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut } from "../../../chapters/findings/pages/words.ts";
import { TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { liveEnvironment } from "../../../chapters/sandboxes/environments/environment-records.ts";
import { requiredFacts } from "../../../worlds/tasks/checks/fact-checks.ts";
import type { Task } from "../../../worlds/tasks/schema.ts";
import { block, choice, folded, longField, postForm } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { field, needed, type View, type Visit } from "../visit.ts";
import { taskPath } from "./review-list.ts";
import { fieldsOf } from "./trace-tasks.ts";

const PATH = "/sandboxes/:env/new-task";
const KINDS = [
  { value: "answer", text: "say what calls find" },
  { value: "change", text: "make a change by calls" },
  { value: "no_data", text: "say that there is nothing, after calls that find nothing" },
  { value: "refuse", text: "refuse, after calls that show why" },
  { value: "ask", text: "ask the user back" },
];

/** A task in a person's own words, with what is right: its checks are written from that, and pass the usual review. */
export const newTaskPages: readonly ConsoleRoute[] = [
  shows(PATH, form),
  does(PATH, async (visit) => {
    const env_id = visit.param("env");
    const turns = paragraphs(field(visit, "turns") ?? "");
    const stated = { request: needed(visit, "request"), ...(turns.length === 0 ? {} : { turns }), right: right(visit) };
    try {
      const { tasks } = await visit.call<{ tasks: readonly { readonly index: number }[] }>("environment_tasks_post", {
        env_id,
        stated: [stated],
        by: visit.member.name,
      });
      const [added] = tasks;
      return {
        to: added === undefined ? pathOf({ page: "packet", id: env_id }) : CONSOLE + taskPath(env_id, added.index),
      };
    } catch (error) {
      throw error instanceof AppError ? inForm(error) : error;
    }
  }),
];

/** What is right, of the fields that its kind needs. */
function right(visit: Visit): Record<string, unknown> {
  const kind = needed(visit, "kind");
  if (kind === "ask") return { kind, about: lines(needed(visit, "about")) };
  const calls = callsOf(
    kind === "answer" || kind === "change" ? needed(visit, "calls") : (field(visit, "calls") ?? ""),
  );
  return kind === "answer"
    ? { kind, calls, answer: needed(visit, "answer"), facts: lines(needed(visit, "facts")).map(factOf) }
    : { kind, calls };
}

function lines(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);
}

function paragraphs(text: string): string[] {
  return text
    .split(/\r?\n\s*\r?\n/)
    .map((turn) => turn.trim())
    .filter(Boolean);
}

/** A number as one where it is written as JSON writes it. */
function factOf(text: string): string | number {
  const value = Number(text);
  return String(value) === text && Number.isFinite(value) ? value : text;
}

/** Calls, one a line: a tool's name, then its arguments as a JSON object. */
function callsOf(text: string): { readonly tool: string; readonly args: Record<string, unknown> }[] {
  return lines(text).map((line, i) => {
    const [, tool = "", rest = ""] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
    try {
      const args: unknown = rest === "" ? {} : JSON.parse(rest);
      if (typeof args === "object" && args !== null && !Array.isArray(args)) return { tool, args: { ...args } };
    } catch {
      // Told below, with the line.
    }
    throw badField("calls", `line ${i + 1} is no tool's name with a JSON object of arguments after it`);
  });
}

/** A refusal whose fields have the names of the form. */
function inForm(error: AppError): AppError {
  const fields = error.details.fields?.map(({ path, message }) => {
    const [, , part = "request", inside] = path.split(".");
    const name = part !== "right" ? part : (inside ?? "calls");
    return { path: NAMES.has(name) ? name : "calls", message };
  });
  return new AppError(error.code, error.reason, { ...error.details, ...(fields === undefined ? {} : { fields }) });
}

const NAMES: ReadonlySet<string> = new Set(["request", "turns", "kind", "calls", "answer", "facts", "about"]);

async function form(visit: Visit): Promise<View> {
  const environment = await liveEnvironment(visit.ctx, visit.param("env"));
  const { bundle } = await loadBundle(visit.ctx, environment.bundle);
  const { records } = visit.ctx.store;
  const certified = await records.count(TaskRecord, { environment: environment.id, status: "certified" });
  const doc: PageDoc = {
    ...{ v: 1, title: "Add a task", made_at: visit.ctx.now(), sections: [] },
    verdict: {
      text: `${cut(environment.label, 80)} holds ${counted(certified, "certified task")}.`,
      tone: "plain",
      tier: "deterministic",
      how: "A task counts once review has proven that its checks tell right trials from wrong ones.",
    },
  };
  const back = pathOf({ page: "packet", id: environment.id });
  const [like] = (
    await records.list(TaskRecord, { where: { environment: environment.id, status: "certified" }, limit: 1 })
  ).items;
  const [evidence, trace] = (visit.query.get("trace") ?? "").split("/");
  const from = evidence && trace ? await traceOf(visit.ctx, evidence, trace) : undefined;
  const filled = from && fieldsOf(from.trace, bundle);
  const lead = [
    from &&
      html`<p class="warn">Filled in from <a href=${pathOf({ page: "trace", id: `${from.evidence}/${from.id}` })}>a trace</a>: what is right is what its agent did. Look at it before you add it.</p>`,
    html`
      <p>Say what a user asks on <a href=${back}>${cut(environment.label, 80)}</a>, and what is right. Script and checks are written from that; a task that does not pass review is not kept, and why is told here.</p>
    `,
    like && example(like.task),
    postForm(visit, `/sandboxes/${encodeURIComponent(environment.id)}/new-task`, "Review and add it", [
      longField("request", "What the user asks", { rows: 3, value: filled?.request ?? "" }),
      choice("kind", "What is right is to", KINDS, filled?.kind),
      longField("calls", 'Calls that do it, each on a line: tool {"argument": "value"}', {
        rows: 3,
        required: false,
        code: true,
        value: filled?.calls ?? "",
      }),
      longField("answer", "Where something is to be said: a right answer", {
        rows: 2,
        required: false,
        value: filled?.answer ?? "",
      }),
      longField("facts", "The values that it must say, one a line, as the calls answer them", {
        rows: 2,
        required: false,
        value: filled?.facts ?? "",
      }),
      longField("about", "Where the user is to be asked: about what, one a line", { rows: 2, required: false }),
      folded(
        "What the user says next",
        longField("turns", "One turn a paragraph", { rows: 3, required: false, value: filled?.turns ?? "" }),
      ),
    ]),
    block(
      `Tools: ${bundle.tools.length}`,
      html`<ul class="plain">${bundle.tools.map((tool) => html`<li>${toolLine(tool)}</li>`)}</ul>`,
    ),
  ];
  return { doc, lead };
}

/** How one of this sandbox's tasks would be written here. */
function example({ request, script: { calls }, checks }: Task): ComponentChild {
  const facts = requiredFacts(checks);
  return folded(
    "How one of its tasks is written",
    html`<p>The user asks: “${cut(request, 400)}”</p>
      ${calls.length > 0 && html`<p>Calls that do it:</p><pre tabindex="0">${calls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`).join("\n")}</pre>`}
      ${facts.length > 0 && html`<p>The values that it must say:</p><pre tabindex="0">${facts.map(({ value }) => String(value)).join("\n")}</pre>`}`,
  );
}

type Tool = Awaited<ReturnType<typeof loadBundle>>["bundle"]["tools"][number];

/** A tool with the names of its arguments, those that it needs first. */
function toolLine({ name, inputSchema }: Tool): ComponentChild {
  const { properties = {}, required = [] } = inputSchema as {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
  const optional = Object.keys(properties).filter((each) => !required.includes(each));
  const args = [...required, ...optional.map((each) => `${each}?`)];
  return html`<code>${cut(name, 80)}</code> <span class="soft">${cut(args.join(", "), 200)}</span>`;
}
