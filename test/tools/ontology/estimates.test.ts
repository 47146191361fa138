import { expect, it } from "vitest";
import { bothSurfaces, type Invoke } from "../../helpers/app.ts";
import { startProvider } from "../../helpers/vendors/models.ts";
import { deskTraces, ended, ok } from "../sandboxes/kit.ts";

const GUIDE = "# How the desk works\n\nEach order belongs to one customer.\n";

const landed = async (invoke: Invoke, job: string) => {
  const row = await ended(invoke, job);
  if (row.status !== "landed") throw new Error(`it ended ${row.status}: ${row.note}`);
  return row.result;
};
const spent = async (invoke: Invoke): Promise<number> => (await ok(invoke("spend_summary"))).body.today.spent_usd;

const provider = await startProvider();

bothSurfaces(
  "compiles and readings by a model wait for the budget, and cost no more than they said",
  async (invoke) => {
    const { body: traces } = await ok(invoke("evidence_post", { surface: "desk", content: deskTraces(30) }));
    const { body: guide } = await ok(invoke("evidence_post", { content: GUIDE }));
    const answers = {
      ontology_compile: [{ surface: "desk" }, { labels: [], references: [] }],
      dimensions_derive: [{ source: traces.id }, { values: [] }],
      surface_relations_document: [{ surface: "desk", source: guide.id }, { edges: [] }],
    } as const;
    for (const [tool, [args, said]] of Object.entries(answers)) {
      await ok(invoke("budget_put", { usd_per_day: (await spent(invoke)) + 0.0001 }));
      const { body } = await ok(invoke(tool, args));
      expect(body.status, tool).toBe("held");
      const { held } = (await ok(invoke("spend_summary"))).body;
      const waiting = held.find((row: { job: string }) => row.job === body.job);
      expect(waiting.estimate_usd, tool).toBeGreaterThan(0.0001);
      // The first answer is malformed: what a reading costs at most is two answers.
      provider.say({ text: "none" }, { text: JSON.stringify(said) });
      const before = await spent(invoke);
      await ok(invoke("budget_put", { usd_per_day: before + waiting.estimate_usd + 1e-6 }));
      await landed(invoke, body.job);
      expect((await spent(invoke)) - before, tool).toBeLessThanOrEqual(waiting.estimate_usd);
      expect((await spent(invoke)) - before, tool).toBeGreaterThan(0);
    }
    expect(provider.unscripted()).toBe(0);
    await ok(invoke("budget_put", { usd_per_day: 0 }));
    const { body: again } = await ok(invoke("ontology_compile", { surface: "desk", force: true }));
    expect(again.status, "names that stand are not read again").not.toBe("held");
    await landed(invoke, again.job);
  },
  { config: provider.config },
);

it("closes its provider", () => provider.close());
