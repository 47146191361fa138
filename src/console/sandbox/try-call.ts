import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { badField } from "../../../chapters/errors.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut, inWords, percent } from "../../../chapters/findings/pages/words.ts";
import { findEnvironment } from "../../../chapters/sandboxes/environments/environment-records.ts";
import { environmentTasks } from "../../../chapters/sandboxes/tasks/task-records.ts";
import { table } from "../../pages/html.ts";
import { jsonTree } from "../../pages/json-tree.ts";
import { block, choice, getForm, hidden, longField, postForm } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { textOf } from "../lists/query.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { field, needed, type View, type Visit } from "../visit.ts";

const PATH = "/sandboxes/:env/try";
/** Calls of the tasks' own scripts that are offered to begin from. */
const EXAMPLES = 5;
/** Rows that a call changed which are named. */
const CHANGES = 20;

interface Tools {
  readonly tools: readonly {
    readonly name: string;
    readonly description?: string;
    readonly inputSchema?: { readonly properties?: Readonly<Record<string, unknown>>; readonly required?: string[] };
  }[];
}
interface Copy {
  readonly world: string;
  readonly bundle_id: string;
}
interface Answered {
  readonly tool: string;
  readonly is_error: boolean;
  readonly answer_class: string;
  readonly served_by: keyof typeof SERVED;
  readonly layer?: keyof typeof LAYERS;
  readonly confidence?: number;
  readonly answer: unknown;
  readonly changes: readonly { readonly table: string; readonly key: string }[];
}

const SERVED = {
  behaviour: "the tool's compiled behaviour",
  recorded: "a recorded answer to this very call",
  gap: "nothing: the world has no answer for it, and says so",
  schema: "the tool's schema, which the arguments do not fit",
} as const;
const LAYERS = {
  history: "a recorded session alike",
  program: "what the tools do",
  floor: "the most frequent answer",
} as const;

/** A call made by hand, as an agent would make it, on a copy of the world that no trial sees. */
export const tryCallPages: readonly ConsoleRoute[] = [
  shows(PATH, (visit) => page(visit)),
  does(PATH, async (visit) => {
    const [tool, args] = [needed(visit, "tool"), argumentsOf(visit)];
    const [world, bundle_id] = [field(visit, "world"), field(visit, "bundle")];
    const copy = world === undefined || bundle_id === undefined ? await freshCopy(visit) : { world, bundle_id };
    const answered = await visit.call<Answered>("world_call", { ...copy, tool, args });
    const { changed } = await visit.call<{ changed: readonly Changed[] }>("world_peek", { ...copy });
    return page(visit, { copy, args, answered, changed });
  }),
];

interface Changed {
  readonly table: string;
  readonly key: string;
  readonly op: "insert" | "update" | "delete";
}
interface Done {
  readonly copy: Copy;
  readonly args: Readonly<Record<string, unknown>>;
  readonly answered: Answered;
  /** Rows of the copy that are not as drawn, after all of its calls. */
  readonly changed: readonly Changed[];
}

/** A copy of the world as drawn. Its connector token ends at once: nobody calls it but this page. */
async function freshCopy(visit: Visit): Promise<Copy> {
  const { world, bundle_id, token_id } = await visit.call<Copy & { token_id: string }>("worlds_post", {
    environment: visit.param("env"),
    label: "tried by hand",
    by: visit.member.name,
  });
  await visit.call("world_tokens_delete", { tid: token_id });
  return { world, bundle_id };
}

