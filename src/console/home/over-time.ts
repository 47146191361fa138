import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import type { Ctx } from "../../../chapters/context.ts";
import { cut, dollars, minuteOf } from "../../../chapters/findings/pages/words.ts";
import { dayStart } from "../../../chapters/organization/budget.ts";
import { everyRow } from "../../../chapters/page.ts";
import { ModelCall } from "../../../chapters/records/models/models.ts";
import { BundleRecord, Surface } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { spendOfAgents } from "../../../chapters/runs/groups/trend.ts";
import { table } from "../../pages/html.ts";
import type { TrendValue } from "../../pages/trend.ts";
import { CONSOLE, pathOf } from "../frame.ts";

/** Compiled versions that are shown, and systems that can be chosen. */
const VERSIONS = 24;
const SYSTEMS = 200;
const DAY = 86_400;
const DAYS = 30;
const MICRO = 1_000_000;
/** Model calls that are added up at most, newest first. */
const CALLS = 5_000;
/** Groups of agents whose trials are added up. */
const GROUPS = 60;

interface FidelityTrend {
  readonly systems: readonly { readonly id: string; readonly name: string }[];
  readonly shown?: string;
  readonly name: string;
  readonly marks: readonly TrendValue[];
}

/** How each compiled version of a system answered calls that it was not compiled from; of the newest system where none is named. */
export async function fidelityOverTime(ctx: Ctx, asked: string | undefined): Promise<FidelityTrend> {
  const { items } = await ctx.store.records.list(Surface, { limit: SYSTEMS });
  const systems = items.filter((row) => row.retired_at === undefined && row.bundle !== undefined);
  const chosen = systems.find(({ id }) => id === asked) ?? systems[0];
  if (chosen === undefined) return { systems, name: "", marks: [] };
  const bundles = await ctx.store.records.list(BundleRecord, { where: { surface: chosen.id }, limit: VERSIONS });
  const marks = bundles.items.toReversed().flatMap(({ fidelity, created_at, id }): TrendValue[] =>
    fidelity === undefined || fidelity.all.calls === 0
      ? []
      : [
          {
            label: versionOf(chosen.versions, id),
            when: minuteOf(created_at),
            value: fidelity.all.identical_volatile / fidelity.all.calls,
            n: `${fidelity.all.calls} calls, ${fidelity.traces} traces`,
            href: `${CONSOLE}/surfaces/${encodeURIComponent(chosen.id)}/fidelity`,
          },
        ],
  );
  return { systems, shown: chosen.id, name: chosen.name, marks };
}

/** Which version of a system a bundle is, counted as they were first served. */
function versionOf(versions: readonly { readonly bundle: string }[], id: string): string {
  const at = versions.findIndex(({ bundle }) => bundle === id);
  return at < 0 ? "not served" : `v${at + 1}`;
}

/** What trials and the service's own model calls cost, by agent and by model. */
export async function spendBy(ctx: Ctx, days = DAYS): Promise<ComponentChild> {
  const since = dayStart(ctx.now()) - (days - 1) * DAY;
  const models = new Map<string, { calls: number; input: number; output: number; micro: number }>();
  let read = 0;
  for await (const { model, tokens, micro_usd, created_at } of everyRow((page) =>
    ctx.store.records.list(ModelCall, page),
  )) {
    if (created_at < since || read === CALLS) break;
    read += 1;
    const sum = models.get(model) ?? { calls: 0, input: 0, output: 0, micro: 0 };
    sum.calls += 1;
    sum.input += tokens.input;
    sum.output += tokens.output;
    sum.micro += micro_usd;
    models.set(model, sum);
  }
  const agents = (await spendOfAgents(ctx, GROUPS)).filter(({ trials }) => trials > 0);
  if (models.size === 0 && agents.length === 0) return null;
  const byModel = [...models].sort(([, a], [, b]) => b.micro - a.micro);
  const spent = byModel.reduce((sum, [, { micro }]) => sum + micro, 0) / MICRO;
  return [
    byModel.length > 0 &&
      table(
        `The service's own model calls of the last ${days} days, by model${read === CALLS ? `, the newest ${CALLS.toLocaleString("en-US")} of them` : ""}: ${dollars(spent)} in all.`,
        [
          { name: "Model" },
          { name: "US dollars", n: true },
          { name: "Calls", n: true },
          { name: "Tokens in", n: true },
          { name: "Tokens out", n: true },
        ],
        byModel.map(([model, { calls, input, output, micro }]) => [
          cut(model, 60),
          dollars(micro / MICRO),
          ...[calls, input, output].map((n) => n.toLocaleString("en-US")),
        ]),
      ),
    agents.length > 0 &&
      table(
        `What trials say they cost, by agent, in the newest ${GROUPS} landed runs of agents, of any age. Where the service itself asked the model the same money is in its own calls too; what other agents pay for is not.`,
        [
          { name: "Agent" },
          { name: "US dollars", n: true },
          { name: "Trials", n: true },
          { name: "A trial", n: true },
          { name: "Runs", n: true },
        ],
        agents.map(({ id, agent, usd, trials, groups }) => [
          id === undefined ? cut(agent, 60) : html`<a href=${pathOf({ page: "agent", id })}>${cut(agent, 60)}</a>`,
          dollars(usd),
          trials,
          dollars(usd / trials),
          html`<a href="${CONSOLE}/groups?${new URLSearchParams({ q: agent })}">${groups}</a>`,
        ]),
      ),
  ];
}
