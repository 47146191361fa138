import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { AppError, badField, orNotFound } from "../../../chapters/errors.ts";
import { DEFAULT_TIMEOUT_S } from "../../../chapters/fields.ts";
import { MODEL_TASKS, modelTasks, providerPage } from "../../../chapters/findings/pages/provider.ts";
import { counted, cut, dollars } from "../../../chapters/findings/pages/words.ts";
import { budgetToday } from "../../../chapters/organization/budget.ts";
import { ProviderComparison } from "../../../chapters/records/runs/provider.ts";
import { Run, RunGroup } from "../../../chapters/records/runs/runs.ts";
import { Environment } from "../../../chapters/records/sandboxes/sandboxes.ts";
import {
  CompareInput,
  type getComparison,
  type listProviders,
  planProviders,
} from "../../../chapters/runs/compare/providers.ts";
import { table } from "../../pages/html.ts";
import { freeze } from "../findings.ts";
import { block, choice, getForm, hidden, postForm, textField, tick } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { csvFile, csvLink, isoTime, listEnd } from "../lists/csv.ts";
import { comparisonTable, modelComparisons } from "../lists/models.ts";
import { filterChoice, filterForm, oneOf, textOf } from "../lists/query.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";

const PLACE = "/providers";
/** Sandboxes that can be chosen, and comparisons on one page. */
const CHOICES = 200;
const PAGE = 20;

type Pins = Awaited<ReturnType<typeof listProviders>>["pins"];

/** Models on the same tasks: what was compared, and comparing them, priced before it starts. */
export const modelPages: readonly ConsoleRoute[] = [
  shows(PLACE, models),
  csvFile(
    PLACE,
    "model-comparisons",
    ["comparison", "models", "status", "sandbox", "tasks", "tries", "started_at", "started_by"],
    async (visit, cursor) => {
      const { comparisons, next } = await modelComparisons(visit, { limit: CHOICES, cursor });
      const rows = comparisons.map(({ id, pins, status, environment, tasks, trials, created_at, by }) => [
        ...[id, pins.join(", "), status, environment, tasks, trials, isoTime(created_at), by],
      ]);
      return { rows, next };
    },
  ),
  does(PLACE, async (visit) => {
    const { comparison } = await visit.call<{ comparison: string }>("compare_providers", {
      ...inputOf(visit.form),
      by: visit.member.name,
    });
    return { to: pathOf({ page: "provider", id: comparison }) };
  }),
  csvFile(
    `${PLACE}/:pcid`,
    "models",
    ["model", "run", "sandbox", "task", "number", "family", "request", "met", "valid"],
    async (visit) => {
      const found = await modelTasks(visit.ctx, visit.param("pcid"), oneOf(visit, "tasks", MODEL_TASKS));
      const groups = new Map(found.pins.map(({ pin, label, group }) => [pin, [label, group]]));
      const rows = found.tasks.flatMap(({ task, index, family, request, cells }) =>
        cells.map(({ pin, met, valid }) => [
          ...(groups.get(pin) ?? []),
          ...[found.environment, task, index, family, request, met, valid],
        ]),
      );
      return { rows, next: undefined };
    },
  ),
  shows(`${PLACE}/:pcid`, compared),
];

/** What a form or an address asks for, as `compare_providers` takes it. Throws `bad_request` with the field that is wrong. */
function inputOf(asked: URLSearchParams): CompareInput {
  const text = (name: string) => asked.get(name)?.trim() || undefined;
  const tasks = text("tasks")
    ?.split(/[\s,]+/)
    .filter(Boolean);
  const number = (name: string) => (text(name) === undefined ? undefined : Number(text(name)));
  const told = {
    environment: text("environment"),
    pins: asked
      .getAll("pin")
      .flatMap((each) => each.split(","))
      .filter(Boolean),
    tasks,
    trials: number("trials"),
    timeout_seconds: number("timeout_seconds"),
  };
  if (told.pins.length < 2) throw badField("pins", "tick two models or more");
  const { success, data, error } = CompareInput.safeParse(
    Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)),
  );
  if (success) return data;
  const [issue] = error.issues;
  throw badField(String(issue?.path[0] ?? "pins"), issue?.message ?? "cannot be used");
}

