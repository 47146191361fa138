import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { AppError, badField } from "../../../chapters/errors.ts";
import { DEFAULT_TIMEOUT_S } from "../../../chapters/fields.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut, dollars, seconds } from "../../../chapters/findings/pages/words.ts";
import { type BudgetToday, budgetToday, isNear } from "../../../chapters/organization/budget.ts";
import { RunGroup, RunHarness } from "../../../chapters/records/runs/runs.ts";
import { Environment, TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { pinsOf } from "../../../chapters/runs/pins.ts";
import { reactEstimate } from "../../../chapters/runs/play/react.ts";
import { planRun, type RunPlan } from "../../../chapters/runs/start/plan-run.ts";
import { standingTasks } from "../../../chapters/runs/start/start-from.ts";
import { findTask } from "../../../chapters/sandboxes/tasks/task-records.ts";
import { block, choice, getForm, hidden, postForm, textField } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import { field, type View, type Visit } from "../visit.ts";
import { taskPath } from "./review-list.ts";
import { firstEvidence } from "./send.ts";

interface Agents {
  readonly agents: readonly {
    readonly id: string;
    readonly name: string;
    readonly kind: string;
    readonly versions?: readonly { readonly version: string; readonly retired_at?: number }[];
  }[];
}
interface Started {
  readonly group: string;
}

const EVERY = "";
const MICRO = 1_000_000;
const BUILT_IN = ["reference", "null"] as const;
/** Built-in players that an earlier run may have had: the tool loop with its model, and others that are offered nowhere else. */
const HARNESSES = RunHarness.options;
const SELECTIONS = [
  { value: "", text: "all tasks" },
  { value: "ci-10", text: "10 tasks over all families, always the same" },
  { value: "smoke-20", text: "20 tasks over all families, always the same" },
  { value: "failed_last", text: "what it failed when it last played" },
  { value: "touched", text: "what calls a tool that the version changes" },
];
/** Versions of an agent that can be chosen, the newest. */
const VERSIONS = 30;
/** Tasks that were ticked which are named. */
const PICKED = 20;
/** Tasks of an earlier run whose rest is offered: an address names each. */
const REST = 300;
/** Environments that can be chosen. */
const CHOICES = 200;
const FIELDS = ["player", "version", "environment", "selection", "trials", "timeout", "group", "picked"] as const;
type PlanForm = Readonly<Partial<Record<(typeof FIELDS)[number], string | undefined>>>;

/** Starting a run: who plays what, what that would cost, and then the start itself. */
export const startPages: readonly ConsoleRoute[] = [
  shows("/start", start),
  does("/start", async (visit) => {
    const asked = Object.fromEntries(FIELDS.map((name) => [name, field(visit, name)]));
    const { group } = await visit.call<Started>("start_run", { ...inputOf(asked), by: visit.member.name });
    return { to: `${CONSOLE}/groups/${encodeURIComponent(group)}/live` };
  }),
];

/** What `start_run` takes, of what the form asks. */
function inputOf({ player, version, environment, selection, trials, timeout, group, picked }: PlanForm) {
  const free = group === undefined && picked === undefined;
  const builtIn = HARNESSES.find((name) => player === `harness:${name}`);
  const whole = (name: string, text: string | undefined) => {
    if (text === undefined) return undefined;
    if (!/^\d{1,4}$/.test(text) || Number(text) < 1) throw badField(name, "give a whole number from 1 on");
    return Number(text);
  };
  const told = {
    agent: builtIn === undefined ? player?.replace(/^agent:/, "") : undefined,
    harness: builtIn,
    agent_version: builtIn === undefined ? version : undefined,
    model: builtIn === "react" ? version : undefined,
    environment: free ? environment : undefined,
    selection: free ? selection : undefined,
    tasks_by_environment: picked === undefined ? undefined : pickedTasks(picked),
    trials: whole("trials", trials),
    timeout_seconds: whole("timeout", timeout),
    group,
  };
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)) as {
    agent?: string;
    harness?: RunHarness;
    agent_version?: string;
    model?: string;
    environment?: string;
    selection?: string;
    trials?: number;
    timeout_seconds?: number;
    group?: string;
    tasks_by_environment?: Readonly<Record<string, string[]>>;
  };
}

/** Tasks that were ticked, as `<sandbox>/<number>` each: their numbers by sandbox. */
function pickedTasks(picked: string): Record<string, string[]> {
  const each = picked.split(",").map((one) => one.split("/"));
  const bySandbox = [...Map.groupBy(each, ([env = ""]) => env)];
  return Object.fromEntries(bySandbox.map(([env, of]) => [env, of.map(([, number = ""]) => number)]));
}

