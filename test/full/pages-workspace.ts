import { comparePage } from "../../chapters/findings/pages/compare.ts";
import { coveragePage } from "../../chapters/findings/pages/coverage.ts";
import { fidelityPage } from "../../chapters/findings/pages/fidelity.ts";
import { groupPage } from "../../chapters/findings/pages/group.ts";
import { homePage } from "../../chapters/findings/pages/home.ts";
import { ontologyPage } from "../../chapters/findings/pages/ontology.ts";
import { packetPage } from "../../chapters/findings/pages/packet.ts";
import type { PageDoc } from "../../chapters/findings/pages/page-doc.ts";
import { providerPage } from "../../chapters/findings/pages/provider.ts";
import { spendPage } from "../../chapters/findings/pages/spend.ts";
import { trialPage } from "../../chapters/findings/pages/trial.ts";
import { weeklyPage } from "../../chapters/findings/pages/weekly.ts";
import { writtenPage } from "../../chapters/findings/pages/written.ts";
import { countsBefore, weeklyFacts } from "../../chapters/findings/weekly/weekly-facts.ts";
import { lastCompleteWeek } from "../../chapters/iso-week.ts";
import { ModelCall } from "../../chapters/records/models/models.ts";
import { sample } from "../../src/evaluate/sample.ts";
import { type Invoke, invoker, startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { ctxOf } from "../helpers/ctx.ts";
import { startProvider } from "../helpers/vendors/models.ts";
import { deskTools, deskTraces, ended, ok } from "../tools/sandboxes/kit.ts";

const DAY = 86_400;
/** A report as a person writes it, with everything that a width has to hold. */
const WRITTEN = `# What we saw

The agent **writes first**, in 12 of 20 tasks; see \`run_group\`.

| task | before | after |
| - | -: | -: |
| return_of_a_delivered_order_that_was_paid_by_two_cards | 3 of 3 | 0 of 3 |

- one
- two

> It said that it was done.

\`\`\`
{"order_id":"SO-10052","status":"cancelled","placed_on":"2026-04-06","total":290.45,"customer_id":"C-1040"}
\`\`\`
`;

/** A workspace that was worked in, still served, with the ids of what its pages show. */
export interface DeskWorkspace {
  readonly app: TestApp;
  readonly org: TestOrg;
  readonly invoke: Invoke;
  readonly ctx: ReturnType<typeof ctxOf>;
  /** Groups of two versions of one agent, the older one first. */
  readonly main: string;
  readonly tested: string;
  readonly environment: string;
  readonly evidence: string;
  /** The comparison of two models. */
  readonly comparison: string;
  readonly mode: string;
  /** Run, task and try of the trial that tells most: one that the newer version failed, and the older one's, which met the task. */
  readonly trial: string;
  readonly before: string;
  close(): Promise<void>;
}

/** The order desk compiled, two versions of its agent compared, two models compared, money spent. */
export async function deskWorkspace(): Promise<DeskWorkspace> {
  const provider = await startProvider();
  const app = await startApp({ config: provider.config });
  const close = async () => {
    await app.close();
    await provider.close();
  };
  try {
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    // biome-ignore lint/suspicious/noExplicitAny: as the helper's answers.
    const call = async (tool: string, args: Record<string, unknown> = {}): Promise<any> =>
      (await ok(invoke(tool, args))).body;
    const land = async (job: string) => {
      const { status, note, result } = await ended(invoke, job);
      if (status !== "landed") throw new Error(`a job ended ${status}: ${note}`);
      return result;
    };
    const ctx = ctxOf(app.service, org, { name: "ann" });

    const sent = { surface: "desk", content: deskTraces(1), provenance: "synthetic" };
    const evidence: string = (await call("evidence_post", sent)).id;
    await call("evidence_post", { surface: "desk", content: deskTools() });
    const built = await land((await call("pipeline_post", { surface: "desk" })).job);
    const environment: string = built.environments[0].id;
    const labels = [{ id: "operation/get_order", label: "Read an order" }];
    provider.say({ text: JSON.stringify({ labels, references: [] }), tokens: [9_000, 400] });
    await land((await call("ontology_compile", { surface: "desk" })).job);
    await call("dimensions_personas_post", {
      surface: "desk",
      personas: [{ value: "shop assistant", jobs: ["refund after ninety days", "lookup"] }],
    });

    const { agent } = sample();
    const [first, second] = agent.versions;
    if (!first || !second) throw new Error("the sample has two versions");
    const connected = await call("agents_post", {
      kind: "command",
      name: agent.name,
      version: "1",
      command: first.command,
    });
    const aid: string = connected.agent.id;
    await call("agents_patch", { aid, version: second.version, command: second.command });
    await call("agent_primary", { aid });
    await call("version_labels_put", { version: first.version, label: "main" });
    const groups: string[] = [];
    for (const { version } of [first, second]) {
      const started = await call("start_run", {
        environment,
        agent: aid,
        agent_version: version,
      });
      await land(started.job);
      groups.push(started.group);
    }
    const [main = "", tested = ""] = groups;
    const noted = await call("failure_modes_post", {
      title: "Writes without reading the order first",
      behaviour: "unverified_write",
      by: "ann",
    });

    const { pins } = await call("providers_get");
    provider.say(...Array.from({ length: 4 }, () => ({ text: "I do not know.", tokens: [200_000, 900] as const })));
    const chosen = { pins: [pins[0].id, pins[1].id], tasks: ["0", "1"] };
    const comparison = await call("compare_providers", { environment, ...chosen });
    for (const { group } of comparison.groups) await land(group);
    const [asked] = (await ctx.store.records.list(ModelCall, { limit: 1 })).items;
    if (asked === undefined) throw new Error("no model was asked");
    const played = (await call("run_group", { gid: tested })).environments[0].run;
    for (let i = 1; i < 12; i += i % 3 === 0 ? 2 : 1) {
      const at = app.service.now() - i * DAY;
      const micro_usd = 150_000 * ((i * 7) % 5) + 40_000;
      const of = i % 2 === 0 ? { job: played, kind: "run" } : { job: `job_${i}`, kind: "ontology_compile" };
      const spent = { ...of, who: "schedule", micro_usd, note: "" };
      await ctx.store.ledger.append({ id: app.service.id("lg"), at, ...spent });
      await ctx.store.records.insert(ModelCall, {
        ...asked,
        id: app.service.id("mc"),
        created_at: at,
        job: spent.job,
        micro_usd,
      });
    }
    await call("budget_put", { usd_per_day: 0.5 });
    await call("start_run", { environment, harness: "react", tasks: ["0", "1"] });

    const of = async (group: string) => call("run_group", { gid: group });
    const [older, newer] = [await of(main), await of(tested)];
    type Ended = { task: string; ends: { met: number; failed: number } };
    const met = new Set(older.tasks.flatMap(({ task, ends }: Ended) => (ends.met > 0 ? [task] : [])));
    const failed = newer.tasks.find(({ task, ends }: Ended) => ends.failed > 0 && met.has(task));
    if (failed === undefined) throw new Error("no task flipped: the pictures would show none");
    return {
      ...{ app, org, invoke, ctx, main, tested, environment, evidence, close },
      comparison: comparison.comparison,
      mode: noted.failure_modes[0].id,
      trial: `${newer.environments[0].run}/${failed.task}/1`,
      before: `${older.environments[0].run}/${failed.task}/1`,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Every page of that workspace that is more than a list, as data. */
export async function deskPages(): Promise<Record<string, PageDoc>> {
  const { ctx, main, tested, environment, comparison, trial, close } = await deskWorkspace();
  try {
    const thisWeek = await weeklyFacts(ctx, lastCompleteWeek(ctx.now() + 7 * DAY));
    return {
      home: (await homePage(ctx)).doc,
      group: await groupPage(ctx, tested),
      compare: await comparePage(ctx, main, tested),
      trial: await trialPage(ctx, trial),
      packet: await packetPage(ctx, environment),
      provider: await providerPage(ctx, comparison),
      coverage: await coveragePage(ctx),
      ontology: await ontologyPage(ctx, "desk"),
      fidelity: await fidelityPage(ctx, "desk"),
      spend: await spendPage(ctx),
      // This week, as it will be told when it is over.
      weekly: weeklyPage(thisWeek, await countsBefore(ctx, thisWeek), ctx.now()),
      written: await writtenPage(ctx, { title: "What we saw", markdown: WRITTEN, by: "ann", whole: false }),
    };
  } finally {
    await close();
  }
}
