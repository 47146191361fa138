import { z } from "zod";
import { auditAct } from "../../audit.ts";
import { actor, type Ctx } from "../../context.ts";
import { badField, conflict, orNotFound } from "../../errors.ts";
import { byField, count, DEFAULT_TIMEOUT_S, orgRef, recordId, words } from "../../fields.ts";
import { confidenceBands } from "../../organization/confidence.ts";
import { everyRow, type PageInput } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { ModelCall } from "../../records/models/models.ts";
import { ProviderComparison } from "../../records/runs/provider.ts";
import type { TrialRow } from "../../records/runs/runs.ts";
import { Environment } from "../../records/sandboxes/sandboxes.ts";
import type { ConfidenceBands } from "../../statistics/bands.ts";
import { findGroup, type GroupData, type GroupDoc, groupData, groupState } from "../groups/group-data.ts";
import { type Pin, pinsOf } from "../pins.ts";
import { reactEstimate } from "../play/react.ts";
import { planRun } from "../start/plan-run.ts";
import { startRun } from "../start/start-run.ts";
import { endsOf, ratesOf } from "../trials/rates.ts";
import { compareGroups } from "./compare.ts";

type ComparisonDoc = Doc<typeof ProviderComparison>;

/** Whether the caller may see which model a pin is. */
function isStaff(ctx: Ctx, audience: string | undefined): boolean {
  return ctx.caller.kind !== "org" && audience === "staff";
}

/** What the tool loop can be run with, and whether each pin could be started. */
export async function listProviders(ctx: Ctx, input: { readonly audience?: "customer" | "staff" | undefined }) {
  const staff = isStaff(ctx, input.audience);
  return {
    org: ctx.org.tag,
    harness: "react" as const,
    pins: pinsOf(ctx).map(({ id, label, offer: { provider, model, key, price } }) => ({
      id,
      label,
      provider,
      key,
      priced: price !== undefined,
      ...(price === undefined ? {} : { priced_as_of: price.as_of }),
      ...(staff ? { model } : {}),
    })),
  };
}

export const pinId = words(60);
/** What `compare_providers` takes. */
export const CompareInput = z.object({
  ...orgRef,
  environment: recordId("environment"),
  tasks: z.array(words(200)).min(1).max(2_000).optional().describe("Task ids or indexes; all that count when absent."),
  pins: z.array(pinId).min(2).max(20).optional().describe("Pin ids; every one that can be started when absent."),
  trials: count.min(1).max(50).optional().describe("Tries per task; 1 when absent."),
  timeout_seconds: z.number().positive().max(3_600).optional().describe(`Per trial; ${DEFAULT_TIMEOUT_S} when absent.`),
  ...byField,
});
export type CompareInput = z.output<typeof CompareInput>;

/** Starts the tool loop once per pin on the same tasks of an environment: a group each, and one comparison that reads them. */
export async function compareProviders(ctx: Ctx, input: CompareInput) {
  const environment = orNotFound(await ctx.store.records.get(Environment, input.environment), "environment");
  const chosen = chosenPins(ctx, input.pins);
  const { tasks, trials, timeout_seconds } = input;
  const by = actor(ctx, input.by);
  let doc: ComparisonDoc = {
    id: ctx.id(ProviderComparison.prefix),
    created_at: ctx.now(),
    by,
    environment: environment.id,
    label: environment.label,
    pins: [],
    tasks: 0,
    trials: trials ?? 1,
  };
  // Written before and after each start: a group that is paid for is never without its comparison.
  await ctx.store.records.insert(ProviderComparison, doc);
  for (const { id, label, offer } of chosen) {
    const { body } = await startRun(ctx, {
      harness: "react",
      model: offer.model,
      environment: environment.id,
      tasks,
      trials,
      timeout_seconds,
      by: input.by,
    });
    const pin = { pin: id, label, model: offer.model, group: body.group };
    doc = { ...doc, pins: [...doc.pins, pin], tasks: body.tasks };
    await ctx.store.records.put(ProviderComparison, doc);
  }
  await auditAct(ctx, "providers_compared", { comparison: doc.id, pins: doc.pins.length }, by);
  return {
    org: ctx.org.tag,
    comparison: doc.id,
    environment: environment.id,
    groups: doc.pins.map(({ pin, label, group }) => ({ pin, label, group })),
    poll: `/v0/orgs/${ctx.org.tag}/comparisons/${doc.id}`,
  };
}

/** What `compareProviders` would start with this and what each pin may cost, without starting it; refused as it would be. */
export async function planProviders(ctx: Ctx, { environment, pins, ...asked }: CompareInput) {
  const chosen = chosenPins(ctx, pins);
  const model = chosen[0]?.offer.model;
  const plan = await planRun(ctx, { harness: "react", model, environment, ...asked });
  return {
    tasks: plan.tasks,
    trials: plan.trials * chosen.length,
    pins: chosen.map(({ id, label, offer: { price } }) => ({
      pin: id,
      label,
      usd: price === undefined ? 0 : reactEstimate(price, plan.trials) / MICRO,
    })),
  };
}

function chosenPins(ctx: Ctx, pins: CompareInput["pins"]): readonly Pin[] {
  const all = pinsOf(ctx);
  const chosen = pins === undefined ? all.filter(startable) : [...new Set(pins)].map((id) => pinOf(all, id));
  if (chosen.length < 2) throw conflict("A comparison needs two pins that can be started; see providers_get.");
  const refused = chosen.find((pin) => !startable(pin));
  if (refused) throw conflict("A pin has no key or no price, so it cannot be started; see providers_get.");
  return chosen;
}