async function models(visit: Visit): Promise<View> {
  const cursor = textOf(visit, "cursor");
  const [{ comparisons, next }, { pins }, { items }] = await Promise.all([
    modelComparisons(visit, { limit: PAGE, cursor }),
    visit.call<{ pins: Pins }>("providers_get"),
    visit.ctx.store.records.list(Environment, { limit: CHOICES }),
  ]);
  const ready = pins.filter(isReady).length;
  const asked = visit.query.has("pin") || visit.query.has("trials");
  const sandboxes = items.filter(({ retired_at }) => retired_at === undefined);
  const form =
    ready < 2 || sandboxes.length === 0
      ? html`<p>Two models with a key and a price, and a sandbox with tasks, are needed to compare some: ${ready} of ${counted(pins.length, "model")} can be started, and ${counted(sandboxes.length, "sandbox", "sandboxes")} can be played in. The operator offers models by SVC_MODELS.</p>`
      : compareForm(visit, pins, sandboxes);
  return {
    doc: {
      v: 1,
      title: "Models compared",
      made_at: visit.ctx.now(),
      verdict: {
        text: `${ready} of ${counted(pins.length, "model")} can be started.`,
        tone: ready < 2 ? "warn" : "plain",
        tier: "deterministic",
        how: "Each is played by the service's own tool loop, on the same tasks; one can be started with a key and a price.",
      },
      sections: [],
    },
    lead: [
      html`<p class="ways"><a href="${CONSOLE}/groups?who=built-in">All runs of built-in players</a> <a href="${CONSOLE}/start">Run an agent</a></p>`,
      asked && (await planned(visit)),
      block(asked ? "Change it" : "Compare models", form),
      block(
        "What was compared",
        comparisons.length === 0
          ? html`<p>No models have been compared yet.</p>`
          : [
              comparisonTable("Newest first. The models open how they did, a sandbox its tasks.", comparisons),
              listEnd(PLACE, { query: new URLSearchParams(cursor === undefined ? {} : { cursor }) }, next),
            ],
      ),
    ],
  };
}

const isReady = ({ key, priced }: Pins[number]) => key.set && priced;

/** Which models play which tasks; it asks for the price and starts nothing. */
function compareForm(
  { query }: Visit,
  pins: Pins,
  sandboxes: readonly { readonly id: string; readonly label: string; readonly tasks: number }[],
): ComponentChild {
  const named = query.getAll("pin");
  const chosen = query.get("environment") ?? sandboxes[0]?.id;
  return getForm(
    PLACE,
    "See what it would run and cost",
    [
      html`<fieldset><legend>Models</legend>${pins.map((pin) => {
        if (isReady(pin)) return tick("pin", pin.label, named.length === 0 || named.includes(pin.id), pin.id);
        const lacks = pin.key.set ? "no price is known" : `${pin.key.name} is not set`;
        return html`<label class="soft"><input type="checkbox" disabled /> ${pin.label}: ${lacks}</label>`;
      })}</fieldset>`,
      html`<div class="columns">
        ${choice(
          "environment",
          "On",
          sandboxes.map(({ id, label, tasks }) => ({ value: id, text: `${cut(label, 60)} (${tasks} written)` })),
          chosen,
        )}
        ${textField("tasks", "Tasks by number (empty: all that count)", { value: query.get("tasks") ?? "", size: 20 })}
        ${textField("trials", "Tries a task (empty: 1)", { value: query.get("trials") ?? "", size: 6 })}
        ${textField("timeout_seconds", `Seconds a trial (empty: ${DEFAULT_TIMEOUT_S})`, { value: query.get("timeout_seconds") ?? "", size: 6 })}
      </div>`,
    ],
    { plain: false },
  );
}

