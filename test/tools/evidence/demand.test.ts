import { expect } from "vitest";
import { TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { bothSurfaces } from "../../helpers/app.ts";
import { shopIn } from "../runs/kit.ts";
import { ended, ok } from "../sandboxes/kit.ts";

const ASKED = ["The address on my parcel is wrong", "Send it to another address", "My address changed last week"];

bothSurfaces(
  "public demand has more tasks written of what people ask for, while the org lets it",
  async (invoke, { app, org }) => {
    await shopIn(app.service, org.id, 1, "shop");
    const { records } = app.service.store.forOrg(org.id);
    const requests = async (label: string) => {
      const { body } = await ok(invoke("generate_environments", { surface: "shop", tasks: 20, seed: "7", label }));
      const job = await ended(invoke, body.job);
      if (job.status !== "landed") throw new Error(`the generation ended ${job.status}: ${job.note}`);
      const where = { environment: job.result.environments[0].id };
      const rows = (await records.list(TaskRecord, { where, limit: 100 })).items;
      return {
        all: rows.map(({ task }) => task.request).sort(),
        asked: rows.filter(({ task }) => task.cell.use_case?.includes("address")).length,
      };
    };
    const before = await requests("before");
    await ok(
      invoke("corpus_post", {
        items: ASKED.map((text) => ({ text, provenance: { site: "forum.example" }, licence: "CC0-1.0" })),
      }),
    );
    const { proposed } = (await ok(invoke("corpus_derive"))).body;
    const value = proposed.find((row: { value: string }) => row.value === "address");
    await ok(invoke("corpus_policy_put", { public_demand: true }));
    expect((await requests("not accepted yet")).all).toEqual(before.all);
    await ok(invoke("dimension_value_accept", { value_id: value.id }));
    const shaped = await requests("shaped");
    expect(shaped.asked).toBeGreaterThan(before.asked + 1);
    expect(shaped.all.length).toBe(before.all.length);
    await ok(invoke("corpus_policy_put", { public_demand: false }));
    expect((await requests("let be")).all).toEqual(before.all);
  },
);

bothSurfaces("a weight that a person gives a use case counts whatever the policy", async (invoke, { app, org }) => {
  await shopIn(app.service, org.id, 1, "shop");
  const { records } = app.service.store.forOrg(org.id);
  await ok(invoke("dimensions_post", { field: "use_case", values: ["cancel order"] }));
  const { dimensions } = (await ok(invoke("dimensions_get"))).body;
  const [value] = dimensions.find((row: { field: string }) => row.field === "use_case").values;
  const cancels = async (label: string) => {
    const { body } = await ok(invoke("generate_environments", { surface: "shop", tasks: 20, seed: "7", label }));
    const job = await ended(invoke, body.job);
    const where = { environment: job.result.environments[0].id };
    const rows = (await records.list(TaskRecord, { where, limit: 100 })).items;
    return rows.filter(({ task }) => task.cell.use_case === "cancel order").length;
  };
  const before = await cancels("before");
  await ok(invoke("dimension_value_profile_post", { value_id: value.id, weight: 0.9 }));
  expect(await cancels("after")).toBeGreaterThan(before);
});
