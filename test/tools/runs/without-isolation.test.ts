import { expect } from "vitest";
import { bothSurfaces } from "../../helpers/app.ts";
import { OPEN_AGENTS } from "../../helpers/isolation.ts";
import { connect, runToEnd, shopIn } from "./kit.ts";

bothSurfaces(
  "trials without isolation are told of in the headlines of their group and of a comparison: run_group, compare_runs",
  async (invoke, { app, org, surface }) => {
    const shop = await shopIn(app.service, org.id, 2);
    const [a, b] = [await connect(invoke, shop, "one"), await connect(invoke, shop, "other", "silent")];
    const asked = { environment: shop.environment };
    const [first, second] = [
      await runToEnd(invoke, { ...asked, agent: a }),
      await runToEnd(invoke, { ...asked, agent: b }),
    ];
    const group = await invoke("run_group", { gid: first.group });
    expect(group.body.isolation).toEqual({ bubblewrap: 0, none: 2, why: "SVC_ISOLATION is none." });
    const run = await invoke("run_get", { rid: group.body.environments[0].run });
    expect(run.body.isolation).toEqual(group.body.isolation);
    const compared = await invoke("compare_runs", { a: first.group, b: second.group });
    if (surface !== "mcp") return;
    expect(group.verdict).toContain("; 2 of 2 trials ran without isolation; the group is landed.");
    expect(compared.verdict?.match(/2 of 2 trials ran without isolation\./g)).toHaveLength(2);
  },
  OPEN_AGENTS,
);