/** The tasks that were ticked, by what they ask. */
async function pickedList({ ctx }: Visit, picked: string): Promise<ComponentChild> {
  const found = await Promise.all(
    Object.entries(pickedTasks(picked)).flatMap(([env, numbers]) =>
      numbers.slice(0, PICKED).map((number) => findTask(ctx, env, Number(number)).catch(() => undefined)),
    ),
  );
  const rows = found.filter((row) => !!row);
  const n = picked.split(",").length;
  return html`
    <div>
      <p>${counted(n, "task")} that ${n === 1 ? "was" : "were"} ticked:</p>
      <ul>${rows.slice(0, PICKED).map(({ environment, index, task }) => html`<li><a href=${CONSOLE + taskPath(environment, index)}>${cut(task.request, 120)}</a></li>`)}${n > PICKED && html`<li>and ${n - PICKED} more</li>`}</ul>
    </div>
  `;
}

/** What was asked, with the version apart that is chosen together with its agent. */
function versioned(asked: PlanForm): PlanForm {
  const [player, version] = /^(agent:[^@]+|harness:react)@(.+)$/.exec(asked.player ?? "")?.slice(1) ?? [];
  return player === undefined ? asked : { ...asked, player, version };
}

/** An agent's newest version, whatever that is when it starts, and each that it has, the newest first. */
function playersOf({ id, name, versions = [] }: Agents["agents"][number]) {
  const kept = versions.filter((row) => row.retired_at === undefined).toReversed();
  return [
    { value: `agent:${id}`, text: `${cut(name, 60)}, its newest version` },
    ...kept
      .slice(0, VERSIONS)
      .map(({ version }) => ({ value: `agent:${id}@${version}`, text: `${cut(name, 60)} ${cut(version, 40)}` })),
  ];
}

async function start(visit: Visit): Promise<View> {
  const asked = versioned(Object.fromEntries(FIELDS.map((name) => [name, visit.query.get(name)?.trim() || undefined])));
  const [{ agents }, { items }] = await Promise.all([
    visit.call<Agents>("agents_list", { limit: 200 }),
    visit.ctx.store.records.list(Environment, { limit: CHOICES }),
  ]);
  const environments = items.filter((row) => row.retired_at === undefined);
  const players = [
    ...agents.filter(({ kind }) => kind !== "builtin").flatMap(playersOf),
    ...BUILT_IN.map((name) => ({ value: `harness:${name}`, text: `${name} (built in)` })),
  ];
  const player = asked.version === undefined ? asked.player : `${asked.player}@${asked.version}`;
  // What played before is offered for a run of its own tasks, as it played.
  if (player?.startsWith("harness:") && !players.some(({ value }) => value === player))
    players.push({ value: player, text: `${cut(player.slice("harness:".length).replace("@", " "), 80)} (built in)` });
  const chosen = asked.player === undefined && asked.group === undefined ? undefined : asked;
  const form = getForm("/start", "See what it would run and cost", [
    ...(asked.group === undefined
      ? []
      : [hidden("group", asked.group), html`<p>The tasks of an earlier run, once more.</p>`]),
    ...(asked.picked === undefined ? [] : [hidden("picked", asked.picked), await pickedList(visit, asked.picked)]),
    html`<div class="columns">
      ${choice("player", "Who plays", players, player)}
      ${
        asked.group === undefined &&
        asked.picked === undefined && [
          choice(
            "environment",
            "On",
            [
              { value: EVERY, text: "every environment" },
              ...environments.map(({ id, label, tasks }) => ({
                value: id,
                text: `${cut(label, 60)} (${tasks} written)`,
              })),
            ],
            asked.environment,
          ),
          choice("selection", "Tasks", SELECTIONS, asked.selection),
        ]
      }
      ${textField("trials", "Tries a task (empty: 1)", { value: asked.trials ?? "", size: 6 })}
      ${textField("timeout", `Seconds a trial (empty: ${DEFAULT_TIMEOUT_S})`, { value: asked.timeout ?? "", size: 6 })}
    </div>`,
  ]);
  const certified = await visit.ctx.store.records.count(TaskRecord, { status: "certified" });
  const own = agents.filter(({ kind }) => kind !== "builtin").length;
  const doc: PageDoc = {
    ...{ v: 1, title: "Start a run", made_at: visit.ctx.now(), sections: [] },
    // What would run is the finding once it is asked for.
    ...(chosen === undefined ? { verdict: verdictOf(own, certified, environments.length) } : {}),
  };
  if (chosen !== undefined) return { doc, lead: [await planned(visit, chosen), block("Change it", form)] };
  return {
    doc,
    lead: [
      html`<p class="ways"><a href="${CONSOLE}/agents">Agents: connect one</a> <a href="${CONSOLE}/review">Tasks</a> <a href="${CONSOLE}/providers">Compare models</a></p>`,
      html`<p>Nothing starts before you have seen which tasks it runs and what that costs.</p>`,
      environments.length === 0 &&
        html`<p class="verdict is-warn">There is no sandbox to run on yet: <a href="${CONSOLE}/surfaces">a system</a> has its tasks written first.</p>`,
      await firstEvidence(visit),
      form,
    ],
  };
}