/** The comparison that started a run group; undefined where none did. */
export async function comparisonOf(ctx: Ctx, group: GroupDoc): Promise<ComparisonDoc | undefined> {
  if (group.player.harness !== "react") return undefined;
  for await (const doc of everyRow((page) => ctx.store.records.list(ProviderComparison, page))) {
    if (doc.pins.some((pin) => pin.group === group.id)) return doc;
    // Newest first, and a comparison is written right before its groups: an older one has started none so late.
    if (doc.created_at < group.created_at - STARTED_WITHIN) return undefined;
  }
  return undefined;
}

/** Seconds in which a comparison has started its groups. */
const STARTED_WITHIN = 3_600;
const MICRO = 1_000_000;

function startable({ offer }: Pin): boolean {
  return offer.key.set && offer.price !== undefined;
}

function pinOf(all: readonly Pin[], id: string): Pin {
  const pin = all.find((one) => one.id === id);
  if (!pin) throw badField("pins", "names a pin that is not offered; see providers_get");
  return pin;
}

/** Provider comparisons, newest first, with how each stands. */
export async function listComparisons(ctx: Ctx, input: PageInput) {
  const page = await ctx.store.records.list(ProviderComparison, input);
  const comparisons = await Promise.all(
    page.items.map(async ({ id, created_at, by, environment, label, pins, tasks, trials }) => {
      const groups = await Promise.all(pins.map(async ({ group }) => groupState(ctx, await findGroup(ctx, group))));
      return {
        id,
        created_at,
        by,
        environment,
        label,
        pins: pins.map((pin) => pin.label),
        tasks,
        trials,
        status: groups.some(({ status }) => status === "running" || status === "queued") ? "running" : statusOf(groups),
      };
    }),
  );
  return { org: ctx.org.tag, comparisons, ...(page.next === undefined ? {} : { next: page.next }) };
}

function statusOf(groups: readonly { readonly status: GroupData["status"] }[]): string {
  const [first] = groups;
  return groups.every(({ status }) => status === first?.status) ? (first?.status ?? "landed") : "partial";
}

/** One comparison: per pin its trials, rate, cost and latency and how it stands against the base pin, and per task a cell per pin. */
export async function getComparison(
  ctx: Ctx,
  input: {
    readonly pcid: string;
    readonly base?: string | undefined;
    readonly audience?: "customer" | "staff" | undefined;
  },
) {
  const doc = orNotFound(await ctx.store.records.get(ProviderComparison, input.pcid), "provider comparison");
  const staff = isStaff(ctx, input.audience);
  const base = doc.pins.find(({ pin }) => pin === input.base) ?? doc.pins[0];
  const bands = await confidenceBands(ctx);
  const told = await Promise.all(
    doc.pins.map(async (pin) => {
      const data = await groupData(ctx, pin.group);
      return { pin, data, trials: data.runs.flatMap((run) => run.trials), cost: await costOf(ctx, data) };
    }),
  );
  const basis = told.find(({ pin }) => pin === base)?.data;
  const tasks = told[0]?.data.runs.flatMap(({ run }) => run.tasks) ?? [];
  return {
    org: ctx.org.tag,
    id: doc.id,
    environment: doc.environment,
    label: doc.label,
    base: base?.pin ?? "",
    pins: told.map(({ pin, data, trials, cost }) => {
      const rates = ratesOf(trials, doc.trials);
      return {
        pin: pin.pin,
        label: pin.label,
        ...(staff ? { model: pin.model } : {}),
        group: pin.group,
        status: data.status,
        ends: endsOf(trials),
        met: rates.met,
        valid: rates.valid,
        interval: rates.clustered,
        ...(basis === undefined || pin === base ? {} : { against_base: againstBase(basis, data, bands) }),
        cost_usd: cost / MICRO,
        ...(rates.met === 0 ? {} : { cost_per_met_usd: cost / MICRO / rates.met }),
        ...latencyOf(trials),
      };
    }),
    tasks: tasks.map(({ id, index, family }) => ({
      task: id,
      index,
      family,
      cells: told.map(({ pin, trials }) => {
        const of = trials.filter((row) => row.task === id);
        const { met, failed } = endsOf(of);
        return { pin: pin.pin, met, valid: met + failed };
      }),
    })),
    tier: "deterministic" as const,
  };
}

/** How a pin's group stands against the base's, paired by task: `a` of the verdict is the base, `b` the pin. */
function againstBase(base: GroupData, pin: GroupData, bands: ConfidenceBands) {
  const {
    difference,
    p,
    confidence,
    words,
    worse,
    verdict,
    tasks,
    cannot_tell: untold,
  } = compareGroups(base, pin, bands);
  return {
    difference,
    p,
    confidence,
    words,
    ...(worse === undefined ? {} : { worse: worse === "a" ? ("base" as const) : ("pin" as const) }),
    tasks: tasks.length,
    verdict,
    ...(untold === undefined ? {} : { cannot_tell: untold }),
  };
}

/** Micro-dollars that a group's model calls cost, as they were written down. */
async function costOf(ctx: Ctx, { runs }: GroupData): Promise<number> {
  let micro = 0;
  for (const { run } of runs)
    for await (const call of everyRow((page) => ctx.store.records.list(ModelCall, { ...page, where: { job: run.id } })))
      micro += call.micro_usd;
  return micro;
}

/** Milliseconds a trial took, median and nearly the longest; absent without trials. */
function latencyOf(trials: readonly TrialRow[]) {
  const sorted = trials.map(({ ms }) => ms).sort((a, b) => a - b);
  if (sorted.length === 0) return {};
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  return { ms_p50: at(0.5), ms_p95: at(0.95) };
}