/** What would be started with its price and the button that starts it; what would be refused is told here. */
async function planned(visit: Visit): Promise<ComponentChild> {
  try {
    const { tasks, trials, pins } = await planProviders(visit.ctx, inputOf(visit.query));
    const { usd_per_day, spent_usd, left_usd } = await budgetToday(visit.ctx);
    const sum = pins.reduce((all, { usd }) => all + usd, 0);
    return html`
      <section aria-label="Plan">
        <p class="verdict is-${sum > left_usd ? "warn" : "plain"}">${counted(pins.length, "model")} on ${counted(tasks, "task")}: ${counted(trials, "trial")}, about ${dollars(sum)}.</p>
        ${table(
          "What each may cost, at its price and what a trial of the tool loop is taken to ask.",
          [{ name: "Model" }, { name: "Trials", n: true }, { name: "About", n: true }],
          pins.map(({ label, usd }) => [label, trials / pins.length, dollars(usd)]),
        )}
        <p>${dollars(spent_usd)} of today's ${dollars(usd_per_day)} is spent${sum > left_usd ? "; what does not fit in the rest waits" : ""}. <a href="${CONSOLE}/spend">Spend and budget</a></p>
        ${postForm(
          visit,
          PLACE,
          "Start it",
          ["environment", "pin", "tasks", "trials", "timeout_seconds"].map((name) =>
            hidden(name, visit.query.getAll(name).join(",")),
          ),
        )}
      </section>
    `;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const fields = (error.details.fields ?? []).map(({ path, message }) => `${path}: ${message}`);
    const why = fields.length === 0 ? error.reason : `${fields.join("; ")}.`;
    return html`<p role="alert" class="verdict is-warn">This cannot start. ${why}</p>`;
  }
}

/** What asks for a comparison once more: its sandbox, models, tries and time, and its tasks where they were some of those that counted. */
async function sameAgain({ ctx: { store } }: Visit, id: string): Promise<URLSearchParams> {
  const { environment, trials, pins } = orNotFound(await store.records.get(ProviderComparison, id), "comparison");
  const asked = new URLSearchParams({ environment, trials: String(trials) });
  for (const { pin } of pins) asked.append("pin", pin);
  // Each model played the same tasks in one sandbox, under the same limits.
  const group = await store.records.get(RunGroup, pins[0]?.group ?? "");
  const run = await store.records.get(Run, group?.runs[0]?.run ?? "");
  if (run?.partial) asked.set("tasks", run.tasks.map(({ index }) => index).join(" "));
  if (run) asked.set("timeout_seconds", String(run.timeout_seconds));
  return asked;
}

async function compared(visit: Visit): Promise<View> {
  const pcid = visit.param("pcid");
  const place = `${PLACE}/${encodeURIComponent(pcid)}`;
  const base = textOf(visit, "base", 60);
  const only = oneOf(visit, "tasks", MODEL_TASKS);
  const { environment, pins } = await visit.call<Awaited<ReturnType<typeof getComparison>>>("provider_comparison", {
    pcid,
    ...(base === undefined ? {} : { base }),
  });
  const sandbox = encodeURIComponent(environment);
  const again = await sameAgain(visit, pcid);
  const lead = [
    html`<p class="ways"><a href="${CONSOLE}${PLACE}">All comparisons of models</a> <a href="/console/sandboxes/${sandbox}">The sandbox</a> <a href="${CONSOLE}${PLACE}?${again}">Compare them once more</a> <a href="/console/start?environment=${sandbox}">Run an agent on it</a> <a href="/console/groups?who=built-in">All runs of built-in players</a></p>`,
    pins.length > 1 &&
      getForm(
        place,
        "Show",
        [
          only === undefined ? null : hidden("tasks", only),
          choice(
            "base",
            "Hold the others against",
            [
              { value: "", text: "the one that met most" },
              ...pins.map(({ pin, label }) => ({ value: pin, text: cut(label, 60) })),
            ],
            base,
          ),
        ],
        { row: true },
      ),
  ];
  const form = filterForm(place, visit, [
    base === undefined ? null : hidden("base", base),
    filterChoice(visit, "tasks", "Tasks", [
      { value: "", text: "all" },
      { value: "differ", text: "not met alike" },
      { value: "failed", text: "failed by some model" },
    ]),
  ]);
  const doc = await providerPage(visit.ctx, pcid, undefined, { only, base });
  const forms = [html`<p>${csvLink(place, visit, false)}</p>`, freeze(visit, "provider_comparison", pcid)];
  return { doc, lead, filter: { heading: "Tasks", form }, forms };
}