function argumentsOf(visit: Visit): Record<string, unknown> {
  const text = field(visit, "args") ?? "{}";
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badField("args", `is no JSON: ${(error as Error).message}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw badField("args", 'give an object, as {"id": "1"}');
  return value as Record<string, unknown>;
}

async function page(visit: Visit, done?: Done): Promise<View> {
  const environment = await findEnvironment(visit.ctx, visit.param("env"));
  const { tools } = await visit.call<Tools>("environment_tools", { env_id: environment.id });
  // A form that was refused is shown again on the copy that it was of.
  const refused = visit.refused?.form;
  const asked = done?.answered.tool ?? refused?.get("tool") ?? textOf(visit, "tool", 200);
  const tool = tools.find(({ name }) => name === asked) ?? tools[0];
  const place = `/sandboxes/${encodeURIComponent(environment.id)}`;
  const doc: PageDoc = {
    v: 1,
    title: `Try a call: ${cut(environment.label, 80)}`,
    made_at: visit.ctx.now(),
    sections: [],
  };
  const ways = html`<p class="ways"><a href=${CONSOLE + place}>The sandbox</a> <a href="${CONSOLE}${place}/world">Rows of its world</a></p>`;
  if (tool === undefined) return { doc, lead: [ways, html`<p>This world serves no tool.</p>`] };
  const examples = await callsOfScripts(visit, tool.name);
  const chosen = examples[Number(visit.query.get("example") ?? "0")] ?? skeletonOf(tool);
  const [world, bundle] = [done?.copy.world ?? refused?.get("world"), done?.copy.bundle_id ?? refused?.get("bundle")];
  const kept = world && bundle ? [hidden("world", world), hidden("bundle", bundle)] : [];
  const names = tools.map(({ name }) => ({ value: name, text: cut(name, 60) }));
  const form = block(
    kept.length === 0 ? `Call ${cut(tool.name, 60)}` : `Call ${cut(tool.name, 60)} again on the same copy`,
    tool.description && html`<p class="soft">${cut(tool.description, 300)}</p>`,
    postForm(visit, `${place}/try`, "Call it", [
      ...kept,
      hidden("tool", tool.name),
      longField("args", "Arguments, as JSON", {
        value: JSON.stringify(done?.args ?? chosen, null, 1),
        rows: 6,
        required: false,
        code: true,
      }),
    ]),
    kept.length > 0 &&
      html`<p><a href="${CONSOLE}${place}/try?${new URLSearchParams({ tool: tool.name })}">Begin again on a fresh copy</a></p>`,
    examples.length > 0 &&
      html`<p class="soft">Calls that its tasks make: ${examples.map((each, i) => html`<a href="${CONSOLE}${place}/try?${new URLSearchParams({ tool: tool.name, example: String(i) })}"><code>${cut(JSON.stringify(each), 80)}</code></a> `)}</p>`,
  );
  return {
    doc,
    lead: [
      ways,
      html`<p>A call is answered as an agent's would be, on a copy of the world that no trial and no other person works on.</p>`,
      done && answer(done),
      form,
      block(
        "Another tool",
        kept.length === 0
          ? getForm(`${place}/try`, "Take it", choice("tool", "Tool", names, tool.name), { row: true })
          : postForm(
              visit,
              `${place}/try`,
              "Call it on the same copy",
              [
                ...kept,
                choice("tool", "Tool", names, tool.name),
                longField("args", "Arguments, as JSON", { rows: 3, required: false, code: true }),
              ],
              { plain: true },
            ),
      ),
    ],
  };
}

/** Arguments that scripts of the sandbox's own tasks call a tool with, each once. */
async function callsOfScripts(visit: Visit, tool: string): Promise<Readonly<Record<string, unknown>>[]> {
  const tasks = await environmentTasks(visit.ctx, visit.param("env"));
  const calls = tasks.flatMap(({ task }) => task.script.calls.filter((call) => call.tool === tool));
  const each = new Map(calls.map(({ args }) => [JSON.stringify(args), args]));
  return [...each.values()].slice(0, EXAMPLES);
}

/** The arguments that a tool cannot do without, empty. */
function skeletonOf({ inputSchema }: Tools["tools"][number]): Readonly<Record<string, unknown>> {
  return Object.fromEntries((inputSchema?.required ?? []).map((name) => [name, ""]));
}

function answer({ answered, changed }: Done): ComponentChild {
  const { tool, is_error, answer_class, served_by, layer, confidence, answer: value, changes } = answered;
  const by = layer === undefined ? SERVED[served_by] : `${SERVED[served_by]}; it is estimated by ${LAYERS[layer]}`;
  const sure = confidence === undefined ? "" : `, right with a likelihood of ${percent(confidence)}`;
  return html`
    <section role="status">
      <h2>What it answered</h2>
      <p class="verdict is-${served_by === "gap" ? "warn" : "plain"}">
        ${cut(tool, 60)} answered ${is_error ? "with an error" : inWords(answer_class)}${changes.length === 0 ? " and changed nothing" : ` and changed ${counted(changes.length, "row")}`}.
      </p>
      <p class="tier">Said by ${by}${sure}.</p>
      ${jsonTree(value, "Answer")}
      ${
        changed.length > 0 &&
        table(
          `Rows of this copy that are not as drawn${changed.length > CHANGES ? `, the first ${CHANGES} of ${changed.length}` : ""}.`,
          [{ name: "Table" }, { name: "Key" }, { name: "What was done" }],
          changed
            .slice(0, CHANGES)
            .map(({ table: of, key, op }) => [cut(of, 60), cut(key, 80), `${op.replace(/e$/, "")}ed`]),
        )
      }
    </section>
  `;
}

/** The way to try a tool in a sandbox. */
export function tryPath(environment: string, tool: string): string {
  return `${pathOf({ page: "packet", id: environment })}/try?${new URLSearchParams({ tool })}`;
}