function verdictOf(agents: number, tasks: number, sandboxes: number): PageDoc["verdict"] {
  return {
    text: `${agents === 0 ? "No agent is" : `${counted(agents, "agent")} ${agents === 1 ? "is" : "are"}`} connected; ${counted(tasks, "certified task")} in ${counted(sandboxes, "sandbox", "sandboxes")} can be run.`,
    tone: agents === 0 || tasks === 0 ? "warn" : "plain",
    tier: "deterministic",
    how: "Built-in players can be run too: they show what tasks and worlds do.",
  };
}

/** The plan with its price and the button that starts it; what would be refused is told here, above the form. */
async function planned(visit: Visit, asked: PlanForm): Promise<ComponentChild> {
  let plan: RunPlan;
  try {
    plan = await planRun(visit.ctx, inputOf(asked));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const fields = (error.details.fields ?? []).map(({ path, message }) => `${path}: ${message}`);
    const why = fields.length === 0 ? error.reason : `${fields.join("; ")}.`;
    return html`<p role="alert" class="verdict is-warn">This cannot start. ${why} ${await theRest(visit, asked)}</p>`;
  }
  const budget = await budgetToday(visit.ctx);
  const { usd_per_day, spent_usd } = budget;
  const { player, environments, tasks, trials, usd, ms } = plan;
  const isReact = asked.player === "harness:react";
  const free = asked.player?.startsWith("harness:") === true && !isReact && usd === undefined;
  const price = pinsOf(visit.ctx).find(({ offer }) => isReact && offer.model === asked.version)?.offer.price;
  return html`
    <section aria-label="Plan">
      <p class="verdict is-plain">${cut(player, 60)} on ${counted(tasks, "task")}: ${counted(trials, "trial")}.</p>
      <ul>${environments.map((each) => html`<li><a href=${pathOf({ page: "packet", id: each.environment })}>${cut(each.label, 80)}</a>: ${counted(each.tasks, "task")}${each.partial ? ", not all of them" : ""}</li>`)}</ul>
      <p>
        ${
          free
            ? "It asks no model, so it costs nothing."
            : price !== undefined
              ? `About ${dollars(reactEstimate(price, trials) / MICRO)}, at the model's price and what a trial of the tool loop is taken to ask.`
              : usd === undefined
                ? "What it will cost is not known: no earlier run of it says what its trials cost."
                : `About ${dollars(usd.sum)}, at what ${counted(usd.of, "earlier trial")}${usd.others ? " of its other versions" : ""} cost.`
        }
        ${ms === undefined ? "" : ` Half of its trials took ${seconds(ms)} at most: about ${seconds(ms * trials)} of trials in all, several of them at once.`}
        ${` ${dollars(spent_usd)} of today's ${dollars(usd_per_day)} for the service's own model calls is spent.`}
      </p>
      ${!free && budgetWarning(budget)}
      ${postForm(
        visit,
        "/start",
        "Start it",
        Object.entries(asked).flatMap(([name, value]) => (value === undefined ? [] : [hidden(name, value)])),
      )}
    </section>
  `;
}

/** The way to run what can still be played of an earlier run, in its tries and time, where the whole of it cannot start. */
async function theRest({ ctx }: Visit, { group: gid, ...asked }: PlanForm): Promise<ComponentChild> {
  const group = gid === undefined ? undefined : await ctx.store.records.get(RunGroup, gid);
  if (!group) return null;
  const { tasks, others } = await standingTasks(ctx, group);
  if (others === 0 || tasks.length === 0 || tasks.length > REST) return null;
  const { agent, harness, version } = group.player;
  const query = new URLSearchParams({
    player: asked.player ?? (agent === null ? `harness:${harness ?? ""}` : `agent:${agent}`),
    ...(asked.version === undefined && (asked.player !== undefined || version === null || harness !== "react")
      ? {}
      : { version: asked.version ?? version ?? "" }),
    picked: tasks.map(({ environment, index }) => `${environment}/${index}`).join(","),
    trials: asked.trials ?? `${group.trials}`,
    timeout: asked.timeout ?? `${group.timeout_seconds}`,
  });
  return html`<a href="${CONSOLE}/start?${query}">Run the ${counted(tasks.length, "task")} of it that ${tasks.length === 1 ? "counts" : "count"} now, without the other ${others}</a>`;
}

/** What a run may meet where today's budget is spent, or nearly. */
function budgetWarning(budget: BudgetToday): ComponentChild {
  const { usd_per_day, spent_usd } = budget;
  if (!isNear(budget) && spent_usd <= usd_per_day) return null;
  const told =
    spent_usd >= usd_per_day
      ? "Today's budget is spent"
      : `${Math.floor((100 * spent_usd) / usd_per_day)} % of today's budget is spent`;
  return html`<p class="warn">${told}: where the run asks a model of the service it waits once nothing is left. <a href="${CONSOLE}/spend">Spend and budget</a></p>`;
}
